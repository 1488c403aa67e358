"""Keys of judges that an editor hands to its server process (variable CITE_LSP_SECRETS)."""

import json
import logging
from collections.abc import MutableMapping

log = logging.getLogger(__name__)

VARIABLE = "CITE_LSP_SECRETS"
"""A JSON object from a host, with its port unless that is 443, to the key for it."""


def take_secrets(environment: MutableMapping[str, str]) -> dict[str, str]:
    """Take the keys out of the environment, so that no program started from here inherits them; give them by host.

    What is no such object counts as none, and is never shown.
    """
    text = environment.pop(VARIABLE, "")
    if not text:
        return {}
    try:
        given = json.loads(text)
    except (ValueError, RecursionError):
        given = None
    if not isinstance(given, dict) or not all(isinstance(key, str) for key in given.values()):
        log.warning("%s is no JSON object from hosts to keys; it is not used", VARIABLE)
        return {}
    return {host.strip().lower(): key for host, key in given.items() if host.strip() and key}
