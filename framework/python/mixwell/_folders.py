# Folders of runs that were given none.
# SPDX-License-Identifier: Apache-2.0
"""The second run of a session has a folder of its own: the first one's draws are read when they are
asked for, and stay what they were."""

from __future__ import annotations

import contextlib
import itertools
import pathlib
import typing


def _made(folder: pathlib.Path) -> bool:
    """Whether the folder was made just now; of several threads and processes one makes it."""
    try:
        folder.mkdir(parents=True)
    except FileExistsError:
        return False
    return True


@contextlib.contextmanager
def own_folder(default: pathlib.Path) -> typing.Iterator[pathlib.Path]:
    """`default`, or the first of NAME-2, NAME-3, ... that is not there; gone again if it stays empty."""
    names = itertools.chain([default], (default.with_name(f"{default.name}-{k}")
                                        for k in itertools.count(2)))
    outer = default.parent
    is_first = not outer.exists()
    folder = next(name for name in names if _made(name))
    try:
        yield folder
    finally:
        with contextlib.suppress(OSError):  # they hold something
            folder.rmdir()
            if is_first:
                outer.rmdir()
