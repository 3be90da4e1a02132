# Which tests of a build run, and how long they take: `./dev test` asks before it starts.
# SPDX-License-Identifier: Apache-2.0
"""usage: plan.py BUILD default            prints the labels to leave out, and says what that leaves out
       plan.py BUILD all                says how long all tests take
       plan.py BUILD slice COMMIT       prints the numbers of the slow tests that COMMIT has to run
       plan.py BUILD record             puts the times that CTest measured in BUILD into seconds.tsv

What a user reads goes to stderr. seconds.tsv has the seconds of a test, with as many jobs as cores: of each slow test, and
the mean of the others by the part of the name before the slash. A test is slow if it has a label of LEFT_OUT."""

import collections
import hashlib
import json
import os
import subprocess
import sys

LEFT_OUT = ("nightly", "verify")  # what .ci/run and ./dev test leave to ./dev test --all
SLICES = 4  # a slow test runs for about every fourth commit
SLICE_SECONDS = 600  # of the clock; with more slow tests there are more slices
LONGEST = 300  # what takes longer by itself is in no slice
TABLE = os.path.join(os.path.dirname(os.path.abspath(__file__)), "seconds.tsv")
JOBS = 2

Test = collections.namedtuple("Test", "number name slow limit")


def key_of(test):
    return test.name if test.slow else test.name.split("/")[0] + "/"


def load_factor(build):
    """How many times longer time limits are than what a test may take on an idle machine: cmake/MixwellTests.cmake."""
    with open(os.path.join(build, "CMakeCache.txt"), encoding="utf-8") as lines:
        for line in lines:
            if line.startswith("MIXWELL_LOAD_FACTOR:"):
                return int(line.split("=")[1])
    sys.exit(f"dev: {build} was configured by an older version of CMakeLists.txt; configure it again")


def tests_of(build):
    """A test that was never measured counts with its time limit."""
    factor = load_factor(build)
    shown = subprocess.run(["ctest", "--test-dir", build, "--show-only=json-v1"], check=True,
                           stdout=subprocess.PIPE).stdout
    tests = []
    for number, test in enumerate(json.loads(shown)["tests"], start=1):
        properties = {entry["name"]: entry["value"] for entry in test.get("properties", [])}
        slow = any(label in LEFT_OUT for label in properties.get("LABELS", []))
        tests.append(Test(number, test["name"], slow, properties.get("TIMEOUT", 1500) / factor))
    return tests


def read_table():
    with open(TABLE, encoding="utf-8") as lines:
        return {key: float(seconds) for key, seconds in
                (line.rstrip("\n").split("\t") for line in lines if not line.startswith("#"))}


def seconds_of(test, table):
    return table.get(key_of(test), test.limit if test.slow else 1)


def total(tests):
    table = read_table()
    return sum(seconds_of(test, table) for test in tests)


def minutes(tests):
    return f"about {max(1, round(total(tests) / JOBS / 60))} minutes"


def say(text):
    print("dev: " + text, file=sys.stderr)


def say_default(tests):
    left_out = [test for test in tests if test.slow]
    say(f"{len(tests) - len(left_out)} tests, {minutes([t for t in tests if not t.slow])} on two idle cores")
    say(f"left out: {len(left_out)} slow statistical tests (labels {', '.join(LEFT_OUT)}), {minutes(left_out)}; "
        "./dev test --all runs them too")
    print("^(" + "|".join(LEFT_OUT) + ")$")


def say_all(tests):
    say(f"{len(tests)} tests, {minutes(tests)} on two idle cores")


def in_slice(test, commit, slices):
    return int(hashlib.sha256(f"{commit} {test.name}".encode()).hexdigest(), 16) % slices == 0


def print_slice(tests, commit):
    table = read_table()
    slow = [test for test in tests if test.slow and seconds_of(test, table) <= LONGEST]
    slices = max(SLICES, -(-int(total(slow)) // (JOBS * SLICE_SECONDS)))
    chosen = [test for test in slow if in_slice(test, commit, slices)]
    say(f"{len(chosen)} of {len(slow)} slow tests, chosen by the commit (one of {slices} slices), {minutes(chosen)}")
    print("0,0,0," + ",".join(str(test.number) for test in chosen) if chosen else "0,0,0,0")


def measured(build):
    """Seconds by name, as CTest keeps them: NAME RUNS SECONDS a line, up to a line of dashes."""
    path = os.path.join(build, "Testing", "Temporary", "CTestCostData.txt")
    with open(path, encoding="utf-8") as lines:
        for line in lines:
            if line.startswith("---"):
                return
            name, runs, seconds = line.rsplit(" ", 2)
            if int(runs):
                yield name, float(seconds)


def record(tests, build):
    """Tests that did not run keep the times that they have."""
    keys = {test.name: key_of(test) for test in tests}
    found = collections.defaultdict(list)
    for name, seconds in measured(build):
        if name in keys:
            found[keys[name]].append(seconds)
    known = {key: seconds for key, seconds in read_table().items() if key in keys.values()}
    known.update({key: sum(seconds) / len(seconds) for key, seconds in found.items()})
    with open(TABLE, "w", encoding="utf-8") as out:
        out.write("# Seconds of a test: ./dev test --all --record writes this file.\n")
        out.writelines(f"{key}\t{seconds:.2f}\n" for key, seconds in sorted(known.items()))


def main(build, what, commit=""):
    tests = tests_of(build)
    if what == "default":
        say_default(tests)
    elif what == "all":
        say_all(tests)
    elif what == "slice":
        print_slice(tests, commit)
    elif what == "record":
        record(tests, build)
    else:
        sys.exit(__doc__)


if __name__ == "__main__":
    main(*sys.argv[1:])
