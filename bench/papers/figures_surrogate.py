# Pictures of samplers on surrogates: errors after equal work, and densities.
# SPDX-License-Identifier: Apache-2.0
import csv
import itertools

import relative
from canvas import finish_panels, pyplot

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
                axes.loglog([point[work] for point in points], [point[key] for point in points],
                            style, markersize=3, linewidth=1, label=name.split("/", 1)[-1])
                axes.set(xlabel=work, ylabel=key)
    panels[0][0].legend(fontsize="x-small")
    finish_panels(figure, spec, path)


KINDS = {"relative-errors": draw_relative_errors, "relative-curves": draw_relative_curves}
