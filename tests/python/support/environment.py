# The virtual environments that tests of results and of the Python package share.
# SPDX-License-Identifier: Apache-2.0
"""Made once in the build folder. Exit code 77 (skipped) where python3-venv or the Python package
index is out of reach."""

import fcntl
import os
import subprocess
import sys

PACKAGES = {"arviz": ("arviz", "netCDF4", "pandas"),
            "notebook": ("arviz", "netCDF4", "pandas", "nbclient", "ipykernel")}


def skip(why):
    print("skipped:", why)
    sys.exit(77)


def environment_python(build, name="arviz"):
    """The Python of an environment that has these packages. One process makes it, and the others wait."""
    folder = os.path.join(build, name + "-environment")
    with open(folder + ".lock", "w", encoding="utf-8") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        return made(folder, PACKAGES[name])


def made(folder, packages):
    python = os.path.join(folder, "bin", "python")
    ready = os.path.join(folder, "ready")  # written last: a cut-off installation is begun anew
    if os.path.exists(ready):
        return python
    commands = ([sys.executable, "-m", "venv", "--clear", folder],
                [python, "-m", "pip", "install", "--quiet", "--disable-pip-version-check",
                 "--retries", "1", "--timeout", "20", *packages])
    for command in commands:
        done = subprocess.run(command, capture_output=True, text=True)
        if done.returncode != 0:
            words = (done.stderr or done.stdout).strip().splitlines()
            skip(f"no environment with {packages[-1]}: {words[-1] if words else command}")
    with open(ready, "w", encoding="utf-8") as file:
        file.write("all is installed\n")
    return python
