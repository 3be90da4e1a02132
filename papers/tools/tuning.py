# Tunes a method's step size, number of steps and ensemble size with a fixed gradient budget.
# SPDX-License-Identifier: Apache-2.0
#
# Each cell of the grid (number of steps L, target acceptance, slots K, sort) is run with eps learnt
# in warm-up, every cell with the same number of gradients: draws = budget / (R K L). The best cell
# has the largest `score`, the smallest of the objective's figures. L, K, the draws that spend the
# budget of the experiment, and the learnt eps are written into the variant in its study; instead of eps the
# target, where the variant learns eps (dense metrics; ensembles whose slots start far apart).
import itertools
import re

import runs

KEYS = {"steps": "kernel.hmc.steps", "target": "kernel.hmc.target_acceptance",
        "slots": "compositor.main.slots", "sort": "estimator.curvature.sort"}


def draws_for(budget, replicates, slots, steps):
    """Returns the number of sweeps that use up the budget, or 40 if that is larger. Fewer than 40 sweeps are too few to
    measure mixing."""
    return max(40, round(budget / (replicates * slots * steps)))


def cells(search):
    keys = [key for key in KEYS if key in search]
    for values in itertools.product(*(search[key] for key in keys)):
        yield dict(zip(keys, values))


def slots_of(cell, manifest):
    return cell.get("slots", manifest.get("compositor", {}).get("main", {}).get("slots", 1))


def try_cell(program, manifest, path, experiment, search, cell, out):
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


def block_of(text, name):
    """Returns where the variant's table begins and ends in the text of its study."""
    found = re.search(rf'(?ms)^\[study\.variant\."?{re.escape(name)}"?\].*?(?=^\[|\Z)', text)
    if not found:
        raise RuntimeError(f"the study has no table [study.variant.{name}]")
    return found.span()


def place_of(block, key):
    """Returns where the value of `key = ...` begins and ends in a variant's table. The table must set `key` exactly
    once."""
    found = list(re.finditer(rf"(?<![\w-]){key} = ([^,}}#\n]*[^,}}#\s])", block))
    if len(found) != 1:
        raise RuntimeError(f"the variant has {len(found)} values `{key} = `, but must have 1. Give it one.")
    return found[0].span(1)


def replace(text, name, key, value):
    """Returns the text of a study with a new value for a variant's key."""
    begin, end = block_of(text, name)
    first, last = place_of(text[begin:end], key)
    return text[:begin + first] + str(value) + text[begin + last:]


def best_values(variant, experiment, cell, figures):
    """Returns a dictionary from key to value for all settings that the search found."""
    manifest = variant.manifest
    kernel = manifest["kernel"]["hmc"]
    low, high = kernel.get("step_size_jitter", (1, 1))
    if "target_acceptance" in kernel:
        best = {"target_acceptance": cell["target"]}
    else:
        best = {"step_size": f"{figures['eps'] / (0.5 * (low + high)):.3g}"}
    best |= {key: runs.toml(cell[key]) for key in ("steps", "slots", "sort") if key in cell}
    if "budget" in experiment and variant.method.startswith("tuned"):
        best["draws"] = draws_for(experiment["budget"], manifest["run"]["replicates"],
                                  slots_of(cell, manifest), cell.get("steps", kernel["steps"]))
    return best


def write_best(variant, experiment, cell, figures):
    text = variant.study.read_text(encoding="utf-8")
    for key, value in best_values(variant, experiment, cell, figures).items():
        text = replace(text, variant.name, key, value)
    variant.study.write_text(text, encoding="utf-8")


def tune(program, variant, path, experiment, search, out):
    """Searches the grid, prints every cell, and writes the best settings into the study."""
    best = None
    for cell in cells(search):
        figures = try_cell(program, variant.manifest, path, experiment, search, cell, out)
        value = score(figures, search["objective"])
        print(f"  {variant.label} {cell} eps {figures['eps']:.3g} acceptance "
              f"{figures['acceptance']:.2f} score {value:.4g}", flush=True)
        if best is None or value > best[0]:
            best = (value, cell, figures)
    _, cell, figures = best
    write_best(variant, experiment, cell, figures)
    print(f"  {variant.study}: {variant.name} {cell}, eps {figures['eps']:.3g}", flush=True)
