# Pictures of samplers on surrogates: errors after equal work, and densities.
# SPDX-License-Identifier: Apache-2.0
#
# figures_surrogate.py GRID.csv OUT.png draws what surrogate-density wrote.
import csv
import itertools
import sys

import numpy

import amari
import moments
import relative
from canvas import finish, finish_panels, pyplot

MARKERS = "os^v<>DPX*d"


def read_rows(path):
    """Returns a dictionary from each method to its results for the first seed."""
    with open(path, newline="", encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    return {row["method"]: row for row in rows if row["seed"] == "1"}


def draw_relative_errors(outs, experiment, references, spec, path):
    """Plots REM and REC against mean ESS per second, with a row of panels for each budget. Lines join a
    method's runs."""
    rows = read_rows(path.parent / "rows.csv")
    budgets = experiment["relative"]["budget"]
    figure, panels = pyplot.subplots(len(budgets), 2, figsize=(12, 4.5 * len(budgets)), sharex=True,
                                     sharey="col", squeeze=False)
    for axes, (budget, key) in zip(panels.flat, itertools.product(budgets, ("REM", "REC"))):
        methods = dict.fromkeys(name.split(" ")[0] for name in outs)
        for k, (method, marker) in enumerate(zip(methods, itertools.cycle(MARKERS))):
            points = [(float(row["mean ESS/s"]), float(row[f"{key} {budget}"]))
                      for name, row in rows.items()
                      if name.split(" ")[0] == method and row.get(f"{key} {budget}")]
            if points:
                axes.loglog(*zip(*points), marker + "-", color=f"C{k}", linewidth=0.7,
                            label=method.split("/", 1)[-1])
        axes.set(ylabel=f"{key} after {budget} s")
    for axes in panels[-1]:
        axes.set(xlabel="mean bulk ESS per second of sampling")
    panels[0][0].legend(fontsize="x-small")
    finish_panels(figure, spec, path)


def draw_relative_curves(outs, experiment, references, spec, path):
    """Plots REM and REC for growing numbers of draws against seconds and passes. Both costs include training."""
    works = ("processor seconds", "passes over the data")
    figure, panels = pyplot.subplots(2, 2, figsize=(12, 9), sharex="col", sharey="row")
    styles = itertools.cycle(["o-", "s--", "^-.", "v:"])
    for k, ((name, out), style) in enumerate(zip(outs.items(), styles)):
        points = relative.curve(out, references[name])
        for row, key in zip(panels, ("REM", "REC")):
            for axes, work in zip(row, works):
                seen = [(point[work], point[key]) for point in points if point[work] > 0]
                if seen:
                    axes.loglog(*zip(*seen), style, color=f"C{k}", markersize=3, linewidth=1,
                                label=name.split("/", 1)[-1])
                axes.set(xlabel=work, ylabel=key)
    panels[0][0].legend(fontsize="x-small")
    finish_panels(figure, spec, path)


def draw_amari_curves(outs, experiment, references, spec, path):
    """Plots the distance of the draws' mean from the reference's mean against seconds and passes.
    Both costs are counted from the start of the run, and include the search for a mode."""
    figure, panels = pyplot.subplots(1, 2, figsize=(12, 5), sharey=True)
    for (name, out), style in zip(outs.items(), itertools.cycle(["o-", "s--", "^-.", "v:"])):
        seconds, passes, distances = zip(*amari.curve(out, references[name]))
        for axes, spent in zip(panels, (seconds, passes)):
            axes.loglog(spent, distances, style, markersize=3, linewidth=1, label=name)
    panels[0].set(xlabel="processor seconds", ylabel="Amari distance")
    panels[1].set(xlabel="passes over the data")
    panels[0].legend(fontsize="x-small")
    finish_panels(figure, spec, path)


def draw_errors_of_estimates(outs, experiment, references, spec, path):
    """Plots the root mean square error against evaluations. Each point is a mean over data sets, with
    its standard error. Lines join the runs of a method."""
    with open(path.parent / "rows.csv", newline="", encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    figure, axes = pyplot.subplots(figsize=(7, 4.5))
    methods = dict.fromkeys(name.split(" ")[0] for name in outs)
    for method, marker in zip(methods, MARKERS):
        points = [of_data_sets([row for row in rows if row["method"] == name])
                  for name in outs if name.split(" ")[0] == method]
        x, y, error = zip(*sorted(points))
        axes.errorbar(x, y, numpy.nan_to_num(error), fmt=marker + "-", markersize=4, linewidth=1, capsize=2, label=method)
    axes.set_xscale("log")
    finish(figure, axes, spec, path, "evaluations of the whole likelihood",
           "root mean square error")


def of_data_sets(rows):
    """Returns the mean number of evaluations, and the mean error with its standard error."""
    errors = numpy.array([float(row["RMSE"]) for row in rows])
    evaluations = numpy.mean([float(row["evaluations"]) for row in rows])
    return float(evaluations), *moments.mean_and_error(errors)


KINDS = {"relative-errors": draw_relative_errors, "relative-curves": draw_relative_curves,
         "amari-curves": draw_amari_curves, "errors-of-estimates": draw_errors_of_estimates}


def read_grid(path):
    """Returns a dictionary from number of nodes to x, y and density on the grid. The posterior has the key 0."""
    found = {}
    for nodes, *rest in numpy.loadtxt(path, delimiter=",", skiprows=1):
        found.setdefault(int(nodes), []).append(rest)
    return {nodes: numpy.array(rows).T for nodes, rows in found.items()}


def draw_densities(grids, path):
    """Draws contours at the same fractions of each density's maximum. The posterior comes last."""
    names = [nodes for nodes in grids if nodes] + [0]
    columns = -(-len(names) // 2)
    figure, panels = pyplot.subplots(2, columns, figsize=(4 * columns, 8), sharex=True, sharey=True)
    for axes in panels.flat[len(names):]:
        axes.set_visible(False)
    shares = [0.01, 0.05, 0.1, 0.25, 0.5, 0.75, 0.9, 1]
    for axes, nodes in zip(panels.flat, names):
        axes.contourf(*on_sides(grids[nodes]), shares)
        axes.contour(*on_sides(grids[0]), [shares[0], shares[4]], colors="black", linestyles="dashed", linewidths=0.8)
        axes.set(title=f"s = {nodes}" if nodes else "exact", xlabel="logit m", ylabel="log K")
    finish_panels(figure, {"title": "exp(-V) for growing numbers of nodes (the seed with the median KL of five). "
                                    "Dashed lines: the posterior at 0.01 and 0.5 of its maximum"}, path)


def on_sides(grid):
    """Returns x, y and the density divided by its maximum, each with the shape of the grid."""
    x, y, p = grid
    side = round(len(p) ** 0.5)
    return x.reshape(side, side), y.reshape(side, side), p.reshape(side, side) / p.max()


if __name__ == "__main__":
    draw_densities(read_grid(sys.argv[1]), sys.argv[2])
