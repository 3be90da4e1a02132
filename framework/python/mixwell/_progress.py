# Shows progress as a bar in a notebook or a line in a terminal, and shows nothing elsewhere.
# SPDX-License-Identifier: Apache-2.0
"""Shows progress by updating an IPython display or by rewriting a line on standard error. Uses
neither ipywidgets nor print()."""

from __future__ import annotations

import os
import sys
import typing

from ._waiting import Pace


class State(typing.NamedTuple):
    """The state of a run or a study."""

    stage: str
    done: int
    total: int
    remark: str

    @property
    def share(self) -> float:
        return self.done / self.total if self.total > 0 else 0.0


def _notebook() -> typing.Any:
    """IPython's display module if this process is the kernel of a notebook, else None."""
    interactive = sys.modules.get("IPython")
    shell = interactive.get_ipython() if interactive else None  # type: ignore[attr-defined]
    if shell is None or not hasattr(shell, "kernel"):
        return None
    import IPython.display

    return IPython.display


def _rewrites_lines() -> bool:
    return sys.stderr.isatty() and os.environ.get("TERM", "dumb") != "dumb"


class Progress:
    """tell() sets the state and may be called from any thread. show() displays the state."""

    def __init__(self, wanted: bool):
        self.state: State | None = None
        self._shown: State | None = None
        self._pace = Pace(0.2)
        self._display = _notebook() if wanted else None
        self._handle: typing.Any = None
        self._is_line = wanted and self._display is None and _rewrites_lines()

    def tell(self, state: State) -> None:
        self.state = state

    def show(self) -> None:
        if self.state is None or self.state == self._shown or not self._pace.is_due():
            return
        self._draw(self.state)

    def finish(self) -> None:
        """Shows the last state and leaves it on the screen."""
        if self.state is None:
            return
        self._draw(self.state)
        if self._is_line:
            sys.stderr.write("\n")

    def _draw(self, state: State) -> None:
        self._shown = state
        if self._display is not None:
            html = self._display.HTML(_bar(state))
            if self._handle is None:
                self._handle = self._display.display(html, display_id=True)
            else:
                self._handle.update(html)
        elif self._is_line:
            sys.stderr.write(f"\r\033[K{_words(state)}")
            sys.stderr.flush()


def _words(state: State) -> str:
    return f"{state.stage}  {100 * state.share:.0f} %  {state.remark}"


def _bar(state: State) -> str:
    """An HTML element that every notebook can show."""
    return (f'<div><progress value="{state.share:.4f}" max="1" style="width:20em" '
            f'aria-label="{state.stage}"></progress> {_words(state)}</div>')
