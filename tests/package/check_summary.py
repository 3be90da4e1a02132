# Checks the run of tilted.toml against what is known: every mean is 2.5 and every sd 1.
# Each |z| is below 5 for a right sampler but once in 1.7 million; there are six of them.
# SPDX-License-Identifier: Apache-2.0
import json
import sys

with open(sys.argv[1]) as file:
    variables = json.load(file)["variables"]

coordinates = {name: row for name, row in variables.items() if name.startswith("x[")}
assert len(coordinates) == 3, f"wanted x[0], x[1], x[2]; found {sorted(variables)}"
for name, row in coordinates.items():
    for statistic, truth in (("mean", 2.5), ("sd", 1.0)):
        mcse = row["mcse_" + statistic]
        z = (row[statistic] - truth) / mcse
        print(f"{name} {statistic} = {row[statistic]:.4f}, wanted {truth}, z = {z:.2f}")
        assert 0 < mcse < 0.05 and abs(z) < 5, f"{name}: {statistic} is wrong"
