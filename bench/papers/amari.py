# How far the mean of an unmixing matrix is from the reference's, while a run goes on.
# SPDX-License-Identifier: Apache-2.0
import os

import netCDF4
import numpy

import relative


def distance(W, W0):
    """Amari distance over 2 c (c - 1): 0 up to order, sign and scale of rows, at most 1."""
    P = numpy.abs(W @ numpy.linalg.inv(W0))
    c = len(P)
    rows = (P / P.max(axis=1, keepdims=True)).sum() - c
    columns = (P / P.max(axis=0, keepdims=True)).sum() - c
    return (rows + columns) / (2 * c * (c - 1))


def path(out):
    """W of one chain, warm-up first if it was recorded, and the processor seconds of each."""
    spent = relative.work(out)
    seconds, found, before = [], [], 0.0
    with netCDF4.Dataset(os.path.join(out, "draws.nc")) as file:
        for group, phase in (("warmup_posterior", "warmup"), ("posterior", "sampling")):
            if group in file.groups:
                W = file[group]["W"][:].data[0]
                found.append(W)
                seconds.append(before + spent[phase][0] * numpy.arange(1, len(W) + 1) / len(W))
            before += spent[phase][0]
    return numpy.concatenate(found), numpy.concatenate(seconds)


def curve(out, reference, points=40):
    """Seconds and the distance of the mean of the second half of all draws until then."""
    W, seconds = path(out)
    truth = reference.mean.reshape(W.shape[1:])
    lengths = numpy.unique(numpy.geomspace(2, len(W), points).astype(int))
    return [(seconds[n - 1], distance(W[n // 2:n].mean(axis=0), truth)) for n in lengths]


def measure(out, reference):
    seconds, final = curve(out, reference)[-1]
    return {"Amari distance": final, "seconds in all": seconds}
