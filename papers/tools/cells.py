# The variants of studies as manifests of their own, for scripts that run them one by one.
# SPDX-License-Identifier: Apache-2.0
"""Does what `mixwell study` does with a study file before it draws anything (docs/studies.md): the base, the file's own
tables, those of the model, those of the variant. A folder has one study, or several that share its name: one for each
data set."""
import copy
import dataclasses
import json
import pathlib
import tomllib

NOT_COMPONENTS = {"mixwell", "study", "run", "remove", "axes", "zip", "tune", "quick"}


@dataclasses.dataclass
class Variant:
    """A variant on a model of its study, or on "." where the study names none."""

    study: pathlib.Path
    name: str
    model: str
    manifest: dict
    vary: dict  # KEY -> values; all keys go through their values together
    quick: dict  # KEY -> value of the short form

    @property
    def method(self):
        """Its name, without the model that it is for: sgld-d10 is sgld on d10."""
        return self.name.removesuffix(f"-{self.model}")

    @property
    def label(self):
        return self.method if self.model == "." else f"{self.model}/{self.method}"


def read(path):
    return tomllib.loads(path.read_text(encoding="utf-8"))


def studies(folder):
    """The study files of a folder, first the one of its own name."""
    found = [path for path in folder.glob("*.toml") if "study" in read(path)]
    return sorted(found, key=lambda path: (path.stem != folder.name, path.name))


def changed(manifest, tables):
    """A table with `use` replaces the component of its name; one without sets keys of it."""
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
    """Dotted keys with their values."""
    for key, value in table.items():
        if isinstance(value, dict):
            yield from flat(value, f"{prefix}{key}.")
        else:
            yield prefix + key, value


def together(study, *tables):
    """What the axes go through; RuntimeError for a grid, which no table of a paper has."""
    groups = [dict([axis]) for table in tables for axis in flat(table.get("axes", {}))]
    groups += [dict(flat(group)) for table in tables for group in table.get("zip", [])]
    if len(groups) > 1:
        raise RuntimeError(f"{study}: axes that form a grid; a table needs values that advance together")
    return groups[0] if groups else {}


def is_excluded(study, place):
    """Whether an exclusion leaves out all cells of a place: {"model": ..., "variant": ...}."""
    return any(all(place.get(key) in (values if isinstance(values, list) else [values]) for key, values in rule.items())
               for rule in study.get("exclude", []))


def located(value, folder):
    """With the files that lie in a folder under their whole paths."""
    if isinstance(value, dict):
        return {key: located(one, folder) for key, one in value.items()}
    is_file = isinstance(value, str) and value and (folder / value).is_file()
    return str((folder / value).resolve()) if is_file else value


def variants(path, more=None):
    """The variants of a study file on all its models; `more` are further ones of the same form."""
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
    """Each variant as FOLDER/[MODEL/]METHOD.toml; returns their paths by label."""
    paths = {variant.label: folder / f"{variant.label}.toml" for variant in found}
    for variant in found:
        path = paths[variant.label]
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(manifest_text(variant.manifest), encoding="utf-8")
    return paths
