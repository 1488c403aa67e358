"""How each language writes a fact: templates for the generated claims (`generated_claims.py`).

In a template `<UPPER>`, `<snake>`, `<camel>`, `<Pascal>`, `<kebab>` and `<plain>` are the subject in that style and
`<v>` is its value; `<f>`, `<g>`, `<h>` are functions in the language's own style; `<Err>` is what fails; `<op>` is a
comparator; `<ENV>` is a variable of the environment. A fact may have several lines; `Syntax.before` and `after` make a
file of it.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass, replace

_SLOT = re.compile(r"<(UPPER|snake|camel|Pascal|kebab|plain|v|f|g|h|Err|op|ENV|a|b|A|B|on)>")


def fill(template: str, slots: Mapping[str, str]) -> str:
    """A template with its slots filled; what is no slot stays."""
    return _SLOT.sub(lambda match: slots.get(match[1], match[0]), template)


def styles(words: tuple[str, ...]) -> dict[str, str]:
    """A name in every style."""
    pascal = "".join(word.capitalize() for word in words)
    return {
        "UPPER": "_".join(words).upper(),
        "snake": "_".join(words),
        "camel": words[0] + pascal[len(words[0]) :],
        "Pascal": pascal,
        "kebab": "-".join(words),
        "plain": " ".join(words),
    }


@dataclass(frozen=True, slots=True)
class Syntax:
    """How one language writes each kind of fact; "" or () where it cannot."""

    path: str
    before: tuple[str, ...] = ()
    after: tuple[str, ...] = ()
    indent: int = 0
    owner: str = ""
    """What encloses the facts, and may be named before a dot."""
    prose: bool = False
    style: str = "snake"
    """That of functions."""
    number: tuple[str, ...] = ()
    time: tuple[tuple[str, str], ...] = ()
    """Template and unit: ms, s, m, h, d."""
    size: tuple[tuple[str, str], ...] = ()
    """Template and unit: B, K, M."""
    parameter: tuple[str, ...] = ()
    switch: tuple[str, ...] = ()
    on_off: tuple[str, str] = ("true", "false")
    text: tuple[str, ...] = ()
    condition: str = ""
    raises: str = ""
    fails: tuple[str, str] = ("raises", "raised")
    """The verb, and its participle."""
    errors: tuple[str, ...] = ()
    returns: str = ""
    calls: str = ""
    env: tuple[str, ...] = ()
    guard: str = ""
    down: str = ""
    """Sorts by the subject, the largest first."""
    up: str = ""
    override: str = ""
    """`<a>` wins over `<b>`."""
    version: tuple[str, ...] = ()
    comment: tuple[str, ...] = ()
    """Templates around `<v>`, the sentence."""


_PY_ERRORS = ("ValueError", "TypeError", "KeyError", "TimeoutError", "PermissionError", "LookupError")
_JS_ERRORS = ("RangeError", "TypeError", "SyntaxError", "ConfigError", "TimeoutError")
_JAVA_ERRORS = ("IllegalArgumentException", "IllegalStateException", "TimeoutException", "IOException")
_GO_ERRORS = ("ErrClosed", "ErrTooLarge", "ErrEmptyKey", "ErrNotFound", "ErrBusy")
_C_ERRORS = ("-EINVAL", "-ENOMEM", "-EBUSY", "-ENOENT", "-EPERM")

_BRACED = {
    "javascript": Syntax(
        "src/settings.js",
        before=('import { log } from "./log.js";', ""),
        style="camel",
        number=("const <UPPER> = <v>;", "export const <camel> = <v>;", "let <camel> = <v>;"),
        time=(
            ("const <UPPER>_MS = <v>;", "ms"),
            ("export const <camel>Ms = <v>;", "ms"),
            ("const <camel>Seconds = <v>;", "s"),
            ("const <UPPER> = <v>; // milliseconds", "ms"),
        ),
        size=(
            ("const <UPPER> = <v> * 1024;", "K"),
            ("const <camel>Bytes = <v>;", "B"),
            ("const <UPPER> = <v> << 20;", "M"),
        ),
        parameter=(
            "function <f>(host, <camel> = <v>) {\n  return host.open(<camel>);\n}",
            "<f>({ <camel> = <v> } = {}) {",
        ),
        switch=("const <camel> = <on>;", "export const <UPPER> = <on>;"),
        text=('const <UPPER> = "<v>";', "export const <camel> = '<v>';"),
        condition=(
            'function <f>(<camel>) {\n  if (<camel> <op> <v>) {\n    throw new <Err>("<plain> out of range");\n  }\n}'
        ),
        raises='function <f>(<camel>) {\n  if (!<camel>) {\n    throw new <Err>("<plain> is empty");\n  }\n}',
        fails=("throws", "thrown"),
        errors=_JS_ERRORS,
        returns="function <f>() {\n  return <v>;\n}",
        calls="function <f>() {\n  <g>();\n  <h>();\n}",
        env=('const <camel> = process.env.<ENV> ?? "<v>";', 'const <camel> = process.env["<ENV>"] || "<v>";'),
        guard='if (process.platform === "win32") {\n  <f>();\n}',
        down="rows.sort((a, b) => b.<camel> - a.<camel>);",
        up="rows.sort((a, b) => a.<camel> - b.<camel>);",
        override="const merged = { ...<b>, ...<a> };",
        comment=("// <v>", "/** <v> */"),
    ),
    "rust": Syntax(
        "src/settings.rs",
        before=("use std::time::Duration;", ""),
        number=("const <UPPER>: u32 = <v>;", "pub const <UPPER>: usize = <v>;", "let <snake> = <v>;"),
        time=(
            ("pub const <UPPER>: Duration = Duration::from_secs(<v>);", "s"),
            ("const <UPPER>: Duration = Duration::from_millis(<v>);", "ms"),
            ("const <UPPER>_MS: u64 = <v>;", "ms"),
        ),
        size=(
            ("const <UPPER>: usize = <v> * 1024;", "K"),
            ("const <UPPER>: usize = <v> << 20;", "M"),
            ("const <UPPER>_BYTES: usize = <v>;", "B"),
        ),
        switch=("const <UPPER>: bool = <on>;", "let <snake> = <on>;"),
        text=('pub const <UPPER>: &str = "<v>";',),
        condition=(
            "pub fn <f>(<snake>: u32) -> Result<(), Error> {\n    if <snake> <op> <v> {\n"
            "        return Err(Error::<Err>);\n    }\n    Ok(())\n}"
        ),
        raises=(
            "pub fn <f>(<snake>: &str) -> Result<(), Error> {\n    if <snake>.is_empty() {\n"
            "        return Err(Error::<Err>);\n    }\n    Ok(())\n}"
        ),
        fails=("returns", "returned"),
        errors=("OutOfRange", "EmptyKey", "TooLarge", "NotFound"),
        returns="pub fn <f>() -> u32 {\n    return <v>;\n}",
        calls="pub fn <f>(&self) {\n    self.<g>();\n    self.<h>();\n}",
        env=('let <snake> = env::var("<ENV>").unwrap_or("<v>".into());',),
        guard="if cfg!(windows) {\n    <f>();\n}",
        down="rows.sort_by(|a, b| b.<snake>.cmp(&a.<snake>));",
        up="rows.sort_by(|a, b| a.<snake>.cmp(&b.<snake>));",
        override="let level = <a>.or(<b>);",
        comment=("// <v>", "/// <v>"),
    ),
    "go": Syntax(
        "internal/settings.go",
        before=("package settings", "", 'import "time"', ""),
        style="camel",
        number=("const <camel> = <v>", "var <Pascal> int = <v>", "const <Pascal> = <v>"),
        time=(
            ("const <camel> = <v> * time.Second", "s"),
            ("const <Pascal> = <v> * time.Millisecond", "ms"),
            ("var <camel> = <v> * time.Minute", "m"),
        ),
        size=(
            ("const <camel> = <v> * 1024", "K"),
            ("const <Pascal> = <v> << 20", "M"),
            ("const <camel>Bytes = <v>", "B"),
        ),
        switch=("var <camel> = <on>", "const <Pascal> = <on>"),
        text=('const <camel> = "<v>"', 'var <Pascal> = "<v>"'),
        condition="func <f>(<camel> int) error {\n\tif <camel> <op> <v> {\n\t\treturn <Err>\n\t}\n\treturn nil\n}",
        raises='func <f>(<camel> string) error {\n\tif <camel> == "" {\n\t\treturn <Err>\n\t}\n\treturn nil\n}',
        fails=("returns", "returned"),
        errors=_GO_ERRORS,
        returns="func <f>() int {\n\treturn <v>\n}",
        calls="func <f>(s *Server) {\n\ts.<g>()\n\ts.<h>()\n}",
        env=('<camel> := os.Getenv("<ENV>") // defaults to <v>',),
        guard='if runtime.GOOS == "windows" {\n\t<f>()\n}',
        down="sort.Slice(rows, func(i, j int) bool { return rows[i].<Pascal> > rows[j].<Pascal> })",
        up="sort.Slice(rows, func(i, j int) bool { return rows[i].<Pascal> < rows[j].<Pascal> })",
        override="level := cmp.Or(<a>, <b>)",
        version=("go <v>",),
        comment=("// <v>",),
    ),
    "java": Syntax(
        "src/main/java/app/Settings.java",
        before=("package app;", "", "public class Settings {"),
        after=("}",),
        indent=4,
        owner="Settings",
        style="camel",
        number=(
            "private static final int <UPPER> = <v>;",
            "public static final long <UPPER> = <v>L;",
            "private int <camel> = <v>;",
        ),
        time=(
            ("private static final Duration <UPPER> = Duration.ofSeconds(<v>);", "s"),
            ("static final long <UPPER>_MS = <v>L;", "ms"),
            ("private int <camel>Seconds = <v>;", "s"),
        ),
        size=(("static final int <UPPER> = <v> * 1024;", "K"), ("static final int <UPPER>_BYTES = <v>;", "B")),
        switch=("private boolean <camel> = <on>;", "static final boolean <UPPER> = <on>;"),
        text=('public static final String <UPPER> = "<v>";',),
        condition=(
            "void <f>(int <camel>) {\n    if (<camel> <op> <v>) {\n"
            '        throw new <Err>("<plain> out of range");\n    }\n}'
        ),
        raises=(
            "void <f>(String <camel>) {\n    if (<camel>.isEmpty()) {\n"
            '        throw new <Err>("<plain> is empty");\n    }\n}'
        ),
        fails=("throws", "thrown"),
        errors=_JAVA_ERRORS,
        returns="int <f>() {\n    return <v>;\n}",
        calls="void <f>() {\n    <g>();\n    <h>();\n}",
        env=('String <camel> = System.getenv().getOrDefault("<ENV>", "<v>");',),
        down="rows.sort(Comparator.comparing(Row::get<Pascal>).reversed());",
        up="rows.sort(Comparator.comparing(Row::get<Pascal>));",
        override="String level = <a> != null ? <a> : <b>;",
        comment=("// <v>", "/** <v> */"),
    ),
    "c": Syntax(
        "src/settings.c",
        before=("#include <errno.h>", ""),
        number=("#define <UPPER> <v>", "static const int <snake> = <v>;", "int <snake> = <v>;"),
        time=(
            ("#define <UPPER>_MS <v>", "ms"),
            ("static const int <snake>_seconds = <v>;", "s"),
            ("#define <UPPER> <v> /* seconds */", "s"),
        ),
        size=(
            ("#define <UPPER> (<v> * 1024)", "K"),
            ("#define <UPPER> (<v> << 20)", "M"),
            ("#define <UPPER>_BYTES <v>", "B"),
        ),
        switch=("static const bool <snake> = <on>;", "bool <snake> = <on>;"),
        text=('#define <UPPER> "<v>"', 'static const char *<snake> = "<v>";'),
        condition="int <f>(int <snake>)\n{\n    if (<snake> <op> <v>)\n        return <Err>;\n    return 0;\n}",
        raises="int <f>(const char *<snake>)\n{\n    if (!*<snake>)\n        return <Err>;\n    return 0;\n}",
        fails=("returns", "returned"),
        errors=_C_ERRORS,
        returns="int <f>(void)\n{\n    return <v>;\n}",
        calls="void <f>(void)\n{\n    <g>();\n    <h>();\n}",
        guard="#ifdef _WIN32\n    <f>();\n#endif",
        override="int level = <a> ? <a> : <b>;",
        comment=("/* <v> */", "// <v>"),
    ),
    "csharp": Syntax(
        "src/Settings.cs",
        before=("namespace App;", "", "public class Settings", "{"),
        after=("}",),
        indent=4,
        owner="Settings",
        style="Pascal",
        number=(
            "public const int <Pascal> = <v>;",
            "private int _<camel> = <v>;",
            "public int <Pascal> { get; set; } = <v>;",
        ),
        time=(
            ("static readonly TimeSpan <Pascal> = TimeSpan.FromSeconds(<v>);", "s"),
            ("public const int <Pascal>Ms = <v>;", "ms"),
        ),
        size=(("public const int <Pascal> = <v> * 1024;", "K"), ("public const int <Pascal>Bytes = <v>;", "B")),
        parameter=("public void <f>(string host, int <camel> = <v>)\n{\n    Open(host, <camel>);\n}",),
        switch=("public bool <Pascal> { get; set; } = <on>;", "private bool _<camel> = <on>;"),
        text=('public const string <Pascal> = "<v>";',),
        condition=(
            'void <f>(int <camel>)\n{\n    if (<camel> <op> <v>)\n        throw new <Err>("<plain> out of range");\n}'
        ),
        raises=(
            'void <f>(string <camel>)\n{\n    if (<camel>.Length == 0)\n        throw new <Err>("<plain> is empty");\n}'
        ),
        fails=("throws", "thrown"),
        errors=("ArgumentException", "InvalidOperationException", "TimeoutException", "FormatException"),
        returns="int <f>()\n{\n    return <v>;\n}",
        calls="void <f>()\n{\n    <g>();\n    <h>();\n}",
        env=('var <camel> = Environment.GetEnvironmentVariable("<ENV>") ?? "<v>";',),
        guard="if (OperatingSystem.IsWindows())\n{\n    <f>();\n}",
        down="rows = rows.OrderByDescending(row => row.<Pascal>);",
        up="rows = rows.OrderBy(row => row.<Pascal>);",
        override="var level = <a> ?? <b>;",
        comment=("// <v>", "/// <summary><v></summary>"),
    ),
}

_INDENTED = {
    "python": Syntax(
        "app/settings.py",
        before=("import os", "from datetime import timedelta", ""),
        number=("<UPPER> = <v>", "<UPPER>: int = <v>", "<snake> = <v>"),
        time=(
            ("<UPPER>_SECONDS = <v>", "s"),
            ("<UPPER>_MS = <v>", "ms"),
            ("<UPPER> = timedelta(seconds=<v>)", "s"),
            ("<UPPER> = timedelta(minutes=<v>)", "m"),
            ("<snake> = <v>  # seconds", "s"),
        ),
        size=(
            ("<UPPER> = <v> * 1024", "K"),
            ("<UPPER> = <v> << 20", "M"),
            ("<UPPER>_BYTES = <v>", "B"),
            ("<snake>_kb = <v>", "K"),
        ),
        parameter=(
            "def <f>(host, <snake>=<v>):\n    return host.open(<snake>)",
            "def <f>(host, *, <snake>: int = <v>) -> None:\n    host.open(<snake>)",
        ),
        switch=("<UPPER> = <on>", "<snake>: bool = <on>"),
        on_off=("True", "False"),
        text=('<UPPER> = "<v>"', "<snake>: str = '<v>'"),
        condition='def <f>(<snake>):\n    if <snake> <op> <v>:\n        raise <Err>("<plain> out of range")',
        raises='def <f>(<snake>):\n    if not <snake>:\n        raise <Err>("<plain> is empty")',
        errors=_PY_ERRORS,
        returns="def <f>():\n    return <v>",
        calls="def <f>(self):\n    self.<g>()\n    self.<h>()",
        env=('<snake> = os.environ.get("<ENV>", "<v>")', '<UPPER> = os.getenv("<ENV>", "<v>")'),
        guard='if sys.platform == "win32":\n    <f>()',
        down="rows.sort(key=lambda row: row.<snake>, reverse=True)",
        up="rows.sort(key=lambda row: row.<snake>)",
        override="level = <a> or <b>",
        comment=("# <v>",),
    ),
    "ruby": Syntax(
        "lib/settings.rb",
        before=('require "logger"', "", "module Settings"),
        after=("end",),
        indent=2,
        owner="Settings",
        number=("<UPPER> = <v>", "@<snake> = <v>"),
        time=(("<UPPER>_SECONDS = <v>", "s"), ("<UPPER>_MS = <v>", "ms"), ("<UPPER> = <v>.minutes", "m")),
        size=(("<UPPER> = <v> * 1024", "K"), ("<UPPER>_BYTES = <v>", "B")),
        parameter=(
            "def <f>(host, <snake> = <v>)\n  host.open(<snake>)\nend",
            "def <f>(host, <snake>: <v>)\n  host.open(<snake>)\nend",
        ),
        switch=("<UPPER> = <on>", "@<snake> = <on>"),
        text=('<UPPER> = "<v>"', "@<snake> = '<v>'"),
        condition='def <f>(<snake>)\n  raise <Err>, "<plain> out of range" if <snake> <op> <v>\nend',
        raises='def <f>(<snake>)\n  raise <Err>, "<plain> is empty" if <snake>.empty?\nend',
        errors=("ArgumentError", "KeyError", "IOError", "RangeError"),
        returns="def <f>\n  <v>\nend",
        calls="def <f>\n  <g>\n  <h>\nend",
        env=('<snake> = ENV.fetch("<ENV>", "<v>")', '<snake> = ENV["<ENV>"] || "<v>"'),
        guard="if Gem.win_platform?\n  <f>\nend",
        down="rows = rows.sort_by(&:<snake>).reverse",
        up="rows = rows.sort_by(&:<snake>)",
        override="level = <a> || <b>",
        comment=("# <v>",),
    ),
    "bash": Syntax(
        "scripts/settings.sh",
        before=("#!/usr/bin/env bash", "set -eu", ""),
        number=("<UPPER>=<v>", "readonly <UPPER>=<v>", "export <UPPER>=<v>"),
        time=(("<UPPER>_SECONDS=<v>", "s"), ("<UPPER>_MS=<v>", "ms")),
        size=(("<UPPER>_BYTES=<v>", "B"), ("<UPPER>_KB=<v>", "K")),
        parameter=('<f>() {\n  local <snake>="${1:-<v>}"\n  open_host "$<snake>"\n}',),
        switch=("<UPPER>=<on>", "readonly <UPPER>=<on>"),
        text=('<UPPER>="<v>"', "export <UPPER>=<v>"),
        env=('<snake>="${<ENV>:-<v>}"',),
        calls="<f>() {\n  <g>\n  <h>\n}",
        returns="<f>() {\n  return <v>\n}",
        comment=("# <v>",),
    ),
}

_KEYED = {
    "toml": Syntax(
        "config/server.toml",
        before=("[server]",),
        owner="server",
        number=("<snake> = <v>", "<kebab> = <v>"),
        time=(("<snake>_ms = <v>", "ms"), ("<snake>_seconds = <v>", "s"), ('<snake> = "<v>s"', "s")),
        size=(("<snake>_bytes = <v>", "B"), ("<snake>_kib = <v>", "K")),
        switch=("<snake> = <on>", "<kebab> = <on>"),
        text=('<snake> = "<v>"',),
        version=('requires-python = ">=<v>"', 'dependencies = ["python>=<v>"]'),
        comment=("# <v>",),
    ),
    "yaml": Syntax(
        "deploy/server.yaml",
        before=("server:",),
        indent=2,
        owner="server",
        number=("<snake>: <v>", "<camel>: <v>", "<kebab>: <v>"),
        time=(("<snake>: <v>s", "s"), ("<camel>Ms: <v>", "ms"), ("<snake>: <v>m", "m"), ("<snake>_seconds: <v>", "s")),
        size=(("<snake>: <v>KiB", "K"), ("<snake>: <v>MiB", "M"), ("<camel>Bytes: <v>", "B")),
        switch=("<snake>: <on>", "<camel>: <on>"),
        text=("<snake>: <v>", '<camel>: "<v>"'),
        version=('python: ">=<v>"',),
        comment=("# <v>",),
    ),
    "json": Syntax(
        "config/server.json",
        before=("{", '  "server": {'),
        after=('    "name": "api"', "  }", "}"),
        indent=4,
        owner="server",
        number=('"<camel>": <v>,', '"<snake>": <v>,', '"<kebab>": <v>,'),
        time=(('"<camel>Ms": <v>,', "ms"), ('"<snake>_seconds": <v>,', "s"), ('"<camel>": "<v>s",', "s")),
        size=(('"<camel>Bytes": <v>,', "B"), ('"<camel>": "<v>MiB",', "M")),
        switch=('"<camel>": <on>,', '"<kebab>": <on>,'),
        text=('"<camel>": "<v>",',),
        version=('"python": ">=<v>",',),
    ),
    "ini": Syntax(
        "setup.cfg",
        before=("[server]",),
        owner="server",
        number=("<snake> = <v>", "<kebab>=<v>"),
        time=(("<snake>_ms = <v>", "ms"), ("<snake>_seconds = <v>", "s")),
        size=(("<snake>_bytes = <v>", "B"), ("<snake>_kb = <v>", "K")),
        switch=("<snake> = <on>", "<kebab>=<on>"),
        text=("<snake> = <v>",),
        version=("python_requires = >=<v>",),
        comment=("# <v>", "; <v>"),
    ),
    "env": Syntax(
        "deploy/production.env",
        number=("<UPPER>=<v>",),
        time=(("<UPPER>_MS=<v>", "ms"), ("<UPPER>_SECONDS=<v>", "s")),
        size=(("<UPPER>_BYTES=<v>", "B"), ("<UPPER>_KB=<v>", "K")),
        switch=("<UPPER>=<on>",),
        text=("<UPPER>=<v>", '<UPPER>="<v>"'),
        comment=("# <v>",),
    ),
    "dockerfile": Syntax(
        "Dockerfile",
        before=("FROM debian:bookworm-slim",),
        number=("ENV <UPPER>=<v>", "ARG <UPPER>=<v>"),
        time=(("ENV <UPPER>_SECONDS=<v>", "s"), ("ARG <UPPER>_MS=<v>", "ms")),
        size=(("ENV <UPPER>_BYTES=<v>", "B"),),
        switch=("ENV <UPPER>=<on>",),
        text=("ENV <UPPER>=<v>", 'ARG <UPPER>="<v>"'),
        comment=("# <v>",),
    ),
    "makefile": Syntax(
        "Makefile",
        number=("<UPPER> := <v>", "<UPPER> ?= <v>", "<UPPER> = <v>"),
        time=(("<UPPER>_SECONDS := <v>", "s"), ("<UPPER>_MS ?= <v>", "ms")),
        size=(("<UPPER>_BYTES := <v>", "B"),),
        switch=("<UPPER> := <on>", "<UPPER> ?= <on>"),
        text=("<UPPER> := <v>",),
        comment=("# <v>",),
    ),
}

_PROSE = {
    "markdown": Syntax(
        "docs/settings.md",
        before=("# Settings", ""),
        prose=True,
        number=("`<snake>` is <v> by default.", "- `<snake>`: <v>", "The <plain> is <v>.", "| `<snake>` | <v> |"),
        time=(
            ("`<snake>` is <v> seconds by default.", "s"),
            ("- `<snake>`: <v> ms", "ms"),
            ("The <plain> is <v> minutes.", "m"),
        ),
        size=(("- `<snake>`: <v> KiB", "K"), ("The <plain> is <v> MiB.", "M")),
        parameter=("`<f>(host, <snake>=<v>)` opens a host.",),
        switch=("`<snake>` is <on> by default.", "- `<snake>`: `<on>`"),
        text=("`<snake>` is `<v>` by default.", '- `<snake>`: "<v>"'),
        raises="`<f>` raises `<Err>` if the <plain> is empty.",
        errors=_PY_ERRORS,
        returns="`<f>()` returns <v>.",
        calls="`<f>` calls `<g>`, then `<h>`.",
        env=("The <plain> is read from `<ENV>`; it is `<v>` where that is not set.",),
        override="`<a>` overrides `<b>`.",
        version=("Python <v> or newer is required.",),
        comment=("<v>", "- <v>"),
    ),
    "rst": Syntax(
        "docs/settings.rst",
        before=("Settings", "========", ""),
        prose=True,
        number=("``<snake>`` is <v> by default.", "The <plain> is <v>.", ":<snake>: <v>"),
        time=(("``<snake>`` is <v> seconds by default.", "s"), ("The <plain> is <v> minutes.", "m")),
        size=(("The <plain> is <v> MiB.", "M"),),
        parameter=(".. function:: <f>(host, <snake>=<v>)",),
        switch=("``<snake>`` is <on> by default.",),
        text=("``<snake>`` is ``<v>`` by default.",),
        raises="``<f>`` raises :exc:`<Err>` if the <plain> is empty.",
        errors=_PY_ERRORS,
        returns="``<f>()`` returns <v>.",
        calls="``<f>`` calls ``<g>``, then ``<h>``.",
        env=("The <plain> is read from ``<ENV>``; it is ``<v>`` where that is not set.",),
        override="``<a>`` overrides ``<b>``.",
        version=("Python <v> or newer is required.",),
        comment=("<v>",),
    ),
}

_SCRIPT = _BRACED["javascript"]
_PLUS = _BRACED["c"]
SYNTAXES: Mapping[str, Syntax] = {
    **_INDENTED,
    **_BRACED,
    "typescript": replace(
        _SCRIPT,
        path="src/settings.ts",
        number=("const <UPPER>: number = <v>;", "export const <camel> = <v>;", "  readonly <camel>: number = <v>;"),
        parameter=("export function <f>(host: Host, <camel>: number = <v>): void {\n  host.open(<camel>);\n}",),
        switch=("const <camel>: boolean = <on>;", "export const <UPPER> = <on>;"),
        text=('export const <UPPER>: string = "<v>";',),
        condition=(
            'export function <f>(<camel>: number): void {\n  if (<camel> <op> <v>) {\n'
            '    throw new <Err>("<plain> out of range");\n  }\n}'
        ),
        returns="export function <f>(): number {\n  return <v>;\n}",
        calls="export function <f>(): void {\n  <g>();\n  <h>();\n}",
    ),
    "cpp": replace(
        _PLUS,
        path="src/settings.cpp",
        before=("#include <stdexcept>", ""),
        number=("constexpr int k<Pascal> = <v>;", "static const int <snake> = <v>;", "int <snake>{<v>};"),
        time=(("constexpr std::chrono::seconds k<Pascal>{<v>};", "s"), ("constexpr int k<Pascal>Ms = <v>;", "ms")),
        size=(("constexpr size_t k<Pascal> = <v> * 1024;", "K"), ("constexpr size_t k<Pascal>Bytes = <v>;", "B")),
        parameter=("void <f>(const std::string& host, int <snake> = <v>);",),
        switch=("constexpr bool k<Pascal> = <on>;", "bool <snake> = <on>;"),
        text=('constexpr char k<Pascal>[] = "<v>";',),
        condition=(
            'void <f>(int <snake>) {\n    if (<snake> <op> <v>) {\n'
            '        throw std::<Err>("<plain> out of range");\n    }\n}'
        ),
        raises=(
            'void <f>(const std::string& <snake>) {\n    if (<snake>.empty()) {\n'
            '        throw std::<Err>("<plain> is empty");\n    }\n}'
        ),
        fails=("throws", "thrown"),
        errors=("out_of_range", "invalid_argument", "runtime_error", "length_error"),
        returns="int <f>() {\n    return <v>;\n}",
        calls="void <f>() {\n    <g>();\n    <h>();\n}",
        down="std::sort(rows.begin(), rows.end(), [](auto& a, auto& b) { return a.<snake> > b.<snake>; });",
        up="std::sort(rows.begin(), rows.end(), [](auto& a, auto& b) { return a.<snake> < b.<snake>; });",
    ),
    **_KEYED,
    **_PROSE,
}  # fmt: skip
"""By the language's name, in a fixed order."""
