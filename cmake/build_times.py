#!/usr/bin/python3
# Where the time of a build went, by its parts and by its files: ./dev build-times.
# SPDX-License-Identifier: Apache-2.0
"""usage: build_times.py BUILD_FOLDER [FILES]

Reads BUILD_FOLDER/.ninja_log: of every file that is there, how long the command that made it last
took. Commands run beside each other, so the seconds add up to more than a clock shows; with as many
jobs as free cores they are nearly processor time. FILES (30) of the slowest are listed."""

import collections
import pathlib
import re
import sys

OBJECT = re.compile(r"(?:.*/)?CMakeFiles/([^/]+)\.dir/(.*)\.(?:o|gch)$")
LIBRARIES = {
    "mixwell_framework": "libmixwell",
    "mixwell_control": "libmixwell",
    "mixwell_lab": "libmixwell_lab",
}


def commands(folder):
    """(seconds, output) of every command; of several outputs the first."""
    found = {}
    for line in (folder / ".ninja_log").read_text().splitlines():
        if line.startswith("#"):
            continue
        start, end, _, output, key = line.split("\t")
        if (folder / output).exists():
            found[output] = (int(start), int(end), key)
    seen = set()
    for output, command in found.items():
        if command not in seen:
            seen.add(command)
            yield (command[1] - command[0]) / 1000, output


def part(output):
    match = OBJECT.fullmatch(output)
    if match is None:
        return "links and everything else"
    target, source = match.groups()
    if "cmake_pch" in source:
        return "precompiled headers"
    if target in LIBRARIES:
        return f"{LIBRARIES[target]}: {pathlib.PurePath(source).parent.name}"
    if target in ("mixwell", "mixwell_app"):
        return "program"
    if target.startswith("mixwell_command_"):
        return "modules of commands"
    if target in ("mixwell_contracts", "mixwell_tested"):
        return "contracts"
    if target.startswith("plugin_"):
        return f"plugins: {target.split('_')[1]}"
    return f"tests and the rest: {target.split('_')[0] if 'wrong' in target else target}"


def table(rows):
    for seconds, name in rows:
        print(f"{seconds:9.1f}  {name}")


def main():
    if not 2 <= len(sys.argv) <= 3:
        sys.exit(__doc__)
    folder = pathlib.Path(sys.argv[1])
    if not (folder / ".ninja_log").is_file():
        sys.exit(f"build_times.py: {folder} is no build folder of Ninja's; ./dev build makes one")
    made = list(commands(folder))
    parts = collections.Counter()
    for seconds, output in made:
        parts[part(output)] += seconds
    print("  seconds  part")
    table((seconds, name) for name, seconds in parts.most_common())
    table([(sum(parts.values()), "in all")])
    print("\n  seconds  file")
    table(sorted(made, reverse=True)[: int(sys.argv[2]) if len(sys.argv) == 3 else 30])


main()
