#!/usr/bin/env python3
# Swaps each pair of edges of each operation of a plugin, and expects the compiler to refuse.
# SPDX-License-Identifier: Apache-2.0
"""usage: swap_edges.py [--separately] [--like SOURCE] COMPILE_COMMANDS SOURCE [SOURCE ...]

A call that adds an operation (add_operation, t.add, t.propose, t.propose_symmetric, SharedOperation's add)
ends with its edges. Every pair of them is exchanged in a copy of the plugin's text, each copy in a namespace of
its own and all in one file; a copy without an error of its own has escaped. The plugin as it is must compile, or
nothing would be shown. A call whose last arguments are a pack of its caller's cannot be swapped here: its
callers are. A template in a header is compiled only where a plugin calls it: a swap in a header has escaped only if no
SOURCE refuses it. --separately compiles each copy by itself, which takes seconds each: for files that define members of
classes in headers, which cannot stand in another namespace.
"""
import collections
import itertools
import json
import pathlib
import re
import shlex
import subprocess
import sys
import tempfile

CALL = re.compile(r"(?<![\w:])(add_operation|t_?\.(?:template )?(?:add|propose_symmetric|propose)"
                  r"|(?:write_|from|momentum_law|fit_(?:->)?|once)(?:\.|->)?add)\(")


Swap = collections.namedtuple("Swap", "what call")  # the exchanged edges and the text of the whole call


def masked(text):
    """The text with comments and strings blanked and <> of templates as (), at the same places."""
    out = list(text)
    for m in re.finditer(r'//[^\n]*|/\*.*?\*/|"(?:\\.|[^"\\])*"', text, re.S):
        for k in range(m.start(), m.end()):
            if out[k] != "\n":
                out[k] = " " if text[m.start()] == "/" else "x"
    blank, found = "".join(out), 1
    while found:  # the brackets of templates, from the innermost
        blank, found = re.subn(r"(\w)<([\w:,\s*&()]*)>", r"\1(\2)", blank)
    return blank


def arguments(blank, start):
    """Spans of the arguments of a call whose first one begins at `start`, and where it ends."""
    depth, first, spans = 0, start, []
    for k in range(start, len(blank)):
        c = blank[k]
        if c in "([{":
            depth += 1
        elif c in ")]}":
            if depth == 0:
                spans.append((first, k))
                return spans
            depth -= 1
        elif c == "," and depth == 0:
            spans.append((first, k))
            first = k + 1
    raise SystemExit("a call does not end")


def edges_of(name, spans):
    bare = name.split(".")[-1].split("->")[-1].replace("template ", "")
    if name.startswith("t.") or name.startswith("t_."):
        before = {"add": 4, "propose": 2, "propose_symmetric": 1}[bare]
    elif bare == "add_operation":
        before = 5
    else:
        before = 4
    return spans[before:]


def inlined(path, seen=None):
    """The text with the includes in quotes in place, each once."""
    seen = set() if seen is None else seen
    text = path.read_text()

    def include(m):
        # Beside the file, or from the root of the sources.
        header = next(there for folder in path.resolve().parents
                      if (there := (folder / m.group(1)).resolve()).exists())
        if header in seen:
            return ""
        seen.add(header)
        return re.sub(r"#pragma once\n", "", inlined(header, seen))

    return re.sub(r'#include "([^"]+)"\n', include, text)


def swaps(text):
    blank = masked(text)
    for call in CALL.finditer(blank):
        spans = arguments(blank, call.end())
        edges, here = edges_of(call.group(1), spans), text[call.start():spans[-1][1]]
        if any(text[a:b].strip().endswith("...") for a, b in edges):
            continue
        for (a, b), (c, d) in itertools.combinations(edges, 2):
            line = text.count("\n", 0, call.start()) + 1
            what = f"{' '.join(text[a:b].split())} <-> {' '.join(text[c:d].split())}"
            yield Swap(f"{call.group(1)}: {what}", here), text[:a] + text[c:d] + text[b:c] + text[a:b] + text[d:]


def command_of(commands, source):
    for entry in commands:
        if pathlib.Path(entry["file"]).resolve() == source.resolve():
            words = shlex.split(entry["command"])
            if pathlib.Path(words[0]).name == "ccache":
                words = words[1:]
            keep, skip = [], False
            for w in words:
                if skip:
                    skip = False
                elif w in ("-o", "-c", "-MF", "-MT", "-include"):
                    skip = w != "-c"
                elif w != str(source) and not w.startswith(("-M", "-Winvalid-pch", "-Werror")):
                    keep.append(w)
            return [w for w in keep if pathlib.Path(w).suffix != ".cpp"], entry["directory"]
    raise SystemExit(f"{source} is not in the compile commands")


def compile_text(text, command, directory):
    with tempfile.NamedTemporaryFile("w", suffix=".cpp") as file:
        file.write(text)
        file.flush()
        done = subprocess.run(command + ["-w", "-fsyntax-only", "-fmax-errors=0", file.name], cwd=directory,
                              capture_output=True, text=True, check=False)
        return done.stderr.replace(file.name, "SWAPPED")


def check(source, commands, separately, like):
    command, directory = command_of(commands, like or source)
    text = inlined(source)
    includes = "".join(sorted(set(re.findall(r"#include <[^>]+>\n", text))))
    body = re.sub(r"#include <[^>]+>\n", "\n", text)
    body = re.sub(r"MIXWELL_PLUGIN\(registrar\).*", "", body, flags=re.S)
    as_it_is = body if separately else "namespace as_it_is {\n" + wrapped(body) + "}\n"
    plain = compile_text(includes + as_it_is, command, directory)
    if " error:" in plain:
        raise SystemExit(f"{source} does not compile as it is:\n{plain[:2000]}")
    all_swaps = list(swaps(body))
    if separately:
        escaped = [what for what, swapped in all_swaps
                   if " error:" not in compile_text(includes + swapped, command, directory)]
        return told(source, all_swaps, escaped)
    whole, starts = includes, []
    for k, (_, swapped) in enumerate(all_swaps):
        starts.append(whole.count("\n") + 1)
        whole += f"namespace swap{k} {{\n{wrapped(swapped)}}}\n"
    messages = compile_text(whole, command, directory)
    refused = {int(m) for m in re.findall(r"\bswap(\d+)::", messages)}
    for m in re.finditer(r"SWAPPED:(\d+):", messages):
        line = int(m.group(1))
        after = [k for k, s in enumerate(starts) if s <= line]
        if after:
            refused.add(after[-1])
    escaped = [what for k, (what, _) in enumerate(all_swaps) if k not in refused]
    return told(source, all_swaps, escaped)


def told(source, all_swaps, escaped):
    """The swaps that were refused, and those that were not."""
    print(f"{source.name}: {len(all_swaps)} swaps, {len(escaped)} accepted by the compiler")
    return {swap for swap, _ in all_swaps} - set(escaped), escaped


def wrapped(body):
    """Names of mixwell stay as they are inside another namespace."""
    return ("using namespace ::mixwell; namespace inner {} using namespace inner;\n"
            + re.sub(r"namespace mixwell(::\w+)? \{", r"namespace inner\1 {", body))


def main():
    words = [w for w in sys.argv[1:] if w != "--separately"]
    like = None
    if words[0] == "--like":  # a text that is in no build is compiled as that one is
        like = pathlib.Path(words[1])
        words = words[2:]
    commands = json.loads(pathlib.Path(words[0]).read_text())
    total, all_refused, accepted = 0, set(), []
    for name in words[1:]:
        source = pathlib.Path(name)
        refused, escaped = check(source, commands, "--separately" in sys.argv, like)
        total += len(refused) + len(escaped)
        all_refused |= refused
        accepted += [(source, swap) for swap in escaped]
    all_escaped = [(source, swap) for source, swap in accepted
                   if swap.call in source.read_text() or swap not in all_refused]
    for source, swap in all_escaped:
        print(f"  {source.name}: {swap.what}")
    print(f"{total} swaps, {len(all_escaped)} escaped")
    if total == 0 or all_escaped:
        raise SystemExit(1)


if __name__ == "__main__":
    main()
