# Columns of an experiment's table: the key, title and number of digits of each column.
# SPDX-License-Identifier: Apache-2.0
"""Each entry of `columns` in an experiment.toml is the key of one result, or a TOML table: { key, title, error,
decimals } for one result, { keys, ... } for several, or { published, title } for values of [published]. With `error`,
a column shows the standard error over seeds. If a run has a result "se KEY" (the standard error over replicates), the
column of KEY shows the error over replicates instead, even without `error`."""
import math

# Of keys that several experiments show; others are their own title.
TITLES = {
    "slots": "K", "rhat": "largest rhat", "E x^2": "E theta^2", "excess": "minus the truth",
    "mean error": "error of the mean (in sd)", "sd error": "of deviations, relative",
    "variance": "variance ratio - 1, all directions", "seconds each": "seconds",
    "one: ess_bulk": "bulk ESS along 1", "one: exact ESS": "exact along 1",
    "one: ess_bulk/1000": "along 1 per 1000 gradients", "orthogonal: ess_bulk/1000": "along e0 - e1 per 1000 gradients"}


def of(experiment):
    """Returns a dictionary for each column, with at least `key` and `title`."""
    listed = [{"key": column} if isinstance(column, str) else column for column in experiment["columns"]]
    spread = [{"key": key} | column for column in listed for key in column.get("keys", [column.get("key")])]
    return [{"title": TITLES.get(column["key"], column["key"])} | column for column in spread]


def digits(x):
    if math.isnan(x):
        return "–"
    if math.isinf(x):
        return "never"
    if abs(x) < 1e-99:
        return "0"
    return f"{x:.3g}" if abs(x) < 1000 else f"{x:.0f}"


def text(measured, column):
    """Returns "MEAN ± ERROR", with three digits or with the column's `decimals`."""
    if column["key"] not in measured:
        return ""
    centre, error = measured[column["key"]]
    replicates = measured.get(f"se {column['key']}")
    error = replicates[0] if replicates else error
    decimals = column.get("decimals")
    shown = digits if decimals is None else lambda x: f"{x:.{decimals}f}"
    wanted = "error" in column or replicates
    return shown(centre) + (f" ± {shown(error)}" if wanted and error > 0 else "")
