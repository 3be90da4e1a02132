# The columns of an experiment's table: which figure each shows, under which title, with how many digits.
# SPDX-License-Identifier: Apache-2.0
"""`columns` of an experiment.toml lists keys of figures, or tables: { key, title, error, decimals }, several alike as
{ keys, ... }, and { published, title } for what [published] has. `error` is over seeds. The error
of a figure KEY from the replicates of a run is "se KEY"; it is always shown."""
import math

# Of keys that several experiments show; others are their own title.
TITLES = {
    "slots": "K", "rhat": "largest rhat", "E x^2": "E theta^2", "excess": "minus the truth",
    "mean error": "error of the mean, sd", "sd error": "of deviations, relative",
    "variance": "variance ratio - 1, all directions", "seconds each": "seconds",
    "one: ess_bulk": "bulk ESS along 1", "one: exact ESS": "exact along 1",
    "one: ess_bulk/1000": "along 1 per 1000 gradients", "orthogonal: ess_bulk/1000": "along e0 - e1 per 1000 gradients"}


def of(experiment):
    """All columns in full."""
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
    """A column's text: mean and ± error, with `decimals` of both instead of three digits."""
    if column["key"] not in measured:
        return ""
    centre, error = measured[column["key"]]
    replicates = measured.get(f"se {column['key']}")
    error = replicates[0] if replicates else error
    decimals = column.get("decimals")
    shown = digits if decimals is None else lambda x: f"{x:.{decimals}f}"
    wanted = "error" in column or replicates
    return shown(centre) + (f" ± {shown(error)}" if wanted and error > 0 else "")
