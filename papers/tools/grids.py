# Detects unfair comparisons: missing methods, and grids whose best value is at an edge.
# SPDX-License-Identifier: Apache-2.0


def label(group, method):
    return method if group == "." else f"{group}/{method}"


def missing(experiment):
    """Returns "SET/METHOD" for each method that experiment.toml names but that has no variant."""
    own = [key for table in ("vary", "search", "open_end") for key in experiment.get(table, {})]
    own += experiment.get("from_mode", []) + (["mode"] if "from_mode" in experiment else [])
    listed = dict.fromkeys([*experiment["methods"], *own])
    wanted = [label(group, method) for group in experiment["sets"] for method in listed]
    return [name for name in wanted if name not in experiment["variants"]]


def require_variants(experiment):
    """Raises RuntimeError if a method that experiment.toml names has no variant. Otherwise nobody would notice that the
    method is missing from the table."""
    lacking = missing(experiment)
    if lacking:
        raise RuntimeError(f"{experiment['name']}: experiment.toml names methods without a variant: "
                           f"{', '.join(lacking)}. Add a variant for each, or correct the names.")


def best_at_an_end(values, figures):
    """Returns the value with the best (smallest) of `figures`, if this value is the smallest or largest
    of the grid, else None. A run without a figure (NaN) counts as worse than all other runs."""
    order = sorted(range(len(values)), key=lambda k: values[k])
    best = min(order, key=lambda k: (figures[k] != figures[k], figures[k]))
    return values[best] if best in (order[0], order[-1]) else None


def cut_off(experiment, results):
    """Returns (method, key, value) for each grid of [vary] whose best value is its smallest or largest. The best value
    has the smallest mean of the figure `best`. `results` is {"METHOD KEY=VALUE": {figure: (mean, error)}}. Leaves out
    each method that has an entry in `open_end`, where the experiment gives a reason for such a grid."""
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
    """Raises RuntimeError if a method may be better outside its grid."""
    found = cut_off(experiment, results)
    if found:
        listed = "; ".join(f"{method} is best at {key} = {value:g}" for method, key, value in found)
        raise RuntimeError(f"{experiment['name']}: the best value by `{experiment['best']}` is the smallest or largest "
                           f"of a grid: {listed}. Add values beyond it to [vary], or give a reason in [open_end].")
