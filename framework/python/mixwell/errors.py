# The exceptions of the package, one class per exit code of the program.
# SPDX-License-Identifier: Apache-2.0
"""The exceptions of this package. Their messages name the key, the value, the rule and the fix, as
the messages of the program do."""

from __future__ import annotations

import re

# Commands and options in the library's messages, and the Python functions and arguments that
# replace them.
_COMMANDS = (
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
    (r"Use `--table` to see the progress of the study, or `--worker` to join the study",
     "Study(folder).table shows the progress of the study"),
    (r"`--counterexample FILE`", "`mixwell check MANIFEST --counterexample FILE`"),  # no function
)


def in_python(message: str) -> str:
    """The library's message with functions and arguments of this package in place of the program's
    commands and options. A command in backquotes is kept if this package has no function for it."""
    for pattern, words in _COMMANDS:
        message = re.sub(pattern, words, message)
    parts = re.split(r"(`mixwell [^`]*`)", message)
    for place in range(0, len(parts), 2):
        for pattern, words in _OPTIONS:
            parts[place] = re.sub(pattern, words, parts[place])
    return "".join(parts)


class Error(Exception):
    """Any failure that Mixwell reports. `code` is the program's exit code for such a failure."""

    code = 1


class RunError(Error, RuntimeError):
    """The run failed, for example because of a full disk or an error in a plugin or a model."""


class InputError(Error, ValueError):
    """A manifest, data file, plugin or argument is invalid."""

    code = 2


class Refused(Error, RuntimeError):
    """The certificate forbids a run of the composition."""

    code = 3


def of_code(code: int, message: str) -> Error:
    """The exception for an exit code."""
    kinds = {kind.code: kind for kind in (RunError, InputError, Refused)}
    return kinds.get(code, RunError)(in_python(message))
