# NOTATION.md against the code: one word, one meaning, one declaration.
# SPDX-License-Identifier: Apache-2.0
"""Rules, each of which is first shown to catch a tampered copy:

1. a word, a letter or a word not used stands once in its tables;
2. what a table names "in code" is declared: words in headers, letters in any source;
3. no two classes of the framework and of the recorders share a name;
4. words not used are no identifiers, but for deprecated aliases, and constants are written as variables are;
5. docs/decisions/names.md and NOTATION.md agree: a renamed word is not used, a kept one is defined.
"""

import functools
import os
import pathlib
import re
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent / "support"))
from texts import TOKEN

SOURCE = os.environ.get("MIXWELL_SOURCE_DIR") or os.path.join(os.path.dirname(__file__), "../..")
FOLDERS = ["framework", "models", "integrators", "estimators", "plugins", "papers", "examples", "bench",
           "tests", "cmake/templates"]
CODE = (".hpp", ".cpp", ".hpp.in", ".cpp.in")

# Names that classes may share, and why.
MAY_SHARE = {
    "Arguments": "what one command of the program is told; each file of app/ has its own",
    "Params": "the manifest keys of one plugin; plugins do not see each other",
    "In": "the inputs of one body, which nests it",
    "Out": "the outputs of one body, which nests it",
    "Transition": "as a kernel describes it, and as the certificate finds it in a graph",
    "Statistic": "as a kernel declares it, and as the table of a run has it",
}

CLASS = re.compile(r"\b(?:class|struct|enum class|enum)\s+(?:MIXWELL_EXPORT\s+|alignas\(\w+\)\s*)?"
                   r"(?:\w+::)*(\w+)\s*(?:final\s*)?(?::[^;{()]*)?\{")
TYPE = re.compile(r"\b(?:class|struct|enum class|enum|using)\s+(?:MIXWELL_EXPORT\s+)?(\w+)")
NAMED = re.compile(r"[\w>&*\])][ \n]+[&*]?(\w+)\s*[;=,{(\[]")
LISTED = re.compile(r"^\s*(\w+)\s*[,}]", re.M)
ALIAS = re.compile(r"\busing\s+(\w+)\s*=")


def without_text(code):
    """Code without comments, strings and characters; lines stay where they are."""
    return TOKEN.sub(lambda found: '""' + "\n" * found[0].count("\n"), code)


def read_sources():
    sources = {}
    for folder in FOLDERS:
        for place, _, names in os.walk(os.path.join(SOURCE, folder)):
            for name in names:
                path = os.path.join(place, name)
                if name.endswith(CODE):
                    with open(path, encoding="utf-8") as file:
                        sources[os.path.relpath(path, SOURCE)] = without_text(file.read())
    return sources


def rows_under(notation, heading):
    """Cells of the rows of the table under a heading."""
    part = notation.split(f"\n## {heading}\n", 1)
    if len(part) < 2:
        return []
    lines = [line for line in part[1].split("\n## ")[0].splitlines() if line.startswith("|")]
    return [[cell.strip() for cell in line.strip("|").split("|")] for line in lines[2:]]


def names_in(cell):
    return re.findall(r"`(\w+)`", cell)


def twice(names):
    seen = set()
    return sorted({name for name in names if name in seen or seen.add(name)})


def check_tables(notation):
    words = [row[0] for heading in ("Words", "Words of the kernel graph")
             for row in rows_under(notation, heading)]
    letters = [letter for row in rows_under(notation, "Letters") for letter in row[0].split(", ")]
    unused = [name for row in rows_under(notation, "Words not used") for name in names_in(row[0])]
    found = [f"NOTATION.md lacks the table of {what}" for what, rows in
             (("words", words), ("letters", letters), ("words not used", unused)) if not rows]
    return found + [f"NOTATION.md has {name} twice" for name in
                    twice(words) + twice(letters) + twice(unused)]


@functools.lru_cache(maxsize=None)
def declared_in(code):
    """Types, and names that follow one: `Index replicates = 4;`, `slot,  ///<`, `int draw() {`."""
    return set(TYPE.findall(code)) | set(NAMED.findall(code)) | set(LISTED.findall(code))


def check_declared(notation, sources):
    outside = {path for path in sources if path.startswith("tests/")}
    headers = {path for path in sources if path.endswith(".hpp")} - outside
    found = []
    for heading, paths in (("Words", headers), ("Words of the kernel graph", headers),
                           ("Letters", set(sources) - outside)):
        declared = set().union(*(declared_in(sources[path]) for path in paths))
        for row in rows_under(notation, heading):
            found += [f"NOTATION.md names `{name}` for {row[0]}, which nothing declares"
                      for name in names_in(row[1]) if name not in declared]
    return found


def without_edges(code):
    """Without namespace edge: edge::Law is how a body sees a Law, the same word with the same meaning."""
    parts = code.split("namespace edge {")
    kept = [parts[0]]
    for part in parts[1:]:
        depth, end = 1, 0
        while depth > 0 and end < len(part):
            depth += {"{": 1, "}": -1}.get(part[end], 0)
            end += 1
        kept.append(part[end:])
    return "".join(kept)


@functools.lru_cache(maxsize=None)
def classes_in(code):
    bare = without_edges(code)
    return CLASS.findall(bare), ALIAS.findall(bare)


def without_deprecated(code):
    """Without the former names, which stay for one version as aliases."""
    return re.sub(r"(using \w+ )?\[\[deprecated[^;]*;", "", code)


@functools.lru_cache(maxsize=None)
def identifiers_in(code):
    """All of them, and the constants among them that are written like kMost."""
    code = without_deprecated(code)
    names = set(re.findall(r"[A-Za-z_]\w*", code))
    return names, {name for name in names if re.match(r"k[A-Z]([a-z0-9]|$)", name)}


def check_classes(sources):
    places = {}
    aliases = {}
    for path, code in sources.items():
        if path.startswith(("framework/", "plugins/recorders/")):
            for names, kept in zip(classes_in(code), (places, aliases)):
                for name in names:
                    kept.setdefault(name, []).append(path)
    found = [f"classes of one name, {name}: {', '.join(paths)}"
             for name, paths in places.items() if len(paths) > 1 and name not in MAY_SHARE]
    return found + [f"{name} is a class and another name of a type: {paths[0]}, {aliases[name][0]}"
                    for name, paths in places.items() if name in aliases]


def check_unused(notation, sources):
    unused = {name for row in rows_under(notation, "Words not used") for name in names_in(row[0])}
    found = []
    for path, code in sources.items():
        names, constants = identifiers_in(code)
        found += [f"{path}: `{name}` is not used, see NOTATION.md" for name in names & unused]
        found += [f"{path}: the constant `{name}` is not in snake_case" for name in constants]
    return found


def decision_faults(row, defined, unused):
    word, _, decision, now = row
    if decision == "rename":
        return [f"names.md renames `{name}`, which NOTATION.md does not list under words not used"
                for name in names_in(word) if name not in unused]
    kept = re.findall(r"\*\*([^*]+)\*\*", now)
    if decision != "keep" or not kept:
        return [f"names.md does not say by which word of NOTATION.md it keeps or renames {word}"]
    return [f"names.md keeps {word} as {name}, which NOTATION.md does not define" for name in kept
            if name not in defined]


def check_decisions(notation, names):
    defined = {name for heading in ("Words", "Words of the kernel graph") for row in rows_under(notation, heading)
               for name in re.findall(r"\*\*([^*]+)\*\*", row[0])}
    unused = {name for row in rows_under(notation, "Words not used") for name in names_in(row[0])}
    rows = rows_under("\n## Names\n" + names.split("\n", 1)[1], "Names")
    found = [] if len(rows) > 5 else ["names.md lacks its table"]
    return found + [fault for row in rows for fault in decision_faults(row, defined, unused)]


def check_all(notation, sources, names):
    return (check_tables(notation) + check_declared(notation, sources) + check_classes(sources) +
            check_unused(notation, sources) + check_decisions(notation, names))


def misses_of_mutants(notation, sources, names):
    """What was done to the tables or the code and went unseen."""
    header = "framework/include/mixwell/base/random.hpp"

    def table(before, after):
        return notation.replace(before, after, 1), sources

    def code(path, text):
        return notation, {**sources, path: sources.get(path, "") + text}

    slot = next(line for line in notation.splitlines() if line.startswith("| **slot**"))
    friction = next(line for line in notation.splitlines() if line.startswith("| F |"))
    renamed = {**sources, header: re.sub(r"\bAddress\b", "Place", sources[header])}
    mutants = {
        "a word twice": table(slot, slot + "\n" + slot),
        "a word in both tables": table("| **law** |", "| **slot** |"),
        "a letter twice": table(friction, friction.replace("| F |", "| V |")),
        "a letter twice in one row": table("| N, n |", "| N, d |"),
        "a lost table": table("\n## Letters\n", "\n## Glyphs\n"),
        "a word without its class": table("`PhasePoint` | a point", "`PhaseDot` | a point"),
        "a letter without its name": table("| `friction` |", "| `fricton` |"),
        "a class renamed": (notation, renamed),
        "a class of a taken name": code("framework/src/app/new.cpp", "struct Law { int n; };\n"),
        "a nested class of a taken name":
            code("plugins/recorders/x.hpp", "class A final : public B { struct Guard {}; };\n"),
        "an alias of a taken name": code(header, "using Law = int;\n"),
        "a word not used": code("plugins/kernels/nuts.cpp", "void f(Phase point);\n"),
        "a constant of another style": code("tests/unit/x.cpp", "constexpr int kMost = 1;\n"),
        "a kept word without a definition": table("| **compositor** |", "| **scheme** |"),
        "a renamed word that may be used": table("| `Register` | `History` |", "| `Registers` | `History` |"),
        "a former name in use": code("plugins/kernels/nuts.cpp", "void f(Curvature h);\n"),
    }
    return [what for what, (text, files) in mutants.items() if not check_all(text, files, names)]


def main():
    with open(os.path.join(SOURCE, "NOTATION.md"), encoding="utf-8") as file:
        notation = file.read()
    with open(os.path.join(SOURCE, "docs/decisions/names.md"), encoding="utf-8") as file:
        names = file.read()
    sources = read_sources()
    found = check_all(notation, sources, names)
    if not found:
        found = [f"unseen: {what}" for what in misses_of_mutants(notation, sources, names)]
    print("\n".join(found) or f"the words hold in {len(sources)} files")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
