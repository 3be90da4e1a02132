# Tests whose tool is absent are reported as skipped, never as passed, and commands say what they lack.
# SPDX-License-Identifier: Apache-2.0
"""A tool is made absent by a PATH of links to all programs but this one, and Python packages by a package index
that is out of reach. Shown too: a tool that is there is not hidden by the same PATH."""

import os
import subprocess
import sys
import tempfile

PROGRAM = os.environ["MIXWELL_PROGRAM"]
SOURCE = os.environ["MIXWELL_SOURCE_DIR"]
BUILD = os.environ["MIXWELL_BUILD_DIR"]
SKIPPED = 77

STUDY = """mixwell = 1
[run]
draws = 10
[model.g]
use = "gaussian"
dimension = 2
[study]
seeds = [1]
"""


def path_without(folder, hidden):
    """A folder with links to every program on PATH except those whose names begin with a hidden one."""
    for place in os.environ["PATH"].split(os.pathsep):
        for name in os.listdir(place) if os.path.isdir(place) else []:
            link = os.path.join(folder, name)
            if not name.startswith(hidden) and not os.path.lexists(link):
                os.symlink(os.path.join(place, name), link)
    return folder


def status_without(hidden, *command, **variables):
    with tempfile.TemporaryDirectory() as folder:
        environment = dict(os.environ, PATH=path_without(folder, hidden), **variables)
        done = subprocess.run(command, env=environment, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    return done.returncode, done.stdout


def script(*parts):
    return os.path.join(SOURCE, "tests", *parts)


def check(what, holds, words=""):
    print(("ok      " if holds else f"FAILED  {words}\n        ") + what)
    return holds


def skips(what, hidden, *command, **variables):
    status, words = status_without(hidden, *command, **variables)
    return check(f"the test of {what} is skipped without it and says so", status == SKIPPED and "skipped: " in words,
                 f"exit code {status}: {words}")


def slurm_is_named():
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "study.toml")
        with open(path, "w", encoding="utf-8") as file:
            file.write(STUDY)
        status, words = status_without(("sbatch",), PROGRAM, "study", path, "--slurm", "--out",
                                       os.path.join(folder, "out"))
    return check("a study for Slurm says that there is no sbatch", status != 0 and "sbatch" in words, words)


def main():
    with tempfile.TemporaryDirectory() as empty:
        holds = [
            skips("Slurm", ("sbatch",), script("slurm", "slurm.sh"), PROGRAM),
            skips("MPI", ("mpirun",), script("mpi", "mpi.sh"), PROGRAM, os.path.join(BUILD, "tests", "wrong")),
            skips("R", ("Rscript",), script("r", "run.sh"), "summary.R"),
            skips("ArviZ", (), sys.executable, script("python", "arviz_check.py"), MIXWELL_BUILD_DIR=empty,
                  PIP_NO_INDEX="1", PIP_FIND_LINKS=empty),
            slurm_is_named(),
        ]
        if subprocess.run(["sh", "-c", "command -v node"], stdout=subprocess.DEVNULL).returncode == 0:
            holds.append(skips("the page", ("chromium", "google-chrome"), "node", script("report", "run_report.mjs")))
    sys.exit(0 if all(holds) else 1)


main()
