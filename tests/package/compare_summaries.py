# Compares two runs of one manifest, whose plugins two compilers built: the same bits, or means and
# standard deviations that differ by less than 5 of their standard errors. Each |z| exceeds 5 once in
# 1.7 million; with the same random numbers they are far smaller.
# usage: compare_summaries.py FOLDER FOLDER
# SPDX-License-Identifier: Apache-2.0
import json
import math
import sys


def read(folder, name):
    with open(f"{folder}/{name}") as file:
        return json.load(file)


a, b = (read(folder, "summary.json")["variables"] for folder in sys.argv[1:])
assert a.keys() == b.keys() and any(name.startswith("x[") for name in a)
worst = 0.0
for name in a:
    for statistic in ("mean", "sd"):
        error = math.hypot(a[name]["mcse_" + statistic], b[name]["mcse_" + statistic])
        z = (a[name][statistic] - b[name][statistic]) / error
        worst = max(worst, abs(z))
        assert error > 0 and abs(z) < 5, f"{name}: {statistic} differs, z = {z:.2f}"
same = "the same bits" if a == b else "other bits"
print(f"{len(a)} variables agree: {same}, largest |z| = {worst:.2g}")
