# The code of docs/python.md, run as a reader would.
# SPDX-License-Identifier: Apache-2.0
import importlib.util
import os
import re
import unittest

from support import SOURCE, Case


class Documents(Case):
    def test_every_block_of_python_runs(self):
        text = (SOURCE / "docs" / "python.md").read_text("utf-8")
        blocks = re.findall(r"^```python\n(.*?)^```$", text, re.M | re.S)
        self.assertGreaterEqual(len(blocks), 3)
        for number, block in enumerate(blocks):
            if "import jax" in block and importlib.util.find_spec("jax") is None:
                continue
            with self.subTest(block=number):
                place = self.place / str(number)  # each has its own out/
                place.mkdir()
                os.chdir(place)
                exec(compile(block, f"block {number} of docs/python.md", "exec"), {})


if __name__ == "__main__":
    unittest.main()
