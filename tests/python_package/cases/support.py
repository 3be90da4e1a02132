# What the cases share: a folder of their own, and the program.
# SPDX-License-Identifier: Apache-2.0
import os
import pathlib
import subprocess
import tempfile
import unittest

SOURCE = pathlib.Path(os.environ["MIXWELL_SOURCE_DIR"]).resolve()
BUILD = pathlib.Path(os.environ["MIXWELL_PREFIX"]).resolve()
PROGRAM = BUILD / "bin" / "mixwell"
CHALLENGER = SOURCE / "examples" / "challenger" / "challenger.toml"


class Case(unittest.TestCase):
    """In an empty working directory."""

    def setUp(self):
        before = os.getcwd()
        place = tempfile.TemporaryDirectory()
        self.place = pathlib.Path(place.name)
        os.chdir(self.place)
        self.addCleanup(place.cleanup)
        self.addCleanup(os.chdir, before)

    def program(self, *words):
        """What the program prints. It must end well."""
        done = subprocess.run([PROGRAM, *map(str, words)], capture_output=True, text=True)
        self.assertEqual(done.returncode, 0, done.stderr)
        return done.stdout
