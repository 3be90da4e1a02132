# The papers' experiments: every listed method has a manifest, every manifest of a study is there, and grids that
# end at their best are found.
# SPDX-License-Identifier: Apache-2.0
import pathlib
import sys
import tempfile
import tomllib

PAPERS = pathlib.Path(__file__).resolve().parents[2] / "bench" / "papers"
sys.path.insert(0, str(PAPERS))

import grids  # noqa: E402

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


def experiment_of(folder):
    experiment = tomllib.loads((folder / "experiment.toml").read_text(encoding="utf-8"))
    return experiment | {"folder": folder, "name": folder.name}


def check_all_experiments():
    experiments = sorted(PAPERS.glob("*/experiment.toml"))
    check(len(experiments) > 10, "the experiments are found")
    for path in experiments:
        lacking = grids.missing(experiment_of(path.parent))
        check(not lacking, f"{path.parent.name}: no manifest for {lacking}")
    for path in sorted(PAPERS.glob("*/*.toml")):
        study = tomllib.loads(path.read_text(encoding="utf-8")).get("study")
        for name, variant in (study or {}).get("variant", {}).items():
            manifest = variant.get("manifest", "")
            places = [manifest.format(model=m) for m in study.get("model", {"": {}})]
            for place in places if manifest else []:
                check((path.parent / place).is_file(), f"{path.name}: variant {name} names {place}")


def check_missing_manifest():
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        (folder / "hmc.toml").write_text("")
        experiment = {"folder": folder, "name": "made-up", "methods": ["hmc", "qnhmc"]}
        message = refused(lambda: grids.require_manifests(experiment))
        check("made-up" in message and "./qnhmc" in message and "./hmc" not in message,
              f"a method without a manifest is named: {message}")
        (folder / "qnhmc.toml").write_text("")
        check(refused(lambda: grids.require_manifests(experiment)) == "accepted", "all are there")


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
check_missing_manifest()
check_ends()
sys.exit(1 if failed else 0)
