# How far estimates are from the parameter that simulated the data.
# SPDX-License-Identifier: Apache-2.0
import os
import re

import numpy

import posterior
import relative
import runs


def truth(out):
    """theta of the remark on simulated cases in run.json."""
    with open(os.path.join(out, "run.json"), encoding="utf-8") as file:
        numbers = re.search(r"simulated with theta = \(([^)]*)\)", file.read()).group(1)
    return numpy.array([float(x) for x in numbers.split(",")])


def from_mode(program, path, experiment, settings, out):
    """Settings that start at the mode, which `mode.toml` finds, and the evaluations it took."""
    mode = out.with_suffix(".mode")
    data = {key: value for key, value in settings.items() if key in ("run.seed", experiment["seed_also"])}
    relative.run(program, path.parent / "mode.toml", mode, data)
    start = out.with_suffix(".csv")
    theta = posterior.draws(mode)[0][-1:]
    header = ",".join(f"theta{i}" for i in range(theta.shape[1]))
    numpy.savetxt(start, theta, delimiter=",", header=header, comments="")
    passes = sum(phase[1] for phase in relative.work(mode).values())
    return settings | {"run.init": f'{{ file = "{start.resolve()}" }}'}, passes


def measure(out):
    """Root mean square error of the mean of the draws, or of the last where draws are no sample;
    evaluations of the whole likelihood."""
    x = posterior.draws(out)[0]
    samples = "acceptance" in runs.what_happened(out)
    estimate = x.mean(axis=0) if samples else x[-1]
    passes = sum(phase[1] for phase in relative.work(out).values())
    return {"RMSE": float(numpy.sqrt(((estimate - truth(out)) ** 2).mean())), "evaluations": passes}
