# What the program's help says that its commands and options are.
# SPDX-License-Identifier: Apache-2.0
import os
import re
import subprocess

PROGRAM = os.environ["MIXWELL_PROGRAM"]


def said(*words):
    return subprocess.run([PROGRAM, *words], capture_output=True, text=True, check=True).stdout


def section(text, title):
    found = re.search(rf"^{title}:\n((?:  .*\n)+)", text, re.M)
    return found.group(1) if found else ""


def meanings(text):
    """What a help says of arguments and options, but for those that every command has."""
    lines = (section(text, "Positionals") + section(text, "Options")).splitlines()
    return [re.split(r"\s{2,}", line.strip(), maxsplit=1)[-1] for line in lines
            if not re.match(r"  (-h,|--version)", line) and re.search(r"\S\s{2,}\S|^ {20}", line)]


def commands(above=()):
    """{(): ({"--help", ...}, help), ("plugins", "show"): ..., ...}, of the program and of all commands."""
    text = said(*above, "--help")
    names = re.findall(r"^  (-\S+)", section(text, "Options"), re.M)
    known = {above: ({name for word in names for name in word.split(",")}, text)}
    for name in re.findall(r"^  (\w\S*)", section(text, "Subcommands"), re.M):
        known.update(commands((*above, name)))
    return known
