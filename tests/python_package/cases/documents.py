# The Python of README.md and docs, run as a reader would.
# SPDX-License-Identifier: Apache-2.0
import contextlib
import importlib.util
import io
import os
import subprocess
import sys
import tempfile
import unittest

from support import SOURCE, Case

sys.path.insert(0, str(SOURCE / "tests" / "docs" / "support"))
from blocks import all_blocks  # noqa: E402

PROGRAM = os.path.join(os.environ["MIXWELL_PREFIX"], "bin", "mixwell")
OUTSIDE = os.path.join(os.environ["MIXWELL_PREFIX"], "examples", "outside")
# What the documents have made before their Python reads it.
MADE = (("run", "examples/challenger/challenger.toml"), ("run", "examples/challenger/challenger.toml", "--prior"),
        ("run", "examples/outside/poisson-hierarchy.toml", "--out", "out/manifest"),
        ("run", "examples/outside/poisson-hierarchy.toml", "--out", "out/manifest-prior", "--prior"),
        ("study", "examples/studies/step-size.toml", "--jobs", "2"))


class Documents(Case):
    def made(self):
        for words in MADE:
            subprocess.run([PROGRAM, words[0], SOURCE / words[1], *words[2:], "--quiet"], check=True,
                           cwd=self.place, env={**os.environ, "MIXWELL_PLUGIN_PATH": OUTSIDE})

    def test_every_block_of_python_runs(self):
        self.made()
        blocks = [block for block in all_blocks(SOURCE) if block.language == "python"]
        self.assertGreaterEqual(len(blocks), 8)
        names, document = {}, ""
        for block in blocks:
            if block.document != document:  # a later block goes on with what an earlier one has
                names, document = {}, block.document
                os.chdir(self.place)
            if block.mark == "not run" or "import jax" in block.text and importlib.util.find_spec("jax") is None:
                continue
            if "import mixwell" in block.text:  # what runs has an out/ of its own
                os.chdir(tempfile.mkdtemp(dir=self.place))
            with self.subTest(block=str(block)), contextlib.redirect_stdout(io.StringIO()):
                exec(compile(block.as_read(), str(block), "exec"), names)


if __name__ == "__main__":
    unittest.main()
