# Figures in docs/papers that name their source are those of the committed results.
# SPDX-License-Identifier: Apache-2.0
"""`0.840 <!-- from: qn-t3 gibbs test_error -->`: the number before the mark, with what follows it in the cell or the
sentence (%, or a standard error after ±), is the mean of `test_error` over the rows of bench/papers/qn-t3/results.csv
that are of variant gibbs, rounded as it is printed; ± is the standard error over these rows. `gibbs,COLUMN=VALUE` takes
only rows with that value."""

import csv
import math
import pathlib
import re
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
NUMBER = r"[−-]?\d+(?:\.\d+)?(?:e[−-]?\d+)?"
MARKED = re.compile(rf"({NUMBER})(?:\*\*)?(?: ± ({NUMBER}))?( %)?(?:\*\*)?( s)? <!-- from: ([^>]*?) -->")


def number(text):
    return float(text.replace("−", "-"))


def half_of_last_digit(text):
    """What rounding may have taken off: half a unit of the last digit that is printed."""
    mantissa, _, exponent = text.partition("e")
    decimals = len(mantissa.partition(".")[2])
    return 0.5 * 10.0 ** (int(exponent.replace("−", "-") or 0) - decimals) * (1 + 1e-9)


def values(words, root):
    """The metric of all rows that a mark names; ValueError says what is wrong with the mark."""
    try:
        study, cell, metric = words.split()
    except ValueError:
        raise ValueError(f"'{words}' is not STUDY VARIANT[,COLUMN=VALUE] METRIC") from None
    path = root / "bench" / "papers" / study / "results.csv"
    if not path.exists():
        raise ValueError(f"no results of '{study}' are committed (./dev bench papers {study} --record)")
    variant, *conditions = cell.split(",")
    wanted = [("variant", variant)] + [tuple(condition.split("=", 1)) for condition in conditions]
    with open(path, encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    if unknown := [name for name in [metric, *(name for name, _ in wanted)] if name not in rows[0]]:
        raise ValueError(f"{path.name} of {study} has no column '{unknown[0]}'")
    found = [float(row[metric]) for row in rows if all(same(row[name], value) for name, value in wanted)]
    if not found:
        raise ValueError(f"no row of {study} is of '{cell}'")
    return found


def same(left, right):
    try:
        return float(left) == float(right)
    except ValueError:
        return left == right


def faults_of(match, root):
    printed, error, percent, _, words = match.groups()
    try:
        found = values(words, root)
    except ValueError as fault:
        return [str(fault)]
    scale = 100.0 if percent else 1.0
    mean = scale * math.fsum(found) / len(found)
    faults = []
    if abs(number(printed) - mean) > half_of_last_digit(printed):
        faults.append(f"{printed} is printed, {mean:.6g} was measured ({words})")
    if error is not None:
        if len(found) < 2:
            return faults + [f"± {error} of one row ({words})"]
        variance = math.fsum((scale * value - mean) ** 2 for value in found) / (len(found) - 1)
        measured = math.sqrt(variance / len(found))
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


def check_twins(place):
    """Wrong figures of each kind are seen."""
    folder = place / "bench" / "papers" / "toy"
    folder.mkdir(parents=True)
    (folder / "results.csv").write_text("variant,eps,error\na,0.1,0.25\na,0.1,0.27\na,0.2,0.5\n", encoding="utf-8")
    right = ("0.26 ± 0.01 <!-- from: toy a,eps=1e-1 error --> | **26 %** <!-- from: toy a,eps=0.1 error --> "
             "| **0.340** <!-- from: toy a error -->")
    assert faults_in(right, place) == ([], 3), faults_in(right, place)
    for wrong in ["0.27 <!-- from: toy a,eps=0.1 error -->", "0.26 ± 0.02 <!-- from: toy a,eps=0.1 error -->",
                  "0.26 % <!-- from: toy a,eps=0.1 error -->", "0.26 <!-- from: toy b error -->",
                  "0.26 <!-- from: toy a loss -->", "0.26 <!-- from: tay a error -->", "0.26 <!-- from: toy a -->",
                  "about <!-- from: toy a error -->", "0.5 ± 0.1 <!-- from: toy a,eps=0.2 error -->"]:
        assert faults_in(wrong, place)[0], wrong


def main():
    with tempfile.TemporaryDirectory() as place:
        check_twins(pathlib.Path(place))
    faults, count = [], 0
    for page in sorted((ROOT / "docs" / "papers").glob("*.md")):
        found, seen = faults_in(page.read_text(encoding="utf-8"))
        faults += [f"{page.name}: {fault}" for fault in found]
        count += seen
    print("\n".join(faults) or f"{count} figures are those of the committed results")
    return 1 if faults or count == 0 else 0


if __name__ == "__main__":
    sys.exit(main())
