# Makes a Python function for each component of the registry.
# SPDX-License-Identifier: Apache-2.0
"""Components of a composition, such as `mixwell.nuts(estimator=mixwell.estimators.dense())`.

Each kind of component has a namespace with one function per component. This module makes the
functions from the declarations of the components, so the components of added plugins also get
functions. Tab completion and help() show the keys with their units, ranges and defaults. A dash in
an id becomes an underscore in the function's name. The argument for the key `lambda` is
`lambda_`."""

from __future__ import annotations

import inspect
import keyword
import typing

from . import errors
from .registry import registry

KINDS = ("model", "oracle", "integrator", "estimator", "steps", "kernel", "compositor", "recorder")


class Component:
    """A component of a composition. In the manifest, it is the table `[kind.name]` with `use = id`
    and its keys. If the value of a key is a component, the manifest has the name of that
    component's table instead.

    Components are immutable. The manifest has one table for each component, even if several
    components refer to it."""

    def __init__(self, kind: str, id: str, keys: dict[str, typing.Any], name: str | None = None):
        self.kind = kind
        self.id = id
        self.keys = dict(keys)
        self.name = name

    def named(self, name: str) -> Component:
        """A copy of the component with the given name. Results and statistics show this name."""
        return Component(self.kind, self.id, self.keys, name)

    def __repr__(self) -> str:
        keys = ", ".join(f"{key}={value!r}" for key, value in self.keys.items())
        return f"{plural(self.kind)}.{_identifier(self.id)}({keys})"


def _identifier(id: str) -> str:
    return id.replace("-", "_")


def _argument(key: str) -> str:
    """The keyword argument for a key. A key that is a Python keyword gets an underscore:
    `lambda_`."""
    return key + "_" if keyword.iskeyword(key) else key


def _key(argument: str) -> str:
    return argument[:-1] if keyword.iskeyword(argument[:-1]) else argument


def _annotation(type_name: str) -> typing.Any:
    known = {"number": float, "integer": int, "boolean": bool, "text": str, "file": str}
    return known.get(type_name, typing.Any)


def _signature(parameters: list[dict[str, typing.Any]]) -> inspect.Signature:
    """A signature with the keys that a component declares, except keys inside lists of tables."""
    arguments = []
    takes_more = False
    for one in parameters:
        if not one["key"].isidentifier():
            takes_more = True
            continue
        default = inspect.Parameter.empty if one["required"] else _Default(one["default"])
        arguments.append(inspect.Parameter(_argument(one["key"]), inspect.Parameter.KEYWORD_ONLY,
                                           default=default, annotation=_annotation(one["type"])))
    if takes_more:
        arguments.append(inspect.Parameter("more", inspect.Parameter.VAR_KEYWORD))
    return inspect.Signature(arguments, return_annotation=Component)


class _Default:
    """The default of a key, as the registry prints it."""

    def __init__(self, words: str):
        self.words = words

    def __repr__(self) -> str:
        return self.words


def _documentation(entry: dict[str, typing.Any]) -> str:
    lines = [entry["summary"], ""]
    if entry["details"]:
        lines += [entry["details"], ""]
    if entry["parameters"]:
        lines += ["Keys", "----"]
    for one in entry["parameters"]:
        facts = [one["type"]] + [part for part in (one["unit"] and f"[{one['unit']}]",
                                                   one["range"] and f"in {one['range']}") if part]
        default = "required" if one["required"] else f"default: {one['default']}"
        lines += [f"{one['key']} : {' '.join(facts)}, {default}", f"    {one['help']}"]
    if entry["sources"]:
        lines += ["", "Sources", "-------", *entry["sources"]]
    return "\n".join(lines + ["", f"Library: {entry['library']}"])


def _maker(entry: dict[str, typing.Any]) -> typing.Callable[..., Component]:
    """The Python function for a component of the registry.

    The function itself accepts unknown keys. `Composition` refuses them later and names the nearest
    known key."""

    def make(**keys: typing.Any) -> Component:
        return Component(entry["kind"], entry["id"],
                         {_key(name): value for name, value in keys.items()})

    make.__name__ = make.__qualname__ = _identifier(entry["id"])
    make.__module__ = f"mixwell.{plural(entry['kind'])}"
    make.__doc__ = _documentation(entry)
    make.__signature__ = _signature(entry["parameters"])  # type: ignore[attr-defined]
    return make


class Namespace:
    """The components of one kind, or of all kinds, as attributes."""

    def __init__(self, name: str, kind: str | None):
        self.__name__ = name
        self._kind = kind

    def _entries(self) -> dict[str, dict[str, typing.Any]]:
        return {_identifier(entry["id"]): entry for entry in registry().entries
                if self._kind in (None, entry["kind"])}

    def __dir__(self) -> list[str]:
        return sorted(self._entries())

    def __getattr__(self, name: str) -> typing.Callable[..., Component]:
        if name.startswith("_"):
            raise AttributeError(name)
        found = self._entries()
        if name not in found:
            raise AttributeError(f"{self.__name__} has no component {name}. Use one of: "
                                 f"{', '.join(found)}")
        return _maker(found[name])

    def __repr__(self) -> str:
        return f"<{self.__name__}: {', '.join(self.__dir__())}>"


def find(name: str) -> typing.Callable[..., Component]:
    """The function `mixwell.NAME`, which makes the component NAME. Raises AttributeError unless
    exactly one component has this name."""
    entries = [entry for entry in registry().entries if _identifier(entry["id"]) == name]
    if len(entries) == 1:
        return _maker(entries[0])
    if not entries:
        raise AttributeError(f"mixwell has no attribute and no component {name}. mixwell.plugins() "
                             "lists the components")
    kinds = ", ".join(f"mixwell.{plural(entry['kind'])}.{name}" for entry in entries)
    raise AttributeError(f"mixwell.{name} is ambiguous. Use one of: {kinds}")


def plural(kind: str) -> str:
    """The name of the namespace of a kind, such as `kernels` or `steps`."""
    return kind if kind.endswith("s") else kind + "s"


def check_kind(component: object, where: str) -> Component:
    if isinstance(component, Component):
        return component
    raise errors.InputError(f"{where}: must be a component, such as mixwell.nuts() (got "
                            f"{component!r})")
