# Runs the program once, and reads figures from the files that it writes.
# SPDX-License-Identifier: Apache-2.0
import json
import math
import os
import subprocess

import netCDF4
import numpy

import cells


class Program:
    """The mixwell program at `path`, which runs on `threads` threads."""

    def __init__(self, path, threads):
        self.path = path
        self.threads = threads

    def run(self, manifest, out, settings):
        """Runs a manifest with the overrides `settings` (KEY -> VALUE). Results are in the folder `out`."""
        command = ["run", str(manifest), "--out", str(out), "--force", "--quiet"]
        command += ["--threads", str(self.threads)]
        for key, value in settings.items():
            command += ["--set", f"{key}={toml(value)}"]
        self._call(command)

    def summary(self, out, options):
        return json.loads(self._call(["summary", str(out), "--json", *options]))

    def _call(self, arguments):
        result = subprocess.run([self.path, *arguments], capture_output=True, text=True)
        if result.returncode != 0:
            raise RuntimeError(f"mixwell {' '.join(arguments)}\n{result.stderr.strip()}")
        return result.stdout


def toml(value):
    return str(value).lower() if isinstance(value, bool) else str(value)


def read_json(path):
    with open(path, encoding="utf-8") as file:
        return json.load(file)


def smallest(rows, key):
    """Returns the smallest value of a figure over rows that have it, or NaN if no row has it."""
    values = [float(row[key]) for row in rows if row.get(key) is not None]  # "inf" is a text
    return min(values) if values else math.nan


def largest(rows, key):
    values = [float(row[key]) for row in rows if row.get(key) is not None]  # "inf" is a text
    return max(values) if values else math.nan


def mean(rows, key):
    values = [float(row[key]) for row in rows if row.get(key) is not None]  # "inf" is a text
    return sum(values) / len(values) if values else math.nan


def what_happened(out):
    """Returns the settings and the costs of a run, each as a single number."""
    run = read_json(os.path.join(out, "run.json"))
    figures = {
        "replicates": run["replicates"],
        "draws": run["draws"],
        "gradients": run["gradients"]["sampling"],
        "warmup gradients": run["gradients"]["warmup"],
        "seconds": run["seconds"]["sampling"],
    }
    with netCDF4.Dataset(os.path.join(out, "draws.nc")) as file:
        statistics = file["sample_stats"].variables
        figures["slots"] = int(file["posterior"]["slot"][:].max()) + 1
        for name, key in (("step_size", "eps"), ("n_steps", "L"), ("acceptance_rate", "acceptance")):
            if name in statistics:
                figures[key] = float(numpy.mean(statistics[name][:]))
    return figures


def of_variables(rows, figures):
    """Returns effective sample sizes per replicate, and also per 1000 gradients and per second.
    (The papers' runs have one replicate.)"""
    one = 1 / figures["replicates"]
    result = {"rhat": largest(rows, "rhat")}
    for key in ("ess_bulk", "ess_tail", "ess_qnhmc", "ess_girolami_calderhead"):
        result[f"min {key}"] = one * smallest(rows, key)
        result[f"mean {key}"] = one * mean(rows, key)
    for key in ("ess_bulk", "ess_tail"):
        result[f"{key}/1000"] = 1000 * smallest(rows, key) / figures["gradients"]
        result[f"mean {key}/1000"] = 1000 * mean(rows, key) / figures["gradients"]
    result["autocorrelation time"] = largest(rows, "autocorrelation_time_sghmc")
    result["ess_bulk/s"] = smallest(rows, "ess_bulk") / figures["seconds"]
    result["mean ess_girolami_calderhead/s"] = (
        mean(rows, "ess_girolami_calderhead") / figures["seconds"])
    return result


def of_directions(along, figures):
    result = {}
    for name, row in along.items():
        for key in ("ess_bulk", "ess_tail", "ess_qnhmc"):
            if row.get(key) is not None:
                result[f"{name}: {key}"] = row[key] / figures["replicates"]
                result[f"{name}: {key}/1000"] = 1000 * row[key] / figures["gradients"]
    return result


def exact_sizes(deviations, figures):
    """Returns the ESS of HMC with exact trajectories and without a preconditioner, on a Gaussian. Draws
    along a direction with standard deviation sigma are then AR(1) with rho = cos(eps L / sigma)."""
    chain = figures["draws"] * figures["slots"]
    result = {}
    for name, sigma in deviations.items():
        rho = math.cos(figures["eps"] * figures["L"] / sigma)
        result[f"{name}: exact ESS"] = chain * (1 - rho) / (1 + rho)
    return result


def is_plain(manifest):
    """Returns whether theory gives the autocorrelations. This requires HMC with a fixed number of steps, a fixed step
    size and no preconditioner."""
    parts = cells.read(manifest)
    kernel = next(iter(parts["kernel"].values()))
    return (all(estimator["use"] == "identity" for estimator in parts.get("estimator", {}).values())
            and kernel["use"] == "hamiltonian"
            and not {"step_size_jitter", "steps_jitter", "target_acceptance"} & kernel.keys())


def potentials(out):
    """Returns U of warmup and draws, with shape (chains, sweeps)."""
    with netCDF4.Dataset(os.path.join(out, "draws.nc")) as file:
        groups = [name for name in ("warmup_sample_stats", "sample_stats") if name in file.groups]
        return -numpy.concatenate([file[group]["lp"][:].data for group in groups], axis=1)


def burn_in(out, limit, figures):
    """Returns how many sweeps and gradients a replicate uses until all its slots have reached U <= limit."""
    below = potentials(out) <= limit
    slots = figures["slots"]
    arrivals = numpy.where(below.any(axis=1), below.argmax(axis=1), math.inf)
    sweeps = arrivals.reshape(-1, slots).max(axis=1)
    return {"burn-in sweeps": float(sweeps.mean()),
            "burn-in gradients": float(sweeps.mean() * slots * figures["L"])}


def measure(program, manifest, experiment, out):
    """Returns the results that the experiment needs from its run in `out`."""
    figures = what_happened(out)
    options = ["--ess", ",".join(experiment["ess"])] if "ess" in experiment else []
    of = ["--of", experiment["of"]] if "of" in experiment else []
    given = []
    if "directions" in experiment:
        given = ["--directions", str(experiment["folder"] / experiment["directions"]), *of]
    summary = program.summary(out, [*options, *given])
    if "eps" in figures:  # else an optimiser, whose draws have no effective size
        figures |= of_variables(list(summary["variables"].values()), figures)
    if given:
        figures |= of_directions(summary["directions"]["along"], figures)
    if experiment.get("principal"):
        along = program.summary(out, ["--directions", "principal", *of])["directions"]["along"]
        for key in ("ess_bulk", "ess_tail"):
            least = smallest(along.values(), key)
            figures[f"principal: {key}"] = least / figures["replicates"]
            figures[f"principal: {key}/1000"] = 1000 * least / figures["gradients"]
    if "gaussian" in experiment and is_plain(manifest):
        figures |= exact_sizes(experiment["gaussian"], figures)
    if "burn_in" in experiment:
        figures |= burn_in(out, experiment["burn_in"], figures)
    prediction = read_json(os.path.join(out, "summary.json")).get("prediction")
    if prediction:
        figures["error"] = prediction["error"]
    return figures
