# Draws pictures of autocorrelations and burn-in, and calls functions that draw the other pictures.
# SPDX-License-Identifier: Apache-2.0
import os

import netCDF4
import numpy

import figures_posterior
import figures_stochastic
import figures_surrogate
import runs
from canvas import finish, pyplot


def autocorrelation(x, lags):
    """Returns the autocorrelations rho_0 .. rho_lags, averaged over the rows of x. Each row is centred at its own
    mean, and its autocovariances have the divisor n."""
    n = x.shape[1]
    centred = x - x.mean(axis=1, keepdims=True)
    spectrum = numpy.fft.rfft(centred, 2 * n, axis=1)
    covariance = numpy.fft.irfft(numpy.abs(spectrum) ** 2, axis=1)[:, : lags + 1] / n
    return (covariance / covariance[:, :1]).mean(axis=0)


def along_ones(out, variable="x"):
    """Returns the draws of a vector, projected onto (1, ..., 1) / sqrt(d), with shape (chains, draws)."""
    with netCDF4.Dataset(os.path.join(out, "draws.nc")) as file:
        draws = file["posterior"][variable]
        sums = [draws[chain].data.sum(axis=1) for chain in range(draws.shape[0])]
        return numpy.stack(sums) / numpy.sqrt(draws.shape[2])


def sum_of_absolute(out, lags):
    """Returns the sum of |autocorrelation| over lags 1 to `lags`, for the draws projected onto (1, ..., 1)."""
    return float(numpy.abs(autocorrelation(along_ones(out), lags)[1:]).sum())


def draw_autocorrelations(outs, spec, path):
    figure, axes = pyplot.subplots(figsize=(7, 4))
    for method, out in outs.items():
        rho = autocorrelation(along_ones(out), min(spec["lags"], runs.what_happened(out)["draws"] - 1))
        axes.plot(rho, label=method)
    axes.axhline(0, color="grey", linewidth=0.5)
    finish(figure, axes, spec, path, "lag (draws of one chain)", "autocorrelation along 1")


def draw_burn_in(outs, spec, path):
    figure, axes = pyplot.subplots(figsize=(7, 4))
    for method, out in outs.items():
        happened = runs.what_happened(out)
        u = runs.potentials(out)[: happened["slots"]].mean(axis=0)
        gradients = numpy.arange(1, len(u) + 1) * happened["slots"] * happened["L"]
        axes.loglog(gradients, u, label=method)
    axes.axhline(spec["limit"], color="grey", linewidth=0.5)
    finish(figure, axes, spec, path, "gradients of one replicate", "U, mean over slots")


KINDS = {"autocorrelation": draw_autocorrelations, "burn-in": draw_burn_in,
         **figures_stochastic.KINDS}
AGAINST_REFERENCES = {**figures_posterior.KINDS, **figures_surrogate.KINDS}


def chosen_runs(methods, outs):
    """Returns a dictionary from name to folder for the runs that `methods` names, in the order of `methods`.
    An entry of `methods` names one run, or all runs of a method."""
    return {name: out for method in methods for name, out in outs.items()
            if method in (name, name.split(" ")[0], name.split(" ")[0].split("/")[-1])}


def draw(spec, experiment, outs, references, folder):
    """Draws one entry of [[figures]] from the runs of its `methods`, by default all. Returns the file,
    or None if there are no runs. `references` has the posterior's moments for each run, or None."""
    path = folder / f"{spec['name']}.png"
    chosen = chosen_runs(spec.get("methods", experiment["methods"]), outs)
    if not chosen:
        return None
    if spec["kind"] in AGAINST_REFERENCES:
        draw_it = AGAINST_REFERENCES[spec["kind"]]
        draw_it(chosen, experiment, references, spec, path)
    else:
        KINDS[spec["kind"]](chosen, spec, path)
    return path
