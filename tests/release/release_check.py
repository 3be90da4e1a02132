# A release is of one piece: versions, changelog and the number of the plugin interface.
# SPDX-License-Identifier: Apache-2.0
"""release_check.py [--release]: the version is the same in CMakeLists.txt, version.hpp and CITATION.cff; the
changelog has a chapter for it; the number of the plugin interface is not below that of any chapter. With
--release, the chapter has a date and the tree no changes. First shown to see tampered copies of each."""

import os
import pathlib
import re
import subprocess
import sys

SOURCE = pathlib.Path(os.environ.get("MIXWELL_SOURCE_DIR") or
                      pathlib.Path(__file__).resolve().parents[2])
FILES = {"build": "CMakeLists.txt", "header": "framework/include/mixwell/version.hpp",
         "citation": "CITATION.cff", "changelog": "CHANGELOG.md"}


def only(pattern, text, what, faults):
    found = re.findall(pattern, text, re.M)
    if len(found) != 1:
        faults.append(f"{what}: found {len(found)} times, wanted once")
    return found[0] if found else ""


def faults_of(texts, is_release):
    faults = []
    version = only(r"^project\(Mixwell VERSION ([\d.]+)", texts["build"], "CMakeLists.txt: version", faults)
    for name, pattern in (("header", r'^#define MIXWELL_VERSION "([\d.]+)"'),
                          ("citation", r"^version: ([\d.]+)$")):
        found = only(pattern, texts[name], FILES[name], faults)
        if found != version:
            faults.append(f"{FILES[name]} has version {found}, and CMakeLists.txt {version}")
    number = int(only(r"^#define MIXWELL_ABI_VERSION (\d+)", texts["header"], "plugin interface",
                      faults) or 0)
    told = [int(one) for one in re.findall(r"ABI version (\d+)", texts["changelog"])]
    if max(told, default=number) != number:
        faults.append(f"CHANGELOG.md tells of ABI version {max(told)}, and version.hpp has {number}")
    chapter = re.search(rf"^## \[{re.escape(version)}\] - (\S+)$", texts["changelog"], re.M)
    if chapter is None:
        faults.append(f"CHANGELOG.md has no chapter ## [{version}] - DATE")
    elif is_release and not re.fullmatch(r"\d{4}-\d\d-\d\d", chapter.group(1)):
        faults.append(f"CHANGELOG.md: version {version} is \"{chapter.group(1)}\"; a release has its date")
    return faults


def misses_of_mutants(texts):
    """Tampered copies that go unseen."""
    mutants = {"another version of the header": ("header", "MIXWELL_VERSION \"", "MIXWELL_VERSION \"9"),
             "another version of the citation": ("citation", "\nversion: ", "\nversion: 9"),
             "no chapter": ("changelog", "## [", "## ("),
             "an interface that was not raised": ("changelog", "## [", "ABI version 999\n\n## ["),
             "an interface that is not told of": ("header", "MIXWELL_ABI_VERSION ", "MIXWELL_ABI_VERSION 99")}
    missed = [what for what, (name, before, after) in mutants.items()
              if not faults_of({**texts, name: texts[name].replace(before, after, 1)}, False)]
    dated = re.sub(r"(^## \[[\d.]+\] - )\S+", r"\1unreleased", texts["changelog"], count=1, flags=re.M)
    if not faults_of({**texts, "changelog": dated}, True):
        missed.append("a release without a date")
    return missed


def main():
    is_release = sys.argv[1:] == ["--release"]
    texts = {name: (SOURCE / file).read_text("utf-8") for name, file in FILES.items()}
    faults = faults_of(texts, is_release) or [f"unseen: {what}" for what in misses_of_mutants(texts)]
    if is_release:
        changed = subprocess.run(["git", "status", "--porcelain"], cwd=SOURCE, capture_output=True,
                                 text=True, check=True).stdout
        faults += [f"not committed: {line}" for line in changed.splitlines()]
    print("\n".join(faults) or "versions, changelog and interface agree")
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
