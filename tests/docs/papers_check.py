# Figures of the papers' pages that name their source are those of the committed results.
# SPDX-License-Identifier: Apache-2.0
"""`0.840 <!-- from: qn-t3 gibbs test_error -->`: the number before the mark, with what follows it in the cell or the
sentence (%, or a standard error after ±), is the mean of `test_error` over the rows of papers/qnhmc/qn-t3/results.csv
that are of variant gibbs, rounded as it is printed; ± is the standard error over these rows, or of one row what its
column se_METRIC has. `gibbs,COLUMN=VALUE` takes only rows with that value, `-test_error` is its negative; `ha-f2/tables`
in the place of `qn-t3` is papers/hamcmc/ha-f2/tables.csv. No grid of step sizes in results of studies may end at its
best: beyond it is a better one."""

import csv
import math
import pathlib
import re
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "papers" / "tools"))

import grids  # noqa: E402

NUMBER = r"[−-]?\d+(?:\.\d+)?(?:e[−-]?\d+)?"
MARKED = re.compile(rf"({NUMBER})(?:\*\*)?(?: ± ({NUMBER}))?( %)?(?:\*\*)?( s)? <!-- from: ([^>]*?) -->")


def number(text):
    return float(text.replace("−", "-"))


def half_of_last_digit(text):
    """What rounding may have taken off: half a unit of the last digit that is printed."""
    mantissa, _, exponent = text.partition("e")
    decimals = len(mantissa.partition(".")[2])
    return 0.5 * 10.0 ** (int(exponent.replace("−", "-") or 0) - decimals) * (1 + 1e-9)


def results_of(study, root):
    """The file of what `study` found, and the command that writes it."""
    name, _, kind = study.partition("/")
    folder = next(iter(sorted(root.glob(f"papers/*/{name}"))), root / "papers" / name)
    path = folder / f"{kind or 'results'}.csv"
    if kind == "ranks":
        return path, f"./dev bench ring --curve {path}"
    return path, f"./dev bench papers {name} {'--tables ' if kind else ''}--record"


def rows_of(words, root):
    """The rows that a mark names, its metric, and whether that is negated; ValueError says what is wrong with the
    mark."""
    try:
        study, cell, metric = words.split()
    except ValueError:
        raise ValueError(f"'{words}' is not STUDY VARIANT[,COLUMN=VALUE] METRIC") from None
    metric, is_negated = metric.removeprefix("-"), metric.startswith("-")
    path, command = results_of(study, root)
    if not path.exists():
        raise ValueError(f"no results of '{study}' are committed ({command})")
    variant, *conditions = cell.split(",")
    wanted = [("variant", variant)] + [tuple(condition.split("=", 1)) for condition in conditions]
    with open(path, encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    if unknown := [name for name in [metric, *(name for name, _ in wanted)] if name not in rows[0]]:
        raise ValueError(f"{path.name} of {study} has no column '{unknown[0]}'")
    found = [row for row in rows if all(same(row[name], value) for name, value in wanted)]
    if not found:
        raise ValueError(f"no row of {study} is of '{cell}'")
    return found, metric, is_negated


def mean_of(rows, metric):
    return math.fsum(float(row[metric]) for row in rows) / len(rows)


def error_of(rows, metric):
    """The standard error over rows, or what a single one has for it; ValueError if it has none."""
    if len(rows) > 1:
        mean = mean_of(rows, metric)
        squares = math.fsum((float(row[metric]) - mean) ** 2 for row in rows)
        return math.sqrt(squares / (len(rows) - 1) / len(rows))
    if not rows[0].get(f"se_{metric}"):
        raise ValueError("of one row")
    return float(rows[0][f"se_{metric}"])


def same(left, right):
    try:
        return float(left) == float(right)
    except ValueError:
        return left == right


def faults_of(match, root):
    printed, error, percent, _, words = match.groups()
    try:
        rows, metric, is_negated = rows_of(words, root)
        mean = mean_of(rows, metric)
    except ValueError as fault:
        return [str(fault)]
    scale = 100.0 if percent else 1.0
    mean *= -scale if is_negated else scale
    faults = []
    if abs(number(printed) - mean) > half_of_last_digit(printed):
        faults.append(f"{printed} is printed, {mean:.6g} was measured ({words})")
    if error is not None:
        try:
            measured = scale * error_of(rows, metric)
        except ValueError as fault:
            return faults + [f"± {error} {fault} ({words})"]
        if abs(number(error) - measured) > half_of_last_digit(error):
            faults.append(f"± {error} is printed, {measured:.3g} was measured ({words})")
    return faults


def faults_in(text, root=ROOT):
    """Of every mark, also of those that no number stands before; and how many marks there are."""
    text = re.sub(r"`<!-- from:[^`]*`", "", text)  # where the mark itself is explained
    faults, seen = [], 0
    for match in MARKED.finditer(text):
        seen += 1
        faults += faults_of(match, root)
    told = text.count("<!-- from:")
    if told != seen:
        faults.append(f"{told - seen} of {told} marks have no number right before them")
    return faults, seen


def ends_in(path):
    """Grids of step sizes whose smallest test_error is at an end; a run that was lost has none."""
    with open(path, encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    faults = []
    for axis in [name for name in rows[0] if name.startswith("kernel.") and "test_error" in rows[0]]:
        for variant in dict.fromkeys(row["variant"] for row in rows if row[axis]):
            errors = {}
            for row in rows:
                if row["variant"] == variant:
                    errors.setdefault(float(row[axis]), []).append(float(row["test_error"] or "nan"))
            means = [sum(found) / len(found) for found in errors.values()]
            end = grids.best_at_an_end(list(errors), means)
            if end is not None:
                faults.append(f"{path.parent.name}: {variant} is best at the end of its grid, {axis} = {end:g}")
    return faults


def check_ends(place):
    """A grid that ends at its best is seen, one that does not is not."""
    path = place / "ends.csv"
    text = "variant,seed,kernel.k.step_size,test_error\na,1,0.1,0.3\na,1,0.2,{}\na,1,0.4,{}\nb,1,,0.1\n"
    for beyond in [0.25, ""]:
        path.write_text(text.format(0.2, beyond), encoding="utf-8")
        assert ends_in(path) == [], ends_in(path)
    path.write_text(text.format(0.2, 0.1), encoding="utf-8")
    assert len(ends_in(path)) == 1 and "0.4" in ends_in(path)[0], ends_in(path)


def check_mutants(place):
    """Wrong figures of each kind are seen."""
    folder = place / "papers" / "paper" / "toy"
    folder.mkdir(parents=True)
    (folder / "results.csv").write_text("variant,eps,error\na,0.1,0.25\na,0.1,0.27\na,0.2,0.5\n", encoding="utf-8")
    right = ("0.26 ± 0.01 <!-- from: toy a,eps=1e-1 error --> | **26 %** <!-- from: toy a,eps=0.1 error --> "
             "| **0.340** <!-- from: toy a error -->")
    assert faults_in(right, place) == ([], 3), faults_in(right, place)
    (folder / "tables.csv").write_text("variant,error,se_error\na,0.25,0.014\n", encoding="utf-8")
    right = "0.25 ± 0.01 <!-- from: toy/tables a error --> | -0.250 <!-- from: toy/tables a -error -->"
    assert faults_in(right, place) == ([], 2), faults_in(right, place)
    for wrong in ["0.25 <!-- from: toy/tables a -error -->", "0.25 ± 0.02 <!-- from: toy/tables a error -->",
                  "0.27 <!-- from: toy a,eps=0.1 error -->", "0.26 ± 0.02 <!-- from: toy a,eps=0.1 error -->",
                  "0.26 % <!-- from: toy a,eps=0.1 error -->", "0.26 <!-- from: toy b error -->",
                  "0.26 <!-- from: toy a loss -->", "0.26 <!-- from: tay a error -->", "0.26 <!-- from: toy a -->",
                  "about <!-- from: toy a error -->", "0.5 ± 0.1 <!-- from: toy a,eps=0.2 error -->"]:
        assert faults_in(wrong, place)[0], wrong


def main():
    with tempfile.TemporaryDirectory() as place:
        check_mutants(pathlib.Path(place))
        check_ends(pathlib.Path(place))
    faults, count = [], 0
    for page in sorted((ROOT / "papers").rglob("*.md")):
        found, seen = faults_in(page.read_text(encoding="utf-8"))
        faults += [f"{page.relative_to(ROOT)}: {fault}" for fault in found]
        count += seen
    for results in sorted((ROOT / "papers").glob("*/*/results.csv")):
        faults += ends_in(results)
    print("\n".join(faults) or f"{count} figures are those of the committed results")
    return 1 if faults or count == 0 else 0


if __name__ == "__main__":
    sys.exit(main())
