#!/usr/bin/env python3
"""Measures a factorisation whose rows are divided among ranks of MPI (docs/clusters.md).

Runs variants of papers/hamcmc/ha-f5 by `mpirun -n P` for each P of --ranks with run.ranks = "coordinates", --repeats
times in turn, --sweeps sweeps each, and prints milliseconds and kilobytes (sent by rank 0) a move,
with quartiles. All must draw the same. With --curve CSV it runs the whole variants on the most ranks instead and
writes the root mean square error of the ratings held out, averaged over the draws so far, against seconds and
megabytes.
"""
# SPDX-License-Identifier: Apache-2.0
import argparse
import csv
import json
import os
import pathlib
import re
import statistics
import subprocess
import sys
import tempfile

PAPERS = pathlib.Path(__file__).resolve().parents[1] / "papers"
sys.path.insert(0, str(PAPERS / "tools"))

import cells  # noqa: E402


def manifests_in(place):
    """The variants of the study, written down as manifests: name -> (variant, path)."""
    found = list(cells.variants(PAPERS / "hamcmc" / "ha-f5" / "ha-f5.toml"))
    paths = cells.write(found, pathlib.Path(place) / "manifests")
    return {variant.name: (variant, paths[variant.label]) for variant in found}


def run_once(program, manifest, ranks, out, settings):
    command = [program, "run", str(manifest), "--out", out, "--quiet", "--force", "--threads",
               "1", "--set", "run.ranks=coordinates"]
    for setting in settings:
        command += ["--set", setting]
    launcher = ["mpirun", "-n", str(ranks), "--oversubscribe", "--mca", "btl", "self,vader", "--mca", "plm", "isolated",
                "--mca", "oob_tcp_if_include", "lo"]
    environment = dict(os.environ, OMPI_ALLOW_RUN_AS_ROOT="1", OMPI_ALLOW_RUN_AS_ROOT_CONFIRM="1")
    done = subprocess.run(command if ranks == 1 else launcher + command, env=environment, check=False)
    if done.returncode != 0:
        sys.exit(f"exit code {done.returncode} of {' '.join(command)}")
    with open(os.path.join(out, "run.json"), encoding="utf-8") as file:
        record = json.load(file)
    sent = next((int(found[1]) for remark in record.get("remarks", []) if (found := re.search(r"Rank 0 sent (\d+) bytes", remark))), 0)
    return record, sent


def quartiles(values):
    if len(values) < 2:
        return f"{values[0]:9.2f}"
    low, middle, high = statistics.quantiles(values, n=4, method="inclusive")
    return f"{middle:9.2f} ({low:.2f} to {high:.2f})"


def measure(given, place):
    print(f"{'manifest':16} ranks  ms a move                    kB sent a move by rank 0")
    for name, (variant, manifest) in chosen(given, place):
        found = {ranks: [] for ranks in given.ranks}
        sent = {}
        hashes = set()
        # One draw at the end: what it costs to record whole positions is left out.
        settings = ["run.warmup=0", "run.draws=1", f"run.thin={given.sweeps}", "run.checkpoint_seconds=0"]
        for _ in range(given.repeats):
            for ranks in given.ranks:
                record, numbers = run_once(given.program, manifest, ranks, os.path.join(place, "out"), settings)
                moves = given.sweeps * slots(variant)
                found[ranks].append(1000 * record["seconds"]["sampling"] / moves)
                sent[ranks] = numbers / moves / 1000
                hashes.add(record["draws_sha256"])
        for ranks in given.ranks:
            print(f"{name:16} {ranks:5}  {quartiles(found[ranks]):28} {sent[ranks]:9.1f}")
        if len(hashes) > 1:
            sys.exit(f"{name}: the draws differ between numbers of ranks")
        print(f"{'':16} equal draws by {', '.join(map(str, given.ranks))} ranks")


def write_curve(given, place):
    """Of runs that end sooner and later, as the first draws of a longer run are those of a shorter."""
    with open(given.curve, "w", newline="", encoding="ascii") as file:
        rows = csv.writer(file, lineterminator="\n")
        rows.writerow(["variant", "step_size", "ranks", "moves", "seconds", "megabytes", "test_error", "draws_sha256"])
        for name, (variant, manifest) in chosen(given, place):
            for draws in given.draws:
                ranks = max(given.ranks)
                record, sent = run_once(given.program, manifest, ranks, os.path.join(place, "out"),
                                        [f"run.draws={draws}", "run.checkpoint_seconds=0"])
                with open(os.path.join(place, "out", "summary.json"), encoding="utf-8") as summary:
                    error = json.load(summary)["prediction"]["error"]
                sweeps = variant.manifest["run"]["warmup"] + draws * variant.manifest["run"]["thin"]
                moves = sweeps * slots(variant)
                rows.writerow([name, step_size(variant), ranks, moves, f"{record['seconds']['total']:.2f}", f"{sent / 1e6:.1f}",
                               f"{error:.5f}", record["draws_sha256"]])
                file.flush()


def step_size(variant):
    return variant.manifest["kernel"]["factors"]["step_size"]


def slots(variant):
    """How many take turns."""
    return variant.manifest["compositor"]["main"].get("slots", 1)


def chosen(given, place):
    known = manifests_in(place)
    wrong = [name for name in given.manifests if name not in known]
    if wrong:
        sys.exit(f"no variant '{wrong[0]}' of ha-f5; there are: {' '.join(known)}")
    return [(name, known[name]) for name in given.manifests]


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("program", help="mixwell")
    parser.add_argument("--manifests", nargs="+", default=["sgld", "psgld", "hamcmc-2", "hamcmc-cross-3"])
    parser.add_argument("--ranks", type=int, nargs="+", default=[1, 2, 4])
    parser.add_argument("--repeats", type=int, default=5)
    parser.add_argument("--sweeps", type=int, default=100)
    parser.add_argument("--curve", help="CSV file for the error against seconds and megabytes")
    parser.add_argument("--draws", type=int, nargs="+", default=[5, 10, 20, 40, 90], help="of the curve's points")
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as place:
        if given.curve:
            write_curve(given, place)
        else:
            measure(given, place)


if __name__ == "__main__":
    main()
