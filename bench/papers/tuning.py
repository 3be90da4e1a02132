# The search for the step size, number of steps and ensemble of a method, at one gradient budget.
# SPDX-License-Identifier: Apache-2.0
#
# Each cell of the grid (number of steps L, target acceptance, slots K, sort) is run with eps learnt
# in warm-up, every cell with the same number of gradients: draws = budget / (R K L). The best cell
# has the largest `score`, the smallest of the objective's figures. L, K, the draws that spend the
# budget of the experiment, and the learnt eps are written into the manifest; instead of eps the
# target, where the manifest learns eps (dense metrics; ensembles whose slots start far apart).
import itertools
import re
import tomllib

import runs

KEYS = {"steps": "kernel.hmc.steps", "target": "kernel.hmc.target_acceptance",
        "slots": "compositor.main.slots", "sort": "estimator.curvature.sort"}


def draws_for(budget, replicates, slots, steps):
    """Sweeps that spend the budget, at least 40 (a chain needs some to show its mixing)."""
    return max(40, round(budget / (replicates * slots * steps)))


def cells(search):
    keys = [key for key in KEYS if key in search]
    for values in itertools.product(*(search[key] for key in keys)):
        yield dict(zip(keys, values))


def slots_of(cell, manifest):
    return cell.get("slots", manifest.get("compositor", {}).get("main", {}).get("slots", 1))


def try_cell(program, path, experiment, search, cell, out):
    manifest = tomllib.loads(path.read_text(encoding="utf-8"))
    steps = cell.get("steps", manifest["kernel"]["hmc"].get("steps"))
    draws = draws_for(search["budget"], manifest["run"]["replicates"], slots_of(cell, manifest), steps)
    settings = {KEYS[key]: runs.toml(value) for key, value in cell.items()}
    settings |= {"run.draws": draws, "run.record_warmup": "false"}
    if "target_acceptance" not in manifest["kernel"]["hmc"]:
        settings["kernel.hmc.pool"] = "true"  # one eps, to be written down
    if "warmup" in search:
        settings["run.warmup"] = search["warmup"]
    program.run(path, out, settings)
    return runs.measure(program, path, experiment, out)


def score(figures, objective):
    return min(figures.get(key, 0.0) for key in objective)


def replace(text, key, value):
    """The line `key = ...` with another value; the manifest must have it."""
    changed, count = re.subn(rf"(?m)^{key} = [^#\n]*?(?=\s*(#|$))", f"{key} = {value}", text)
    if count != 1:
        raise RuntimeError(f"the manifest has {count} lines `{key} = `; wanted 1")
    return changed


def write_best(path, experiment, cell, figures):
    text = path.read_text(encoding="utf-8")
    manifest = tomllib.loads(text)
    kernel = manifest["kernel"]["hmc"]
    low, high = kernel.get("step_size_jitter", (1, 1))
    if "target_acceptance" in kernel:
        text = replace(text, "target_acceptance", cell["target"])
    else:
        text = replace(text, "step_size", f"{figures['eps'] / (0.5 * (low + high)):.3g}")
    for key in ("steps", "slots", "sort"):
        if key in cell and re.search(rf"(?m)^{key} = ", text):
            text = replace(text, key, runs.toml(cell[key]))
    draws = draws_for(experiment["budget"], manifest["run"]["replicates"],
                      slots_of(cell, manifest), cell.get("steps", kernel["steps"]))
    if "budget" in experiment and path.stem.startswith("tuned"):
        text = replace(text, "draws", draws)
    path.write_text(text, encoding="utf-8")


def tune(program, path, experiment, search, out):
    """Searches, prints every cell, and writes the best into the manifest."""
    best = None
    for cell in cells(search):
        figures = try_cell(program, path, experiment, search, cell, out)
        value = score(figures, search["objective"])
        print(f"  {path.parent.name}/{path.stem} {cell} eps {figures['eps']:.3g} acceptance "
              f"{figures['acceptance']:.2f} score {value:.4g}", flush=True)
        if best is None or value > best[0]:
            best = (value, cell, figures)
    _, cell, figures = best
    write_best(path, experiment, cell, figures)
    print(f"  {path}: {cell}, eps {figures['eps']:.3g}", flush=True)
