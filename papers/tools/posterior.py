# Errors of a sampler on a real posterior, against a long exact run that is made once and kept.
# SPDX-License-Identifier: Apache-2.0
import csv
import dataclasses
import hashlib
import json
import math
import os

import netCDF4
import numpy

import moments
import runs

LEAST_ESS = 10_000  # of the reference, in every coordinate
STARTS = 2048  # draws of the reference that are kept for runs to begin with


def draws(out):
    """All real variables of the posterior, side by side: chains x draws x d."""
    with netCDF4.Dataset(os.path.join(out, "draws.nc")) as file:
        posterior = file["posterior"]
        found = [variable[:].data for variable in posterior.variables.values()
                 if variable.dimensions[:2] == ("chain", "draw")]
    return numpy.concatenate([x.reshape(*x.shape[:2], -1) for x in found], axis=2)


def interleaved(x, slots):
    """Chains x draws x k of all slots, as replicates x (draws and slots) x k."""
    chains, n, k = x.shape
    return x.reshape(chains // slots, slots, n, k).swapaxes(1, 2).reshape(-1, n * slots, k)


def of_replicates(out):
    """The draws of each replicate and their weights, eps of the transition where it falls:
    replicates x n x d and replicates x n."""
    with netCDF4.Dataset(os.path.join(out, "draws.nc")) as file:
        slots = int(file["posterior"]["slot"][:].max()) + 1
        statistics = file["sample_stats"].variables
        weights = statistics["weight"][:].data if "weight" in statistics else None
    x = interleaved(draws(out), slots)
    if weights is None:
        return x, numpy.ones(x.shape[:2])
    return x, interleaved(weights[:, :, None], slots)[:, :, 0]


@dataclasses.dataclass
class Reference:
    """Moments of the posterior, whose coordinates are called `names`. `whitener` W has W covariance W' = I, its rows from the widest to
    the narrowest principal direction; `start` draws to begin with."""

    mean: numpy.ndarray
    covariance: numpy.ndarray
    least_ess: float
    start: numpy.ndarray
    names: list

    def __post_init__(self):
        self.variances, directions = numpy.linalg.eigh(self.covariance)
        self.variances, directions = self.variances[::-1], directions[:, ::-1]
        self.whitener = (directions / numpy.sqrt(self.variances)).T

    @property
    def largest_curvature(self):
        """lambda_max of the inverse of the covariance: SGLD diverges above eps = 2 / lambda_max."""
        return 1 / self.variances[-1]


def make_reference(program, manifest, settings, path):
    """Runs a manifest of an exact sampler and keeps its moments in the file `path`."""
    out = path.with_suffix("")
    program.run(manifest, out, settings)
    rows = program.summary(out, [])["variables"]
    least = runs.smallest(rows.values(), "ess_bulk")
    if not settings and not least >= LEAST_ESS:
        raise RuntimeError(f"{manifest}: a bulk ESS of {least:.0f}; a reference needs {LEAST_ESS}")
    x = draws(out)
    chains = x.reshape(-1, x.shape[2])
    every = max(1, len(chains) // STARTS)
    path.write_text(json.dumps({
        "least_ess": least, "names": list(rows), "mean": chains.mean(axis=0).tolist(),
        "covariance": numpy.cov(chains.T).tolist(), "start": chains[::every][:STARTS].tolist()}),
        encoding="utf-8")


def content(manifest):
    """A short hash of what a manifest says: two experiments may have sets of one name, and a reference may be changed."""
    return hashlib.sha256(manifest.read_bytes()).hexdigest()[:12]


def reference(program, manifest, settings, folder):
    """The moments of a reference manifest, made if the folder has none of this very text yet; under settings, which
    make it short, it is another one, and may be as rough as they make it."""
    name = manifest.parent.name + ("-quick" if settings else "")
    path = folder / f"{name}-{content(manifest)}.json"
    if not path.exists() or "names" not in runs.read_json(path):
        path.parent.mkdir(parents=True, exist_ok=True)
        make_reference(program, manifest, settings, path)
    known = runs.read_json(path)
    return Reference(numpy.array(known["mean"]), numpy.array(known["covariance"]),
                     known["least_ess"], numpy.array(known["start"]), known["names"])


def write_start(reference, manifest, path):
    """A start in equilibrium for all chains, as `init = { file = PATH }` reads it."""
    main = manifest.get("compositor", {}).get("main", {})
    chains = manifest["run"]["replicates"] * main.get("slots", 1)
    if chains > len(reference.start):
        raise RuntimeError(f"{chains} chains, but the reference kept {len(reference.start)} draws")
    write_positions(reference.names, reference.start[:chains], path)


def write_positions(names, rows, path):
    """A file of `run.init`: names of the coordinates, such as W[0,1], and a row for each chain."""
    with open(path, "w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file)
        writer.writerow(names)
        writer.writerows(rows)


def errors(reference, x, weights):
    """Root mean squares for the estimates that draws x (n x d) of weights (n) give: of the mean, in
    posterior deviations, over all directions; of the deviations of the coordinates, relative; of
    the covariance's rows, in units where it is I. "distance" sees mean and variance alike: Wasserstein's
    between normals of these means and deviations and N(0, 1), over all directions."""
    d = x.shape[1]
    z = (x - reference.mean) @ reference.whitener.T
    centre = numpy.average(z, axis=0, weights=weights)
    spread = numpy.cov(z.T, aweights=weights) - numpy.eye(d)
    variances = numpy.diag(numpy.atleast_2d(numpy.cov(x.T, aweights=weights)))
    deviations = numpy.sqrt(variances / numpy.diag(reference.covariance)) - 1
    distances = centre**2 + (numpy.sqrt(numpy.diag(spread) + 1) - 1)**2
    return {"mean error": numpy.sqrt((centre**2).mean()),
            "distance": numpy.sqrt(distances.mean()),
            "sd error": numpy.sqrt((deviations**2).mean()),
            "covariance error": numpy.sqrt((spread**2).sum() / d)}


def root_mean_square(rows):
    return {key: math.sqrt(sum(row[key] ** 2 for row in rows) / len(rows)) for key in rows[0]}


def of_runs(reference, replicates, begin, end):
    """The errors of one replicate's estimates from its draws begin .. end, root mean square over
    replicates."""
    return root_mean_square([errors(reference, x[begin:end], weights[begin:end])
                             for x, weights in zip(*replicates)])


def moments_of(z, weights, power):
    """E z^power of every replicate: replicates x d."""
    return numpy.array([numpy.average(one**power, axis=0, weights=w)
                        for one, w in zip(z, weights)])


def bias(reference, replicates, begin):
    """What more draws would not cure: variances over those of the posterior less 1, averaged over
    all directions, and in the widest and the narrowest; the mean, in deviations, in the direction
    where it is worst. With standard errors over replicates; of the draws from `begin` on."""
    z = [(x[begin:] - reference.mean) @ reference.whitener.T for x in replicates[0]]
    centres = moments_of(z, replicates[1][:, begin:], 1)
    worst = numpy.argmax(numpy.abs(centres.mean(axis=0)))
    figures = {}
    figures["largest mean"], figures["se largest mean"] = moments.mean_and_error(centres[:, worst])
    ratios = moments_of(z, replicates[1][:, begin:], 2) - 1
    for name, rows in (("variance", ratios.mean(axis=1)), ("widest", ratios[:, 0]),
                       ("narrowest", ratios[:, -1])):
        figures[name], figures[f"se {name}"] = moments.mean_and_error(rows)
    return figures


def evaluates_for_the_record(manifest):
    """Whether the exact U of a recorded draw is needed for nothing but the record: the oracle has
    noise, and no other slot's curvature is fitted to exact gradients."""
    kernel = next(iter(manifest["kernel"].values()))
    oracle = manifest.get("oracle", {}).get(kernel["oracle"], {"use": "exact"})
    compositor = next(iter(manifest["compositor"].values()))
    return oracle["use"] != "exact" and compositor["use"] != "ensemble-chain"


def work(out, model):
    """Passes over the data and seconds of one replicate's sampling, without the exact U that is
    evaluated for the record alone."""
    run = runs.read_json(os.path.join(out, "run.json"))
    happened = runs.what_happened(out)
    gradients, share = run["gradients"]["sampling"], 1.0
    if evaluates_for_the_record(moments.effective(out)):
        gradients -= happened["draws"] * happened["replicates"] * happened["slots"]
        seconds = {row["name"]: row["seconds"] for row in run["operations"]
                   if row["phase"] == "sampling"}
        recording = sum(seconds[name] for name in seconds
                        if name.startswith(f"evaluate {model} at "))
        total = sum(seconds.values())  # of the sweeps that were timed: none in a short run
        share = 1 - recording / total if total > 0 else math.nan
    one = 1 / happened["replicates"]
    return {"passes": gradients * one, "seconds each": happened["seconds"] * share * one}


def fraction(out, reference):
    """The step of `theta` in units of 2 / lambda_max: eps of Langevin, eps^2 where there is a
    momentum; not a number under a curvature, which has units of its own."""
    manifest = moments.effective(out)
    kernel = next(iter(manifest["kernel"].values()))
    estimator = manifest["estimator"][kernel["estimator"]]["use"]
    eps = runs.what_happened(out)["eps"]
    if estimator != "identity":
        return math.nan
    eta = eps if kernel["use"] == "langevin" else eps**2
    return eta * reference.largest_curvature / 2


def burn_in(n, experiment):
    """Of n draws, those that estimates leave out: a share `burn` of them."""
    return int(n * experiment.get("burn", 0.0))


def measure(out, reference, experiment):
    replicates = of_replicates(out)
    n = replicates[0].shape[1]
    model = next(iter(moments.effective(out)["model"]))
    begin = burn_in(n, experiment)
    return (of_runs(reference, replicates, begin, n) | bias(reference, replicates, begin)
            | work(out, model) | {"a": moments.step_size(out), "fraction": fraction(out, reference)})


def curve(out, reference, experiment, key, points=12):
    """The error of prefixes of the draws, of 10 and more, and what they took."""
    replicates = of_replicates(out)
    n = replicates[0].shape[1]
    done = work(out, next(iter(moments.effective(out)["model"])))
    thin = moments.effective(out)["run"]["thin"]
    lengths = numpy.unique(numpy.geomspace(min(n, 10), n, points).astype(int))
    return [{"iterations": int(m) * thin, "passes": done["passes"] * m / n,
             "seconds": done["seconds each"] * m / n,
             "error": of_runs(reference, replicates, burn_in(m, experiment), m)[key]}
            for m in lengths]
