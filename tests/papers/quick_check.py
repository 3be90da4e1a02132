# Short forms of four experiments, of four papers: every cell ends well, with the class that the page of claims states.
# SPDX-License-Identifier: Apache-2.0
"""papers/README.md says which samplers are right; what `mixwell study` finds of the manifests is held to that.
Each study is planned, run by processes and tabulated as `./dev bench papers NAME --quick` does. Shown first: that
another class, a cell that failed and a variant that is missing are seen."""

import json
import os
import pathlib
import subprocess
import sys
import tempfile

PROGRAM = os.environ["MIXWELL_PROGRAM"]
os.environ["MIXWELL_PLUGIN_PATH"] = os.path.join(os.environ["MIXWELL_BUILD_DIR"], "papers")
PAPERS = pathlib.Path(os.environ["MIXWELL_SOURCE_DIR"]) / "papers"

CLASSES = {
    "sg-f2": {"hamiltonian": "asymptotic", "redrawn-path": "asymptotic", "redrawn": "asymptotic", "noisy": "biased",
              "sghmc": "asymptotic"},
    "vh-f5": {"vhmc": "approximate", "hmc": "exact", "sgld": "biased", "natural-sgld": "biased"},
    "zs-f2": {"hmc": "exact", "hmc-bfgs": "exact", "tuned-hmc": "exact", "tuned-hmc-bfgs": "exact"},
    "ha-f1": {"reference": "exact", "sgld": "asymptotic", "psgld": "biased", "psgld-gamma": "asymptotic",
              "sgrld": "asymptotic", "hamcmc-2": "biased", "hamcmc-3": "biased", "hamcmc-cross-3": "asymptotic"},
}


def table_of(name, folder):
    file, = PAPERS.glob(f"*/{name}/{name}.toml")
    study = [PROGRAM, "study", str(file), "--quick", "--out", str(folder / name)]
    subprocess.run([*study, "--quiet"], check=True)
    told = subprocess.run([*study, "--table", "--json"], check=True, capture_output=True, text=True).stdout
    return json.loads(told)["rows"]


def faults(rows, classes):
    found = [f"{row['variant']}, seed {row['seed']}: {row['status']}, {row['reason']}" for row in rows
             if row["status"] != "done" or not row["draws_sha256"]]
    found += [f"{row['variant']}: {row['class']}, not {classes.get(row['variant'])}" for row in rows
              if row["class"] != classes.get(row["variant"])]
    return found + [f"no cell of {variant}" for variant in classes.keys() - {row["variant"] for row in rows}]


def check_mutants():
    right = {"variant": "hmc", "seed": 1, "status": "done", "reason": None, "class": "exact", "draws_sha256": "0a"}
    assert not faults([right], {"hmc": "exact"})
    for wrong in ({"class": "biased"}, {"status": "failed"}, {"draws_sha256": None}, {"variant": "other"}):
        assert faults([right | wrong], {"hmc": "exact"}), f"{wrong} is not seen"
    assert faults([right], {"hmc": "exact", "sgld": "asymptotic"}), "a variant that is missing is not seen"


def main():
    check_mutants()
    wrong = 0
    with tempfile.TemporaryDirectory() as place:
        for name, classes in CLASSES.items():
            found = faults(table_of(name, pathlib.Path(place)), classes)
            print(f"{name}:", "; ".join(found) or "as the page of claims has it")
            wrong += len(found)
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
