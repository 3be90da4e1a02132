# What a measured table of docs/ was made from: a fingerprint of rules and components, and its stamp.
# SPDX-License-Identifier: Apache-2.0
"""Tables that take hours are not made again by the tests. Each has a stamp instead: the commit and a fingerprint of the
sources that decide what stands in it.

    table_sources.py stamp PAGE    print the stamp for a table that was made just now
    table_sources.py stale PAGE    write into PAGE that rules or components have changed since

The fingerprint is a SHA-256 over code without comments, without layout, and without the words of messages: a text with
blanks in it counts as empty. Keys, traits and names of components have no blanks and count."""

import hashlib
import json
import os
import pathlib
import re
import subprocess
import sys
import tomllib

ROOT = pathlib.Path(os.environ.get("MIXWELL_SOURCE_DIR") or pathlib.Path(__file__).resolve().parents[3])

RULES = ("framework/src/certificate", "framework/src/verify")
COMPONENTS = ("models", "integrators", "estimators", "plugins", "papers", "tests/wrong")
# What a manifest uses without naming it.
DEFAULTS = {"chain", "exact", "leapfrog", "identity"}
STAMP = re.compile(r"^Made at commit ([0-9a-f]{7,40})(, with changes)?, from sources ([0-9a-f]{16})\.$", re.M)
STALE = re.compile(r"^\*\*Rules or components have changed since\*\* \(sources now ([0-9a-f]{16})\)\.$", re.M)

TOKEN = re.compile(r'R"(?P<mark>\w*)\(.*?\)(?P=mark)"|"(?:\\.|[^"\\\n])*"|\'(?:\\.|[^\'\\\n])*\'|//[^\n]*|/\*.*?\*/|'
                   r'[^"\'/R]+|.', re.S)
ID = re.compile(r'(?:\.id|\bid) = "([a-z0-9-]+)"')
INCLUDE = re.compile(r'^#include "([^"]+)"', re.M)
USE = re.compile(r'\buse = "([a-z0-9-]+)"')


def tokens(code):
    """Pieces of code, with comments as blanks and neighbouring texts as one."""
    found = []
    for token in TOKEN.finditer(code):
        piece = token[0]
        if piece.startswith(("//", "/*")):
            piece = " "
        is_text = piece.startswith('"') and len(piece) > 1
        if is_text and len(found) > 1 and found[-1].isspace() and found[-2].startswith('"'):
            found.pop()
        if is_text and found and found[-1].startswith('"'):
            found[-1] = found[-1][:-1] + piece[1:]
        elif piece.isspace() and found and found[-1].isspace():
            continue
        else:
            found.append(piece)
    return found


def without_layout(code):
    return re.sub(r" ?([^\w ]) ?", r"\1", re.sub(r"\s+", " ", code))


def bare(code):
    """Code without comments, layout and the words of messages."""
    kept, between = [], ""
    for piece in [*tokens(code), '""']:
        if not piece.startswith(('"', "'", 'R"')):
            between += piece
            continue
        kept.append(without_layout(between).strip())
        kept.append('""' if piece.startswith('"') and " " in piece else piece)
        between = ""
    return "".join(kept[:-1])


def code_in(root, *folders):
    return [path for folder in folders for path in sorted((root / folder).rglob("*"))
            if path.suffix in (".cpp", ".hpp")]


def text_of(path):
    return path.read_text(encoding="utf-8")


def components_of(root):
    """Files by id; what is a kernel and a compositor has two."""
    found = {}
    for path in code_in(root, *COMPONENTS):
        for name in ID.findall(text_of(path)):
            found.setdefault(name, []).append(path)
    return found


def with_includes(root, paths):
    """These files and what they include from the folders of components."""
    found, open_paths = set(), list(paths)
    folders = [root / "tests", *(root / folder for folder in COMPONENTS), *(root / "plugins").iterdir()]
    while open_paths:
        path = open_paths.pop()
        if path in found:
            continue
        found.add(path)
        for name in INCLUDE.findall(text_of(path)):
            places = [folder / name for folder in [path.parent, *folders] if (folder / name).is_file()]
            open_paths.extend(places[:1])
    return sorted(found)


def mutants_sources(root):
    """Rules, the test, the mutants without their descriptions, and the components that they are made of."""
    listed = tomllib.loads(text_of(root / "tests/wrong/mutants.toml"))
    for mutant in listed["mutant"]:
        mutant.pop("wrong", None)
        mutant.pop("escapes", None)
    used = DEFAULTS | {name for base in listed["base"].values() for name in USE.findall(base["manifest"])}
    components = components_of(root)
    if unknown := used - components.keys():
        raise SystemExit(f"tests/wrong/mutants.toml uses {', '.join(sorted(unknown))}, which no file registers as an id")
    files = with_includes(root, [path for name in used for path in components[name]])
    code = {*files, *code_in(root, *RULES, "tests/mutants")}
    return [json.dumps(listed, sort_keys=True), *(bare(text_of(path)) for path in code)]


def compositions_sources(root):
    """Rules, the enumeration, and which components there are. Their code is left out: every change of any of them would
    make the table of all compositions old."""
    ids = sorted(name for path in code_in(root, *COMPONENTS[:-1]) for name in ID.findall(text_of(path)))
    return [json.dumps(ids), *(bare(text_of(path)) for path in code_in(root, *RULES, "tests/compositions"))]


TABLES = {"docs/mutants.md": (mutants_sources, "./dev mutants"),
          "docs/compositions.md": (compositions_sources, "./dev compositions")}


def fingerprint(page, root=ROOT):
    texts = sorted(TABLES[page][0](root))
    return hashlib.sha256("\0".join(texts).encode()).hexdigest()[:16]


def git(*words):
    return subprocess.run(["git", "-C", ROOT, *words], check=True, capture_output=True, text=True).stdout.strip()


def stamp(page):
    changes = ", with changes" if git("status", "--porcelain", "--untracked-files=no") else ""
    return f"Made at commit {git('rev-parse', '--short=7', 'HEAD')}{changes}, from sources {fingerprint(page)}."


def with_age(text, now):
    """A page that says whether its stamp is of the sources `now`; None where it has no stamp."""
    text = re.sub(r"\n\n" + STALE.pattern, "", text, flags=re.M)
    made = STAMP.search(text)
    if not made:
        return None
    words = "" if made[3] == now else f"\n\n**Rules or components have changed since** (sources now {now})."
    return text[:made.end()] + words + text[made.end():]


def mark_stale(page):
    text = with_age(text_of(ROOT / page), fingerprint(page))
    if text is None:
        raise SystemExit(f"{page} has no stamp: make its table by {TABLES[page][1]}")
    (ROOT / page).write_text(text, encoding="utf-8")


def main(words):
    if len(words) != 2 or words[0] not in ("stamp", "stale") or words[1] not in TABLES:
        raise SystemExit(f"usage: table_sources.py stamp|stale PAGE, PAGE one of: {', '.join(TABLES)}")
    if words[0] == "stamp":
        print(f"\n{stamp(words[1])}")
    else:
        mark_stale(words[1])


if __name__ == "__main__":
    main(sys.argv[1:])
