# Turns the variants of studies into separate manifests, for scripts that run them one by one.
# SPDX-License-Identifier: Apache-2.0
"""Builds manifests as `mixwell study` does (docs/studies.md). A manifest is the base manifest, changed by the tables of
the study file, of the model and of the variant, in this order. A folder is one experiment: it has one study, or one
for each data set."""
import copy
import dataclasses
import json
import pathlib
import tomllib

NOT_COMPONENTS = {"mixwell", "study", "run", "remove", "axes", "zip", "tune", "quick"}


@dataclasses.dataclass
class Variant:
    """A variant of a study, combined with one of the study's models. The model is "." if the study names no models."""

    study: pathlib.Path
    name: str
    model: str
    manifest: dict
    vary: dict  # KEY -> values; all keys go through their values together
    quick: dict  # KEY -> value of the short form

    @property
    def method(self):
        """The variant's name without its model: `sgld` for the variant `sgld-d10` of the model `d10`."""
        return self.name.removesuffix(f"-{self.model}")

    @property
    def label(self):
        return self.method if self.model == "." else f"{self.model}/{self.method}"


def read(path):
    return tomllib.loads(path.read_text(encoding="utf-8"))


def studies(folder):
    """Returns the study files of a folder. A file with the name of the folder comes first."""
    found = [path for path in folder.glob("*.toml") if "study" in read(path)]
    return sorted(found, key=lambda path: (path.stem != folder.name, path.name))


def changed(manifest, tables):
    """Applies tables to a manifest. A table with `use` replaces a component. A table without `use` changes only the
    keys that it contains."""
    manifest = copy.deepcopy(manifest)
    for kind, name in (path.split(".", 1) for path in tables.get("remove", [])):
        del manifest[kind][name]
    manifest.setdefault("run", {}).update(tables.get("run", {}))
    for kind in tables.keys() - NOT_COMPONENTS:
        for name, keys in tables[kind].items():
            here = manifest.setdefault(kind, {})
            here[name] = dict(keys) if "use" in keys else here[name] | keys
    return manifest


def flat(table, prefix=""):
    """Yields the dotted keys of a table with their values."""
    for key, value in table.items():
        if isinstance(value, dict):
            yield from flat(value, f"{prefix}{key}.")
        else:
            yield prefix + key, value


def together(study, *tables):
    """Returns the values of the axes, which must advance together. Raises RuntimeError if the axes form a grid."""
    groups = [dict([axis]) for table in tables for axis in flat(table.get("axes", {}))]
    groups += [dict(flat(group)) for table in tables for group in table.get("zip", [])]
    if len(groups) > 1:
        raise RuntimeError(f"{study}: the axes form a grid. Use one [[study.zip]], whose lists advance together.")
    return groups[0] if groups else {}


def is_excluded(study, place):
    """Returns whether the study excludes all cells of `place`, which is {"model": ..., "variant": ...}."""
    return any(all(place.get(key) in (values if isinstance(values, list) else [values]) for key, values in rule.items())
               for rule in study.get("exclude", []))


def located(value, folder):
    """Replaces each value that names a file in `folder` with the full path of this file."""
    if isinstance(value, dict):
        return {key: located(one, folder) for key, one in value.items()}
    is_file = isinstance(value, str) and value and (folder / value).is_file()
    return str((folder / value).resolve()) if is_file else value


def variants(path, more=None):
    """Yields the variants of a study file for all its models. `more`: additional variants in the same form."""
    text = read(path)
    study = text["study"]
    base = path.parent / study.get("base", path.name)
    common = changed(read(base) if base != path else {}, text)
    for model, own in study.get("model", {".": {}}).items():
        for name, tables in (study.get("variant", {}) | (more or {})).items():
            if not is_excluded(study, {"model": model, "variant": name}):
                manifest = located(changed(changed(common, own), tables), base.parent)
                quick = dict(pair for part in (study, own, tables) for pair in flat(part.get("quick", {})))
                yield Variant(path, name, model, manifest, together(path, study, own, tables), quick)


def literal(value):
    """A value in TOML."""
    if isinstance(value, dict):
        return "{ " + ", ".join(f"{key} = {literal(one)}" for key, one in value.items()) + " }"
    if isinstance(value, list):
        return "[" + ", ".join(map(literal, value)) + "]"
    return json.dumps(value)


def manifest_text(manifest):
    lines = ["mixwell = 1"]
    tables = {f"{kind}.{name}": keys for kind, parts in manifest.items() if kind not in NOT_COMPONENTS
              for name, keys in parts.items()}
    for name, keys in ({"run": manifest["run"]} | tables).items():
        lines += ["", f"[{name}]"] + [f"{key} = {literal(value)}" for key, value in keys.items()]
    return "\n".join(lines) + "\n"


def write(found, folder):
    """Writes each variant to FOLDER/[MODEL/]METHOD.toml. Returns a dictionary from label to path."""
    paths = {variant.label: folder / f"{variant.label}.toml" for variant in found}
    for variant in found:
        path = paths[variant.label]
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(manifest_text(variant.manifest), encoding="utf-8")
    return paths
