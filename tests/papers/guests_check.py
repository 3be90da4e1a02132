# Which plugins belong to one paper, as a table; and that those in papers/ are guests: ./tests/papers/guests_check.py
# SPDX-License-Identifier: Apache-2.0
"""Prints a row for every plugin that manifests of one paper name and those of no other: whether it has moved to papers/NAME, or
why it stays: other manifests name it, or another plugin has its private headers. A plugin without such a reason must move.
Of each papers/NAME/plugins/KIND-ID.cpp it checks that only manifests of that paper name it, that it includes no private
header of the tree, and that framework/src/base/removed_names.cpp knows it, so that a manifest that names it without its
library is refused with the paper's name. Wrong versions of each come first: they must be seen."""

import collections
import os
import pathlib
import re
import sys
import tempfile

ROOT = pathlib.Path(os.environ.get("MIXWELL_SOURCE_DIR") or pathlib.Path(__file__).resolve().parents[2])
HOMES = {"models": "model", "estimators": "estimator", "integrators": "integrator", "plugins/kernels": "kernel",
         "plugins/compositors": "compositor", "plugins/oracles": "oracle", "plugins/steps": "steps",
         "plugins/recorders": "recorder"}
USE = re.compile(r'\buse = "([a-z0-9-]+)"')
INCLUDE = re.compile(r'^#include "([^"]+)"', re.M)


def plugins_in(root):
    """kind/id -> source."""
    found = {}
    for home, kind in HOMES.items():
        for path in (root / home).glob("*.cpp"):
            found[f"{kind}/{path.stem}"] = path
    for path in root.glob("papers/*/plugins/*.cpp"):
        kind, _, name = path.stem.partition("-")
        found[f"{kind}/{name}"] = path
    return found


def papers_naming(root):
    """id -> papers whose manifests name it."""
    found = collections.defaultdict(set)
    for path in root.glob("papers/*/**/*.toml"):
        for name in USE.findall(path.read_text(encoding="utf-8")):
            found[name].add(path.relative_to(root).parts[1])
    return found


def others_naming(root):
    """Ids that manifests outside of papers/ name."""
    return {name for folder in ("examples", "bench", "tests") for path in (root / folder).rglob("*.toml")
            for name in USE.findall(path.read_text(encoding="utf-8"))}


def private_headers(path, seen=None):
    """The headers in quotation marks that a source includes, directly or not."""
    seen = set() if seen is None else seen
    for name in INCLUDE.findall(path.read_text(encoding="utf-8")):
        header = (path.parent / name).resolve()
        if header not in seen:
            seen.add(header)
            if header.exists():
                private_headers(header, seen)
    return seen


def paper_of(root, path):
    parts = path.relative_to(root).parts
    return parts[1] if parts[0] == "papers" else None


def table(root):
    """(plugin, paper, why it stays or "" if it has moved, "nothing" if it should) of what one paper names."""
    plugins, naming, others = plugins_in(root), papers_naming(root), others_naming(root)
    headers = {name: private_headers(path) for name, path in plugins.items()}
    for name, path in sorted(plugins.items()):
        papers = naming[name.split("/")[1]]
        if len(papers) != 1 or papers == {"shared"}:
            continue
        sharing = [other for other in sorted(plugins) if other != name and headers[other] & headers[name]]
        reasons = ["manifests of others name it"] * (name.split("/")[1] in others) + [
            f"{other} has its headers" for other in sharing[:1]]
        yield name, *papers, "" if paper_of(root, path) else "; ".join(reasons) or "nothing"


def faults(root):
    found, naming = [], papers_naming(root)
    known = dict(re.findall(r'GuestName\{"([^"]+)", "([^"]+)"\}',
                            (root / "framework/src/base/removed_names.cpp").read_text(encoding="utf-8")))
    guests = {name: path for name, path in plugins_in(root).items() if paper_of(root, path)}
    for name, path in guests.items():
        paper = paper_of(root, path)
        if foreign := naming[name.split("/")[1]] - {paper}:
            found.append(f"{name} is in papers/{paper}, and manifests of {', '.join(sorted(foreign))} name it")
        if strange := [header for header in private_headers(path) if path.parent.resolve() not in header.parents]:
            found.append(f"{name} includes {strange[0]}, which is not in its folder")
        if known.get(name) != paper:
            found.append(f"{name} is in papers/{paper}; removed_names.cpp says {known.get(name)}")
    found += [f"{name} can move to papers/{paper}: nobody else needs it" for name, paper, why in table(root)
              if why == "nothing"]
    return found + [f"removed_names.cpp names {name}, which is not in papers/" for name in known.keys() - guests.keys()]


def check_wrong_versions():
    with tempfile.TemporaryDirectory() as place:
        root = pathlib.Path(place)

        def write(name, text):
            (root / name).parent.mkdir(parents=True, exist_ok=True)
            (root / name).write_text(text, encoding="utf-8")

        names, plugin = "framework/src/base/removed_names.cpp", "papers/a/plugins/model-m.cpp"
        write(names, 'GuestName{"model/m", "a"}')
        write(plugin, '#include "m/own.hpp"\n')
        write("papers/a/s/s.toml", 'use = "m"\n')
        assert not faults(root), faults(root)
        write("estimators/e.cpp", '#include "e/own.hpp"\n')
        for path, text in [("papers/a/s/s.toml", 'use = "m" use = "e"\n'), (names, ""), (names, 'GuestName{"model/m", "b"}'),
                           (names, 'GuestName{"model/m", "a"} GuestName{"model/n", "a"}'),
                           (plugin, '#include "../../../models/shared.hpp"\n'), ("papers/b/s/s.toml", 'use = "m"\n')]:
            before = (root / path).read_text(encoding="utf-8") if (root / path).exists() else ""
            write(path, text)
            assert faults(root), f"{path} with '{text}' is not seen"
            write(path, before)


def main():
    check_wrong_versions()
    for name, paper, why in table(ROOT):
        print(f"{name:30} papers/{paper:10}", f"stays: {why}" if why else "has moved")
    found = faults(ROOT)
    print("\n".join(found) or "every guest is one paper's, and builds on public headers")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
