# Pictures of samplers on surrogates: errors after equal work, and densities.
# SPDX-License-Identifier: Apache-2.0
#
# figures_surrogate.py GRID.csv OUT.png draws what surrogate-density wrote.
import csv
import itertools
import sys

import numpy

import amari
import relative
from canvas import finish, finish_panels, pyplot

MARKERS = "os^v<>DPX*d"


def read_rows(path):
    """Method -> its figures, of the first seed."""
    with open(path, newline="", encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    return {row["method"]: row for row in rows if row["seed"] == "1"}


def draw_relative_errors(outs, experiment, references, spec, path):
    """REM and REC at the budget against mean ESS a second; a mark for each run, joined by method."""
    rows = read_rows(path.parent / "rows.csv")
    figure, panels = pyplot.subplots(1, 2, figsize=(12, 5.5))
    for axes, key in zip(panels, ("REM", "REC")):
        methods = dict.fromkeys(name.split(" ")[0] for name in outs)
        for method, marker in zip(methods, itertools.cycle(MARKERS)):
            points = [(float(row["mean ESS/s"]), float(row[key])) for name, row in rows.items()
                      if name.split(" ")[0] == method and row.get(key)]
            if points:
                axes.loglog(*zip(*points), marker + "-", linewidth=0.7,
                            label=method.split("/", 1)[-1])
        axes.set(xlabel="mean bulk ESS per second", ylabel=key)
    panels[0].legend(fontsize="x-small")
    finish_panels(figure, spec, path)


def draw_relative_curves(outs, experiment, references, spec, path):
    """REM and REC of growing numbers of draws, against seconds and passes, training included."""
    works = ("processor seconds", "passes over the data")
    figure, panels = pyplot.subplots(2, 2, figsize=(12, 9), sharex="col", sharey="row")
    for (name, out), style in zip(outs.items(), itertools.cycle(["o-", "s--", "^-.", "v:"])):
        points = relative.curve(out, references[name])
        for row, key in zip(panels, ("REM", "REC")):
            for axes, work in zip(row, works):
                seen = [(point[work], point[key]) for point in points if point[work] > 0]
                if seen:
                    axes.loglog(*zip(*seen), style, markersize=3, linewidth=1,
                                label=name.split("/", 1)[-1])
                axes.set(xlabel=work, ylabel=key)
    panels[0][0].legend(fontsize="x-small")
    finish_panels(figure, spec, path)


def draw_amari_curves(outs, experiment, references, spec, path):
    """Distance of the mean from the reference's against seconds, from the start of the run on."""
    figure, axes = pyplot.subplots(figsize=(7, 4.5))
    for (name, out), style in zip(outs.items(), itertools.cycle(["o-", "s--", "^-.", "v:"])):
        axes.loglog(*zip(*amari.curve(out, references[name])), style, markersize=3, label=name)
    finish(figure, axes, spec, path, "processor seconds", "Amari distance")


KINDS = {"relative-errors": draw_relative_errors, "relative-curves": draw_relative_curves,
         "amari-curves": draw_amari_curves}


def read_grid(path):
    """Number of nodes (0: the posterior) -> x, y and density on the grid."""
    found = {}
    for nodes, *rest in numpy.loadtxt(path, delimiter=",", skiprows=1):
        found.setdefault(int(nodes), []).append(rest)
    return {nodes: numpy.array(rows).T for nodes, rows in found.items()}


def draw_densities(grids, path):
    """Contours at the same shares of each density's maximum; the posterior last."""
    names = [nodes for nodes in grids if nodes] + [0]
    columns = -(-len(names) // 2)
    figure, panels = pyplot.subplots(2, columns, figsize=(4 * columns, 8), sharex=True, sharey=True)
    for axes in panels.flat[len(names):]:
        axes.set_visible(False)
    for axes, nodes in zip(panels.flat, names):
        x, y, p = grids[nodes]
        side = round(len(p) ** 0.5)
        shape = (side, side)
        axes.contourf(x.reshape(shape), y.reshape(shape), p.reshape(shape) / p.max(),
                      [0.01, 0.05, 0.1, 0.25, 0.5, 0.75, 0.9, 1])
        axes.set(title=f"s = {nodes}" if nodes else "exact", xlabel="logit m", ylabel="log K")
    finish_panels(figure, {"title": "exp(-V) for growing numbers of nodes, and the posterior"}, path)


if __name__ == "__main__":
    draw_densities(read_grid(sys.argv[1]), sys.argv[2])
