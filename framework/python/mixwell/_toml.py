# Writes Python values as TOML.
# SPDX-License-Identifier: Apache-2.0
"""Writes tables, lists, strings, numbers and booleans as TOML 1.0."""

from __future__ import annotations

import json
import math
import numbers
import os
import re
import typing

from . import errors

BARE = re.compile(r"[A-Za-z0-9_-]+\Z")


def text(value: str) -> str:
    """A TOML basic string. TOML accepts the escapes of JSON. TOML also requires an escape for the
    character DEL, and JSON does not."""
    return json.dumps(value, ensure_ascii=False).replace("\x7f", "\\u007F")


def key(name: object, where: str) -> str:
    if not isinstance(name, str):
        raise errors.InputError(f"{where}: the key {name!r} is not a string. Use strings as keys")
    return name if BARE.match(name) else text(name)


def number(value: float) -> str:
    if math.isnan(value):
        return "nan"
    if math.isinf(value):
        return "inf" if value > 0 else "-inf"
    shown = repr(float(value))
    return shown if re.search(r"[.e]", shown) else shown + ".0"


def value(given: typing.Any, where: str) -> str:
    """The value as TOML. The value may be a NumPy array or a NumPy number. `where`: the dotted key
    of the value, for error messages."""
    if hasattr(given, "tolist") and not isinstance(given, (list, tuple)):
        given = given.tolist()
    if isinstance(given, bool):
        return "true" if given else "false"
    if isinstance(given, numbers.Integral):
        return str(int(given))
    if isinstance(given, numbers.Real):
        return number(float(given))
    if isinstance(given, (str, os.PathLike)):
        return text(os.fspath(given))
    if isinstance(given, (list, tuple)):
        return "[" + ", ".join(value(one, f"{where}[{k}]") for k, one in enumerate(given)) + "]"
    if isinstance(given, dict):
        return "{ " + ", ".join(f"{key(name, where)} = {value(one, f'{where}.{name}')}"
                                for name, one in given.items()) + " }"
    raise errors.InputError(f"{where}: a manifest cannot hold a value of type "
                            f"{type(given).__name__}. Use a boolean, a number, a string, a list "
                            "or a dict")


def document(tables: dict[str, typing.Any]) -> str:
    """A manifest: its top-level keys, then the tables [run] and [kind.name], one key per line."""
    lines = [f"{key(name, 'manifest')} = {value(one, name)}"
             for name, one in tables.items() if not isinstance(one, dict)]
    for kind, table in tables.items():
        if not isinstance(table, dict):
            continue
        parts = {kind: table} if kind == "run" else {f"{kind}.{key(name, kind)}": one
                                                     for name, one in table.items()}
        for heading, keys in parts.items():
            if not isinstance(keys, dict):
                raise errors.InputError(f"{heading}: must be a dict with the keys of a component, as "
                                        f"in {{\"use\": ...}} (got {keys!r})")
            lines += ["", f"[{heading}]"]
            lines += [f"{key(name, heading)} = {value(one, f'{heading}.{name}')}"
                      for name, one in keys.items()]
    return "\n".join(lines) + "\n"
