# Makes long calls in another thread, so that the main thread handles interrupts and shows progress.
# SPDX-License-Identifier: Apache-2.0
"""Waits for a call to the library.

Python handles Ctrl-C and a notebook's stop button in the main thread, between bytecodes. Python
cannot handle interrupts while C code runs in the main thread, so another thread makes the call. The
first interrupt asks the call to end and to keep its draws. After the second interrupt, the run can
no longer call Python functions."""

from __future__ import annotations

import logging
import threading
import time
import typing

from . import _library
from .functions import FunctionModel

log = logging.getLogger("mixwell")

T = typing.TypeVar("T")


class Waiting(typing.Generic[T]):
    """One call to the library. `interrupted` is True if an interrupt asked the call to end."""

    def __init__(self, work: typing.Callable[[], T], stop: _library.Stop,
                 functions: typing.Sequence[FunctionModel] = (),
                 show: typing.Callable[[], None] = lambda: None):
        self._work = work
        self._stop = stop
        self._functions = functions
        self._show = show
        self._done = threading.Event()
        self._result: list[T] = []
        self._fault: BaseException | None = None
        self.interrupted = False

    def result(self) -> T:
        """Calls `work` in another thread. Returns its result, or raises its exception."""
        thread = threading.Thread(target=self._carry_out, name="mixwell", daemon=True)
        thread.start()
        self._wait()
        thread.join()
        if self._fault is not None:
            raise self._fault
        return self._result[0]

    def _carry_out(self) -> None:
        try:
            self._result.append(self._work())
        except BaseException as fault:
            self._fault = fault
        finally:
            self._done.set()

    def _wait(self) -> None:
        while True:
            try:
                while not self._done.wait(0.1):
                    self._show()
                self._show()
                return
            except KeyboardInterrupt:
                self._interrupt()

    def _interrupt(self) -> None:
        self._stop.make()
        if not self.interrupted:
            self.interrupted = True
            log.warning("interrupted: the call ends with the results so far")
            return
        for model in self._functions:
            model.aborted = True


class Pace:
    """Limits how often an action runs. It runs at most once in the given number of seconds."""

    def __init__(self, seconds: float):
        self._seconds = seconds
        self._last = 0.0

    def is_due(self) -> bool:
        now = time.monotonic()
        if now - self._last < self._seconds:
            return False
        self._last = now
        return True
