# Starts runs at the mode, and measures errors of estimates of theta on data simulated from theta.
# SPDX-License-Identifier: Apache-2.0
import os
import pathlib
import re

import numpy

import posterior
import relative
import runs


def truth(out):
    """Reads theta from the remark on simulated cases in run.json."""
    with open(os.path.join(out, "run.json"), encoding="utf-8") as file:
        numbers = re.search(r"simulated with theta = \(([^)]*)\)", file.read()).group(1)
    return numpy.array([float(x) for x in numbers.split(",")])


def mode_of(out):
    """Returns the folder of the search that finds the mode at which a run starts."""
    return pathlib.Path(f"{out}.mode")


def spent(out):
    """Returns how many processor seconds and how many passes over the data a run takes."""
    return numpy.sum(list(relative.work(out).values()), axis=0)


def from_mode(program, path, experiment, settings, out):
    """Finds the mode with `mode.toml`, and returns settings that start a run there."""
    mode = mode_of(out)
    data = {key: value for key, value in settings.items()
            if key in ("run.seed", experiment.get("seed_also"))}
    relative.run(program, path.parent / "mode.toml", mode, data)
    start = out.with_suffix(".csv")
    posterior.write_positions(program.summary(mode, [])["variables"], posterior.draws(mode)[0][-1:], start)
    return settings | {"run.init": f'{{ file = "{start.resolve()}" }}'}


def measure(out):
    """Returns the root mean square error of the mean of the draws, and the number of evaluations of the whole
    likelihood. For a run that does not sample, the last draw replaces the mean. Evaluations in the search for the
    mode count too."""
    x = posterior.draws(out)[0]
    samples = "acceptance" in runs.what_happened(out)
    estimate = x.mean(axis=0) if samples else x[-1]
    used = [one for one in (out, mode_of(out)) if one.exists()]
    return {"RMSE": float(numpy.sqrt(((estimate - truth(out)) ** 2).mean())),
            "evaluations": sum(spent(one)[1] for one in used)}
