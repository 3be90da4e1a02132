# Relative errors of mean and covariance (REM, REC) after equal work of one thread, all told.
# SPDX-License-Identifier: Apache-2.0
import json
import os
import resource
import time

import numpy

import moments
import posterior
import runs


def run(program, manifest, out, settings):
    """Runs a manifest, and keeps the share of the time in which it had a processor."""
    began, used = time.monotonic(), children()
    program.run(manifest, out, settings)
    share = (children() - used) / (time.monotonic() - began)
    with open(os.path.join(out, "processor.json"), "w", encoding="utf-8") as file:
        json.dump({"share": share}, file)


def children():
    """Processor seconds of the processes that ended."""
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def rem(reference, x):
    """sum |mean - truth| / sum |truth|."""
    return float(numpy.abs(x.mean(axis=0) - reference.mean).sum()
                 / numpy.abs(reference.mean).sum())


def rec(reference, x):
    """The same of all entries of the covariance."""
    return float(numpy.abs(numpy.cov(x.T) - reference.covariance).sum()
                 / numpy.abs(reference.covariance).sum())


def recorded_passes(out, run_json):
    """Evaluations of U that only the record of the draws wanted."""
    manifest = moments.effective(out)
    kernel = next(iter(manifest["kernel"].values()))
    oracle = manifest.get("oracle", {}).get(kernel["oracle"], {"use": "exact"})
    if oracle["use"] == "exact" or kernel.get("ratio") == "target":
        return 0
    return run_json["draws"] * run_json["replicates"]


def work(out):
    """Processor seconds and passes over the data, of training and of sampling."""
    run_json = runs.read_json(os.path.join(out, "run.json"))
    share = runs.read_json(os.path.join(out, "processor.json"))["share"]
    gradients = run_json["gradients"]
    passes = (gradients["warmup"], gradients["sampling"] - recorded_passes(out, run_json))
    seconds = [run_json["seconds"][phase] * share for phase in ("warmup", "sampling")]
    return {"warmup": (seconds[0], passes[0]), "sampling": (seconds[1], passes[1])}


def together(out):
    """Draws x d of all chains, in the order of the sweeps."""
    x = posterior.draws(out)
    return x.swapaxes(0, 1).reshape(-1, x.shape[2])


def within(limit, training, sampling, n):
    """Draws of n that fit into what training left of the limit."""
    if sampling <= 0:
        return n
    return int(min(n, max(0, n * (limit - training) / sampling)))


def effective_size(out):
    """Mean bulk ESS over all coordinates and draws."""
    summary = runs.read_json(os.path.join(out, "summary.json"))
    return runs.mean(list(summary["variables"].values()), "ess_bulk")


def at(reference, x, n, least):
    """REM and REC of the first n draws, unless they are too few."""
    if n < least:
        return {}
    return {"REM": rem(reference, x[:n]), "REC": rec(reference, x[:n])}


def measure(out, reference, wanted):
    """Errors at the budget of seconds, and at the number of passes; what the run took."""
    x = together(out)
    done = work(out)
    (learnt, first), (sampled, rest) = done["warmup"], done["sampling"]
    least = 2 * x.shape[1]
    n = within(wanted["budget"], learnt, sampled, len(x))
    figures = at(reference, x, n, least)
    of_passes = at(reference, x, within(wanted["passes"], first, rest, len(x)), least)
    figures |= {f"{key} at passes": value for key, value in of_passes.items()}
    figures |= {"training": learnt, "passes in all": first + rest * n / len(x),
                "seconds in all": learnt + sampled * n / len(x)}
    figures["mean ESS/s"] = effective_size(out) / (learnt + sampled)
    return figures


def curve(out, reference, points=14):
    """Seconds, passes, REM and REC of growing numbers of draws."""
    x = together(out)
    (learnt, first), (sampled, rest) = work(out).values()
    lengths = numpy.unique(numpy.geomspace(min(len(x), 2 * x.shape[1]), len(x), points).astype(int))
    return [{"processor seconds": learnt + sampled * n / len(x),
             "passes over the data": first + rest * n / len(x)} | at(reference, x, n, 0)
            for n in lengths]
