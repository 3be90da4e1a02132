# All components at hand, and what each declares.
# SPDX-License-Identifier: Apache-2.0
"""The registry: built-in plugins, those in the folders of MIXWELL_PLUGIN_PATH, and what add() adds."""

from __future__ import annotations

import ctypes
import functools
import json
import os
import typing

from . import _library


class Registry:
    """Handle of the C interface, and what it knows of every component."""

    def __init__(self) -> None:
        self.handle = ctypes.c_void_p()
        _library.call("registry_new", ctypes.byref(self.handle))
        self._read()

    def _read(self) -> None:
        found = json.loads(_library.text_of("plugins", self.handle))
        self.entries: list[dict[str, typing.Any]] = found["plugins"]
        self.broken: list[dict[str, str]] = found["broken"]

    def add(self, path: str | os.PathLike[str]) -> None:
        """The plugin library at `path`, in whichever folder it is. Raises InputError."""
        _library.call("registry_add", self.handle, _library.encoded(path))
        self._read()

    def schema(self) -> dict[str, typing.Any]:
        """JSON schema of manifests."""
        return json.loads(_library.text_of("schema", self.handle))


@functools.lru_cache(maxsize=None)
def registry() -> Registry:
    """That of this process, read at its first use."""
    return Registry()


def plugins() -> list[dict[str, typing.Any]]:
    """Every component at hand with all it declares: kind, id, summary, details, parameters, ..."""
    return registry().entries


def add_plugin(path: str | os.PathLike[str]) -> None:
    """Adds the plugin library at `path` to the components at hand. Raises InputError."""
    registry().add(path)


def schema() -> dict[str, typing.Any]:
    """JSON schema of manifests, from the components at hand."""
    return registry().schema()
