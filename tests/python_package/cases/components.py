# Components as Python functions: every plugin, every key, and the manifests that they write.
# SPDX-License-Identifier: Apache-2.0
import inspect
import json
import math
import subprocess
import sys
import tomllib
import unittest

import mixwell as mw
from mixwell import _toml

from support import BUILD, Case


class Components(Case):
    def test_every_plugin_is_completed_and_its_help_shows_every_key(self):
        listed = json.loads(self.program("plugins", "--json"))["plugins"]
        self.assertEqual(len(listed), len(mw.plugins()))
        for entry in mw.plugins():
            name = entry["id"].replace("-", "_")
            self.assertIn(name, dir(mw))
            namespace = getattr(mw, entry["kind"] if entry["kind"] == "steps"
                                else entry["kind"] + "s")
            self.assertIn(name, dir(namespace))
            make = getattr(namespace, name)
            for parameter in entry["parameters"]:
                self.assertIn(f"{parameter['key']} : {parameter['type']}", inspect.getdoc(make))
                if "." not in parameter["key"]:
                    self.assertIn(parameter["key"].replace("lambda", "lambda_"),
                                  inspect.signature(make).parameters)

    def test_a_signature_shows_defaults_and_what_is_required(self):
        parameters = inspect.signature(mw.nuts).parameters
        self.assertEqual(repr(parameters["max_depth"].default), "10")
        self.assertIs(inspect.signature(mw.callback).parameters["parameters"].default,
                      inspect.Parameter.empty)

    def test_a_key_that_is_a_word_of_python_has_an_underscore(self):
        self.assertIn("lambda", mw.bfgs(lambda_=0.5).keys)

    def test_a_plugin_from_outside_is_there_once_it_is_added(self):
        library = next(BUILD.glob("**/steps-chees.so"))
        script = (  # in a process of its own: what is added stays
            "import mixwell as mw\n"
            "assert 'chees' not in dir(mw.steps) and not hasattr(mw, 'chees')\n"
            f"mw.add_plugin({str(library)!r})\n"
            "assert 'chees' in dir(mw.steps) and 'chees' in dir(mw)\n"
            "print(mw.check(mw.gaussian(dimension=2), mw.hamiltonian(), mw.chees()).label)\n")
        done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("exact", done.stdout)

    def test_what_is_nowhere_is_no_attribute(self):
        self.assertFalse(hasattr(mw, "no_such_thing"))
        self.assertFalse(hasattr(mw, "__wrapped__"))

    def test_the_schema_is_the_programs(self):
        self.assertEqual(mw.schema(), json.loads(self.program("schema")))
        self.assertEqual(mw.__version__, self.program("--version").split()[-1])


class Toml(unittest.TestCase):
    def test_what_is_written_reads_back_as_it_was(self):
        tables = {"mixwell": 1, "run": {"seed": 7, "x": [1.0, math.inf, -0.5e-9], "on": True},
                  "model": {"a b": {"text": 'a "q" \\ \n \x7f é', "inner": {"k.l": [{"m": 1}, {}]},
                                    "big": 10**15, "float": 1e22}}}
        self.assertEqual(tomllib.loads(_toml.document(tables)), tables)

    def test_arrays_and_numbers_of_numpy_are_lists_and_numbers(self):
        import numpy

        written = _toml.document({"run": {"a": numpy.arange(3), "b": numpy.float64(2),
                                          "c": numpy.int32(4), "d": numpy.bool_(True)}})
        self.assertEqual(tomllib.loads(written)["run"], {"a": [0, 1, 2], "b": 2.0, "c": 4, "d": True})


if __name__ == "__main__":
    unittest.main()
