# What makes a comparison unfair whatever was measured: methods that never run, grids that end at their best.
# SPDX-License-Identifier: Apache-2.0


def label(group, method):
    return method if group == "." else f"{group}/{method}"


def missing(experiment):
    """What `methods` and tables of methods name and no study has, as "SET/METHOD"."""
    own = [key for table in ("vary", "search", "open_end") for key in experiment.get(table, {})]
    own += experiment.get("from_mode", []) + (["mode"] if "from_mode" in experiment else [])
    listed = dict.fromkeys([*experiment["methods"], *own])
    wanted = [label(group, method) for group in experiment["sets"] for method in listed]
    return [name for name in wanted if name not in experiment["variants"]]


def require_variants(experiment):
    """Throws RuntimeError: a method that is named and never runs would not be missed."""
    lacking = missing(experiment)
    if lacking:
        raise RuntimeError(f"{experiment['name']}: experiment.toml names what is no variant of the study: "
                           f"{', '.join(lacking)}; add the variant, or correct the name")


def best_at_an_end(values, figures):
    """Of a grid, its values with the figure of each (smaller is better): the value where the best
    one is, if no value beyond it was tried on one side. Runs without a figure are worse than all."""
    order = sorted(range(len(values)), key=lambda k: values[k])
    best = min(order, key=lambda k: (figures[k] != figures[k], figures[k]))
    return values[best] if best in (order[0], order[-1]) else None


def cut_off(experiment, results):
    """Grids of [vary] whose best by the figure `best` is at an end, as (method, key, value). `results`
    are {"METHOD KEY=VALUE": {figure: (mean, error)}} as measured. A method of the table `open_end`
    has a reason there for ending, and is left out."""
    figure = experiment["best"]
    grids = {}
    for name, measured in results.items():
        if " " in name:
            method, setting = name.split(" ", 1)
            key, value = setting.split("=", 1)
            grids.setdefault((method, key), []).append(
                (float(value), measured.get(figure, (float("nan"), 0))[0]))
    found = []
    for (method, key), grid in grids.items():
        if method.split("/")[-1] in experiment.get("open_end", {}):
            continue
        end = best_at_an_end([value for value, _ in grid], [figure for _, figure in grid])
        if end is not None:
            found.append((method, key, end))
    return found


def require_brackets(experiment, results):
    """Throws RuntimeError where a method may be better than its grid shows."""
    found = cut_off(experiment, results)
    if found:
        listed = "; ".join(f"{method} is best at {key} = {value:g}" for method, key, value in found)
        raise RuntimeError(f"{experiment['name']}: grids end at their best by `{experiment['best']}`: "
                           f"{listed}. Go on beyond it in [vary], or give the reason in [open_end]")
