#!/usr/bin/env python3
"""Measures a logistic regression whose cases are divided among ranks of MPI (docs/clusters.md).

Simulates a table of --rows cases of --inputs normal inputs, and runs it by `mpirun -n P` for each P of --ranks, --repeats
times in turn. Prints, with quartiles, milliseconds a gradient of one column (of 4 that are computed together), seconds
that are not the draws', most of them reading, and the memory of the ranks while they draw and at their peak. All
must draw the same.
"""
# SPDX-License-Identifier: Apache-2.0
import argparse
import json
import os
import statistics
import subprocess
import sys
import tempfile
import threading
import time

import numpy

MANIFEST = """mixwell = 1
[run]
ranks = "data"
replicates = 4
warmup = 0
draws = {draws}
checkpoint_seconds = 0
init = {{ value = [0] }}
[model.logistic]
use = "logistic-regression"
data = "cases.csv"
response = "y"
[integrator.verlet]
use = "leapfrog"
[kernel.hmc]
use = "hamiltonian"
steps = 10
step_size = {step}
[compositor.main]
use = "chain"
"""


def write_cases(path, rows, inputs):
    """y = 1 with probability 1 / (1 + exp(-x theta)), theta_j = (-1)^j / sqrt(inputs)."""
    draw = numpy.random.default_rng(1)
    theta = numpy.where(numpy.arange(inputs) % 2 == 0, 1.0, -1.0) / numpy.sqrt(inputs)
    with open(path, "w", encoding="ascii") as file:
        file.write(",".join(f"x{j}" for j in range(inputs)) + ",y\n")
        for first in range(0, rows, 10000):
            x = draw.normal(size=(min(10000, rows - first), inputs))
            y = draw.uniform(size=len(x)) < 1 / (1 + numpy.exp(-x @ theta))
            numpy.savetxt(file, numpy.column_stack([x, y]), delimiter=",", fmt=["%.5f"] * inputs + ["%d"])


def kibibytes(process, name):
    """A line of /proc/PROCESS/status, or None when it is gone."""
    try:
        with open(f"/proc/{process}/status", encoding="ascii") as file:
            return next((int(line.split()[1]) for line in file if line.startswith(name + ":")), None)
    except OSError:
        return None


def children_of(process):
    found = subprocess.run(["ps", "-o", "pid=,args=", "--ppid", str(process)], capture_output=True, text=True, check=False)
    return [line.split()[0] for line in found.stdout.splitlines() if " run " in line]


class Watch(threading.Thread):
    """Looks at the memory of the processes of a run, four times a second, until they are gone."""

    def __init__(self, launcher, alone):
        super().__init__()
        self.launcher = launcher
        self.alone = alone
        self.last = {}
        self.peak = {}
        self.start()

    def run(self):
        while self.launcher.poll() is None:
            for process in [self.launcher.pid] if self.alone else children_of(self.launcher.pid):
                for name, found in (("VmRSS", self.last), ("VmHWM", self.peak)):
                    size = kibibytes(process, name)
                    if size is not None:
                        found[process] = size
            time.sleep(0.25)

    @staticmethod
    def largest(found):
        return max(found.values()) / 1024 if found else float("nan")


def run_once(program, ranks, out, manifest):
    command = [program, "run", manifest, "--out", out, "--quiet", "--force", "--threads", "1"]
    launcher = ["mpirun", "-n", str(ranks), "--oversubscribe", "--mca", "btl", "self,vader", "--mca", "plm", "isolated",
                "--mca", "oob_tcp_if_include", "lo"]
    environment = dict(os.environ, OMPI_ALLOW_RUN_AS_ROOT="1", OMPI_ALLOW_RUN_AS_ROOT_CONFIRM="1")
    began = time.monotonic()
    process = subprocess.Popen(command if ranks == 1 else launcher + command, env=environment)
    watch = Watch(process, ranks == 1)
    if process.wait() != 0:
        sys.exit(f"exit code {process.returncode} of {' '.join(command)}")
    whole = time.monotonic() - began
    watch.join()
    with open(os.path.join(out, "run.json"), encoding="utf-8") as file:
        record = json.load(file)
    seconds = record["seconds"]["total"]
    gradients = record["gradients"]["total"]
    return {"ms a gradient": 1000 * seconds / gradients, "s beside": whole - seconds, "MiB": watch.largest(watch.last),
            "MiB peak": watch.largest(watch.peak)}, record["draws_sha256"]


def quartiles(values):
    low, middle, high = statistics.quantiles(values, n=4, method="inclusive")
    return f"{middle:8.2f} ({low:.2f} to {high:.2f})"


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("program", help="mixwell")
    parser.add_argument("--rows", type=int, default=10**6)
    parser.add_argument("--inputs", type=int, default=20)
    parser.add_argument("--ranks", type=int, nargs="+", default=[1, 2, 4])
    parser.add_argument("--repeats", type=int, default=5)
    parser.add_argument("--draws", type=int, default=5)
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as place:
        write_cases(os.path.join(place, "cases.csv"), given.rows, given.inputs)
        manifest = os.path.join(place, "cases.toml")
        with open(manifest, "w", encoding="ascii") as file:
            file.write(MANIFEST.format(draws=given.draws, step=0.1 / given.rows**0.5))
        found = {ranks: [] for ranks in given.ranks}
        hashes = set()
        for _ in range(given.repeats):
            for ranks in given.ranks:
                figures, draws = run_once(given.program, ranks, os.path.join(place, "out"), manifest)
                found[ranks].append(figures)
                hashes.add(draws)
    if len(hashes) != 1:
        sys.exit(f"the draws differ: {hashes}")
    print(f"{given.rows} rows, {given.inputs} inputs, {given.repeats} runs each; medians, and quartiles")
    for ranks in given.ranks:
        print(f"{ranks} rank{'s' if ranks > 1 else ''}:")
        for name in found[ranks][0]:
            print(f"  {name:14}{quartiles([one[name] for one in found[ranks]])}")


if __name__ == "__main__":
    main()
