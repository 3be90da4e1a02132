# How far estimates are from the parameter that simulated the data; and runs that start at the mode.
# SPDX-License-Identifier: Apache-2.0
import os
import pathlib
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


def mode_of(out):
    """Where the search for the mode that a run started from is kept."""
    return pathlib.Path(f"{out}.mode")


def spent(out):
    """Processor seconds and passes over the data of a run."""
    return numpy.sum(list(relative.work(out).values()), axis=0)


def from_mode(program, path, experiment, settings, out):
    """Settings that start at the mode, which `mode.toml` finds."""
    mode = mode_of(out)
    data = {key: value for key, value in settings.items()
            if key in ("run.seed", experiment.get("seed_also"))}
    relative.run(program, path.parent / "mode.toml", mode, data)
    start = out.with_suffix(".csv")
    posterior.write_positions(program.summary(mode, [])["variables"], posterior.draws(mode)[0][-1:], start)
    return settings | {"run.init": f'{{ file = "{start.resolve()}" }}'}


def measure(out):
    """Root mean square error of the mean of the draws, or of the last where draws are no sample;
    evaluations of the whole likelihood, the mode's among them."""
    x = posterior.draws(out)[0]
    samples = "acceptance" in runs.what_happened(out)
    estimate = x.mean(axis=0) if samples else x[-1]
    used = [one for one in (out, mode_of(out)) if one.exists()]
    return {"RMSE": float(numpy.sqrt(((estimate - truth(out)) ** 2).mean())),
            "evaluations": sum(spent(one)[1] for one in used)}
