# Which tests of a build run, and how long they take: `./dev test` asks before it starts.
# SPDX-License-Identifier: Apache-2.0
"""usage: plan.py BUILD default            prints the labels to leave out, and says what that leaves out
       plan.py BUILD all                says how long all tests take
       plan.py BUILD slice COMMIT       prints the numbers of the slow tests that COMMIT has to run
       plan.py BUILD record             writes seconds.tsv from the times that CTest measured in BUILD

What a user reads goes to stderr. Times come from seconds.tsv: processor seconds are not known to CTest, so these are
seconds on an idle machine with as many jobs as cores, by group (the name before the slash) and by whether the test has
a label of LEFT_OUT."""

import collections
import hashlib
import json
import os
import subprocess
import sys

LEFT_OUT = ("nightly", "verify")  # what .ci/run and ./dev test leave to ./dev test --all
SLICES = 4  # a slow test runs for about every fourth commit
SLICE_SECONDS = 600  # as many slices more as it takes to stay below
TABLE = os.path.join(os.path.dirname(os.path.abspath(__file__)), "seconds.tsv")
JOBS = 2

Test = collections.namedtuple("Test", "number name slow")


def group_of(test):
    return test.name.split("/")[0], test.slow


def tests_of(build):
    shown = subprocess.run(["ctest", "--test-dir", build, "--show-only=json-v1"], check=True,
                           stdout=subprocess.PIPE).stdout
    tests = []
    for number, test in enumerate(json.loads(shown)["tests"], start=1):
        properties = {entry["name"]: entry["value"] for entry in test.get("properties", [])}
        slow = any(label in LEFT_OUT for label in properties.get("LABELS", []))
        tests.append(Test(number, test["name"], slow))
    return tests


def read_table():
    """Mean seconds of a test by group; a group without measurements has the mean of all."""
    with open(TABLE, encoding="utf-8") as lines:
        rows = [line.split("\t") for line in lines if not line.startswith("#")]
    means = {(name, slow == "slow"): float(seconds) / int(count) for name, slow, count, seconds in rows}
    return collections.defaultdict(lambda: sum(means.values()) / len(means), means)


def seconds_of(tests):
    means = read_table()
    return sum(means[group_of(test)] for test in tests)


def minutes(tests):
    return f"about {max(1, round(seconds_of(tests) / JOBS / 60))} minutes"


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
    slow = [test for test in tests if test.slow]
    slices = max(SLICES, -(-int(seconds_of(slow)) // (JOBS * SLICE_SECONDS)))
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
    by_name = {test.name: test for test in tests}
    sums = collections.defaultdict(lambda: [0, 0.0])
    for name, seconds in measured(build):
        if name in by_name:
            entry = sums[group_of(by_name[name])]
            entry[0] += 1
            entry[1] += seconds
    with open(TABLE, "w", encoding="utf-8") as out:
        out.write("# Seconds of the tests by group, on two idle cores: ./dev test --all --record writes this file.\n")
        for (name, slow), (count, seconds) in sorted(sums.items()):
            out.write(f"{name}\t{'slow' if slow else 'quick'}\t{count}\t{seconds:.1f}\n")


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
