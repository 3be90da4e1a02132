# The notebooks of examples/notebook, executed without a browser: no cell fails, pictures show something.
# SPDX-License-Identifier: Apache-2.0
"""In an environment that has nbclient; pictures and pages are kept in the build's tests/notebook, to be looked at. A
committed notebook has no outputs. First it is shown that a cell that fails, an output and a blank picture are seen. Exit
code 77 (skipped) without the environment."""

import os
import subprocess
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, "..", "python"))

from support.environment import environment_python  # noqa: E402

SOURCE = os.environ.get("MIXWELL_SOURCE_DIR") or os.path.join(HERE, "..", "..")
BUILD = os.environ.get("MIXWELL_BUILD_DIR") or os.path.join(SOURCE, "build", "release")


def main():
    return subprocess.run(
        [environment_python(BUILD, "notebook"), os.path.join(HERE, "support", "notebooks.py"), SOURCE,
         os.path.join(BUILD, "tests", "notebook")],
        env={**os.environ, "MIXWELL_PREFIX": BUILD, "PYTHONPATH": os.path.join(SOURCE, "framework", "python"),
             "JUPYTER_PLATFORM_DIRS": "1", "XDG_STATE_HOME": os.path.join(BUILD, "tests", "state")}).returncode


if __name__ == "__main__":
    sys.exit(main())
