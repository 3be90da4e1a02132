# The Python package on the build: every case of cases/, in the environment that has ArviZ.
# SPDX-License-Identifier: Apache-2.0
"""package_check.py [PATTERN...]: unittest's -k. Exit code 77 (skipped) without the environment."""

import os
import subprocess
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, "..", "python"))

from support.environment import environment_python  # noqa: E402

SOURCE = os.environ.get("MIXWELL_SOURCE_DIR") or os.path.join(HERE, "..", "..")
BUILD = os.environ.get("MIXWELL_BUILD_DIR") or os.path.join(SOURCE, "build", "release")


def main():
    chosen = [word for pattern in sys.argv[1:] for word in ("-k", pattern)]
    return subprocess.run(
        [environment_python(BUILD), "-m", "unittest", "discover", "--start-directory",
         os.path.join(HERE, "cases"), "--pattern", "*.py", *chosen],
        env={**os.environ, "MIXWELL_PREFIX": BUILD, "MIXWELL_SOURCE_DIR": SOURCE,
             "PYTHONPATH": os.path.join(SOURCE, "framework", "python")}).returncode


if __name__ == "__main__":
    sys.exit(main())
