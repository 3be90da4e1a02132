#!/usr/bin/env python3
"""older_library.py LIBRARY VERSION... : prints an assembly file for a stand-in of LIBRARY that has only its
symbols of a version up to one of VERSION (GLIBCXX_3.4.24 CXXABI_1.3.11).

Programs are linked with the stand-in, so that they need nothing that an older LIBRARY lacks. Each symbol has
its size, its type and its version; there is no code.
"""
# SPDX-License-Identifier: Apache-2.0
import re
import subprocess
import sys


def numbers(version):
    """GLIBCXX_3.4.24 -> ("GLIBCXX", [3, 4, 24]); a name without a number is older than all numbers."""
    name, _, number = version.partition("_")
    return name, [int(part) for part in re.findall(r"\d+", number)]


def main():
    library, *limits = sys.argv[1:]
    newest = dict(numbers(limit) for limit in limits)
    table = subprocess.run(["readelf", "--wide", "--dyn-syms", library], check=True, text=True,
                           stdout=subprocess.PIPE).stdout
    sections = {"FUNC": ".text", "OBJECT": ".data", "TLS": ".tbss"}
    lines = {section: [] for section in sections.values()}
    found = set()
    for line in table.splitlines():
        words = line.split()
        if len(words) < 8 or words[3] not in sections or words[6] in ("UND", "ABS"):
            continue
        size, kind, binding, symbol = int(words[2], 0), words[3], words[4], words[7]
        name, _, version = symbol.partition("@@")  # "@" alone: a version for old programs only
        family, number = numbers(version)
        if not version or number > newest.get(family, []) or name in found:
            continue
        found.add(name)
        local = f"symbol{len(found)}"
        lines[sections[kind]] += [
            f".{'weak' if binding == 'WEAK' else 'globl'} {local}",
            f".type {local}, %{'function' if kind == 'FUNC' else 'tls_object' if kind == 'TLS' else 'object'}",
            f".symver {local}, {symbol}, remove", ".balign 32", f"{local}: .zero {max(size, 1)}",
            f".size {local}, {size}"]
    flags = {".text": '"ax"', ".data": '"aw"', ".tbss": '"awT", %nobits'}
    for section, text in lines.items():
        print(f".section {section}, {flags[section]}", *text, sep="\n")


if __name__ == "__main__":
    main()
