# What goes wrong, by the exit codes of the program.
# SPDX-License-Identifier: Apache-2.0
"""Errors. Their messages name key, value, rule and cure, as those of the program do."""

from __future__ import annotations

import re

# Cures that the library words for its program, and what they are here.
_COMMANDS = (
    (r"`mixwell run --resume` and that folder", "mixwell.resume(folder)"),
    (r"`mixwell run --resume ([^`]+)`", r'mixwell.resume("\1")'),
    (r"`mixwell (check|run|verify|study|report)`", r"mixwell.\1()"),
    (r"`mixwell study (STUDY\.toml|[^`\s]+\.toml)`", r'mixwell.study("\1")'),
)
_OPTIONS = (
    (r"--set ([\w.\-]+)=", r"the setting \1 = "),
    (r"--set\b", "settings"),
    (r"--(force|retry|quick|checked)\b", r"\1=True"),
    (r"--out\b", "folder="),
    (r"--(threads|jobs|budget|alpha|targets|only)\b", r"\1="),
    (r"`--table` shows", "Study(folder).table shows"),
    (r", `--worker` works with it", ""),
    (r"`--counterexample FILE`", "`mixwell check MANIFEST --counterexample FILE`"),  # it has no function here
)


def in_python(message: str) -> str:
    """A message of the library with cures that are arguments and functions of this package. Whole
    commands of the program, in `...`, stay where the package has no function for them."""
    for pattern, words in _COMMANDS:
        message = re.sub(pattern, words, message)
    parts = re.split(r"(`mixwell [^`]*`)", message)
    for place in range(0, len(parts), 2):
        for pattern, words in _OPTIONS:
            parts[place] = re.sub(pattern, words, parts[place])
    return "".join(parts)


class Error(Exception):
    """Any failure that Mixwell tells of; `code` is the exit code the program would end with."""

    code = 1


class RunError(Error, RuntimeError):
    """The run itself failed: a disk, a plugin, a model that raised."""


class InputError(Error, ValueError):
    """A manifest, data file, plugin or argument that breaks a rule."""

    code = 2


class Refused(Error, RuntimeError):
    """The certificate forbids the composition."""

    code = 3


def of_code(code: int, message: str) -> Error:
    """The error that an exit code stands for."""
    kinds = {kind.code: kind for kind in (RunError, InputError, Refused)}
    return kinds.get(code, RunError)(in_python(message))
