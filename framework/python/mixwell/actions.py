# Functions that check, run, verify and study compositions.
# SPDX-License-Identifier: Apache-2.0
"""Functions that check, run and verify compositions, and that run studies. All of them release the
global interpreter lock while they run."""

from __future__ import annotations

import ctypes
import json
import os
import pathlib
import typing

from . import _library, errors
from ._progress import Progress, State
from ._waiting import Waiting, log
from ._folders import own_folder
from .composition import Composition, Source
from .functions import FunctionModel
from .registry import registry
from .results import Certificate, Run, Study, Verification

Paths = typing.Union[str, "os.PathLike[str]"]
Keys = typing.Optional[typing.Mapping[str, typing.Any]]


def _waited(composition: Composition, work: typing.Callable[[], str], stop: _library.Stop,
            progress: Progress) -> tuple[dict[str, typing.Any], bool]:
    """The document that work() returns, and whether the work was interrupted."""
    waiting = Waiting(work, stop, composition.functions, progress.show)
    with FunctionModel.offered(composition.functions):
        try:
            document = json.loads(waiting.result())
        except errors.Error as told:
            if any(model.aborted for model in composition.functions):
                raise KeyboardInterrupt(str(told)) from told
            raise
        finally:
            progress.finish()
    return document, waiting.interrupted


def check(*parts: Source, gradient: bool = False, name: str | None = None, settings: Keys = None,
          **run: typing.Any) -> Certificate:
    """States what a composition is guaranteed to sample. For the arguments `parts`, `name`,
    `settings` and `run`, see the class Composition.

    `gradient`: also compare the model's gradient with finite differences of the model's potential.
    If the composition must not run, or if this comparison fails, the `error` of the result gives
    the reason. Invalid input raises InputError."""
    composition = Composition.of(*parts, name=name, settings=settings, **run)
    stop = _library.Stop()
    document, _ = _waited(
        composition,
        lambda: _library.text_of("check", registry().handle, composition._handle, int(gradient)),
        stop, Progress(False))
    return Certificate(document)


def run(*parts: Source, threads: int = 0, folder: Paths | None = None, force: bool = False,
        checked: bool = False, progress: bool = True, name: str | None = None,
        settings: Keys = None, **run: typing.Any) -> Run:
    """Runs a composition. For the arguments `parts`, `name`, `settings` and `run` (`draws`, `seed`,
    ...), see the class Composition.

    `threads`: number of threads (0 = all cores). This number does not change the draws. `folder`:
    folder for the results. An earlier run in this folder is replaced only with `force`. By default,
    each run has its own folder: out/NAME, then out/NAME-2 and so on. With `force`, the default is
    always out/NAME. `checked`: check plugins for out-of-bounds writes and non-repeatable gradients.

    If an interrupt ends the run, Mixwell logs a warning and keeps the draws so far. resume() then
    continues the run. Raises Refused if the certificate forbids the run, InputError if the input is
    invalid, and RunError if the run fails."""
    composition = Composition.of(*parts, name=name, settings=settings, **run)
    if folder is not None:
        return _run(composition, pathlib.Path(folder), threads, progress, force=force,
                    checked=checked)
    default = pathlib.Path("out") / composition.name
    if force:
        return _run(composition, default, threads, progress, force=True, checked=checked)
    with own_folder(default) as where:
        if where != default:
            log.info("%s: %s contains an earlier run, so the results of this run are in %s",
                     composition.name, default, where)
        return _run(composition, where, threads, progress, checked=checked)


def resume(folder: Paths, *functions: FunctionModel, threads: int = 0,
           progress: bool = True) -> Run:
    """Continues an interrupted run, given its folder. The draws are the same as without the
    interruption.

    `functions`: the Python models that the run uses. Their versions must not have changed."""
    for model in functions:
        if model.version is None:
            raise errors.InputError(
                f"resume: the model {model.name} has no version, so Mixwell cannot tell whether "
                "its function has changed since the run began. Give the model a version "
                "(version=\"1\") and start a new run")
    composition = Composition.of_interrupted(folder, functions)
    return _run(composition, pathlib.Path(folder), threads, progress, resume=True)


def _run(composition: Composition, folder: pathlib.Path, threads: int, shown: bool, *,
         force: bool = False, checked: bool = False, resume: bool = False) -> Run:
    stop = _library.Stop()
    progress = Progress(shown)

    def tell(sampling: int, done: int, total: int, seconds: float, divergences: int, _: int) -> None:
        remark = f"{seconds:.0f} s" + (f", {divergences} divergences" if divergences else "")
        progress.tell(State("sampling" if sampling else "warmup", done, total, remark))

    options = _library.RunOptions(
        folder=_library.encoded(folder), threads=threads, force=force, resume=resume,
        checked=checked, progress=_library.RUN_PROGRESS(tell), stop=stop.handle)
    document, interrupted = _waited(
        composition,
        lambda: _library.text_of("run", composition._handle, ctypes.byref(options)), stop, progress)
    for remark in document["remarks"]:
        log.info("%s: %s", composition.name, errors.in_python(remark))
    result = Run(document["folder"], document)
    if interrupted:
        log.warning("%s: the run was interrupted. The %d draws so far are in %s. mixwell.resume() "
                    "continues the run", composition.name, document["run"]["draws"], result.folder)
    return result


def verify(*parts: Source, targets: typing.Sequence[str] = (), budget: float = 0.0,
           alpha: float = 0.0, max_seconds: float = 0.0, threads: int = 0, name: str | None = None,
           settings: Keys = None, **run: typing.Any) -> Verification:
    """Tests the certificate of a composition by sampling, as `mixwell verify` does.

    `targets`: names of targets (default: all). `budget`: number of gradient evaluations to spend.
    `alpha`: probability of reporting that a correct composition is biased. If `budget` or `alpha`
    is 0, the program's default is used. `max_seconds`: time limit. If the time limit or an
    interrupt ends the test, the outcome is inconclusive."""
    composition = Composition.of(*parts, name=name, settings=settings, **run)
    names = [target.encode() for target in targets]
    stop = _library.Stop()
    options = _library.VerifyOptions(
        targets=(ctypes.c_char_p * len(names))(*names), target_count=len(names), budget=budget,
        alpha=alpha, max_seconds=max_seconds, threads=threads, stop=stop.handle)
    with FunctionModel.verified(composition.functions):
        document, _ = _waited(
            composition,
            lambda: _library.text_of("verify", registry().handle, composition._handle,
                                     ctypes.byref(options)),
            stop, Progress(False))
    return Verification(document)


def study(path: Paths, *, folder: Paths | None = None, jobs: int = 0, only: str | None = None,
          retry: bool = False, quick: bool = False, progress: bool = True) -> Study:
    """Runs the unfinished cells of a study in worker processes, as `mixwell study` does.

    Make the same call again to continue an interrupted study. Studies cannot use models that are
    Python functions, because the workers are separate processes."""
    name = pathlib.Path(path).stem + ("-quick" if quick else "")
    where = pathlib.Path(folder) if folder is not None else pathlib.Path("out") / name
    stop = _library.Stop()
    shown = Progress(progress)

    def tell(stage: bytes, done: int, failed: int, running: int, total: int, _: int) -> None:
        shown.tell(State(stage.decode(), done + failed, total, f"{running} running, {failed} failed"))

    options = _library.StudyOptions(
        path=_library.encoded(path), folder=_library.encoded(where), jobs=jobs,
        only=None if only is None else only.encode(), retry=retry, quick=quick,
        progress=_library.STUDY_PROGRESS(tell),
        remark=_library.REMARK(
            lambda text, _: log.info("%s: %s", name, errors.in_python(text.decode()))),
        stop=stop.handle)
    waiting = Waiting(lambda: _library.text_of("study", ctypes.byref(options)), stop,
                      show=shown.show)
    try:
        document = json.loads(waiting.result())
    finally:
        shown.finish()
    for finding in document["findings"]:
        log.warning("%s: %s", name, finding)
    return Study(document["folder"], document)
