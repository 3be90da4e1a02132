# Default folders of runs.
# SPDX-License-Identifier: Apache-2.0
"""Each run of a session gets its own folder. Draws are read from disk only when they are used, so a
later run must not overwrite the draws of an earlier run."""

from __future__ import annotations

import contextlib
import itertools
import pathlib
import typing


def _made(folder: pathlib.Path) -> bool:
    """Makes the folder and returns True. Returns False if the folder already exists. If several
    threads or processes try to make the same folder, only one of them gets True."""
    try:
        folder.mkdir(parents=True)
    except FileExistsError:
        return False
    return True


@contextlib.contextmanager
def own_folder(default: pathlib.Path) -> typing.Iterator[pathlib.Path]:
    """Makes the folder `default`. If `default` already exists, makes the first of `default`-2,
    `default`-3, ... that does not exist. At the end of the `with` block, removes the new folder if
    it is empty."""
    names = itertools.chain([default], (default.with_name(f"{default.name}-{k}")
                                        for k in itertools.count(2)))
    outer = default.parent
    is_first = not outer.exists()
    folder = next(name for name in names if _made(name))
    try:
        yield folder
    finally:
        with contextlib.suppress(OSError):  # raised if a folder is not empty
            folder.rmdir()
            if is_first:
                outer.rmdir()
