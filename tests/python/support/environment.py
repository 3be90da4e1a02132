# The virtual environment with ArviZ that tests of results and of the Python package share.
# SPDX-License-Identifier: Apache-2.0
"""Made once in the build folder. Exit code 77 (skipped) where python3-venv or the Python package
index is out of reach."""

import fcntl
import os
import subprocess
import sys

PACKAGES = ("arviz", "netCDF4", "pandas")


def skip(why):
    print("skipped:", why)
    sys.exit(77)


def environment_python(build):
    """The Python of an environment that has ArviZ. One process makes it, and the others wait."""
    folder = os.path.join(build, "arviz-environment")
    with open(folder + ".lock", "w", encoding="utf-8") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        return made(folder)


def made(folder):
    python = os.path.join(folder, "bin", "python")
    ready = os.path.join(folder, "ready")  # written last: a cut-off installation is begun anew
    if os.path.exists(ready):
        return python
    commands = ([sys.executable, "-m", "venv", "--clear", folder],
                [python, "-m", "pip", "install", "--quiet", "--disable-pip-version-check",
                 "--retries", "1", "--timeout", "20", *PACKAGES])
    for command in commands:
        done = subprocess.run(command, capture_output=True, text=True)
        if done.returncode != 0:
            words = (done.stderr or done.stdout).strip().splitlines()
            skip(f"no environment with ArviZ: {words[-1] if words else command}")
    with open(ready, "w", encoding="utf-8") as file:
        file.write("ArviZ is installed\n")
    return python
