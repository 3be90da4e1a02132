# How far the mean of an unmixing matrix is from the reference's, while a run goes on.
# SPDX-License-Identifier: Apache-2.0
import os

import netCDF4
import numpy

import generating
import posterior
import relative


def distance(W, W0):
    """Amari distance over 2 c (c - 1): 0 up to order, sign and scale of rows, at most 1."""
    P = numpy.abs(W @ numpy.linalg.inv(W0))
    c = len(P)
    rows = (P / P.max(axis=1, keepdims=True)).sum() - c
    columns = (P / P.max(axis=0, keepdims=True)).sum() - c
    return (rows + columns) / (2 * c * (c - 1))


def path(out):
    """W of one chain, warm-up first if it was recorded, and what was spent until each: processor
    seconds and passes over the data, with those of the search for the mode, if one was made."""
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
    """The distance of the mean of the second half of n draws."""
    return distance(W[n // 2:n].mean(axis=0), truth)


def curve(out, reference, points=40):
    """Seconds, passes, and the distance of the mean of the second half of all draws until then."""
    W, seconds, passes = path(out)
    truth = reference.mean.reshape(W.shape[1:])
    lengths = numpy.unique(numpy.geomspace(2, len(W), points).astype(int))
    return [(seconds[n - 1], passes[n - 1], after(W, truth, n)) for n in lengths]


def draws_until(spent, limit):
    """How many draws a budget pays for: 0 if it needs a longer run, one that still spends."""
    if spent[-1] < relative.ENOUGH * limit and spent[-1] > spent[-2]:
        return 0
    return int(numpy.searchsorted(spent, limit, side="right"))


def measure(out, reference, wanted):
    """The distance at budgets of seconds and of passes, where the run allows it, and that of the mode
    it started from."""
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
