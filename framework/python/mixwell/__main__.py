# The program of the package: `mixwell` where pip installs scripts, and python -m mixwell.
# SPDX-License-Identifier: Apache-2.0
"""Hands its words on to the program mixwell."""

import os
import sys

from ._library import prefix


def main() -> None:
    program = str(prefix() / "bin" / "mixwell")
    os.execv(program, [program, *sys.argv[1:]])


if __name__ == "__main__":
    main()
