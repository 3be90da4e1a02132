# What a kernel costs its author: lines of code, and names of Mixwell's that it uses.
# SPDX-License-Identifier: Apache-2.0
"""A line of code is one that is neither blank nor comment alone. A concept is a distinct class, enumeration, function
or macro of the public headers that the kernel's text names; members of objects are not counted, nor what the file declares
itself, nor the vocabulary of C++ (mixwell's views of Eigen's matrices among it)."""

import glob
import os
import re
import sys

from support.code_lines import code_lines

SOURCE = os.environ.get("MIXWELL_SOURCE_DIR") or os.path.join(os.path.dirname(__file__), "../..")
KERNELS = os.path.join(SOURCE, "plugins/kernels")
# Written from docs/kernels.md alone.
OUTSIDE = os.path.join(SOURCE, "examples/outside")
GUESTS = os.path.join(SOURCE, "papers/*/plugins")

# kernel: most lines of all its files, most concepts (None: no limit), most lines of its transition. What all
# kernels and the framework's part of them have together is printed, and has no limit: one could only be kept by
# leaving things out.
LIMITS = {
    "random-walk-metropolis": (50, 9, 20),
    "hamiltonian": (140, None, 40),
    "mala": (60, None, 10),
    "barker": (75, None, 10),
    "multiple-try": (100, None, 10),
    "direction-slice": (85, None, 10),
    "chees": (50, None, 0),
}
# Any other kernel.
USUAL = (470, None, 40)
# What docs/architecture.md says of some.
PAGE = os.path.join(SOURCE, "docs/architecture.md")
STATED = {
    "random-walk-metropolis": "Random-walk Metropolis has {lines} lines ({inside} in its transition, {concepts} names)",
    "hamiltonian": "static Hamiltonian Monte Carlo {lines} lines with keys, help and registration "
                   "({inside} in its transition)",
    "multiple-try": "multiple-try Metropolis {lines} lines",
    "direction-slice": "slices along directions {lines}",
    "chees": "ChEES {lines}.",
}

VOCABULARY = {"Index", "Batch", "ConstBatch", "Row", "ConstRow", "MatrixMap", "ConstMatrixMap", "RowMap",
              "ConstRowMap", "mixwell", "edge"}
TYPES = re.compile(r"\b(?:class|struct|enum class|enum)\s+(?:MIXWELL_EXPORT\s+)?([A-Z]\w*)|"
                   r"\busing\s+(\w+)\s*=|^#define\s+(\w+)", re.M)
FUNCTIONS = re.compile(r"^(?:inline |\[\[\w+\]\] |MIXWELL_EXPORT |constexpr )*[\w:<>&*]+\s[&*]?(\w+)\(", re.M)


def without_text(code):
    code = re.sub(r'"(?:\\.|[^"\\\n])*"', '""', code)
    return re.sub(r"//[^\n]*|/\*.*?\*/", "", code, flags=re.S)


def lines_of(path):
    with open(path, encoding="utf-8") as file:
        return code_lines(file.read())


def public_headers():
    """Those for authors, but for densities and what only other headers use."""
    for path in glob.glob(os.path.join(SOURCE, "framework/include/mixwell/**/*.hpp"), recursive=True):
        if os.path.basename(os.path.dirname(path)) not in ("lab", "density", "tape", "detail"):
            yield path


def public_names():
    """Types and macros; free functions."""
    types, functions = set(), set()
    for path in public_headers():
        with open(path, encoding="utf-8") as file:
            code = without_text(file.read())
        types |= {name for found in TYPES.findall(code) for name in found if name}
        functions |= set(FUNCTIONS.findall(code))
    return types - VOCABULARY, functions


def files_of(kernel):
    outside = os.path.join(OUTSIDE, kernel + ".cpp")
    if os.path.exists(outside):
        return [outside]
    home, = [path for place in (KERNELS + "/", GUESTS + "/kernel-") for path in glob.glob(place + kernel + ".cpp")]
    return [home] + sorted(glob.glob(os.path.join(os.path.dirname(home), kernel, "*.hpp")))


def concepts_of(kernel, public):
    used, own = set(), set()
    for path in files_of(kernel):
        with open(path, encoding="utf-8") as file:
            code = without_text(file.read())
        own |= {m.group(1) for m in re.finditer(r"\b(?:class|struct|enum class)\s+(\w+)", code)}
        used |= set(re.findall(r"(?<![.\w])([A-Z]\w*)", code)) & public[0]
        used |= set(re.findall(r"(?<![.\w>])(\w+)\(", code)) & public[1]
        own |= set(re.findall(r"^ +(?:static |virtual |inline )*[\w:<>&*]+ (\w+)\([^;]*\{", code, re.M))
    return sorted(used - own)


def transition_lines(kernel):
    """Of the body of transition(), the braces left out."""
    with open(files_of(kernel)[0], encoding="utf-8") as file:
        code = file.read()
    if "void transition(Transition& t)" not in code:  # a rule of steps
        return 0
    start = code.index("{", code.index("void transition(Transition& t)"))
    depth, end = 0, start
    while True:
        depth += {"{": 1, "}": -1}.get(code[end], 0)
        end += 1
        if depth == 0:
            break
    body = code[start + 1:end - 1].splitlines()
    return len([line for line in body if line.strip() and not line.strip().startswith("//")])


def main():
    public = public_names()
    wrong = []
    with open(PAGE, encoding="utf-8") as file:
        page = " ".join(file.read().split())
    kernels = sorted(os.path.basename(p)[:-4].removeprefix("kernel-") for p in
                     glob.glob(os.path.join(KERNELS, "*.cpp")) + glob.glob(os.path.join(OUTSIDE, "*.cpp")) +
                     glob.glob(os.path.join(GUESTS, "kernel-*.cpp")))
    for kernel in kernels:
        lines = sum(len(lines_of(path)) for path in files_of(kernel))
        concepts = concepts_of(kernel, public)
        inside = transition_lines(kernel)
        print(f"{kernel}: {lines} lines, {inside} in its transition, {len(concepts)} concepts")
        if "--concepts" in sys.argv:
            print("  " + ", ".join(concepts))
        stated = STATED.get(kernel, "").format(lines=lines, inside=inside, concepts=len(concepts))
        if stated not in page:
            wrong.append(f"docs/architecture.md does not say: {stated}")
        most, most_concepts, most_inside = LIMITS.get(kernel, USUAL)
        if lines > most or inside > most_inside:
            wrong.append(f"{kernel}: at most {most} lines, {most_inside} in its transition")
        if most_concepts is not None and len(concepts) > most_concepts:
            wrong.append(f"{kernel}: at most {most_concepts} concepts: {', '.join(concepts)}")
    paths = glob.glob(os.path.join(KERNELS, "**/*.[ch]pp"), recursive=True)
    shared = glob.glob(os.path.join(SOURCE, "framework/src/kernel/*.[ch]pp"))
    total = sum(len(lines_of(path)) for path in paths + shared)
    print(f"plugins/kernels and framework/src/kernel: {total} lines")
    if wrong:
        raise SystemExit("\n".join(wrong))


if __name__ == "__main__":
    main()
