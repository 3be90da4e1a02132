# The entry point of `python -m mixwell` and of the script `mixwell`, which pip installs.
# SPDX-License-Identifier: Apache-2.0
"""Runs the program mixwell with the given command-line arguments."""

import os
import sys

from ._library import prefix


def main() -> None:
    program = str(prefix() / "bin" / "mixwell")
    os.execv(program, [program, *sys.argv[1:]])


if __name__ == "__main__":
    main()
