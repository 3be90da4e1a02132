# Pictures of errors on real posteriors, against passes over the data and against seconds.
# SPDX-License-Identifier: Apache-2.0
import itertools

import posterior
from canvas import finish_panels, pyplot


def best_of_each(outs, references, key):
    """Of every method the run with the smallest error at its end."""
    best = {}
    for name, out in outs.items():
        points = posterior.curve(out, references[name], key)
        method = name.split(" ")[0]
        if method not in best or points[-1][2] < best[method][1][-1][2]:
            best[method] = (name, points)
    return best.values()


def draw_curves(outs, references, spec, path):
    """The error `key` of one replicate's estimates: on the left against passes over the data, on
    the right against seconds. A row for each of `sets`; of each method the best run."""
    figure, rows = pyplot.subplots(len(spec["sets"]), 2, sharey="row", squeeze=False,
                                   figsize=(11, 4.2 * len(spec["sets"])))
    for (left, right), group in zip(rows, spec["sets"]):
        of_set = {name: out for name, out in outs.items() if name.startswith(f"{group}/")}
        styles = itertools.cycle(["o-", "s--", "^-.", "v:"])
        for (name, points), style in zip(best_of_each(of_set, references, spec["key"]), styles):
            passes, seconds, error = zip(*points)
            left.loglog(passes, error, style, markersize=3, label=name.split("/", 1)[1])
            right.loglog(seconds, error, style, markersize=3)
        left.set(title=group, xlabel="passes over the data", ylabel=spec["axis"])
        right.set(title=group, xlabel="seconds of one core")
        left.legend(fontsize="x-small")
    finish_panels(figure, spec, path)
