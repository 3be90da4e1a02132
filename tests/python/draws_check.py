# draws.nc of a real run, opened the way a user would: xarray, group by group; and its hash.
# SPDX-License-Identifier: Apache-2.0
"""Exit code 77 (skipped) where xarray, netCDF4 or the program is missing."""

import hashlib
import json
import os
import subprocess
import sys
import tempfile
import warnings

try:
    import netCDF4
    import numpy as np
    import xarray as xr
except ImportError as error:
    print(f"skipped: {error}")
    sys.exit(77)

PROGRAM = os.environ.get("MIXWELL_PROGRAM", "")
SOURCE = os.environ.get("MIXWELL_SOURCE_DIR", "")
MANIFEST = os.path.join(SOURCE, "examples", "challenger", "challenger.toml")
DRAWS = 200
WARMUP = 150
GROUPS = ["posterior", "sample_stats", "log_likelihood", "posterior_predictive", "warmup_posterior", "warmup_sample_stats",
          "warmup_log_likelihood", "warmup_posterior_predictive", "observed_data"]
FAILURES = []


def check(truth, what):
    if not truth:
        FAILURES.append(what)
        print("FAILED:", what)


def run(folder, *settings):
    sets = [word for setting in settings for word in ("--set", setting)]
    command = [PROGRAM, "run", MANIFEST, "--out", folder, "--quiet"] + sets
    done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode != 0:
        sys.exit(f"{' '.join(command)}: exit code {done.returncode}\n{done.stderr}")
    return os.path.join(folder, "draws.nc")


def check_groups(path):
    with netCDF4.Dataset(path) as file:
        check(list(file.groups) == GROUPS, f"groups {list(file.groups)}")
        check(not file.dimensions and not file.variables, "the root has attributes alone")
        check(file.outcome == "complete", "the root tells the outcome")
        for name, group in file.groups.items():
            if name == "observed_data":
                continue
            check(list(group.sample_dims) == ["chain", "draw"], "sample_dims is a list of strings")


def check_coordinates(name, data, draws):
    chains = data.sizes["chain"]
    check(data.sizes["draw"] == draws, f"{name}: {data.sizes['draw']} draws instead of {draws}")
    for coordinate, length in (("chain", chains), ("draw", draws)):
        values = data[coordinate]
        check(values.dtype == np.int64, f"{name}.{coordinate} is {values.dtype}")
        check(list(values.values) == list(range(length)), f"{name}.{coordinate} counts from 0")
    check({"replicate", "slot"} <= set(data.coords), f"{name}: replicate, slot are no coordinates")
    slots = int(data["slot"].max()) + 1
    number = data["replicate"] * slots + data["slot"]
    check((number.values == data["chain"].values).all(), f"{name}: replicate, slot do not fit chain")
    for dimension in set(data.sizes) - {"chain", "draw"}:
        check(dimension in data.coords, f"{name}: dimension {dimension} has no coordinate")


def check_variables(name, data):
    for key, values in data.data_vars.items():
        leading = ("chain",) if key == "inv_metric" else ("chain", "draw")  # learnt once
        check(values.dims[:len(leading)] == leading and ("draw" in leading or "draw" not in values.dims),
              f"{name}.{key} has dimensions {values.dims}")
        check(not np.isnan(values.values.astype(float)).any(), f"{name}.{key} has NaN")
        if values.dtype == np.float64:
            check(np.isnan(values.encoding["_FillValue"]), f"{name}.{key}: no NaN as fill value")
        else:
            check("_FillValue" not in values.encoding, f"{name}.{key}: has a fill value")


def check_with_xarray(path):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        for name in GROUPS[:-1]:
            with xr.open_dataset(path, group=name) as data:
                check_coordinates(name, data, WARMUP if name.startswith("warmup") else DRAWS)
                check_variables(name, data)
        with xr.open_dataset(path, group="sample_stats") as stats:
            check(stats["diverging"].dtype == bool, f"diverging is {stats['diverging'].dtype}")
            check(stats["n_steps"].dtype == np.int64, f"n_steps is {stats['n_steps'].dtype}")
            check(stats["lp"].dtype == np.float64, f"lp is {stats['lp'].dtype}")
            check(stats.attrs["tuning_steps"] == WARMUP, "tuning_steps is not the warm-up")
            check(stats.attrs["sampling_time"] > 0, "sampling_time is not positive")
            check(stats.attrs["gradients"] > 0, "gradients is not positive")
            check(stats.attrs["creation_library"] == "mixwell", "creation_library")
        check_means(path)


def check_means(path):
    """The summary's means are those of the draws that xarray sees."""
    with open(os.path.join(os.path.dirname(path), "summary.json"), encoding="utf-8") as file:
        rows = json.load(file)["variables"]
    count = 0
    with xr.open_dataset(path, group="posterior") as data:
        for key, values in data.data_vars.items():
            for index in np.ndindex(values.shape[2:]):
                row = key + (f"[{','.join(map(str, index))}]" if index else "")
                draws = values.values[(slice(None), slice(None)) + index]
                close = np.isclose(rows[row]["mean"], draws.mean(), rtol=1e-12, atol=1e-300)
                check(close, f"mean of {row}: {rows[row]['mean']} and {draws.mean()}")
                count += 1
    check(count == len(rows), f"{len(rows)} rows of the summary for {count} variables")


def sha256(path):
    """Posterior arrays in order of declaration, float64, (chain, draw, element)."""
    digest = hashlib.sha256()
    with netCDF4.Dataset(path) as file:
        file.set_auto_mask(False)
        for variable in file["posterior"].variables.values():
            if variable.dimensions[:2] == ("chain", "draw"):
                digest.update(np.ascontiguousarray(variable[:], dtype="<f8").tobytes())
    return digest.hexdigest()


def check_hash(path):
    with open(os.path.join(os.path.dirname(path), "run.json"), encoding="utf-8") as file:
        told = json.load(file)["draws_sha256"]
    check(told == sha256(path), f"run.json says {told}, the draws have {sha256(path)}")


def main():
    if not os.access(PROGRAM, os.X_OK) or not os.path.isfile(MANIFEST):
        print(f"skipped: needs the program ({PROGRAM}) and {MANIFEST}")
        return 77
    with tempfile.TemporaryDirectory() as folder:
        path = run(os.path.join(folder, "run"), f"run.draws={DRAWS}", f"run.warmup={WARMUP}",
                   "run.record_warmup=true")
        check_groups(path)
        check_with_xarray(path)
        check_hash(path)
    return 1 if FAILURES else 0


if __name__ == "__main__":
    sys.exit(main())
