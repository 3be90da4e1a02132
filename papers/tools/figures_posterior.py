# Pictures of estimation errors against work and time, and pictures of draws.
# SPDX-License-Identifier: Apache-2.0
import itertools

import numpy

import posterior
from canvas import finish_panels, legend_beside, pyplot


def best_of_each(outs, experiment, references, key):
    """Returns, for each method, the name and curve of the run with the smallest final error."""
    best = {}
    for name, out in outs.items():
        points = posterior.curve(out, references[name], experiment, key)
        method = name.split(" ")[0]
        if method not in best or points[-1]["error"] < best[method][1][-1]["error"]:
            best[method] = (name, points)
    return best.values()


def draw_curves(outs, experiment, references, spec, path):
    """Plots the error `key` of one replicate's estimates for the best run of each method. Each set
    has a row of panels, and each kind of work in `against` has a column."""
    sets, against = experiment["sets"], spec["against"]
    figure, panels = pyplot.subplots(len(sets), len(against), sharey="row", squeeze=False,
                                     figsize=(5.5 * len(against), 4.4 * len(sets)))
    for row, group in zip(panels, sets):
        of_set = {name: out for name, out in outs.items() if name.startswith(f"{group}/")}
        styles = itertools.cycle(["o-", "s--", "^-.", "v:"])
        best = best_of_each(of_set, experiment, references, spec["key"])
        for (name, points), style in zip(best, styles):
            for axes, work in zip(row, against):
                axes.loglog([point[work] for point in points],
                            [point["error"] for point in points], style, markersize=3,
                            label=name.split("/", 1)[1])
        for axes, work in zip(row, against):
            axes.set(title=group, xlabel=work, ylabel=spec["axis"])
        legend_beside(row[-1], "x-small")
    finish_panels(figure, spec, path)


def draw_scatters(outs, experiment, references, spec, path):
    """Plots the draws of one replicate in two dimensions, and two contours of the posterior."""
    columns = spec.get("columns", 3)
    rows = -(-len(outs) // columns)
    figure, panels = pyplot.subplots(rows, columns, sharex=True, sharey=True, squeeze=False,
                                     figsize=(3.6 * columns, 3.6 * rows))
    angle = numpy.linspace(0, 2 * numpy.pi, 200)
    for axes in panels.flat[len(outs):]:
        axes.set_visible(False)
    for axes, (name, out) in zip(panels.flat, outs.items()):
        reference = references[name]
        circle = numpy.linalg.cholesky(reference.covariance) @ [numpy.cos(angle), numpy.sin(angle)]
        x = posterior.of_replicates(out)[0][spec["replicate"]]
        axes.plot(x[:, 0], x[:, 1], ".", markersize=1, alpha=0.4)
        for radius in (1, 2):
            axes.plot(*(reference.mean[:, None] + radius * circle), "k--", linewidth=0.8)
        reach = 4 * numpy.sqrt(numpy.diag(reference.covariance))
        axes.set(title=name, xlim=(reference.mean[0] - reach[0], reference.mean[0] + reach[0]),
                 ylim=(reference.mean[1] - reach[1], reference.mean[1] + reach[1]),
                 xlabel="theta_0", ylabel="theta_1")
        axes.label_outer()
    finish_panels(figure, spec, path)


KINDS = {"curves": draw_curves, "scatters": draw_scatters}
