# Results of runs, checks, tests and studies.
# SPDX-License-Identifier: Apache-2.0
"""Results of runs, checks, tests and studies. The `record` of a result is the document that the
program prints with --json. docs/results.md lists the fields of the document."""

from __future__ import annotations

import functools
import html
import importlib
import json
import os
import pathlib
import typing

from . import _library, errors


def needed(module: str, purpose: str) -> typing.Any:
    """Imports an optional package. If the package is missing, raises an ImportError that says how
    to install it."""
    try:
        return importlib.import_module(module)
    except ImportError as fault:
        raise ImportError(f"{purpose} needs the package {module}. Install it with: "
                          "pip install 'mixwell[arviz]'") from fault


def _number(value: typing.Any) -> typing.Any:
    """The value of a field of a JSON document. JSON has no infinite numbers, so the document has
    the text "inf" or "-inf" for an infinite number. This function returns the number."""
    return float(value) if value in ("inf", "-inf") else value


class Certificate:
    """States what a composition is guaranteed to sample, and why."""

    def __init__(self, record: dict[str, typing.Any]):
        self.record = record

    @property
    def label(self) -> str:
        """The class of the sampling phase: "exact", "asymptotic, order 1", "biased", ... The class
        from check() is "contradicted" if a finite world shows that the rules of the certificate are
        wrong."""
        if "label" in self.record:
            return self.record["label"]
        return self.record["class"] + (" after warm-up" if self.record.get("after_warmup") else "")

    @property
    def evidence(self) -> str:
        """The evidence for the class: "proved", "declared" or "unproven"."""
        return self.record["evidence"]

    @property
    def reason(self) -> str:
        return self.record["reason"]

    @property
    def is_exact(self) -> bool:
        return self.record["class"] == "exact"

    @property
    def cures(self) -> list[dict[str, str]]:
        """Changes that improve the class, as {"set", "class"}. Each is a change of one key. Only
        check() finds such changes."""
        return self.record.get("cures", [])

    @property
    def worlds(self) -> list[dict[str, typing.Any]]:
        """The results of the check on finite worlds (docs/worlds.md), one for each phase. The field
        "judgement" has the outcome. Only check() provides these results."""
        return self.record.get("worlds") or []

    @property
    def remarks(self) -> list[str]:
        return self.record.get("remarks", [])

    @property
    def error(self) -> str | None:
        """The reason why the composition must not or cannot run, or None if it may run."""
        found = self.record.get("error")
        return None if found is None else errors.in_python(found)

    def __str__(self) -> str:
        if "text" in self.record:
            return self.record["text"].rstrip()
        return f"{self.label}: {self.reason} (evidence: {self.evidence})"

    def __repr__(self) -> str:
        return f"<Certificate {self.label}, {self.evidence}>"

    def _repr_html_(self) -> str:
        return f"<pre>{html.escape(str(self))}</pre>"


class Report:
    """An HTML report of a run or a study: a single file that works offline."""

    height = 720  #: height in pixels when shown inline

    def __init__(self, path: str | os.PathLike[str]):
        self.path = pathlib.Path(path)

    @property
    def html(self) -> str:
        return self.path.read_text(encoding="utf-8")

    def __repr__(self) -> str:
        return f"<Report {self.path}>"

    def _repr_html_(self) -> str:
        """Shows the report in a frame, so that the report and the notebook do not affect each
        other's styles and scripts."""
        return (f'<iframe srcdoc="{html.escape(self.html)}" sandbox="allow-scripts" '
                f'style="width:100%;height:{self.height}px;border:0" title="Mixwell report">'
                "</iframe>")


class Run:
    """A complete or interrupted run. Pickling saves only the path of the folder."""

    def __init__(self, folder: str | os.PathLike[str], record: dict[str, typing.Any]):
        self.folder = pathlib.Path(folder).absolute()
        self.record = record

    @property
    def certificate(self) -> Certificate:
        return Certificate(self.record["certificate"])

    @property
    def outcome(self) -> str:
        """"complete" or "interrupted"."""
        return self.record["run"]["outcome"]

    @property
    def is_complete(self) -> bool:
        return self.outcome == "complete"

    @property
    def draws_sha256(self) -> str:
        """The SHA-256 hash of the draws. Runs with equal hashes have equal draws."""
        return self.record["run"]["draws_sha256"]

    @property
    def worlds(self) -> list[dict[str, typing.Any]]:
        """The results of the check on finite worlds (docs/worlds.md), one for each phase. The field
        "judgement" has the outcome. Only check() provides these results."""
        return self.record.get("worlds") or []

    @property
    def remarks(self) -> list[str]:
        return self.record["run"]["remarks"]

    @property
    def manifest(self) -> str:
        """The effective manifest: TOML with every default filled in. A run of this manifest gives
        the same draws."""
        return (self.folder / "manifest.toml").read_text(encoding="utf-8")

    @functools.cached_property
    def draws(self) -> typing.Any:
        """The draws as an ArviZ object: InferenceData, or DataTree since ArviZ 1."""
        arviz = needed("arviz", "Run.draws")
        return arviz.from_netcdf(str(self.folder / "draws.nc"))

    @functools.cached_property
    def summary(self) -> typing.Any:
        """A pandas.DataFrame with a row per element of each variable and a column per statistic."""
        pandas = needed("pandas", "Run.summary")
        rows = self._summary_record()["variables"]
        figures = {name: {figure: _number(value) for figure, value in row.items()
                          if not isinstance(value, (list, dict))} for name, row in rows.items()}
        return pandas.DataFrame.from_dict(figures, orient="index")

    @property
    def warnings(self) -> list[str]:
        """Problems with the draws, and how to fix them. `mixwell run` prints the same warnings."""
        return self.record["warnings"]

    @property
    def not_judged(self) -> list[dict[str, typing.Any]]:
        """Statistics that could not be computed, and the reasons: {"variable", "more", "figures",
        "because", "draws"}, as in summary.json. The draws have no known problem if this list and
        `warnings` are empty."""
        return self._summary_record()["not_judged"]

    def _summary_record(self) -> dict[str, typing.Any]:
        if self.record["summary"] is None:
            raise errors.RunError(f"{self.folder}: the run was interrupted before its summary was "
                                  f"made. `mixwell summary {self.folder}` makes the summary")
        return self.record["summary"]

    def report(self, file: str | os.PathLike[str] | None = None) -> Report:
        """Writes an HTML report (default: report.html in the folder of the run)."""
        return report(self, file)

    def __reduce__(self) -> typing.Any:
        return load, (str(self.folder),)

    def __repr__(self) -> str:
        run = self.record["run"]
        return (f"<Run {self.folder.name}: {self.outcome}, {run['draws']} draws of "
                f"{run['replicates']} replicates, {self.certificate.label}>")

    def _repr_html_(self) -> str:
        table = ""
        if self.record["summary"] is not None:
            table = self.summary.to_html(float_format=lambda figure: f"{figure:.4g}")
        return f"<p>{html.escape(repr(self)[1:-1])}</p>{table}"


class Verification:
    """The outcome of testing a certificate."""

    def __init__(self, record: dict[str, typing.Any]):
        self.record = record

    @property
    def certificate(self) -> str:
        return self.record["certificate"]

    @property
    def tested(self) -> str:
        """The class that the test found: "exact", "asymptotic", "biased", "untested", ..."""
        return self.record["tested"]

    @property
    def agrees(self) -> bool:
        return self.record["agree"]

    @property
    def is_conclusive(self) -> bool:
        return self.record["conclusive"]

    @property
    def tests(self) -> typing.Any:
        """A pandas.DataFrame of statistics. A target has a row for each of its statistics that
        failed. If none failed, it has one row: the statistic with the largest deviation."""
        return needed("pandas", "Verification.tests").DataFrame.from_records(self.record["tests"])

    @property
    def targets(self) -> typing.Any:
        """A pandas.DataFrame with the outcome on each target."""
        return needed("pandas", "Verification.targets").DataFrame.from_records(
            self.record["targets"])

    def __repr__(self) -> str:
        word = "agrees" if self.agrees else "DISAGREES"
        if not self.is_conclusive:
            word = "inconclusive"
        return f"<Verification: certificate {self.certificate}, tested {self.tested}: {word}>"


class Study:
    """A study, given by its folder. The study may still be running."""

    def __init__(self, folder: str | os.PathLike[str], record: dict[str, typing.Any] | None = None):
        self.folder = pathlib.Path(folder).absolute()
        self.record = record or {}

    @property
    def table(self) -> typing.Any:
        """A pandas.DataFrame with one row per cell. Each access to this property reads the
        current state of the cells."""
        pandas = needed("pandas", "Study.table")
        found = json.loads(_library.text_of("study_table", _library.encoded(self.folder)))
        return pandas.DataFrame.from_records(found["rows"], columns=found["columns"])

    def report(self, file: str | os.PathLike[str] | None = None) -> Report:
        return report(self, file)

    def __reduce__(self) -> typing.Any:
        return Study, (str(self.folder), self.record)

    def __repr__(self) -> str:
        if not self.record:
            return f"<Study {self.folder.name}>"
        return (f"<Study {self.folder.name}: {self.record['done']} of {self.record['total']} cells "
                f"done, {self.record['failed']} failed>")


def load(folder: str | os.PathLike[str]) -> Run:
    """The run in a folder. Raises InputError if there is no run or a file of the run
    is damaged."""
    return Run(folder, json.loads(_library.text_of("load", _library.encoded(folder))))


def report(of: Run | Study | str | os.PathLike[str],
           file: str | os.PathLike[str] | None = None) -> Report:
    """Writes the HTML report of a run or a study. `of`: the run, the study, or the path of its
    folder. Notebooks show the report inline."""
    folder = of.folder if isinstance(of, (Run, Study)) else of
    where = None if file is None else _library.encoded(file)
    return Report(_library.text_of("report", _library.encoded(folder), where))
