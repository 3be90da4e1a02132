# Makes compositions from components, a dict or a manifest.
# SPDX-License-Identifier: Apache-2.0
"""Compositions, for example `Composition(mw.gaussian(dimension=3), mw.nuts(), draws=500)`, and
their manifests."""

from __future__ import annotations

import ctypes
import os
import pathlib
import typing

from . import _library, _toml, errors
from .components import KINDS, Component, check_kind
from .functions import FunctionModel
from .registry import registry

#: A part of a composition: a manifest file, a dict with the tables of a manifest, or a component.
Source = typing.Union[str, "os.PathLike[str]", typing.Mapping[str, typing.Any], Component,
                      "Composition"]


class _Tables:
    """The tables of a manifest. A component that is added several times gets only one table."""

    def __init__(self) -> None:
        self.tables: dict[str, typing.Any] = {"mixwell": 1}
        self.functions: list[FunctionModel] = []
        self._names: dict[int, str] = {}
        self._kept: list[Component] = []  # keeps components alive, so each id() above is unique

    def add(self, component: Component) -> str:
        """Adds a table for the component, unless there is one already. Returns the table's name."""
        if id(component) in self._names:
            return self._names[id(component)]
        self._kept.append(component)
        of_kind = self.tables.setdefault(component.kind, {})
        name = component.name or self._free(component.id, of_kind)
        if name in of_kind:
            raise errors.InputError(f"composition: two components have the name "
                                    f"[{component.kind}.{name}]. Give one of them another name with "
                                    "named()")
        self._names[id(component)] = name
        if isinstance(component, FunctionModel):
            self.functions.append(component)
        of_kind[name] = {"use": component.id}
        of_kind[name].update({key: self.plain(value) for key, value in component.keys.items()})
        return name

    @staticmethod
    def _free(id: str, taken: dict[str, typing.Any]) -> str:
        """The id, followed by a number if the id is already the name of a table."""
        name, number = id, 1
        while name in taken:
            number += 1
            name = f"{id}-{number}"
        return name

    def plain(self, value: typing.Any) -> typing.Any:
        """A copy of the value in which each component is replaced by its name."""
        if isinstance(value, Component):
            return self.add(value)
        if isinstance(value, typing.Mapping):
            return {key: self.plain(one) for key, one in value.items()}
        if isinstance(value, (list, tuple)):
            return [self.plain(one) for one in value]
        return value

    def add_mapping(self, given: typing.Mapping[str, typing.Any]) -> None:
        """Adds the tables in `given` to `tables`. `given` has the form {"model": {"m": {"use": ...}
        or a component}, "run": {...}}."""
        for kind, table in given.items():
            if kind not in KINDS or not isinstance(table, typing.Mapping):
                self.tables[kind] = self.plain(table)
                continue
            for name, keys in table.items():
                if isinstance(keys, Component):
                    self.add(self._checked(keys, kind, name).named(name))
                else:
                    self.tables.setdefault(kind, {})[name] = self.plain(keys)

    @staticmethod
    def _checked(component: Component, kind: str, name: str) -> Component:
        if component.kind != kind:
            raise errors.InputError(f"{kind}.{name}: must be a component of kind {kind} (got the "
                                    f"{component.kind} {component!r})")
        return component


class Composition:
    """A composition of components.

    `parts`: the path of a manifest (TOML) or of a Stan program; or a dict with the tables of a
    manifest; or components. You need not list a component to which another component refers.
    `run`: keys of [run], such as draws and seed. They override the keys of the manifest.
    `settings`: keys to override in a manifest file, for example {"kernel.hmc.steps": 5}.
    `name`: name of the run and of its default folder.

    Raises InputError if a key or a value is invalid. The message names the key, the value, the rule
    and the nearest valid choice."""

    def __init__(self, *parts: Source, name: str | None = None,
                 settings: typing.Mapping[str, typing.Any] | None = None, **run: typing.Any):
        if not parts:
            raise errors.InputError("composition: no parts were given. Give a manifest, or at "
                                    "least a model")
        self._handle = ctypes.c_void_p()
        self._registry = registry()
        self.functions: list[FunctionModel] = []
        if len(parts) == 1 and isinstance(parts[0], (str, os.PathLike)):
            self._compose_file(parts[0], run, settings or {})
            self.name = name or pathlib.Path(parts[0]).stem
            return
        if settings:
            raise errors.InputError("composition: `settings` works only with a manifest file. "
                                    "Change the dict or the components instead")
        self.name = name or "composition"
        self._compose_text(self._tables_of(parts, run))

    @classmethod
    def of(cls, *parts: Source, **more: typing.Any) -> Composition:
        """The only part if it is a composition, otherwise a new composition of the parts."""
        if len(parts) == 1 and isinstance(parts[0], Composition):
            if any(value is not None for value in more.values()):
                raise errors.InputError("composition: the keys of an existing composition cannot "
                                        "be changed. Give all keys in the call to Composition()")
            return parts[0]
        return cls(*parts, **more)

    @classmethod
    def of_interrupted(cls, folder: str | os.PathLike[str],
                       functions: typing.Sequence[FunctionModel]) -> Composition:
        """The composition of an interrupted run that left a checkpoint. `functions`: the Python
        models that the run uses."""
        made = cls.__new__(cls)
        made._handle = ctypes.c_void_p()
        made._registry = registry()
        made.functions = list(functions)
        made.name = pathlib.Path(folder).name
        made._compose("compose_interrupted", _library.encoded(folder))
        return made

    def _tables_of(self, parts: typing.Sequence[Source],
                   run: typing.Mapping[str, typing.Any]) -> dict[str, typing.Any]:
        tables = _Tables()
        for part in parts:
            if isinstance(part, typing.Mapping):
                tables.add_mapping(part)
            else:
                tables.add(check_kind(part, "composition"))
        if run:
            tables.tables["run"] = {**tables.tables.get("run", {}), **tables.plain(run)}
        self.functions = tables.functions
        return tables.tables

    def _compose_file(self, path: str | os.PathLike[str], run: typing.Mapping[str, typing.Any],
                      settings: typing.Mapping[str, typing.Any]) -> None:
        all_keys = {**{f"run.{key}": value for key, value in run.items()}, **settings}
        texts = [f"{key}={_toml.value(value, key)}".encode() for key, value in all_keys.items()]
        array = (ctypes.c_char_p * len(texts))(*texts)
        self._compose("compose_file", _library.encoded(path), array, len(texts))

    def _compose_text(self, tables: dict[str, typing.Any]) -> None:
        self._compose("compose_text", _toml.document(tables).encode(), self.name.encode())

    def _compose(self, function: str, *arguments: object) -> None:
        with FunctionModel.offered(self.functions):
            _library.call(function, self._registry.handle, *arguments, ctypes.byref(self._handle))

    @property
    def manifest(self) -> str:
        """The effective manifest: TOML with every default filled in."""
        return _library.text_of("manifest", self._handle)

    def write(self, path: str | os.PathLike[str]) -> pathlib.Path:
        """Writes the effective manifest to a file that `mixwell run` accepts."""
        file = pathlib.Path(path)
        file.write_text(self.manifest, encoding="utf-8")
        return file

    def __repr__(self) -> str:
        return f"<Composition {self.name}>"

    def __del__(self) -> None:
        handle = getattr(self, "_handle", None)
        if handle:
            _library.library().mixwell_composition_free(handle)
