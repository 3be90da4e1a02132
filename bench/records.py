#!/usr/bin/env python3
"""Makes a study of many recorded cells up, from one cell of each variant that has run, and times what reads it:
`--table` with and without study.sqlite, and `mixwell study` with nothing left to run (docs/studies.md)."""
# SPDX-License-Identifier: Apache-2.0
import argparse
import hashlib
import json
import os
import pathlib
import resource
import subprocess
import tempfile
import time

STUDY = """mixwell = 1
[run]
replicates = 2
warmup = 20
draws = 100
[model.g]
use = "gaussian"
dimension = 3
[kernel.k]
use = "hamiltonian"
step_size = 0.5
steps = 4
[study]
keep = "summary"
repeats = {repeats}
[study.variant.hmc.axes]
kernel.k.step_size = [0.1, 0.2, 0.3, 0.4]
[study.variant.walk]
kernel.k = {{ use = "random-walk-metropolis" }}
"""
GROUPS = 5


def place_of(cell):
    return cell["variant"], cell.get("kernel.k.step_size")


def make_up(folder, plan, examples):
    """For each cell of the plan, copies the record of the example in its place and puts in the id of the cell."""
    for cell in plan:
        example, text = examples[place_of(cell)]
        rows = text.replace(example, cell["cell"])
        path = folder / "cells" / cell["cell"]
        path.mkdir(parents=True)
        seal = hashlib.sha256(rows.encode()).hexdigest()
        (path / "cell.json").write_text(f'{{"format":1,"sha256":"{seal}","rows":{rows}}}\n')


def rows_of(record):
    text = record.read_text().rstrip("\n")
    return text[text.index('"rows":') + len('"rows":'):-1]


def timed(what, *words):
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    start = time.monotonic()
    subprocess.run(words, check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    seconds = time.monotonic() - start
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    processor = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    print(f"{what:44} {seconds:8.2f} s {processor:8.2f} s of processors", flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("program", type=pathlib.Path)
    parser.add_argument("--cells", type=int, default=100_000)
    given = parser.parse_args()
    mixwell = str(given.program.resolve())
    with tempfile.TemporaryDirectory(prefix="mixwell-records-") as place:
        os.chdir(place)
        for name, repeats in (("one", 1), ("s", given.cells // GROUPS)):
            pathlib.Path(f"{name}.toml").write_text(STUDY.format(repeats=repeats))
        subprocess.run([mixwell, "study", "one.toml", "--quiet"], check=True)
        table = json.loads(subprocess.check_output([mixwell, "study", "one.toml", "--table", "--json"]))
        examples = {place_of(row): (row["cell"], rows_of(pathlib.Path(f"out/one/cells/{row['cell']}/cell.json")))
                    for row in table["rows"]}
        plan = json.loads(subprocess.check_output([mixwell, "study", "s.toml", "--dry-run", "--json"]))["cells"]
        make_up(pathlib.Path("out/s"), plan, examples)
        timed("study, places and study.sqlite are not there", mixwell, "study", "s.toml", "--quiet")
        timed("study, nothing to run", mixwell, "study", "s.toml", "--quiet")
        for form in ((), ("--csv",), ("--json",)):
            timed("--table " + " ".join(form), mixwell, "study", "s.toml", "--table", *form)
        pathlib.Path("out/s/study.sqlite").unlink()
        timed("--table, study.sqlite is not there", mixwell, "study", "s.toml", "--table")


if __name__ == "__main__":
    main()
