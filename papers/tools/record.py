# Writes the results of a paper's study beside it: ./dev bench papers NAME [--tables] --record.
# SPDX-License-Identifier: Apache-2.0
#
# record.py MIXWELL FILE FOLDER... writes the tables of the studies in the FOLDERs to FILE (results.csv). It leaves out
# columns that describe the machine and the day. Figures in papers/*/README.md name their cells in FILE, and a test
# compares them. Exit codes: 0 written; 1 a cell failed.
import csv
import io
import pathlib
import subprocess
import sys

OF_THE_DAY = {"reason", "attempts", "started_at", "ended_at", "host", "curve", "cell_seconds"}


def table_of(program, folder):
    told = subprocess.run([program, "study", str(folder / "study.toml"), "--out", str(folder), "--table", "--csv"],
                          check=True, capture_output=True, text=True)
    return list(csv.DictReader(io.StringIO(told.stdout)))


def figure(value):
    """Formats a float with seven digits, which is more than the pages show."""
    return f"{value:.7g}" if isinstance(value, float) else value


def row_of(measured):
    """Returns a run's row in tables.csv. As in a study's results, the run's name "METHOD KEY=VALUE" is stored in two
    columns, `variant` and KEY. To make each column's name one word, underscores replace spaces, and bars are removed.
    Times depend on the machine, and are left out."""
    variant, *setting = measured["method"].split(" ", 1)
    row = {"variant": variant} | dict(one.split("=", 1) for one in setting)
    return row | {name.replace(" ", "_").replace("|", ""): figure(value) for name, value in measured.items()
                  if name != "method" and "second" not in name and "/s" not in name}


def write_table(measured, file):
    rows = [row_of(one) for one in measured]
    with open(file, "w", encoding="utf-8", newline="") as out:
        writer = csv.DictWriter(out, list(dict.fromkeys(name for row in rows for name in row)), lineterminator="\n")
        writer.writeheader()
        writer.writerows(rows)
    print(f"{file}: {len(rows)} rows")


def main(program, file, *folders):
    rows = [row for folder in folders for row in table_of(program, pathlib.Path(folder))]
    ended = [row for row in rows if row["status"] == "done"]
    names = dict.fromkeys(name for row in rows for name in row)
    columns = [name for name in names if name not in OF_THE_DAY and "per_second" not in name]
    with open(file, "w", encoding="utf-8", newline="") as out:
        writer = csv.DictWriter(out, columns, extrasaction="ignore", lineterminator="\n")
        writer.writeheader()
        writer.writerows(ended)
    print(f"{file}: {len(ended)} of {len(rows)} cells")
    return 0 if len(ended) == len(rows) else 1


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
