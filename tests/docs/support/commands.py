# Commands of the documents: looked at word by word, carried out, and what they print compared.
# SPDX-License-Identifier: Apache-2.0
import os
import pathlib
import re
import shlex
import shutil
import subprocess
import sys

SOURCE = pathlib.Path(os.environ.get("MIXWELL_SOURCE_DIR") or
                      pathlib.Path(__file__).resolve().parents[3]).resolve()
sys.path.insert(0, str(SOURCE / "tests" / "shell" / "support"))
from program import PROGRAM, commands  # noqa: E402

# Plugins that documents speak of.
OUTSIDE = ":".join(str(pathlib.Path(PROGRAM).parents[1] / folder) for folder in ("examples/outside", "papers"))
OTHERS = {"apt", "cat", "cc", "cd", "cmake", "ctest", "export", "pip", "python3", "source", "tar"}


def place_for(folder):
    """A folder like the source tree, to run commands in: nothing that they write lands in the source."""
    place = pathlib.Path(folder)
    shutil.copytree(SOURCE / "examples", place / "examples")
    for name in ("bench", "docs", "framework", "papers", "tests"):
        (place / name).symlink_to(SOURCE / name)
    dev = place / "dev"
    dev.write_text('#!/bin/sh\n[ "$1" = mixwell ] && shift && exec mixwell "$@"\n'
                   'echo "dev $1: not here" >&2; exit 2\n')
    dev.chmod(0o755)
    return place


def environment(place):
    """The program first; its plugins, those of examples/outside and papers, and the data of the examples."""
    folders = sorted({str(path.parent) for path in place.glob("examples/*/*")})
    return {**os.environ, "PATH": f"{os.path.dirname(PROGRAM)}:{os.environ['PATH']}",
            "MIXWELL_DATA": ":".join(folders), "MIXWELL_PLUGIN_PATH": OUTSIDE,
            "XDG_STATE_HOME": str(place / ".state")}


def carried_out(text, place):
    return subprocess.run(["bash", "-euo", "pipefail", "-c", text], cwd=place, env=environment(place),
                          stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                          text=True, timeout=1440)


class Vocabulary:
    """What commands there are, with which options."""

    def __init__(self):
        self.known = {words: options for words, (options, _) in commands().items()}
        text = subprocess.run([SOURCE / "dev", "help"], capture_output=True, text=True).stdout
        self.tasks = set(re.findall(r"^  ([a-z][a-z-]*) ", text, re.M))

    def fault(self, words):
        """Why a command cannot be what is meant, or "": `words` are of one command."""
        while words and re.match(r"\w+=", words[0]):
            words = words[1:]
        if not words:
            return ""
        if words[0] == "mpirun":
            return self.fault(words[3:])  # after -n N
        if words[0] == "./dev":
            return self.fault_of_task(words[1:])
        if os.path.basename(words[0]) == "mixwell":
            return self.fault_of_program(words[1:])
        return "" if words[0] in OTHERS else f"`{words[0]}` is no command that is known here"

    def fault_of_task(self, words):
        if words[0] == "mixwell":
            return self.fault_of_program(words[1:])
        if words[0] not in self.tasks:
            return f"./dev has no task {words[0]}"
        return next((f"no program of ./dev has {word}" for word in words
                     if word.startswith("--") and not is_written(word)), "")

    def fault_of_program(self, words):
        path = ()
        while words and (*path, words[0]) in self.known:
            path, words = (*path, words[0]), words[1:]
        if not path:
            return f"mixwell has no command {' '.join(words[:1])}"
        for word in words:
            option = word.split("=")[0]
            if option.startswith("-") and option not in self.known[path]:
                return f"mixwell {' '.join(path)} has no {option}"
        return ""


def is_written(option):
    """Whether any script or program here reads it."""
    return subprocess.run(["git", "grep", "-qF", "-e", f'"{option}"', "-e", f"'{option}'", "-e", f"{option})",
                           "--", ":!*.md"], cwd=SOURCE).returncode == 0


def faults_of_words(text, vocabulary):
    """Of a block of commands: those that are not there, and files that are not."""
    faults = []
    for line in text.replace("\\\n", " ").splitlines():
        lexer = shlex.shlex(line, posix=True, punctuation_chars=True)
        lexer.whitespace_split = True
        words, command, is_file = list(lexer), [], False
        for word in [*words, ";"]:
            if is_file or word in ("<", ">"):
                is_file = not is_file
            elif word and set(word) <= set("&|;()"):
                faults += [fault] if (fault := vocabulary.fault(command)) else []
                command = []
            else:
                command.append(word)
        faults += [f"there is no {word}" for word in words
                   if word.startswith(("examples/", "bench/", "papers/", "tests/", "docs/"))
                   and "*" not in word and not word.endswith(".so") and not (SOURCE / word).exists()]
    return faults


def differs(shown, printed):
    """Where the lines that a document shows are not what was printed: the first line, or "". `...` stands for
    any lines; how fast this machine is, is not compared."""
    lines = [comparable(line) for line in printed.splitlines()]
    place, follows = 0, False
    for line in shown.splitlines():
        if line.strip() == "...":
            follows = False
            continue
        wanted = comparable(line)
        found = [k for k in range(place, len(lines)) if lines[k] == wanted]
        if not found or (follows and found[0] != place):
            return line
        place, follows = found[0] + 1, True
    return ""


def comparable(line):
    return re.sub(r"per second \S+", "per second", line).rstrip()
