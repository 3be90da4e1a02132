# A composition: from components, a dict or a manifest to what can be checked, tested and run.
# SPDX-License-Identifier: Apache-2.0
"""`Composition(mw.gaussian(dimension=3), mw.nuts(), run={"draws": 500})`, and the manifest of it."""

from __future__ import annotations

import ctypes
import os
import pathlib
import typing

from . import _library, _toml, errors
from .components import KINDS, Component, check_kind
from .functions import FunctionModel
from .registry import registry

#: What a composition may be made of: a manifest's file, its tables, or components.
Source = typing.Union[str, "os.PathLike[str]", typing.Mapping[str, typing.Any], Component,
                      "Composition"]


class _Tables:
    """The tables of a manifest while components are written into them, each once."""

    def __init__(self) -> None:
        self.tables: dict[str, typing.Any] = {"mixwell": 1}
        self.functions: list[FunctionModel] = []
        self._names: dict[int, str] = {}
        self._kept: list[Component] = []  # whose ids are keys above

    def add(self, component: Component) -> str:
        """Its name, under which its table is there."""
        if id(component) in self._names:
            return self._names[id(component)]
        self._kept.append(component)
        of_kind = self.tables.setdefault(component.kind, {})
        name = component.name or self._free(component.id, of_kind)
        if name in of_kind:
            raise errors.InputError(f"composition: two components are [{component.kind}.{name}]; "
                                    "give one another name with named()")
        self._names[id(component)] = name
        if isinstance(component, FunctionModel):
            self.functions.append(component)
        of_kind[name] = {"use": component.id}
        of_kind[name].update({key: self.plain(value) for key, value in component.keys.items()})
        return name

    @staticmethod
    def _free(id: str, taken: dict[str, typing.Any]) -> str:
        """The id, or with a number where others of it are there."""
        name, number = id, 1
        while name in taken:
            number += 1
            name = f"{id}-{number}"
        return name

    def plain(self, value: typing.Any) -> typing.Any:
        """A value with the names of components in their places."""
        if isinstance(value, Component):
            return self.add(value)
        if isinstance(value, typing.Mapping):
            return {key: self.plain(one) for key, one in value.items()}
        if isinstance(value, (list, tuple)):
            return [self.plain(one) for one in value]
        return value

    def add_mapping(self, given: typing.Mapping[str, typing.Any]) -> None:
        """As a manifest has it: {"model": {"m": {"use": ...} or a component}, "run": {...}}."""
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
            raise errors.InputError(f"{kind}.{name}: wants a {kind}, and has a {component.kind}, "
                                    f"{component!r}")
        return component


class Composition:
    """Components wired together.

    `parts`: the path of a manifest (TOML) or of a Stan program; or a dict with the tables of a
    manifest; or components, where only those need be named that nothing else refers to.
    `run`: keys of [run], such as draws and seed, over those of the manifest. `settings`: keys of a
    manifest's file as `--set` takes them, {"kernel.hmc.steps": 5}. `name`: of the run and its
    default folder.

    Raises InputError with key, value, rule and the nearest valid choice, as the program does."""

    def __init__(self, *parts: Source, name: str | None = None,
                 settings: typing.Mapping[str, typing.Any] | None = None, **run: typing.Any):
        if not parts:
            raise errors.InputError("composition: wants a manifest, or a model at least")
        self._handle = ctypes.c_void_p()
        self._registry = registry()
        self.functions: list[FunctionModel] = []
        if len(parts) == 1 and isinstance(parts[0], (str, os.PathLike)):
            self._compose_file(parts[0], run, settings or {})
            self.name = name or pathlib.Path(parts[0]).stem
            return
        if settings:
            raise errors.InputError("composition: settings are for the file of a manifest; change "
                                    "the dict or the components")
        self.name = name or "composition"
        self._compose_text(self._tables_of(parts, run))

    @classmethod
    def of(cls, *parts: Source, **more: typing.Any) -> Composition:
        """One that is there already, or a new one."""
        if len(parts) == 1 and isinstance(parts[0], Composition):
            if any(value is not None for value in more.values()):
                raise errors.InputError("composition: it is made already; give its keys where it "
                                        "is made")
            return parts[0]
        return cls(*parts, **more)

    @classmethod
    def of_interrupted(cls, folder: str | os.PathLike[str],
                       functions: typing.Sequence[FunctionModel]) -> Composition:
        """That of a run which left a checkpoint, with the functions of Python that it calls."""
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
        """Writes that manifest; `mixwell run` takes it."""
        file = pathlib.Path(path)
        file.write_text(self.manifest, encoding="utf-8")
        return file

    def __repr__(self) -> str:
        return f"<Composition {self.name}>"

    def __del__(self) -> None:
        handle = getattr(self, "_handle", None)
        if handle:
            _library.library().mixwell_composition_free(handle)
