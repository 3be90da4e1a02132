# What comes of runs, checks and tests, as Python has it.
# SPDX-License-Identifier: Apache-2.0
"""Results. Each holds the document that the program gives with --json as `record`; docs/results.md
has its fields."""

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
    """A package that not every use needs. Raises ImportError with the cure."""
    try:
        return importlib.import_module(module)
    except ImportError as fault:
        raise ImportError(f"{purpose} needs the package {module}: pip install 'mixwell[arviz]'"
                          ) from fault


def _number(value: typing.Any) -> typing.Any:
    """An infinite figure is a text in JSON."""
    return float(value) if value in ("inf", "-inf") else value


class Certificate:
    """What a composition is guaranteed to sample, and why."""

    def __init__(self, record: dict[str, typing.Any]):
        self.record = record

    @property
    def label(self) -> str:
        """"exact", "asymptotic, order 1", "biased", ...: the class of the sampling phase; of check()
        also "contradicted", where a finite world shows that the rules are wrong."""
        if "label" in self.record:
            return self.record["label"]
        return self.record["class"] + (" after warm-up" if self.record.get("after_warmup") else "")

    @property
    def evidence(self) -> str:
        """"proved", "declared" or "unproven": what stands behind it."""
        return self.record["evidence"]

    @property
    def reason(self) -> str:
        return self.record["reason"]

    @property
    def is_exact(self) -> bool:
        return self.record["class"] == "exact"

    @property
    def cures(self) -> list[dict[str, str]]:
        """Changes of one key after which its class is better: {"set", "class"}; of check() alone."""
        return self.record.get("cures", [])

    @property
    def worlds(self) -> list[dict[str, typing.Any]]:
        """What finite worlds say of each phase, with its "judgement"; of check() only."""
        return self.record.get("worlds") or []

    @property
    def remarks(self) -> list[str]:
        return self.record.get("remarks", [])

    @property
    def error(self) -> str | None:
        """Why the composition must not run, or does not; None where it may."""
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
    """A page of a run or a study: one HTML file that needs nothing else."""

    height = 720  #: pixels, shown inline

    def __init__(self, path: str | os.PathLike[str]):
        self.path = pathlib.Path(path)

    @property
    def html(self) -> str:
        return self.path.read_text(encoding="utf-8")

    def __repr__(self) -> str:
        return f"<Report {self.path}>"

    def _repr_html_(self) -> str:
        """In a frame of its own, so that neither page sees the other's styles and scripts."""
        return (f'<iframe srcdoc="{html.escape(self.html)}" sandbox="allow-scripts" '
                f'style="width:100%;height:{self.height}px;border:0" title="Mixwell report">'
                "</iframe>")


class Run:
    """A run that has ended, complete or not, by its folder. Pickled, it is its folder."""

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
        """Equal hashes mean equal draws."""
        return self.record["run"]["draws_sha256"]

    @property
    def worlds(self) -> list[dict[str, typing.Any]]:
        """What finite worlds say of each phase, with its "judgement"; of check() only."""
        return self.record.get("worlds") or []

    @property
    def remarks(self) -> list[str]:
        return self.record["run"]["remarks"]

    @property
    def manifest(self) -> str:
        """TOML with every default filled in: it has the same draws."""
        return (self.folder / "manifest.toml").read_text(encoding="utf-8")

    @functools.cached_property
    def draws(self) -> typing.Any:
        """The draws as ArviZ has them: InferenceData, or DataTree since its version 1."""
        arviz = needed("arviz", "Run.draws")
        return arviz.from_netcdf(str(self.folder / "draws.nc"))

    @functools.cached_property
    def summary(self) -> typing.Any:
        """A pandas.DataFrame with a row for each element and its figures in columns."""
        pandas = needed("pandas", "Run.summary")
        rows = self._summary_record()["variables"]
        figures = {name: {figure: _number(value) for figure, value in row.items()
                          if not isinstance(value, (list, dict))} for name, row in rows.items()}
        return pandas.DataFrame.from_dict(figures, orient="index")

    @property
    def warnings(self) -> list[str]:
        """What is wrong with the draws and what to do about it, as `mixwell run` prints it."""
        return self.record["warnings"]

    @property
    def not_judged(self) -> list[dict[str, typing.Any]]:
        """Figures that the draws do not have, and why: {"variable", "more", "figures", "because",
        "draws"}, as in summary.json. Draws are good where this is empty and `warnings` too."""
        return self._summary_record()["not_judged"]

    def _summary_record(self) -> dict[str, typing.Any]:
        if self.record["summary"] is None:
            raise errors.RunError(f"{self.folder}: the run was interrupted before its summary; "
                                  f"`mixwell summary {self.folder}` makes it")
        return self.record["summary"]

    def report(self, file: str | os.PathLike[str] | None = None) -> Report:
        """Writes its page, by default report.html in its folder."""
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
    """A certificate put to the test."""

    def __init__(self, record: dict[str, typing.Any]):
        self.record = record

    @property
    def certificate(self) -> str:
        return self.record["certificate"]

    @property
    def tested(self) -> str:
        """"exact", "asymptotic", "biased", "untested", ...: what the draws are like."""
        return self.record["tested"]

    @property
    def agrees(self) -> bool:
        return self.record["agree"]

    @property
    def is_conclusive(self) -> bool:
        return self.record["conclusive"]

    @property
    def tests(self) -> typing.Any:
        """A pandas.DataFrame of the statistics that failed, or the farthest off."""
        return needed("pandas", "Verification.tests").DataFrame.from_records(self.record["tests"])

    @property
    def targets(self) -> typing.Any:
        """A pandas.DataFrame of what happened on each target."""
        return needed("pandas", "Verification.targets").DataFrame.from_records(
            self.record["targets"])

    def __repr__(self) -> str:
        word = "agrees" if self.agrees else "DISAGREES"
        if not self.is_conclusive:
            word = "inconclusive"
        return f"<Verification: certificate {self.certificate}, tested {self.tested}: {word}>"


class Study:
    """The folder of a study, also while it goes on."""

    def __init__(self, folder: str | os.PathLike[str], record: dict[str, typing.Any] | None = None):
        self.folder = pathlib.Path(folder).absolute()
        self.record = record or {}

    @property
    def table(self) -> typing.Any:
        """A pandas.DataFrame with a row for each cell, as it is now."""
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
    """The run in a folder. Raises InputError where there is none, or a file of it is damaged."""
    return Run(folder, json.loads(_library.text_of("load", _library.encoded(folder))))


def report(of: Run | Study | str | os.PathLike[str],
           file: str | os.PathLike[str] | None = None) -> Report:
    """Writes the page of a run or a study, or of the folder of one; shown inline in notebooks."""
    folder = of.folder if isinstance(of, (Run, Study)) else of
    where = None if file is None else _library.encoded(file)
    return Report(_library.text_of("report", _library.encoded(folder), where))
