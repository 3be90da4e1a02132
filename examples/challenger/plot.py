#!/usr/bin/python3
# Draws P(distress | temperature) with its 90 % band from the draws of challenger.toml.
# SPDX-License-Identifier: Apache-2.0
"""usage: plot.py RESULTS    writes RESULTS/curve.png and RESULTS/curve.svg"""

import csv
import pathlib
import statistics
import sys

import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt
import numpy as np
import xarray as xr

INK = "#1f2933"
BLUE = "#1f5fa8"
RED = "#c0392b"
COLD = 31  # forecast for the joints on the morning of 28 January 1986, in degrees Fahrenheit


def launches():
    path = pathlib.Path(__file__).with_name("challenger.csv")
    with path.open(newline="") as file:
        rows = list(csv.DictReader(file))
    temperature = np.array([float(row["temperature"]) for row in rows])
    return temperature, np.array([int(row["distress"]) for row in rows])


def coefficients(results):
    path = pathlib.Path(results) / "draws.nc"
    if not path.is_file():
        sys.exit(f"plot.py: no {path}; run: mixwell run challenger.toml --out {results}")
    with xr.open_dataset(path, group="posterior", engine="netcdf4") as posterior:
        return posterior["intercept"].values.ravel(), posterior["temperature"].values.ravel()


def probabilities(at, temperature, draws):
    """One row per draw, one column per element of `at`."""
    intercept, slope = draws
    scaled = (at - temperature.mean()) / statistics.stdev(temperature)
    return 1 / (1 + np.exp(-(intercept[:, None] + slope[:, None] * scaled)))


def spread(temperature, step):
    """Vertical offsets 0, 1, 2, ... steps for launches at the same temperature."""
    seen = {}
    offsets = []
    for t in temperature:
        offsets.append(step * seen.get(t, 0))
        seen[t] = seen.get(t, 0) + 1
    return np.array(offsets)


def draw_curve(axes, temperature, draws):
    grid = np.linspace(30, 85, 221)
    p = probabilities(grid, temperature, draws)
    low, high = np.quantile(p, [0.05, 0.95], axis=0)
    axes.fill_between(grid, low, high, color=BLUE, alpha=0.18, linewidth=0, label="90 % interval")
    axes.plot(grid, p.mean(axis=0), color=BLUE, linewidth=2.2, label="posterior mean")


def draw_launches(axes, temperature, distress):
    for label, value, inward in (("distress", 1, -0.028), ("no distress", 0, 0.028)):
        t = temperature[distress == value]
        axes.plot(t, value + spread(t, inward), "o", markersize=6.5, markeredgecolor=INK,
                  markeredgewidth=1, markerfacecolor=INK if value else "white",
                  label=f"launch, {label} ({len(t)})", linestyle="none")


def draw_cold_launch(axes, temperature, draws):
    p = probabilities(np.array([float(COLD)]), temperature, draws)[:, 0]
    low, high = np.quantile(p, [0.05, 0.95])
    axes.axvline(COLD, color=RED, linewidth=1.2, linestyle=(0, (4, 3)))
    axes.vlines(COLD, low, high, color=RED, linewidth=4)
    axes.plot(COLD, p.mean(), "D", color=RED, markersize=8, markeredgecolor="white", clip_on=False)
    axes.annotate(f"28 January 1986: {COLD} °F\nP(distress) = {p.mean():.2f}\n"
                  f"90 % interval {low:.2f} to {high:.2f}",
                  (COLD, p.mean()), xytext=(COLD + 1.6, 0.5), color=RED, fontsize=11.5,
                  verticalalignment="center", linespacing=1.45)


def finish(axes):
    axes.set_xlim(29.5, 85.5)
    axes.set_ylim(-0.06, 1.06)
    axes.set_xlabel("joint temperature at launch (°F)")
    axes.set_ylabel("probability of O-ring distress")
    axes.set_title("O-ring distress against temperature, 23 launches before Challenger",
                   loc="left", fontsize=14, pad=14)
    axes.grid(axis="y", color="#d9dee4", linewidth=0.8)
    axes.set_axisbelow(True)
    for side in ("top", "right"):
        axes.spines[side].set_visible(False)
    axes.legend(loc="center right", bbox_to_anchor=(1.0, 0.72), frameon=False, fontsize=11)


def main():
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    draws = coefficients(sys.argv[1])
    temperature, distress = launches()
    plt.rcParams.update({"font.size": 12, "axes.edgecolor": INK, "text.color": INK,
                         "axes.labelcolor": INK, "xtick.color": INK, "ytick.color": INK})
    figure, axes = plt.subplots(figsize=(10, 6))
    draw_curve(axes, temperature, draws)
    draw_launches(axes, temperature, distress)
    draw_cold_launch(axes, temperature, draws)
    finish(axes)
    for kind in ("png", "svg"):
        figure.savefig(pathlib.Path(sys.argv[1]) / f"curve.{kind}", dpi=150, bbox_inches="tight",
                       facecolor="white")


if __name__ == "__main__":
    main()
