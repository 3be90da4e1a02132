# Runs the program mixwell: as the script `mixwell` that pip installs, or as python -m mixwell.
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
