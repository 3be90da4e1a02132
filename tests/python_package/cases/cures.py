# Errors name arguments and functions of the package, never options of the program.
# SPDX-License-Identifier: Apache-2.0
"""Every text in the source that names an option or a command of the program is put through the
translation, so that a new one is found when it is written."""

import pathlib
import re
import unittest

import mixwell as mw
from mixwell import errors

from support import SOURCE, Case

GAUSSIAN = {"model": {"g": {"use": "gaussian", "dimension": 2}},
            "kernel": {"k": {"use": "hamiltonian", "step_size": 0.5, "steps": 3}},
            "run": {"draws": 20, "warmup": 10}}

# What only the program does: its own command line, and options of commands that Python has not. The
# last asks other programs.
UNREACHABLE = {
    "study/follow.cpp", "study/content_hash.cpp", "study/schema.cpp", "study/worker_pool.cpp",
    "results/reference.cpp", "results/summary.cpp", "results/vector.cpp",
    "results/directions_part.cpp", "run/generate.cpp", "manifest/run_settings.cpp",
    "models/stan/compile.hpp",
}
LITERALS = re.compile(r'"((?:[^"\\\n]|\\.)*)"(?:\s*"((?:[^"\\\n]|\\.)*)")*')


def texts_of(path):
    """String literals; neighbours are one text."""
    source = re.sub(r"^\s*//.*$|#include.*$", "", path.read_text(encoding="utf-8"), flags=re.M)
    for found in LITERALS.finditer(source):
        parts = re.findall(r'"((?:[^"\\\n]|\\.)*)"', found.group(0))
        yield "".join(parts).replace("{0}", "out/m").replace("{}", " out/m")


def texts_that_reach_python():
    sources = SOURCE / "framework" / "src"
    for path in sorted(sources.rglob("*.cpp")) + sorted(sources.rglob("*.hpp")):
        name = str(path.relative_to(sources))
        if not name.startswith("app/") and name not in UNREACHABLE:
            yield from ((name, text) for text in texts_of(path))
    for folder in ("models", "integrators", "estimators", "plugins"):
        for path in sorted((SOURCE / folder).rglob("*.[ch]pp")):
            name = str(path.relative_to(SOURCE))
            if name not in UNREACHABLE:
                yield from ((name, text) for text in texts_of(path))


def options_outside_commands(text):
    """Options of cmake are the same in every language."""
    return re.findall(r"(?<![\w-])--[a-z][\w-]*", re.sub(r"`(?:mixwell|cmake) [^`]*`", "", text))


class Cures(Case):
    def test_no_text_of_the_library_names_an_option_here(self):
        named = [(name, text) for name, text in texts_that_reach_python()
                 if options_outside_commands(text)]
        self.assertGreater(len(named), 15, "the search finds them")
        left = [(name, errors.in_python(text)) for name, text in named
                if options_outside_commands(errors.in_python(text))]
        self.assertEqual(left, [])

    def test_a_text_without_a_translation_would_be_found(self):
        text = "choose another folder with --elsewhere"
        self.assertEqual(options_outside_commands(errors.in_python(text)), ["--elsewhere"])

    def test_commands_become_calls_and_whole_commands_stay(self):
        told = errors.in_python("`mixwell run --resume out/a b` goes on; `mixwell check` shows it; "
                                "`mixwell summary out/m --json > s.json` makes it")
        self.assertEqual(told, 'mixwell.resume("out/a b") goes on; mixwell.check() shows it; '
                               "`mixwell summary out/m --json > s.json` makes it")

    def test_a_folder_that_holds_a_run_is_refused_with_the_arguments_of_run(self):
        mw.run(GAUSSIAN, folder="once")
        with self.assertRaises(mw.InputError) as caught:
            mw.run(GAUSSIAN, folder="once")
        told = str(caught.exception)
        self.assertIn("folder=", told)
        self.assertIn("force=True", told)
        self.assertNotIn("--", told)


class Folders(Case):
    def test_each_run_of_a_session_has_a_folder_of_its_own(self):
        with self.assertLogs("mixwell", "INFO") as log:
            runs = [mw.run(GAUSSIAN, seed=seed) for seed in (1, 2, 3)]
        self.assertEqual([run.folder.name for run in runs],
                         ["composition", "composition-2", "composition-3"])
        self.assertEqual(len({run.draws_sha256 for run in runs}), 3)
        for run in runs:
            self.assertEqual(mw.load(run.folder).draws_sha256, run.draws_sha256)
        self.assertTrue(any("contains an earlier run, so the results of this run are in" in line
                            for line in log.output))

    def test_force_replaces_the_first(self):
        mw.run(GAUSSIAN, seed=1)
        again = mw.run(GAUSSIAN, seed=2, force=True)
        self.assertEqual(again.folder.name, "composition")
        self.assertFalse(pathlib.Path("out/composition-2").exists())

    def test_what_is_refused_leaves_no_folder(self):
        biased = SOURCE / "examples/certificates/qnhmc-published.toml"
        with self.assertRaises(mw.Refused):
            mw.run(biased, allow=[])
        self.assertFalse(pathlib.Path("out").exists())


if __name__ == "__main__":
    unittest.main()
