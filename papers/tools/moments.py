# Compares moments of draws with known moments, with errors from independent replicates.
# SPDX-License-Identifier: Apache-2.0
import math
import os
import tomllib

import netCDF4
import numpy

import linear


def positions(out):
    """Returns the draws of the vector `x`, with shape (replicates, slots * draws, d)."""
    with netCDF4.Dataset(os.path.join(out, "draws.nc")) as file:
        posterior = file["posterior"]
        slots = int(posterior["slot"][:].max()) + 1
        x = posterior["x"][:].data
    return x.reshape(x.shape[0] // slots, slots * x.shape[1], x.shape[2])


def effective(out):
    """Reads the manifest of a run, with all defaults filled in."""
    with open(os.path.join(out, "manifest.toml"), "rb") as file:
        return tomllib.load(file)


def steps(out):
    return next(iter(effective(out)["kernel"].values()))["steps"]


def step_size(out):
    return next(iter(effective(out)["kernel"].values()))["step_size"]


def mean_and_error(of_replicates):
    n = len(of_replicates)
    error = of_replicates.std(ddof=1) / math.sqrt(n) if n > 1 else math.nan
    return float(of_replicates.mean()), float(error)


def second_moment(x):
    """Returns E x_i^2, averaged over coordinates i, and its standard error."""
    return mean_and_error((x**2).mean(axis=(1, 2)))


def distance(x, double_well):
    """Returns the total variation distance of the draws from exp(-(a x^2 + b x^4)) on 60 intervals."""
    a, b = double_well
    edges = numpy.linspace(-3, 3, 61)
    fine = numpy.linspace(-3, 3, 6001)
    weights = numpy.exp(-(a * fine**2 + b * fine**4))
    truth, _ = numpy.histogram(fine[:-1] + 5e-4, edges, weights=weights[:-1])
    counts, _ = numpy.histogram(x.clip(-3, 2.9999), edges)
    return float(0.5 * numpy.abs(counts / counts.sum() - truth / truth.sum()).sum())


def covariance_error(x, truth):
    """Returns the mean absolute error of the entries of the covariance of all draws."""
    return float(numpy.abs(numpy.cov(x.reshape(-1, x.shape[2]).T) - truth).mean())


def exact_last(experiment, out):
    """Returns the exact E x_i^2 of the last draw, for a run that starts in equilibrium with p ~ N(0, I)."""
    manifest = effective(out)
    precision = numpy.array(experiment["precision"])
    scheme = linear.scheme(manifest, precision)
    start = numpy.eye(len(scheme.F))
    start[: scheme.d, : scheme.d] = numpy.linalg.inv(precision)
    kernel = next(iter(manifest["kernel"].values()))
    last = scheme.after(start, manifest["run"]["warmup"] + manifest["run"]["draws"],
                        None if kernel["persistence"] == 1.0 else kernel["refresh_every"])
    return float(numpy.trace(last)) / scheme.d


def measure(experiment, out):
    """Compares the draws with exact properties of the target, which experiment.toml gives as `second_moment`,
    `double_well` = [a, b], `precision` or `covariance`."""
    figures = {}
    if "second_moment" in experiment:
        centre, error = second_moment(positions(out))
        figures |= {"E x^2": centre, "se E x^2": error,
                    "excess": centre - experiment["second_moment"]}
    if "double_well" in experiment:
        figures["distance"] = distance(positions(out), experiment["double_well"])
    if "precision" in experiment:
        last = positions(out)[:, -1:, :]
        centre, error = second_moment(last)
        figures |= {"last E x^2": centre, "se last E x^2": error,
                    "exact last E x^2": exact_last(experiment, out)}
    if "covariance" in experiment:
        truth = numpy.array(experiment["covariance"])
        scheme = linear.scheme(effective(out), numpy.linalg.inv(truth))
        figures |= {"covariance error": covariance_error(positions(out), truth),
                    "exact covariance error": linear.covariance_error(scheme, truth),
                    "exact time": linear.autocorrelation_time(scheme),
                    "exact time of squares": linear.squares_time(scheme)}
    return figures
