# Distance between a run's mean unmixing matrix and the reference mean, as the run progresses.
# SPDX-License-Identifier: Apache-2.0
import os

import netCDF4
import numpy

import generating
import posterior
import relative


def distance(W, W0):
    """Amari distance between two c x c matrices, divided by 2 c (c - 1). It is at most 1, and it is
    0 if W and W0 differ only in the order, sign and scale of their rows."""
    P = numpy.abs(W @ numpy.linalg.inv(W0))
    c = len(P)
    rows = (P / P.max(axis=1, keepdims=True)).sum() - c
    columns = (P / P.max(axis=0, keepdims=True)).sum() - c
    return (rows + columns) / (2 * c * (c - 1))


def path(out):
    """Returns three arrays for one chain: W of each draw, the processor time in seconds up to each
    draw, and the number of passes over the data up to each draw. If the warmup was recorded, its
    draws come first. Time and passes include the search for a mode if the run started at a mode."""
    spent = relative.work(out)
    mode = generating.mode_of(out)
    before = generating.spent(mode) if mode.exists() else numpy.zeros(2)
    found, until = [], []
    with netCDF4.Dataset(os.path.join(out, "draws.nc")) as file:
        for group, phase in (("warmup_posterior", "warmup"), ("posterior", "sampling")):
            if group in file.groups:
                W = file[group]["W"][:].data[0]
                found.append(W)
                shares = numpy.arange(1, len(W) + 1)[:, None] / len(W)
                until.append(before + shares * numpy.array(spent[phase]))
            before = before + numpy.array(spent[phase])
    seconds, passes = numpy.concatenate(until).T
    return numpy.concatenate(found), seconds, passes


def after(W, truth, n):
    """Returns the distance between `truth` and the mean of the second half of the first n draws."""
    return distance(W[n // 2:n].mean(axis=0), truth)


def curve(out, reference, points=40):
    """Returns (seconds, passes, distance) after the first n draws, for several n. The distance uses
    the second half of these draws."""
    W, seconds, passes = path(out)
    truth = reference.mean.reshape(W.shape[1:])
    lengths = numpy.unique(numpy.geomspace(2, len(W), points).astype(int))
    return [(seconds[n - 1], passes[n - 1], after(W, truth, n)) for n in lengths]


def draws_until(spent, limit):
    """Returns the number of draws within the budget `limit`. Returns 0 if the run spent less than
    ENOUGH * limit, unless its last draw cost nothing."""
    if spent[-1] < relative.ENOUGH * limit and spent[-1] > spent[-2]:
        return 0
    return int(numpy.searchsorted(spent, limit, side="right"))


def measure(out, reference, wanted):
    """Returns the distance at each budget (in seconds or in passes) that the run reached. If the
    run started at a mode, also returns the distance between the mode and the reference mean."""
    W, seconds, passes = path(out)
    truth = reference.mean.reshape(W.shape[1:])
    figures = {"seconds in all": seconds[-1], "passes in all": passes[-1]}
    mode = generating.mode_of(out)
    if mode.exists():
        figures["mode"] = distance(posterior.draws(mode)[0][-1].reshape(truth.shape), truth)
    for unit, spent in (("seconds", seconds), ("passes", passes)):
        for limit in wanted[unit]:
            n = draws_until(spent, limit)
            if n >= 2:
                figures[f"{limit} {unit}"] = after(W, truth, n)
    return figures
