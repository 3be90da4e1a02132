# Completion: every command, option and finite value, as bash offers them; and keys pressed in real shells.
# SPDX-License-Identifier: Apache-2.0
"""What the program's help lists is what bash offers, no more and no less, and values are those of the right
kind. Then bash and zsh (where it is there) are given keys through a terminal. A program that leaves an option
out must be found."""

import json
import os
import pathlib
import pty
import re
import select
import shutil
import subprocess
import sys
import tempfile
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent / "support"))
from program import PROGRAM, commands, said

# For each line of words on standard input, ended by |: what the last one may become, and a |.
ASK = r"""
source "$1"
while IFS= read -r line; do
  mapfile -t COMP_WORDS <<<"${line//|/$'\n'}"
  COMP_CWORD=$((${#COMP_WORDS[@]} - 1))
  _mixwell
  (IFS='|'; echo "${COMPREPLY[*]}")
done
"""
FILES = ("model.toml", "program.stan", "data.csv", "draws.nc", "runs/first/draws.nc", "runs/first/run.json")


def completions(script, lines, folder, program=PROGRAM):
    """Of each line, a list of words of which the last is begun: what it may become."""
    with tempfile.NamedTemporaryFile("w", suffix=".bash") as file:
        file.write(script)
        file.flush()
        done = subprocess.run(["bash", "--norc", "-c", ASK, "bash", file.name], cwd=folder, check=True,
                              capture_output=True, text=True,
                              input="".join("|".join((program, *line)) + "\n" for line in lines))
    if done.stderr:
        sys.exit("bash: " + done.stderr)
    return [set(answer.split("|")) - {""} for answer in done.stdout.split("\n")[:-1]]


def wrong_options(script, known, folder, program=PROGRAM):
    """Commands whose options, or whose own commands, are not those of their help."""
    paths = list(known)
    inner = {path: {other[-1] for other in known if other[:-1] == path and other} for path in paths}
    offered = completions(script, [(*path, "-") for path in paths], folder, program)
    faults = [f"{' '.join(path)}: {sorted(given ^ known[path][0])}"
              for path, given in zip(paths, offered) if given != known[path][0]]
    offered = completions(script, [(*path, "") for path in paths], folder, program)
    return faults + [f"{' '.join(path)}: no {sorted(inner[path] - given)}"
                     for path, given in zip(paths, offered) if not inner[path] <= given]


def expected_values():
    """Words that are typed, and what the last may become."""
    kernels = {f"kernel/{one['id']}" for one in json.loads(said("plugins", "kernel", "--json"))["plugins"]}
    manifests = {"model.toml", "program.stan", "runs"}
    return [
        (("graph", "--format", ""), {"dot", "svg"}),
        (("graph", "m.toml", "--phase", "w"), {"warmup"}),
        (("graph", "--format", "=", "s"), {"svg"}),
        (("graph", "--format", "="), {"dot", "svg"}),
        (("graph", "--format", "svg", "--fo"), set()),
        (("run", "--set", "run.draws", "=", "5", "--se"), {"--set"}),
        (("run", ""), manifests),
        (("run", "--set", "run.draws", "=", "5", ""), manifests),
        (("run", "--set", "run.draws", "=", ""), set()),
        (("run", "--set", "run.draws", "="), set()),
        (("run", "--threads", ""), set()),
        (("run", "--prior", "mo"), {"model.toml"}),
        (("run", "model.toml", ""), set()),
        (("study", "mod"), {"model.toml"}),
        (("export", "runs/first", "--format", ""), {"cmdstan-csv"}),
        (("run", "--out", ""), {"runs"}),
        (("run", "--resume", "runs/"), {"runs/first"}),
        (("summary", "runs/first/"), {"runs/first/draws.nc"}),
        (("summary", "--directions", ""), {"principal", "data.csv", "runs"}),
        (("summary", "--ess", "qnhmc,sg"), {"qnhmc,sghmc"}),
        (("verify", "--target", "quartic", "dou"), {"double-well"}),
        (("posteriordb", "--engine", "c"), {"compile"}),
        (("new", "ke"), {"kernel"}),
        (("new", "kernel", "--in", ""), {"runs"}),
        (("plugins", "s"), {"show", "steps"}),
        (("plugins", "show", "kernel/"), kernels),
        (("plugins", "kernel", "show", "kernel/"), set()),
        (("completion", ""), {"bash", "zsh"}),
    ]


def wrong_values(script, folder):
    cases = expected_values()
    offered = completions(script, [words for words, _ in cases], folder)
    return [f"mixwell {' '.join(words)}: {sorted(given)}, not {sorted(wanted)}"
            for (words, wanted), given in zip(cases, offered) if given != wanted]


class Terminal:
    """An interactive shell; what it shows is read until it has shown something."""

    def __init__(self, command, folder):
        self.child, self.end = pty.fork()
        if self.child == 0:
            os.chdir(folder)
            path = f"{os.path.dirname(PROGRAM)}:{os.environ['PATH']}"
            os.execvpe(command[0], command, {"PATH": path, "TERM": "dumb", "HOME": folder, "PS1": "$ ",
                                             "LC_ALL": "C.UTF-8", "INPUTRC": "/dev/null"})

    def shows(self, pattern, seconds=20):
        seen, end = "", time.monotonic() + seconds
        while time.monotonic() < end and not re.search(pattern, seen):
            if select.select([self.end], [], [], 0.1)[0]:
                seen += os.read(self.end, 4096).decode("utf-8", "replace")
        return re.search(pattern, seen) is not None, seen

    def press(self, keys):
        os.write(self.end, keys.encode())

    def close(self):
        os.close(self.end)
        os.waitpid(self.child, 0)


def wrong_keys(shell, command, setup, folder):
    """Lines begun, the tabulator, and what the shell makes of them."""
    terminal, faults = Terminal(command, folder), []
    terminal.press(f"{setup}; echo re''ady\r")
    ready, seen = terminal.shows("ready")
    if not ready:
        faults.append(f"{shell} does not begin: {seen!r}")
    for keys, line in (("mixwell gra\t", r"mixwell graph $"), ("mixwell run mod\t", r"mixwell run model\.toml $"),
                       ("mixwell graph --ph\tw\t", r"mixwell graph --phase.{1,3}warmup $"),
                       ("mixwell summary ru\t", r"mixwell summary runs/$"),
                       ("mixwell graph --phase=w\t", r"mixwell graph --phase=warmup $"),
                       ("mixwell summary --ess qnhmc,sg\t", r"--ess qnhmc,sghmc $"),
                       ("mixwell plugins show kernel/hamil\t", r"mixwell plugins show kernel/hamiltonian $"),
                       *((("mixwell run --\t", r"--threads +-- Number of threads"),) if shell == "zsh" else ())):
        if faults:
            break
        terminal.press(keys)
        right, seen = terminal.shows(line)
        if not right:
            faults.append(f"{shell}: {keys!r} shows {seen!r}")
        terminal.press("\x15")  # the line is taken back
    terminal.close()
    return faults


def main():
    script, known = said("completion", "bash"), commands()
    with tempfile.TemporaryDirectory() as folder:
        for name in FILES:
            path = pathlib.Path(folder, name)
            path.parent.mkdir(parents=True, exist_ok=True)
            path.touch()
        faults = wrong_options(script, known, folder) + wrong_values(script, folder)
        lacking = pathlib.Path(folder, "lacking")
        lacking.write_text(f"#!/bin/sh\n'{PROGRAM}' \"$@\" | grep -v -e --threads\n")
        lacking.chmod(0o755)
        if not wrong_options(script, known, folder, str(lacking)):
            faults.append("unseen: an option too few")
        lacking.unlink()
        faults += wrong_keys("bash", ["bash", "--norc", "--noprofile", "-i"],
                             "source <(mixwell completion bash)", folder)
        if shutil.which("zsh"):
            faults += wrong_keys("zsh", ["zsh", "-f", "-i"], "unsetopt zle_bracketed_paste; autoload -U compinit; "
                                 "compinit -D -u; source <(mixwell completion zsh)", folder)
    print("\n".join(faults) or f"{len(known)} commands complete")
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
