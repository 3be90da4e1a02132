# What goes wrong, by the exit codes of the program.
# SPDX-License-Identifier: Apache-2.0
"""Errors. Their messages name key, value, rule and cure, as those of the program do."""

from __future__ import annotations


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
    return kinds.get(code, RunError)(message)
