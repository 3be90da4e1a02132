"""Runs of many draws and their summaries: how long each takes, how much memory, and how often it goes through the
file. Prints a table; fails where a summary takes more memory than it was granted, where one that was granted all goes
through draws.nc more than once, and where summary.json is larger than the draws.
"""
# SPDX-License-Identifier: Apache-2.0
import argparse
import json
import os
import shutil
import subprocess
import sys
import tempfile
import time

HAMILTONIAN = '[estimator.identity]\nuse = "identity"\n[kernel.k]\nuse = "hamiltonian"\nstep_size = 0.3\nsteps = 1\n'


def gaussian(dimension, replicates, draws):
    return (f'mixwell = 1\n[run]\nwarmup = 2\ndraws = {draws}\nreplicates = {replicates}\ncheckpoint_seconds = 0\n'
            f'[model.g]\nuse = "gaussian"\ndimension = {dimension}\n' + HAMILTONIAN)


def regression(draws):
    """Each column of the table is a variable of its own."""
    return (f'mixwell = 1\n[run]\nwarmup = 2\ndraws = {draws}\nreplicates = 4\ncheckpoint_seconds = 0\n'
            '[model.m]\nuse = "logistic-regression"\ndata = "t.csv"\nresponse = "y"\n' + HAMILTONIAN)


CASES = {
    "wide": ("10^6 dimensions, 4 replicates, 26 draws", gaussian(10**6, 4, 26), 0, None),
    "replicates": ("10 dimensions, 10^4 replicates, 100 draws", gaussian(10, 10**4, 100), 0, None),
    "names": ("20 000 variables by name, 4 replicates, 100 draws", regression(100), 20000, None),
    "long": ("1000 dimensions, 4 replicates, 160 000 draws", gaussian(1000, 4, 160000), 0, "400M"),
    "longest": ("1000 dimensions, 4 replicates, 1 600 000 draws", gaussian(1000, 4, 1600000), 0, "4G"),
}
USUAL = ["wide", "replicates", "names", "long"]


ONE_PASS = 1.5  # with the chunks of the worst element, which is read again, and all else that a process reads


class Took:
    """Of a process that has ended: seconds, seconds of the processor, bytes of memory at most, bytes that it read."""

    def __init__(self, seconds, usage, read):
        self.seconds = seconds
        self.processor = usage.ru_utime + usage.ru_stime
        self.memory = usage.ru_maxrss * 1024
        self.read = read


def bytes_read(process):
    with open(f"/proc/{process}/io", encoding="ascii") as file:
        return int(file.readline().split()[1])  # rchar, with those of children that have ended


def timed(command, folder, memory=None):
    environment = dict(os.environ)
    if memory:
        environment["MIXWELL_MEMORY"] = memory
    began = time.monotonic()
    process = subprocess.Popen(command, cwd=folder, env=environment, stdout=subprocess.DEVNULL)
    os.waitid(os.P_PID, process.pid, os.WEXITED | os.WNOWAIT)
    read = bytes_read(process.pid)
    _, status, usage = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode != 0:
        sys.exit(f"{' '.join(command)} ended with exit code {process.returncode}")
    return Took(time.monotonic() - began, usage, read)


def write_table(path, names):
    """Eight rows, in which each column is 0 or 1."""
    with open(path, "w", encoding="utf-8") as file:
        file.write(",".join(f"x{k}" for k in range(names)) + ",y\n")
        for row in range(8):
            file.write(",".join(str((k * 7919 + row * 104729) // 3 % 2) for k in range(names)) + f",{row % 2}\n")


def bytes_in(text):
    return float(text[:-1]) * {"M": 2**20, "G": 2**30}[text[-1]]


def measured(program, name, folder):
    what, manifest, names, memory = CASES[name]
    with open(os.path.join(folder, "m.toml"), "w", encoding="utf-8") as file:
        file.write(manifest)
    if names:
        write_table(os.path.join(folder, "t.csv"), names)
    run = timed([program, "run", "m.toml", "--quiet", "--force"], folder)
    with open(os.path.join(folder, "out/m/run.json"), encoding="utf-8") as file:
        sampling = json.load(file)["seconds"]["total"]
    summary = timed([program, "summary", "out/m", "--json", "--table", "all.nc"], folder, memory)
    draws = os.path.getsize(os.path.join(folder, "out/m/draws.nc"))
    if memory and summary.memory > bytes_in(memory):
        sys.exit(f"{name}: the summary had {summary.memory / 2**20:.0f} MiB and was granted {memory}")
    passes = summary.read / draws
    if not memory and passes > ONE_PASS:
        sys.exit(f"{name}: the summary read {summary.read} bytes of a draws.nc of {draws}")
    shown = os.path.getsize(os.path.join(folder, "out/m/summary.json"))
    if shown > draws:
        sys.exit(f"{name}: summary.json has {shown} bytes, draws.nc {draws}")
    return [what, f"{draws / 1e6:.0f} MB", memory or "all", f"{sampling:.1f} s", f"{run.seconds - sampling:.1f} s",
            f"{summary.seconds:.1f} s", f"{summary.processor:.1f} s", f"{summary.memory / 2**20:.0f} MiB", f"{passes:.1f}"]


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("program")
    parser.add_argument("cases", nargs="*", metavar="CASE", help=f"of {', '.join(CASES)} (default: {', '.join(USUAL)})")
    arguments = parser.parse_args()
    program = os.path.abspath(arguments.program)
    print("| run | draws | granted | sampling | rest of the run | `mixwell summary` | its processor time | its memory | passes |")
    print("|---|---|---|---|---|---|---|---|---|", flush=True)
    for name in arguments.cases or USUAL:
        folder = tempfile.mkdtemp(prefix="mixwell-size-")
        try:
            print("| " + " | ".join(measured(program, name, folder)) + " |", flush=True)
        finally:
            shutil.rmtree(folder)


main()
