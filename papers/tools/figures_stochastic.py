# Pictures of samplers without a Metropolis decision: densities, errors and trajectories.
# SPDX-License-Identifier: Apache-2.0
import itertools

import numpy
from matplotlib import ticker

import linear
import moments
from canvas import finish, finish_panels, pyplot


def draw_densities(outs, spec, path):
    """Plots the density of the draws, and the true density, which is proportional to
    exp(-(a x^2 + b x^4))."""
    figure, axes = pyplot.subplots(figsize=(7, 4))
    a, b = spec["double_well"]
    edges = numpy.linspace(-2.2, 2.2, 111)
    middles = 0.5 * (edges[1:] + edges[:-1])
    truth = numpy.exp(-(a * middles**2 + b * middles**4))
    axes.fill_between(middles, truth / (truth.sum() * (edges[1] - edges[0])), color="0.85",
                      label="truth")
    for (method, out), style in zip(outs.items(), itertools.cycle(["-", "--", "-.", ":"])):
        heights, _ = numpy.histogram(moments.positions(out), edges, density=True)
        axes.plot(middles, heights, style, label=method)
    finish(figure, axes, spec, path, "theta", "density")


def by_method(outs):
    """Returns a dictionary from each method to its runs, in the order of `outs`."""
    groups = {}
    for name, out in outs.items():
        groups.setdefault(name.split(" ")[0], []).append(out)
    return groups


def draw_errors(outs, spec, path):
    """Plots the error of E x^2 against eps, with error bars of two standard errors. With `langevin`,
    a run takes single leapfrog steps, which are Langevin steps with eps = step_size^2 / 2."""
    figure, axes = pyplot.subplots(figsize=(7, spec.get("height", 4)))
    styles = itertools.cycle(spec.get("styles", ["o-"]))
    for (method, folders), style in zip(by_method(outs).items(), styles):
        points = [(moments.step_size(out), *moments.second_moment(moments.positions(out)))
                  for out in folders]
        eps, centres, errors = numpy.array(points).T
        eps = eps**2 / 2 if spec.get("langevin") else eps
        axes.errorbar(eps, centres - spec["truth"], 2 * errors, fmt=style, label=method)
    axes.axhline(0, color="grey", linewidth=0.5)
    axes.set_xscale("log")
    finish(figure, axes, spec, path, "eps", "error of E theta^2 (bars: two standard errors)")


def momenta(theta, eps):
    """Computes the momentum p by central differences of theta, for a path with one step between draws."""
    return (theta[2:] - theta[:-2]) / (2 * eps)


def draw_trajectories(outs, spec, path):
    """Plots (theta, p) of paths with one step between draws, and the mean of theta^2 against time."""
    paths = {method: out for method, out in outs.items() if moments.steps(out) == 1}
    figure, panels = pyplot.subplots(1, len(paths) + 1, figsize=(4 * (len(paths) + 1), 4),
                                     squeeze=False)
    all_axes = panels[0]
    for axes, (method, out) in zip(all_axes, paths.items()):
        theta = moments.positions(out)[0, :, 0]
        p = momenta(theta, moments.step_size(out))
        axes.scatter(theta[1:-1], p, s=1, c=numpy.arange(len(p)), cmap="viridis")
        axes.set(xlabel="theta", ylabel="p", title=method, aspect="equal")
        axes.set_xlim(axes.get_ylim())
    for method, out in outs.items():
        square = (moments.positions(out) ** 2).mean(axis=(0, 2))
        t = numpy.arange(1, len(square) + 1) * moments.steps(out)
        keep = numpy.unique(numpy.geomspace(1, len(t), 200).astype(int)) - 1
        all_axes[-1].loglog(t[keep], square[keep], label=method)
    all_axes[-1].axhline(1, color="grey", linewidth=0.5)
    all_axes[-1].set(title="256 paths", xlabel="steps", ylabel="E theta^2")
    all_axes[-1].legend(fontsize="small")
    finish_panels(figure, spec, path)


def draw_covariance_errors(outs, spec, path):
    """Plots the covariance's error against autocorrelation time. Dots show measured
    errors, and lines show exact errors."""
    figure, axes = pyplot.subplots(figsize=(7, 4.5))
    truth = numpy.array(spec["covariance"])
    for method, folders in by_method(outs).items():
        schemes = [linear.scheme(moments.effective(out), numpy.linalg.inv(truth))
                   for out in folders]
        times = [linear.autocorrelation_time(scheme) for scheme in schemes]
        line, = axes.loglog(times, [linear.covariance_error(s, truth) for s in schemes], "-")
        errors = [moments.covariance_error(moments.positions(out), truth) for out in folders]
        axes.loglog(times, errors, "o", color=line.get_color(), label=method)
    axes.xaxis.set_major_locator(ticker.LogLocator(subs=(1, 2, 5)))
    axes.xaxis.set_major_formatter(ticker.ScalarFormatter())
    axes.xaxis.set_minor_formatter(ticker.NullFormatter())
    finish(figure, axes, spec, path, "autocorrelation time (draws)",
           "mean absolute error of the covariance")


def draw_first_draws(outs, spec, path):
    """Plots the first draws of two replicates, joined by lines in their order, and two contours of the Gaussian."""
    figure, panels = pyplot.subplots(1, len(outs), figsize=(4.2 * len(outs), 5), sharey=True,
                                     squeeze=False)
    all_axes = panels[0]
    root = numpy.linalg.cholesky(numpy.array(spec["covariance"]))
    angle = numpy.linspace(0, 2 * numpy.pi, 200)
    circle = root @ numpy.array([numpy.cos(angle), numpy.sin(angle)])
    for axes, (method, out) in zip(all_axes, outs.items()):
        for radius in (1, 2):
            axes.plot(radius * circle[0], radius * circle[1], color="0.6", linewidth=0.8)
        for replicate in range(2):
            x = moments.positions(out)[replicate, : spec["draws"]]
            axes.plot(x[:, 0], x[:, 1], ".-", linewidth=0.7)
        axes.set(aspect="equal", xlabel="theta_0", title=method, xlim=(-3.2, 3.2),
                 ylim=(-3.2, 3.2))
    all_axes[0].set_ylabel("theta_1")
    finish_panels(figure, spec, path)


KINDS = {"densities": draw_densities, "errors": draw_errors, "trajectories": draw_trajectories,
         "covariance-errors": draw_covariance_errors, "first-draws": draw_first_draws}
