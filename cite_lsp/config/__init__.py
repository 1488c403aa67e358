"""Settings: their names and defaults, where each came from, and which of them a project may set."""

from cite_lsp.config.files import PROJECT_FILE, PYTHON_FILE, Problem, find_root, project_file_text, user_file_path
from cite_lsp.config.loading import LoadedSettings, load_settings
from cite_lsp.config.rule_edit import rule_change
from cite_lsp.config.schema import settings_schema
from cite_lsp.config.settings import (
    USER_ONLY,
    AnchorSettings,
    CacheSettings,
    DriftSettings,
    FileSettings,
    JudgeSettings,
    LimitSettings,
    Override,
    PolicySettings,
    RepairSettings,
    ServerSettings,
    Settings,
    severity_of,
)
from cite_lsp.snapshot.globs import GlobError, expand_braces

__all__ = [
    "PROJECT_FILE",
    "PYTHON_FILE",
    "USER_ONLY",
    "AnchorSettings",
    "CacheSettings",
    "DriftSettings",
    "FileSettings",
    "GlobError",
    "JudgeSettings",
    "LimitSettings",
    "LoadedSettings",
    "Override",
    "PolicySettings",
    "Problem",
    "RepairSettings",
    "ServerSettings",
    "Settings",
    "expand_braces",
    "find_root",
    "load_settings",
    "project_file_text",
    "rule_change",
    "settings_schema",
    "severity_of",
    "user_file_path",
]
