# Relative errors of mean and covariance (REM, REC) after equal total work of one thread.
# SPDX-License-Identifier: Apache-2.0
import json
import os
import resource
import time

import numpy

import moments
import posterior
import runs

ENOUGH = 0.75  # of a budget: a shorter run has no figures at it


def run(program, manifest, out, settings):
    """Runs a manifest, and writes the ratio of processor time to elapsed time to processor.json."""
    began, used = time.monotonic(), children()
    program.run(manifest, out, settings)
    share = (children() - used) / (time.monotonic() - began)
    with open(os.path.join(out, "processor.json"), "w", encoding="utf-8") as file:
        json.dump({"share": share}, file)


def children():
    """Returns the processor seconds of all child processes that have ended."""
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def rem(reference, x):
    """sum |mean - truth| / sum |truth|."""
    return float(numpy.abs(x.mean(axis=0) - reference.mean).sum()
                 / numpy.abs(reference.mean).sum())


def rec(reference, x):
    """sum |covariance - truth| / sum |truth|, over all entries."""
    return float(numpy.abs(numpy.cov(x.T) - reference.covariance).sum()
                 / numpy.abs(reference.covariance).sum())


def evaluates_for_the_record(manifest):
    """Returns whether U of a draw is evaluated only to be recorded."""
    kernel = next(iter(manifest["kernel"].values()))
    oracle = manifest.get("oracle", {}).get(kernel["oracle"], {"use": "exact"})
    return oracle["use"] != "exact" and kernel.get("ratio") != "target"


def recorded_passes(out):
    """Returns how many evaluations of U in warmup and in sampling were made only to record U."""
    manifest = moments.effective(out)
    run = manifest["run"]
    if not evaluates_for_the_record(manifest):
        return 0, 0
    warmup = run["warmup"] // run["thin"] if run["record_warmup"] else 0
    return warmup * run["replicates"], run["draws"] * run["replicates"]


def work(out):
    """Returns the cost of warmup and of sampling, each as (processor seconds, passes over the data)."""
    run_json = runs.read_json(os.path.join(out, "run.json"))
    share = runs.read_json(os.path.join(out, "processor.json"))["share"]
    return {phase: (run_json["seconds"][phase] * share, run_json["gradients"][phase] - recorded)
            for phase, recorded in zip(("warmup", "sampling"), recorded_passes(out))}


def together(out):
    """Returns the draws of all chains in the order of the sweeps, with shape (draws, d)."""
    x = posterior.draws(out)
    return x.swapaxes(0, 1).reshape(-1, x.shape[2])


def within(limit, training, sampling, n):
    """Returns how many of n draws fit into the budget `limit` after training."""
    if sampling <= 0:
        return n
    return int(min(n, max(0, n * (limit - training) / sampling)))


def effective_size(out):
    """Returns the bulk ESS of all draws, averaged over coordinates."""
    summary = runs.read_json(os.path.join(out, "summary.json"))
    return runs.mean(list(summary["variables"].values()), "ess_bulk")


def stretches(x, n):
    """Splits x into consecutive batches of n draws, and leaves out the remaining draws."""
    return [x[begin:begin + n] for begin in range(0, len(x) - n + 1, n)]


def at(reference, x, n, least):
    """Returns REM and REC of estimates from n draws, averaged over all batches of n draws in x, and
    their standard errors, which are NaN if there is only one batch. Returns an empty dictionary if n
    is below `least`."""
    if n < least:
        return {}
    figures = {}
    for key, error in (("REM", rem), ("REC", rec)):
        values = numpy.array([error(reference, part) for part in stretches(x, n)])
        figures[key], figures[f"se {key}"] = moments.mean_and_error(values)
    return figures


def measure(out, reference, wanted):
    """Returns the errors at each budget of seconds, the errors at the budget of passes, and the cost of the run. A
    budget of seconds is left out if the run is too short for it."""
    x = together(out)
    (learnt, first), (sampled, rest) = work(out).values()
    least = 2 * x.shape[1]
    figures = {"training": learnt, "seconds in all": learnt + sampled,
               "mean ESS/s": effective_size(out) / sampled}
    for budget in wanted["budget"]:
        if learnt + sampled < ENOUGH * budget:
            continue
        n = within(budget, learnt, sampled, len(x))
        figures[f"passes {budget}"] = first + rest * n / len(x)
        figures |= {f"{key} {budget}": value for key, value in at(reference, x, n, least).items()}
    of_passes = at(reference, x, within(wanted["passes"], first, rest, len(x)), least)
    return figures | {f"{key} at passes": value for key, value in of_passes.items()}


def curve(out, reference, points=14):
    """Returns seconds, passes, REM and REC for growing numbers of draws."""
    x = together(out)
    (learnt, first), (sampled, rest) = work(out).values()
    lengths = numpy.unique(numpy.geomspace(min(len(x), 2 * x.shape[1]), len(x), points).astype(int))
    return [{"processor seconds": learnt + sampled * n / len(x),
             "passes over the data": first + rest * n / len(x)} | at(reference, x, n, 0)
            for n in lengths]
