"""Reads JSON as the rest of assay does: what is ambiguous is refused, never repaired."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any, NoReturn


class InputError(Exception):
    """A file that cannot be rendered; the message names the file, the place and what is allowed."""


def _refuse_constant(token: str) -> NoReturn:
    raise ValueError(f"{token} is not JSON")


def _unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    result: dict[str, Any] = {}
    for key, value in pairs:
        if key in result:
            raise ValueError(f"duplicate key {key!r}")
        result[key] = value
    return result


def read_object(path: Path) -> dict[str, Any]:
    """Return the JSON object in `path`; raises InputError on anything else."""
    try:
        text = path.read_bytes().decode("utf-8-sig")
    except OSError as error:
        raise InputError(f"{path}: {error.strerror}") from error
    except UnicodeDecodeError as error:
        raise InputError(f"{path}: not UTF-8 at byte {error.start}") from error
    try:
        document = json.loads(text, parse_constant=_refuse_constant, object_pairs_hook=_unique)
    except json.JSONDecodeError as error:
        raise InputError(f"{path}:{error.lineno}: {error.msg}") from error
    except ValueError as error:
        raise InputError(f"{path}: {error}") from error
    except RecursionError as error:
        raise InputError(f"{path}: nested too deep") from error
    if not isinstance(document, dict):
        raise InputError(f"{path}: a JSON object is expected")
    return document
