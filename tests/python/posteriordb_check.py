#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""A small database in the form of posteriordb, made here: a posterior whose reference draws are
right, one whose are shifted, and one with two modes that chains do not leave, sampled by `mixwell posteriordb`."""
import json
import os
import random
import subprocess
import sys
import tempfile
import zipfile

PROGRAM = os.environ["MIXWELL_PROGRAM"]
BUILD = os.environ["MIXWELL_BUILD_DIR"]
# mu ~ normal(m, 1), sigma ~ exponential(1), p a simplex of two whose first is uniform.
# The comment is what the engine by hand looks for (tests/stan/library.cpp).
STAN = "parameters { real mu; real<lower=0> sigma; simplex[2] p; } // real \"mu\"\n"


def zipped(path, content):
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr(os.path.basename(path)[:-len(".zip")], json.dumps(content))


def write(path, content):
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with open(path, "w", encoding="utf-8") as file:
        file.write(content if isinstance(content, str) else json.dumps(content))


def draws(shift):
    numbers = random.Random(7)
    chains = []
    for _ in range(10):
        chain = {name: [] for name in ("mu", "sigma", "p[1]", "p[2]")}
        for _ in range(1000):
            first = numbers.random()
            chain["mu"].append(2.0 + shift + numbers.gauss(0, 1))
            chain["sigma"].append(numbers.expovariate(1))
            chain["p[1]"].append(first)
            chain["p[2]"].append(1 - first)
        chains.append(chain)
    return chains


def make_database(folder):
    base = os.path.join(folder, "posterior_database")
    write(os.path.join(base, "models/stan/one.stan"), STAN)
    write(os.path.join(base, "models/info/one.info.json"),
          {"name": "one", "model_implementations": {"stan": {"model_code": "models/stan/one.stan"}}})
    zipped(os.path.join(base, "data/data/two.json.zip"), {"m": 2.0})
    zipped(os.path.join(base, "data/data/split.json.zip"), {"m": 5.0, "split": 1})
    for name, shift in (("two-one", 0.0), ("two-shifted", 0.5), ("split-one", -2.0)):
        write(os.path.join(base, f"posteriors/{name}.json"),
              {"name": name, "model_name": "one", "data_name": name.split("-")[0],
               "reference_posterior_name": name})
        zipped(os.path.join(base, f"reference_posteriors/draws/draws/{name}.json.zip"), draws(shift))
    write(os.path.join(base, "posteriors/no-reference.json"),
          {"name": "no-reference", "model_name": "absent", "reference_posterior_name": None})
    return base


def mixwell(place, *arguments):
    stub = os.path.join(BUILD, "tests", "stan", "libstanli.so")
    return subprocess.run([PROGRAM, "posteriordb", *arguments], cwd=place, capture_output=True,
                          text=True, check=False, env={**os.environ, "MIXWELL_STANLI": stub})


def expect(condition, what, ended):
    if not condition:
        sys.exit(f"not so: {what}\n{ended.stdout}\n{ended.stderr}")


def check_rows(place):
    ended = mixwell(place, "db", "--engine", "interpret", "--json")
    expect(ended.returncode == 0, "it ends well", ended)
    rows = {row["model"]: row for row in json.loads(ended.stdout)["rows"]}
    expect(set(rows) == {"split-one", "two-one", "two-shifted"}, "those with a reference are there", ended)
    right, shifted = rows["two-one"], rows["two-shifted"]
    expect(right["within_4_mcse"] == 1 and right["mean_error_mcse"] < 4.5, "the right one is near", ended)
    expect(right["mean_error_sd"] < 0.1, "in sd of the reference too", ended)
    expect(0.9 < right["sd_ratio_min"] <= right["sd_ratio_max"] < 1.1, "its sd are right", ended)
    expect(shifted["within_4_mcse"] == 0.75, "only mu is off in the shifted one", ended)
    expect(0.4 < shifted["mean_error_sd"] < 0.6, "by half an sd", ended)


def check_again(place):
    ended = mixwell(place, "db", "--table")
    expect(ended.returncode == 0, "a table", ended)
    heading, *lines = ended.stdout.splitlines()
    rows = {name: next(line for line in lines if f" {name} " in line)
            for name in ("split-one", "two-one", "two-shifted")}

    def cell(name, column):  # which stands on the right, below its heading
        end = heading.index(f" {column}") + 1 + len(column)
        return rows[name][:end].rsplit("  ", 1)[-1].strip()

    expect([cell(name, "within_4_mcse") for name in rows] == ["", "1", "0.75"],
           "two modes have no share within 4 errors, one mode has", ended)
    expect(cell("split-one", "mean_error_mcse") == "" and float(cell("two-one", "mean_error_mcse")) < 4.5,
           "nor have they Monte Carlo errors", ended)
    expect(float(cell("split-one", "max_rhat")) > 1.05 and float(cell("split-one", "mean_error_sd")) > 0,
           "what else is known of them is there", ended)
    with open(os.path.join(place, "out/posteriordb/references/two-one.csv"), encoding="utf-8") as file:
        expect(file.readline() == '"mu","sigma","p[0]","p[1]"\n', "indices count from 0", ended)
    before = os.stat(os.path.join(place, "out/posteriordb/posteriordb.toml")).st_mtime_ns
    ended = mixwell(place, "db", "--engine", "interpret", "--quiet")
    expect(ended.returncode == 0, "nothing is left to do", ended)
    after = os.stat(os.path.join(place, "out/posteriordb/posteriordb.toml")).st_mtime_ns
    expect(before == after, "files that say the same are left alone", ended)


def check_refusals(place, base):
    ended = mixwell(place, ".")
    expect(ended.returncode == 2 and "not a checkout of posteriordb" in ended.stderr, "no checkout", ended)
    archive = os.path.join(base, "reference_posteriors/draws/draws/two-one.json.zip")
    with open(archive, "r+b") as file:
        file.truncate(100)
    ended = mixwell(place, "db", "--out", "other")
    expect(ended.returncode == 2 and "two-one.json.zip: the file cannot be unzipped" in ended.stderr,
           "a cut archive", ended)
    zipped(archive, {"mu": [1.0]})
    ended = mixwell(place, "db", "--out", "other")
    expect(ended.returncode == 2 and "two-one.json.zip: the file is damaged" in ended.stderr,
           "draws of another form", ended)
    os.remove(os.path.join(base, "models/stan/one.stan"))
    ended = mixwell(place, "db", "--out", "other")
    expect(ended.returncode == 2 and "one.stan does not exist" in ended.stderr, "no program", ended)


def main():
    with tempfile.TemporaryDirectory() as place:
        base = make_database(os.path.join(place, "db"))
        check_rows(place)
        check_again(place)
        check_refusals(place, base)


main()
