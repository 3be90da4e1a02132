# No class is defined twice under one name.
# SPDX-License-Identifier: Apache-2.0
"""one_definition.py [SOURCE]   (default: $MIXWELL_SOURCE_DIR)

Two classes of one name in one namespace of framework/ are one class to the linker, which takes any of
the two destructors; no compiler has to say so. Those of unnamed namespaces, and of a class, are apart."""

import collections
import os
import re
import sys
import tempfile

FOLDER = "framework"
SPACE = re.compile(r"namespace ([\w:]*) ?\{")
SPACE_END = re.compile(r"\}  // namespace")
MARKS = re.compile(r"\bMIXWELL_\w+ |\[\[.*?\]\] |alignas\(\w+\) ")
CLASS = re.compile(r"(?:struct|class|enum class|enum|union) (\w+)\b(?!<|::)[^;]*$")


def definitions(path):
    """Of classes in namespaces that have names: theirs, and the line. By the layout of .clang-format."""
    spaces = []
    with open(path, encoding="utf-8") as file:
        for number, line in enumerate(file, 1):
            if found := SPACE.match(line):
                spaces.append(found[1])
            elif SPACE_END.match(line) and spaces:
                spaces.pop()
            elif (found := CLASS.match(MARKS.sub("", line.rstrip()))) and spaces and "" not in spaces:
                yield "::".join([*spaces, found[1]]), number


def faults(root):
    places = collections.defaultdict(list)
    for place, _, names in sorted(os.walk(os.path.join(root, FOLDER))):
        for name in sorted(names):
            if not name.endswith((".cpp", ".hpp")):
                continue
            path = os.path.join(place, name)
            for defined, line in definitions(path):
                places[defined].append(f"{os.path.relpath(path, root)}:{line}")
    return [f"{where[0]}: {name} is defined in {', '.join(where[1:])} too; give one another name"
            for name, where in places.items() if len(where) > 1]


def catches_itself():
    with tempfile.TemporaryDirectory() as root:
        os.makedirs(os.path.join(root, FOLDER))

        def count(first, second):
            for name, code in (("a.hpp", first), ("b.cpp", second)):
                with open(os.path.join(root, FOLDER, name), "w", encoding="utf-8") as file:
                    file.write(f"namespace mixwell {{\n{code}\n}}  // namespace mixwell\n")
            return len(faults(root))

        one = "class MIXWELL_EXPORT Move final : public Kernel {\n};"
        assert count(one, "struct Move {\n};") == 1
        assert count(one, "struct Move;\nstruct Moved {\n};") == 0
        assert count(one, "struct Sampler::Move {\n};") == 0
        assert count(one, "template <>\nstruct Move<int> {\n};") == 0
        assert count(one, "namespace {\nstruct Move {\n};\n}  // namespace") == 0
        assert count(one, "namespace edge {\nstruct Move {\n};\n}  // namespace edge") == 0


def main():
    root = sys.argv[1] if len(sys.argv) > 1 else os.environ["MIXWELL_SOURCE_DIR"]
    catches_itself()
    found = faults(root)
    print("\n".join(found) or "no class is defined twice")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
