# Errors of a sampler on a real posterior, relative to one long exact run that is stored.
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
    """Returns all real variables of the posterior side by side, with shape (chains, draws, d)."""
    with netCDF4.Dataset(os.path.join(out, "draws.nc")) as file:
        posterior = file["posterior"]
        found = [variable[:].data for variable in posterior.variables.values()
                 if variable.dimensions[:2] == ("chain", "draw")]
    return numpy.concatenate([x.reshape(*x.shape[:2], -1) for x in found], axis=2)


def interleaved(x, slots):
    """Reshapes `x` from (chains, draws, k) to (replicates, draws * slots, k)."""
    chains, n, k = x.shape
    return x.reshape(chains // slots, slots, n, k).swapaxes(1, 2).reshape(-1, n * slots, k)


def of_replicates(out):
    """Returns the draws of each replicate, with shape (replicates, n, d), and their weights, with shape
    (replicates, n). If eps decreases, the weight of a draw is eps of its transition."""
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
    """Moments of the posterior, with the `names` of its coordinates. The matrix `whitener` W satisfies W covariance
    W' = I. Its rows go from the widest principal direction to the narrowest. Chains begin at draws of `start`."""

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
        """Largest eigenvalue lambda_max of the inverse covariance. SGLD diverges above eps = 2 / lambda_max."""
        return 1 / self.variances[-1]


def make_reference(program, manifest, settings, path):
    """Runs a manifest of an exact sampler, and writes the moments of its draws to the file `path`."""
    out = path.with_suffix("")
    program.run(manifest, out, settings)
    rows = program.summary(out, [])["variables"]
    least = runs.smallest(rows.values(), "ess_bulk")
    if not settings and not least >= LEAST_ESS:
        raise RuntimeError(f"{manifest}: bulk ESS is {least:.0f}, but must be at least {LEAST_ESS}. "
                           "Increase `draws`.")
    x = draws(out)
    chains = x.reshape(-1, x.shape[2])
    every = max(1, len(chains) // STARTS)
    path.write_text(json.dumps({
        "least_ess": least, "names": list(rows), "mean": chains.mean(axis=0).tolist(),
        "covariance": numpy.cov(chains.T).tolist(), "start": chains[::every][:STARTS].tolist()}),
        encoding="utf-8")


def content(manifest):
    """Returns a short hash of a manifest. File names contain this hash, because two experiments may have data sets
    with the same name, and because a reference may change."""
    return hashlib.sha256(manifest.read_bytes()).hexdigest()[:12]


def reference(program, manifest, settings, folder):
    """Returns the moments of a reference manifest. Runs the manifest if the folder has no result of a manifest
    with the same text. If there are `settings`, they shorten the run, and its result is stored separately and may be
    inaccurate."""
    name = manifest.parent.name + ("-quick" if settings else "")
    path = folder / f"{name}-{content(manifest)}.json"
    if not path.exists() or "names" not in runs.read_json(path):
        path.parent.mkdir(parents=True, exist_ok=True)
        make_reference(program, manifest, settings, path)
    known = runs.read_json(path)
    return Reference(numpy.array(known["mean"]), numpy.array(known["covariance"]),
                     known["least_ess"], numpy.array(known["start"]), known["names"])


def write_start(reference, manifest, path):
    """Writes equilibrium starting points for all chains to a file that `init = { file = PATH }` reads."""
    main = manifest.get("compositor", {}).get("main", {})
    chains = manifest["run"]["replicates"] * main.get("slots", 1)
    if chains > len(reference.start):
        raise RuntimeError(f"{chains} chains, but the reference kept {len(reference.start)} draws")
    write_positions(reference.names, reference.start[:chains], path)


def write_positions(names, rows, path):
    """Writes a file for `run.init`: names of coordinates such as W[0,1], and a row for each chain."""
    with open(path, "w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file)
        writer.writerow(names)
        writer.writerows(rows)


def errors(reference, x, weights):
    """Returns root mean square errors of the estimates from draws `x` of shape (n, d) with n weights. "mean error" is
    the error of the mean over all directions, in posterior standard deviations. "sd error" is the relative error of the
    coordinates' standard deviations. "covariance error" is the error of the rows of the covariance, in coordinates in
    which the posterior covariance is I. "distance" is the Wasserstein distance, over all directions, between N(0, 1)
    and a normal with the mean and variance of the whitened draws."""
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
    """Computes the errors of each replicate's estimates from its draws begin .. end, and returns their
    root mean squares over replicates."""
    return root_mean_square([errors(reference, x[begin:end], weights[begin:end])
                             for x, weights in zip(*replicates)])


def moments_of(z, weights, power):
    """Returns E z^power of each replicate, with shape (replicates, d)."""
    return numpy.array([numpy.average(one**power, axis=0, weights=w)
                        for one, w in zip(z, weights)])


def bias(reference, replicates, begin):
    """Returns the bias of the draws from `begin` on, with standard errors over replicates. More draws would not reduce
    this bias. "largest mean" is the error of the mean in the worst direction, in posterior standard deviations.
    "variance", "widest" and "narrowest" are variance / posterior variance - 1: the average over all directions, and
    the values in the widest and in the narrowest direction."""
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
    """Returns whether the exact U of a draw is evaluated only to be recorded. This holds if the oracle
    is not exact, and no other slot's preconditioner is fitted to exact gradients."""
    kernel = next(iter(manifest["kernel"].values()))
    oracle = manifest.get("oracle", {}).get(kernel["oracle"], {"use": "exact"})
    compositor = next(iter(manifest["compositor"].values()))
    return oracle["use"] != "exact" and compositor["use"] != "ensemble-chain"


def work(out, model):
    """Returns how many seconds and how many passes over the data the sampling of one replicate takes. Evaluations of
    the exact U that are only recorded do not count."""
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
    """Returns the step of `theta` in units of 2 / lambda_max. The step is eps for kernel `langevin`,
    and eps^2 for kernels with a momentum. Returns NaN if there is a preconditioner, because the step
    then has other units."""
    manifest = moments.effective(out)
    kernel = next(iter(manifest["kernel"].values()))
    estimator = manifest["estimator"][kernel["estimator"]]["use"]
    eps = runs.what_happened(out)["eps"]
    if estimator != "identity":
        return math.nan
    eta = eps if kernel["use"] == "langevin" else eps**2
    return eta * reference.largest_curvature / 2


def burn_in(n, experiment):
    """Returns how many of n draws the estimates leave out: the fraction `burn` of n."""
    return int(n * experiment.get("burn", 0.0))


def measure(out, reference, experiment):
    replicates = of_replicates(out)
    n = replicates[0].shape[1]
    model = next(iter(moments.effective(out)["model"]))
    begin = burn_in(n, experiment)
    return (of_runs(reference, replicates, begin, n) | bias(reference, replicates, begin)
            | work(out, model) | {"a": moments.step_size(out), "fraction": fraction(out, reference)})


def curve(out, reference, experiment, key, points=12):
    """Returns the errors of estimates from the first m draws, for several m from 10 to the number of draws. Each error
    comes with the iterations, passes and seconds of these m draws."""
    replicates = of_replicates(out)
    n = replicates[0].shape[1]
    done = work(out, next(iter(moments.effective(out)["model"])))
    thin = moments.effective(out)["run"]["thin"]
    lengths = numpy.unique(numpy.geomspace(min(n, 10), n, points).astype(int))
    return [{"iterations": int(m) * thin, "passes": done["passes"] * m / n,
             "seconds": done["seconds each"] * m / n,
             "error": of_runs(reference, replicates, burn_in(m, experiment), m)[key]}
            for m in lengths]
