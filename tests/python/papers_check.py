# The papers' experiments: every named method is a variant of a study, variants are resolved as `mixwell study` resolves
# them, tuned numbers can be written back, and grids that end at their best are found.
# SPDX-License-Identifier: Apache-2.0
import csv
import pathlib
import sys
import tempfile
import tomllib

PAPERS = pathlib.Path(__file__).resolve().parents[2] / "papers"
sys.path.insert(0, str(PAPERS / "tools"))

import cells  # noqa: E402
import compare  # noqa: E402
import grids  # noqa: E402
import posterior  # noqa: E402
import runs  # noqa: E402
import tuning  # noqa: E402

NAN = float("nan")
failed = []


def check(holds, what):
    if not holds:
        failed.append(what)
        print(f"FAILED: {what}", file=sys.stderr)


def refused(action):
    try:
        action()
    except RuntimeError as error:
        return str(error)
    return "accepted"


def check_all_experiments():
    folders = sorted(path.parent for path in PAPERS.rglob("experiment.toml"))
    check(len(folders) > 10, "the experiments are found")
    for folder in folders:
        experiment = compare.read_experiment(folder)
        check(not grids.missing(experiment), f"{folder.name}: no variant for {grids.missing(experiment)}")
        for form in [experiment] + ([compare.in_full(experiment)] if "full" in experiment else []):
            message = refused(lambda: list(compare.cases(form, None, False)))  # noqa: B023
            check(message == "accepted", message)
        for variant in compare.measured_variants(experiment, None):
            check_tunable(experiment, variant)


def check_tunable(experiment, variant):
    """Each number that `--tune` writes has one place in the study."""
    search = experiment.get("search", {}).get(variant.method)
    if not search:
        return
    search = search | search.get(variant.model, {})
    cell = {key: search[key][0] for key in tuning.KEYS if key in search}
    text = variant.study.read_text(encoding="utf-8")
    for key, value in tuning.best_values(variant, experiment, cell, {"eps": 0.5}).items():
        message = refused(lambda: tuning.replace(text, variant.name, key, value))  # noqa: B023
        check(message == "accepted", f"{variant.study.name}, {variant.name}: {message}")


STUDY = """mixwell = 1
run = { draws = 100 }
estimator.curvature = { use = "lbfgs" }
kernel.k = { use = "hamiltonian", steps = 5, coupling = "mass" }
[study]
repeats = 2
quick.run.draws = 10
exclude = [{ model = "wide", variant = "hmc-narrow" }]
[study.model.narrow]
model.m = { use = "gaussian", file = "covariance.csv" }
[study.model.wide]
model.m = { use = "gaussian", dimension = 9 }
[study.variant.hmc-narrow]
remove = ["estimator.curvature"]
kernel.k.steps = 7
axes.kernel.k.step_size = [0.1, 0.2]
[study.variant.nuts]
run.warmup = 3
kernel.k = { use = "nuts" }
quick.run.warmup = 1
"""


def check_resolution():
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        (folder / "s.toml").write_text(STUDY)
        (folder / "covariance.csv").write_text("1\n")
        found = {variant.label: variant for variant in cells.variants(folder / "s.toml")}
        check(list(found) == ["narrow/hmc", "narrow/nuts", "wide/nuts"], f"cells, without exclusions: {list(found)}")
        hmc = found["narrow/hmc"]
        check(hmc.manifest["kernel"]["k"] == {"use": "hamiltonian", "steps": 7, "coupling": "mass"},
              "without `use` keys are set")
        check(not hmc.manifest["estimator"], "remove takes a component away")
        check(hmc.vary == {"kernel.k.step_size": [0.1, 0.2]}, "axes are what a method goes through")
        check(hmc.manifest["model"]["m"]["file"] == str((folder / "covariance.csv").resolve()), "files beside the study")
        nuts = found["wide/nuts"]
        check(nuts.manifest["kernel"]["k"] == {"use": "nuts"}, "with `use` a component is replaced")
        check(nuts.manifest["run"] == {"draws": 100, "warmup": 3} and nuts.quick == {"run.draws": 10, "run.warmup": 1},
              "[run] and the short form")
        paths = cells.write(found.values(), folder / "written")
        check(tomllib.loads(paths["wide/nuts"].read_text()) == {"mixwell": 1} | nuts.manifest, "it is written as it is")


def check_lost_axis():
    """A grid of a table's own that forgets what only the study's axes say."""
    variant = cells.Variant(pathlib.Path("s.toml"), "hmc", ".", {"kernel": {"k": {"use": "hamiltonian"}}},
                            {"kernel.k.step_size": [0.1], "kernel.k.steps": [3]}, {})
    experiment = {"name": "made-up", "vary": {"hmc": {"kernel.k.steps": [4]}}}
    check("has no values of kernel.k.step_size" in refused(lambda: compare.varied(experiment, variant)), "it is named")
    variant.manifest["kernel"]["k"]["step_size"] = 0.2
    check(compare.varied(experiment, variant) == {"kernel.k.steps": [4]}, "the variant has a value")


def check_grid():
    grid = STUDY.replace("axes.kernel.k.step_size = [0.1, 0.2]", "axes.kernel.k = { step_size = [1], steps = [2] }")
    with tempfile.TemporaryDirectory() as name:
        (pathlib.Path(name) / "s.toml").write_text(grid)
        message = refused(lambda: list(cells.variants(pathlib.Path(name) / "s.toml")))
        check("form a grid" in message, f"axes that form a grid are no table: {message}")


def check_missing_variant():
    experiment = {"name": "made-up", "methods": ["hmc", "qnhmc"], "sets": ["."], "variants": {"hmc": None}}
    message = refused(lambda: grids.require_variants(experiment))
    check("made-up" in message and "qnhmc" in message and " hmc" not in message,
          f"a method without a variant is named: {message}")
    check("sgld" in refused(lambda: grids.require_variants(experiment | {"methods": ["hmc"], "vary": {"sgld": {}}})),
          "so is one in [vary]")
    check(refused(lambda: grids.require_variants(experiment | {"methods": ["hmc"]})) == "accepted", "all are there")


def check_writing():
    block = "[study.variant.tuned]\nrun.draws = 5\nkernel.hmc = { step_size = 0.1, step_size_jitter = [1, 2], steps = 3 } # L\n"
    text = "steps = 9\n" + block + "[study.variant.tuned-other]\nkernel.hmc.steps = 8\n"
    changed = tuning.replace(tuning.replace(text, "tuned", "steps", 4), "tuned", "draws", 77)
    check(changed == text.replace("steps = 3", "steps = 4").replace("draws = 5", "draws = 77"), f"one variant: {changed}")
    check("step_size = 0.2, step_size_jitter = [1" in tuning.replace(text, "tuned", "step_size", 0.2), "the key alone")
    check("0 values" in refused(lambda: tuning.replace(text, "tuned", "slots", 2)), "a key that is not there")
    check("no table" in refused(lambda: tuning.replace(text, "tune", "steps", 2)), "a variant that is not there")


def check_plain():
    """Of fixed steps without curvature theory knows the sizes; an estimator that is the identity is no curvature."""
    with tempfile.TemporaryDirectory() as name:
        path = pathlib.Path(name) / "m.toml"

        def is_plain(text):
            path.write_text(text)
            return runs.is_plain(path)

        hmc = 'kernel.hmc = { use = "hamiltonian", step_size = 0.1 }\n'
        check(is_plain(hmc) and is_plain(hmc + 'estimator.e = { use = "identity" }'), "plain HMC")
        for other in (hmc + 'estimator.e = { use = "lbfgs" }', hmc.replace("step_size", "target_acceptance"),
                      hmc.replace(" }", ", step_size_jitter = [0.8, 1.2] }"), 'kernel.k = { use = "nuts" }'):
            check(not is_plain(other), f"not plain: {other}")


def check_start():
    """Coordinates such as W[0,1] are one column each."""
    with tempfile.TemporaryDirectory() as name:
        path = pathlib.Path(name) / "start.csv"
        posterior.write_positions(["W[0,1]", "b"], [[1.5, 2.5]], path)
        with open(path, newline="", encoding="utf-8") as file:
            check(list(csv.reader(file)) == [["W[0,1]", "b"], ["1.5", "2.5"]], "a start with its coordinates")


def check_ends():
    best = grids.best_at_an_end
    check(best([1, 2, 3], [5.0, 4.0, 6.0]) is None, "a best with neighbours")
    check(best([1, 2, 3], [5.0, 4.0, 3.0]) == 3, "the last is the best")
    check(best([3, 2, 1], [5.0, 4.0, 3.0]) == 1, "the smallest is the best, whatever the order")
    check(best([1, 2, 3], [5.0, 4.0, NAN]) is None, "what has no figure is worse than all")
    check(best([1], [5.0]) == 1, "one value brackets nothing")
    results = {"sgld step=0.1": {"error": (2.0, 0.1)}, "sgld step=0.2": {"error": (1.0, 0.1)},
               "sgld step=0.4": {"error": (1.5, 0.1)}, "d10/hmc step=1": {"error": (2.0, 0.1)},
               "d10/hmc step=2": {"error": (1.0, 0.1)}, "mode": {"error": (0.5, 0.1)}}
    experiment = {"name": "made-up", "best": "error"}
    message = refused(lambda: grids.require_brackets(experiment, results))
    check("d10/hmc is best at step = 2" in message and "sgld" not in message,
          f"the grid that ends at its best is named: {message}")
    check(refused(lambda: grids.require_brackets(
        experiment | {"open_end": {"hmc": "unstable beyond 2"}}, results)) == "accepted",
        "a reason lets a grid end")


check_all_experiments()
check_resolution()
check_lost_axis()
check_grid()
check_missing_variant()
check_writing()
check_plain()
check_start()
check_ends()
sys.exit(1 if failed else 0)
