# draws.nc of real runs, opened and summarised by ArviZ: the same figures as in summary.json.
# SPDX-License-Identifier: Apache-2.0
"""In the environment of support/environment.py. Exit code 77 (skipped) where that or the program is
out of reach.

All figures have one definition in ArviZ and in R's package posterior, which Mixwell follows, but
for two points about ess_tail.
1. Since version 1 ArviZ takes the tails of its credible intervals, 5.5 % and 94.5 %. It is asked for
   5 % and 95 %.
2. Where a quantile falls between two equal draws (repeated after a rejection), ArviZ interpolates
   between them, rounding may end below both, and `draw <= quantile` then loses them. posterior takes
   the draw itself. There ess_tail is not compared; the condition is checked on the draws."""

import json
import math
import os
import subprocess
import sys
import tempfile

from support.environment import environment_python, skip

PROGRAM = os.environ.get("MIXWELL_PROGRAM", "")
SOURCE = os.environ.get("MIXWELL_SOURCE_DIR", "")
BUILD = os.environ.get("MIXWELL_BUILD_DIR", "")
TOLERANCE = 1e-8
# ArviZ's name of each figure.
FIGURES = {"mean": "mean", "sd": "sd", "mcse_mean": "mcse_mean", "mcse_sd": "mcse_sd",
           "ess_bulk": "ess_bulk", "rhat": "r_hat"}
GAUSSIAN = """mixwell = 1
[run]
seed = 5
replicates = 3
warmup = 100
draws = 501
[model.g]
use = "gaussian"
dimension = 30
[estimator.identity]
use = "identity"
[kernel.hmc]
use = "hamiltonian"
step_size = 0.9
steps = 3
"""

# The library by hand that stands for a Stan program.
STAN = """mixwell = 1
[run]
replicates = 2
warmup = 50
draws = 100
[model.s]
use = "stan"
library = "{library}"
data = "s.data.json"
log_likelihood = ["M"]
posterior_predictive = ["y"]
observed_data = ["y"]
[kernel.nuts]
use = "nuts"
step_size = 0.5
"""
# A regression whose predictions are looked at, its prior too.
LINE = """mixwell = 1
[run]
seed = 2
[model.line]
use = "linear-gaussian"
data = "line.csv"
response = "y"
noise_variance = 0.25
prior_variance = 4
"""
STATISTICS = {"lp", "acceptance_rate", "step_size", "tree_depth", "n_steps", "diverging", "energy"}


def run(manifest, folder, *options):
    command = [PROGRAM, "run", manifest, "--out", folder, "--quiet", *options]
    done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode != 0:
        sys.exit(f"{' '.join(command)}: exit code {done.returncode}\n{done.stderr}")


def between_ties(draws, probability):
    """Whether the quantile interpolates between equal draws."""
    ordered = sorted(draws)
    rank = (len(ordered) - 1) * probability
    below = int(rank)
    return rank != below and ordered[below] == ordered[below + 1]


def element(dataset, row, before):
    """What `dataset` has of the element that `row` names (beta[3]), after `before` dimensions."""
    name, _, index = row.rstrip("]").partition("[")
    place = tuple(int(i) for i in index.split(",")) if index else ()
    return dataset[name].values[(slice(None),) * before + place]


class Comparison:
    def __init__(self):
        self.compared = self.left_out = self.wrong = 0

    def add(self, name, figure, theirs, row):
        # The scale of a mean is that of the draws: it may be 0.
        scale = max(abs(theirs), row["sd"]) if figure == "mean" else abs(theirs)
        self.compared += 1
        if not abs(theirs - row[figure]) <= TOLERANCE * scale:
            self.wrong += 1
            print(f"DIFFERS: {name}, {figure}: ArviZ {theirs!r}, Mixwell {row[figure]!r}")


def compare(folder, result):
    """Runs in the environment."""
    import arviz

    data = arviz.from_netcdf(os.path.join(folder, "draws.nc"))
    posterior = data["posterior"]
    if hasattr(posterior, "to_dataset"):  # a node of a tree since version 1
        posterior = posterior.to_dataset()
    table = arviz.summary(data, round_to="none")
    tails = arviz.ess(posterior, method="tail", prob=(0.05, 0.95))
    with open(os.path.join(folder, "summary.json"), encoding="utf-8") as file:
        ours = json.load(file)["variables"]
    assert len(table) == len(ours), f"ArviZ has {len(table)} rows, summary.json {len(ours)}"
    for label, theirs in table.iterrows():
        name = label.replace(", ", ",")
        for figure, arviz_name in FIGURES.items():
            result.add(name, figure, float(theirs[arviz_name]), ours[name])
        draws = element(posterior, name, 2).ravel()
        if between_ties(draws, 0.05) or between_ties(draws, 0.95):
            result.left_out += 1
        else:
            result.add(name, "ess_tail", float(element(tails, name, 0)), ours[name])
    return arviz.__version__


def check_groups(folder):
    """Runs in the environment: what ArviZ looks for in other groups than the posterior."""
    import arviz

    data = arviz.from_netcdf(os.path.join(folder, "draws.nc"))
    loo = arviz.loo(data, var_name="M")
    assert math.isfinite(getattr(loo, "elpd", None) or loo.elpd_loo), loo
    assert set(data["posterior_predictive"].data_vars) == {"y"}
    assert data["posterior_predictive"]["y"].dims == ("chain", "draw")
    assert float(data["observed_data"]["y"]) == 0.25
    assert not {"M", "y"} & set(data["posterior"].data_vars)
    missing = STATISTICS - set(data["sample_stats"].data_vars)
    assert not missing, missing


def check_predictions(folder, prior_folder):
    """Runs in the environment: leave-one-out, predictions and PIT of a line, all calls as they are."""
    import arviz
    import matplotlib

    matplotlib.use("Agg")
    data = arviz.from_netcdf(os.path.join(folder, "draws.nc"))
    prior = arviz.from_netcdf(os.path.join(prior_folder, "draws.nc"))
    loo = arviz.loo(data)
    value = getattr(loo, "elpd", None) or loo.elpd_loo
    # By hand: of N(x theta, 0.25) with its two coefficients known to a few hundredths.
    residuals = data["observed_data"]["y"] - data["posterior_predictive"]["y"].mean(("chain", "draw"))
    rough = float((-0.5 * residuals ** 2 / 0.25 - 0.5 * math.log(2 * math.pi * 0.25)).sum())
    assert rough - 8 < value < rough, (value, rough)
    assert float(loo.p_loo if hasattr(loo, "p_loo") else loo.p) < 4, loo
    pit = arviz.loo_pit(data, y="y")
    assert abs(float(pit.mean()) - 0.5) < 5 * math.sqrt(1 / 12 / pit.size), pit.mean()
    assert set(prior.groups()) == {"prior", "prior_predictive", "observed_data"}, prior.groups()
    spread = {name: float(prior["prior"][name].std()) for name in ("a", "b")}
    assert all(abs(sd - 2) < 0.12 for sd in spread.values()), spread
    data.extend(prior)
    for draw in (lambda: arviz.plot_ppc(data), lambda: arviz.plot_ppc(data, group="prior"),
                 lambda: arviz.plot_loo_pit(data, y="y"),
                 lambda: arviz.plot_dist_comparison(data)):
        draw()
        matplotlib.pyplot.close("all")


def compare_all(folders):
    result = Comparison()
    check_predictions(folders.pop(-2), folders.pop())
    check_groups(folders.pop())
    for folder in folders:
        version = compare(folder, result)
    print(f"ArviZ {version}: {result.compared} figures compared, {result.left_out} left out, "
          f"{result.wrong} differ")
    if result.compared < 200 or result.left_out > result.compared / 20:
        print("FAILED: too few figures were compared")
        return 1
    return 1 if result.wrong else 0


def main():
    challenger = os.path.join(SOURCE, "examples", "challenger", "challenger.toml")
    if not os.access(PROGRAM, os.X_OK) or not os.path.isfile(challenger):
        skip(f"needs the program ({PROGRAM}) and {challenger}")
    python = environment_python(BUILD)
    with tempfile.TemporaryDirectory() as place:
        gaussian = os.path.join(place, "gaussian.toml")
        with open(gaussian, "w", encoding="utf-8") as file:
            file.write(GAUSSIAN)
        folders = [os.path.join(place, "challenger"), os.path.join(place, "gaussian")]
        stan = os.path.join(place, "stan.toml")
        with open(stan, "w", encoding="utf-8") as file:
            file.write(STAN.format(library=os.path.join(BUILD, "tests", "stan", "right.so")))
        with open(os.path.join(place, "s.data.json"), "w", encoding="utf-8") as file:
            file.write('{"m": 2, "y": 0.25}')
        folders.append(os.path.join(place, "stan"))
        run(challenger, folders[0])
        run(gaussian, folders[1])
        run(stan, folders[2])
        line = os.path.join(place, "line.toml")
        with open(line, "w", encoding="utf-8") as file:
            file.write(LINE)
        with open(os.path.join(place, "line.csv"), "w", encoding="utf-8") as file:
            file.write("a,b,y\n" + "".join(
                f"1,{n / 10},{1.3 - 0.8 * n / 10 + 0.5 * math.sin(1.7 * n * n)}\n" for n in range(40)))
        folders += [os.path.join(place, "line"), os.path.join(place, "line-prior")]
        run(line, folders[-2])
        run(line, folders[-1], "--prior")
        return subprocess.run([python, __file__, "compare"] + folders).returncode


if __name__ == "__main__":
    sys.exit(compare_all(sys.argv[2:]) if sys.argv[1:2] == ["compare"] else main())
