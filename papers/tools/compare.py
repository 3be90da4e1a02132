# Runs papers' experiments to compare results with published ones: ./dev bench papers --tables.
# SPDX-License-Identifier: Apache-2.0
#
# compare.py MIXWELL FOLDER [NAME...] [--quick | --full] [--tune] [--threads N] [--seeds N] [--only METHOD...] [--record]
#
# MIXWELL is the program, FOLDER where results go, NAME a folder below this one with an experiment.toml (all of them
# without a NAME). Data sets come from MIXWELL_DATA. Methods are the variants of the folder's studies (cells.py), sets
# their models; [variant.NAME] of an experiment.toml adds one that is no cell of the study. Exit codes: 0 measured; 1 a
# run failed; 2 a wrong argument.
import argparse
import csv
import math
import os
import pathlib
import sys

import amari
import cells
import columns
import figures as pictures
import generating
import grids
import moments
import posterior
import record
import relative
import runs
import tuning

PAPERS = pathlib.Path(__file__).resolve().parents[1]


def read_experiment(folder):
    """Reads an experiment.toml, and fills in methods, sets, seeds, data and reference from its studies."""
    own, paths = cells.read(folder / "experiment.toml"), cells.studies(folder)
    found = [variant for path in paths for variant in cells.variants(path, own.get("variant"))]
    methods = dict.fromkeys(variant.method for variant in found)
    return {"folder": folder, "name": folder.name, "variants": {variant.label: variant for variant in found},
            "sets": list(dict.fromkeys(variant.model for variant in found)),
            "methods": [name for name in methods if name not in {"reference"} | own.get("variant", {}).keys()],
            "reference": "reference" in methods, "seeds": cells.read(paths[0])["study"].get("repeats", 1),
            "data": any("data sets from MIXWELL_DATA" in path.read_text(encoding="utf-8") for path in paths)} | own


def in_full(experiment):
    """Replaces keys of the experiment with those in [full]. In [vary], replaces only the methods of [full.vary]."""
    own = experiment["full"]
    return experiment | own | {"vary": experiment.get("vary", {}) | own.get("vary", {})}


def measured_variants(experiment, only):
    """Returns the variants to measure, sorted by set and then in the order of `methods`.
    Raises RuntimeError if a method of the experiment has no variant."""
    grids.require_variants(experiment)
    wanted = [grids.label(group, method) for group in experiment["sets"] for method in experiment["methods"]
              if not only or method in only]
    return [experiment["variants"][label] for label in wanted]


def varied(experiment, variant):
    """Returns settings that vary between a method's runs, from [vary.METHOD], [vary.METHOD.SET] or the study's axes.
    Raises RuntimeError if [vary.METHOD] leaves out a key whose values are only in the study's axes."""
    own = experiment.get("vary", {}).get(variant.method, variant.vary)
    own = own.get(variant.model, own)
    lost = variant.vary.keys() - own.keys() - dict(cells.flat(variant.manifest)).keys()
    if lost:
        raise RuntimeError(f"{experiment['name']}: [vary.{variant.method}] has no values of {min(lost)}, "
                           "but only axes of the study set it. Add values to [vary], or set the key in the variant.")
    return own


def cases(experiment, only, quick):
    """Yields name, variant and settings of each run. A variant without varied keys runs once. A variant with varied
    keys runs once for each of their values, or with `quick` only for the first value. The name of such a run contains
    the value of the first varied key."""
    for variant in measured_variants(experiment, only):
        vary = varied(experiment, variant)
        if not vary:
            yield variant.label, variant, {}
            continue
        first = next(iter(vary))
        for k, value in enumerate(vary[first][:1] if quick else vary[first]):
            settings = {key: values[k] for key, values in vary.items()}
            yield f"{variant.label} {first.split('.')[-1]}={value}", variant, settings


def quick_settings(variant, settings):
    """Returns the study's quick settings, with each number at most as large as in the normal run."""
    own = dict(cells.flat(variant.manifest)) | settings
    return {key: min(value, own.get(key, value)) for key, value in variant.quick.items()}


def reference_of(program, group, experiment, folder, quick):
    """Returns the posterior's moments for the set `group`, computed from a run of the variant `reference`. Returns None
    if the experiment has no such variant."""
    if not experiment["reference"]:
        return None
    variant = experiment["variants"][grids.label(group, "reference")]
    settings = quick_settings(variant, {}) if quick else {}
    return posterior.reference(program, experiment["paths"][variant.label], settings, folder / "references")


def with_run(manifest, settings):
    """Returns a copy of the manifest, after applying those `settings` that are keys of [run]."""
    own = {key.removeprefix("run."): value for key, value in settings.items() if key.startswith("run.")}
    return manifest | {"run": manifest["run"] | own}


def run_one(program, path, experiment, settings, out, reference):
    if experiment.get("start") == "equilibrium":
        start = out.with_suffix(".csv")
        posterior.write_start(reference, with_run(cells.read(path), settings), start)
        settings = settings | {"run.init": f'{{ file = "{start.resolve()}" }}'}
    if path.stem in experiment.get("from_mode", []):
        settings = generating.from_mode(program, path, experiment, settings, out)
    relative.run(program, path, out, settings)
    measured = runs.measure(program, path, experiment, out)
    measured |= moments.measure(experiment, out)
    if reference is not None:
        measured |= posterior.measure(out, reference, experiment)
    if "relative" in experiment:
        measured |= relative.measure(out, reference, experiment["relative"])
    if "amari" in experiment:
        measured |= amari.measure(out, reference, experiment["amari"])
    if experiment.get("generating"):
        measured |= generating.measure(out)
    if "absolute_lags" in experiment:
        lags = min(experiment["absolute_lags"], measured["draws"] - 1)
        measured["sum |rho|"] = pictures.sum_of_absolute(out, lags)
    return measured


def mean_and_error(values):
    """Returns the mean over seeds and its standard error (NaN for one seed)."""
    n = len(values)
    centre = sum(values) / n
    if n < 2:
        return centre, math.nan
    return centre, math.sqrt(sum((x - centre) ** 2 for x in values) / (n - 1) / n)


def published(experiment, name, column):
    """Returns a value of [published.METHOD], or of [published.SET.METHOD] if there are several sets."""
    place = experiment.get("published", {})
    for part in name.split("/"):
        place = place.get(part, {})
    value = place.get(column["published"])
    return "" if value is None else str(value)


def print_table(experiment, results):
    """Prints the table of results, and leaves out each column for which no run has a result."""
    shown = [column for column in columns.of(experiment) if "published" in column
             or any(column["key"] in measured for measured in results.values())]
    print(f"\n## {experiment['title']}\n\n{experiment['source']}\n")
    print("| method | " + " | ".join(column["title"] for column in shown) + " |")
    print("|---" * (len(shown) + 1) + "|")
    for name, measured in results.items():
        texts = [published(experiment, name, column) if "published" in column
                 else columns.text(measured, column) for column in shown]
        print(f"| {name} | " + " | ".join(texts) + " |")
    sys.stdout.flush()


def print_pivot(experiment, results, pivot):
    """Prints the values of one result as a table. The table has a row for each method, a column for each set, and a
    last column for the mean over the sets. Rows of `given` come first."""
    sets, key = experiment["sets"], pivot["key"]
    print(f"\n### {pivot['title']}\n\n| method | " + " | ".join(sets) + " | mean |")
    print("|---" * (len(sets) + 2) + "|")
    for name, row in pivot.get("given", {}).items():
        print(f"| {name} | " + " | ".join(str(value) for value in row) + " |")
    for method in experiment["methods"]:
        found = [results[f"{group}/{method}"][key] for group in sets
                 if key in results.get(f"{group}/{method}", {})]
        if len(found) == len(sets):
            texts = [columns.digits(centre) + (f" ± {columns.digits(error)}" if error > 0 else "")
                     for centre, error in found]
            texts.append(columns.digits(sum(centre for centre, _ in found) / len(found)))
            print(f"| {method} | " + " | ".join(texts) + " |")
    sys.stdout.flush()


def write_rows(path, rows):
    """Writes all results of all runs so far to a CSV file, from which other tables can be made."""
    keys = list(dict.fromkeys(key for row in rows for key in row))
    with open(path, "w", newline="", encoding="utf-8") as file:
        writer = csv.DictWriter(file, keys)
        writer.writeheader()
        writer.writerows(rows)


def seeded(experiment, seed):
    """Returns settings that set the run's seed to `seed`. If the experiment names a second key in `seed_also`, such as
    the seed of simulated data, they also set this key."""
    also = experiment.get("seed_also")
    return {"run.seed": seed} | ({also: seed} if also else {})


def with_manifests(experiment, folder):
    """Writes a manifest for each variant. Returns the experiment with `paths`, a dictionary from label to manifest."""
    place = folder / "manifests" / experiment["name"]
    return experiment | {"paths": cells.write(experiment["variants"].values(), place)}


def measure_experiment(program, experiment, folder, options):
    results, rows, outs, references = {}, [], {}, {}
    for name, variant, settings in cases(experiment, options.only, options.quick):
        path = experiment["paths"][variant.label]
        seeds = 1 if options.quick else options.seeds or experiment["seeds"]
        quick = quick_settings(variant, settings) if options.quick else {}
        reference = reference_of(program, variant.model, experiment, folder, options.quick)
        per_seed = []
        for seed in range(1, seeds + 1):
            out = folder / experiment["name"] / name.replace(" ", "-")
            out.parent.mkdir(parents=True, exist_ok=True)
            own = seeded(experiment, seed) | settings | quick
            per_seed.append(run_one(program, path, experiment, own, out, reference))
            rows.append({"method": name, "seed": seed} | per_seed[-1])
            write_rows(folder / experiment["name"] / "rows.csv", rows)
        outs[name], references[name] = out, reference
        results[name] = {key: mean_and_error([one[key] for one in per_seed])
                         for key in per_seed[0] if all(key in one for one in per_seed)}
        print(f"{experiment['name']}: {name}", file=sys.stderr, flush=True)
    print_table(experiment, results)
    for pivot in experiment.get("pivots", []):
        print_pivot(experiment, results, pivot)
    if options.record:
        record.write_table(rows, experiment["folder"] / "tables.csv")
    for spec in experiment.get("figures", []):
        drawn = pictures.draw(spec, experiment, outs, references, folder / experiment["name"])
        if drawn:
            print(f"\n{drawn}")
    if "best" in experiment and not options.quick:
        grids.require_brackets(experiment, results)


def tune_experiment(program, experiment, folder, options):
    print(f"tuning {experiment['name']}")
    for variant in measured_variants(experiment, options.only):
        search = experiment.get("search", {}).get(variant.method)
        if search:
            shared = {"budget": experiment["search_budget"], "objective": experiment["objective"]}
            own = search.get(variant.model, {})
            out = folder / "search" / experiment["name"]
            out.parent.mkdir(parents=True, exist_ok=True)
            tuning.tune(program, variant, experiment["paths"][variant.label], experiment, shared | search | own, out)


def arguments():
    parser = argparse.ArgumentParser(prog="./dev bench papers --tables")
    parser.add_argument("mixwell", help=argparse.SUPPRESS)
    parser.add_argument("folder", type=pathlib.Path, help=argparse.SUPPRESS)
    parser.add_argument("names", nargs="*", metavar="NAME")
    budget = parser.add_mutually_exclusive_group()
    budget.add_argument("--quick", action="store_true",
                        help="run all methods with short runs, one seed and one step size")
    budget.add_argument("--full", action="store_true",
                        help="use the paper's budget: the keys in [full] of each experiment.toml")
    parser.add_argument("--tune", action="store_true", help="search for settings, and write the best into the studies")
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--seeds", type=int, help="set the number of seeds (default: the experiment's own number)")
    parser.add_argument("--only", nargs="+", metavar="METHOD", help="use only the methods with these names")
    parser.add_argument("--record", action="store_true",
                        help="write all results to tables.csv beside the study, for papers/*/README.md")
    return parser.parse_args()


def with_full(experiments, named):
    """Returns the experiments that have [full], with the keys of [full] applied. An experiment that is named on
    the command line must have [full]."""
    lacking = [one["name"] for one in experiments if "full" not in one]
    if lacking and named:
        die(f"the experiment.toml of {lacking[0]} has no [full]. Leave --full out.")
    return [in_full(one) for one in experiments if "full" in one]


def die(message):
    print(f"bench papers --tables: {message}", file=sys.stderr)
    sys.exit(2)


def main():
    options = arguments()
    if options.record and (options.quick or options.tune or options.only):
        die("--record does not accept short runs or parts of a table. Leave out --quick, --tune and --only.")
    folders = {path.parent.name: path.parent for path in sorted(PAPERS.rglob("experiment.toml"))}
    known = list(folders)
    options.names = [study for name in options.names for study in
                     [own for own, folder in folders.items() if folder.parent.name == name] or [name]]
    wrong = [name for name in options.names if name not in known]
    if wrong:
        die(f"unknown experiment '{wrong[0]}'. Use one of: {' '.join(known)}")
    experiments = [read_experiment(folders[name]) for name in options.names or known]
    if options.full:
        experiments = with_full(experiments, options.names)
    if not os.environ.get("MIXWELL_DATA"):
        needy = [one["name"] for one in experiments if one["data"]]
        if needy and options.names:
            die(f"{needy[0]}: MIXWELL_DATA must name the folders of data sets")
        for name in needy:
            print(f"{name}: left out; MIXWELL_DATA must name the folders of data sets")
        experiments = [one for one in experiments if one["name"] not in needy]
    program = runs.Program(options.mixwell, options.threads)
    work = tune_experiment if options.tune else measure_experiment
    for experiment in experiments:
        work(program, with_manifests(experiment, options.folder), options.folder, options)


if __name__ == "__main__":
    try:
        main()
    except RuntimeError as error:
        print(f"bench papers --tables: {error}", file=sys.stderr)
        sys.exit(1)
