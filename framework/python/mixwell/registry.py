# The available components and their declarations.
# SPDX-License-Identifier: Apache-2.0
"""The registry has the components of the built-in plugins, of the plugins in the folders of
MIXWELL_PLUGIN_PATH, and of the plugins that add_plugin() adds."""

from __future__ import annotations

import ctypes
import functools
import json
import os
import typing

from . import _library


class Registry:
    """A handle of the C interface, with the declarations of all components."""

    def __init__(self) -> None:
        self.handle = ctypes.c_void_p()
        _library.call("registry_new", ctypes.byref(self.handle))
        self._read()

    def _read(self) -> None:
        found = json.loads(_library.text_of("plugins", self.handle))
        self.entries: list[dict[str, typing.Any]] = found["plugins"]
        self.broken: list[dict[str, str]] = found["broken"]

    def add(self, path: str | os.PathLike[str]) -> None:
        """Adds the plugin library at `path`, which may be in any folder. Raises InputError if the
        plugin does not load, or if another plugin already has one of its components."""
        _library.call("registry_add", self.handle, _library.encoded(path))
        self._read()

    def schema(self) -> dict[str, typing.Any]:
        """The JSON schema of manifests."""
        return json.loads(_library.text_of("schema", self.handle))


@functools.lru_cache(maxsize=None)
def registry() -> Registry:
    """The registry of this process. The first call of this function creates the registry."""
    return Registry()


def plugins() -> list[dict[str, typing.Any]]:
    """All available components and their declarations: kind, id, summary, details, parameters, ..."""
    return registry().entries


def add_plugin(path: str | os.PathLike[str]) -> None:
    """Adds the plugin library at `path` to the available components. Raises InputError if the
    plugin does not load, or if another plugin already has one of its components."""
    registry().add(path)


def schema() -> dict[str, typing.Any]:
    """The JSON schema of manifests, with all available components."""
    return registry().schema()
