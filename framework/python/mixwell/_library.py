# Finds, loads and calls libmixwell_c.
# SPDX-License-Identifier: Apache-2.0
"""The functions, structures and handles of the C interface `mixwell/lab.h`, for ctypes.

Every call releases the global interpreter lock. If a function returns an exit code other than 0,
the call raises the exception for this code with the library's message."""

from __future__ import annotations

import ctypes
import functools
import importlib.metadata
import os
import pathlib
import platform
import re
import typing
from ctypes import c_char_p, c_double, c_int, c_int64, c_size_t, c_void_p

from . import errors

FUNCTION = ctypes.CFUNCTYPE(c_int, c_size_t, c_size_t, c_void_p, c_void_p, c_void_p, c_void_p)
RUN_PROGRESS = ctypes.CFUNCTYPE(None, c_int, c_int64, c_int64, c_double, c_int64, c_void_p)
STUDY_PROGRESS = ctypes.CFUNCTYPE(None, c_char_p, c_int64, c_int64, c_int64, c_int64, c_void_p)
REMARK = ctypes.CFUNCTYPE(None, c_char_p, c_void_p)

TEXT = ctypes.POINTER(c_void_p)  # char**
HANDLE = ctypes.POINTER(c_void_p)


class RunOptions(ctypes.Structure):
    _fields_ = [("folder", c_char_p), ("threads", c_int), ("force", c_int), ("resume", c_int),
                ("checked", c_int), ("progress", RUN_PROGRESS), ("user_data", c_void_p),
                ("stop", c_void_p)]


class VerifyOptions(ctypes.Structure):
    _fields_ = [("targets", ctypes.POINTER(c_char_p)), ("target_count", c_size_t),
                ("budget", c_double), ("alpha", c_double), ("max_seconds", c_double),
                ("threads", c_int), ("stop", c_void_p)]


class StudyOptions(ctypes.Structure):
    _fields_ = [("path", c_char_p), ("folder", c_char_p), ("jobs", c_int), ("only", c_char_p),
                ("retry", c_int), ("quick", c_int), ("progress", STUDY_PROGRESS),
                ("remark", REMARK), ("user_data", c_void_p), ("stop", c_void_p)]


# Functions that return an exit code, with their arguments.
CALLS: dict[str, tuple[typing.Any, ...]] = {
    "registry_new": (HANDLE,),
    "registry_add": (c_void_p, c_char_p),
    "plugins": (c_void_p, TEXT),
    "schema": (c_void_p, TEXT),
    "compose_file": (c_void_p, c_char_p, ctypes.POINTER(c_char_p), c_size_t, HANDLE),
    "compose_text": (c_void_p, c_char_p, c_char_p, HANDLE),
    "compose_interrupted": (c_void_p, c_char_p, HANDLE),
    "manifest": (c_void_p, TEXT),
    "check": (c_void_p, c_void_p, c_int, TEXT),
    "run": (c_void_p, ctypes.POINTER(RunOptions), TEXT),
    "load": (c_char_p, TEXT),
    "verify": (c_void_p, c_void_p, ctypes.POINTER(VerifyOptions), TEXT),
    "study": (ctypes.POINTER(StudyOptions), TEXT),
    "study_table": (c_char_p, TEXT),
    "report": (c_char_p, c_char_p, TEXT),
}
# The types of the result and of the arguments of the other functions.
OTHERS: dict[str, tuple[typing.Any, tuple[typing.Any, ...]]] = {
    "version": (c_char_p, ()),
    "abi": (c_char_p, ()),
    "fault": (c_char_p, ()),
    "free": (None, (c_void_p,)),
    "registry_free": (None, (c_void_p,)),
    "composition_free": (None, (c_void_p,)),
    "stop_new": (c_void_p, ()),
    "stop_make": (None, (c_void_p,)),
    "stop_free": (None, (c_void_p,)),
    "offer_function": (c_int, (c_char_p, c_char_p, FUNCTION, c_void_p)),
}


class Process:
    """Flags that decide whether this process may call the library."""

    threads_started = False  # a call may have started threads
    forked = False  # the process was forked after threads were started


def _in_child() -> None:
    Process.forked = Process.threads_started


os.register_at_fork(after_in_child=_in_child)


def prefix() -> pathlib.Path:
    """The folder with Mixwell's bin, lib and share. If the environment variable MIXWELL_PREFIX
    is set, it names this folder. Otherwise, it is the folder `native` in this package."""
    named = os.environ.get("MIXWELL_PREFIX")
    return pathlib.Path(named) if named else pathlib.Path(__file__).parent / "native"


# Flags in /proc/cpuinfo of a processor with x86-64-v3. "abm" stands for lzcnt.
V3_FLAGS = {"avx", "avx2", "bmi1", "bmi2", "f16c", "fma", "abm", "movbe", "xsave"}


def instruction_set() -> str:
    """The set that the environment variable MIXWELL_ISA names. Without it, x86-64-v2 if the
    processor does not have x86-64-v3; otherwise "" for the usual set of the installation."""
    asked = os.environ.get("MIXWELL_ISA", "")
    if asked or platform.machine() != "x86_64":
        return asked
    try:
        text = pathlib.Path("/proc/cpuinfo").read_text(encoding="utf-8")
    except OSError:
        return ""
    flags = re.search(r"^flags\s*:(.*)$", text, re.MULTILINE)
    has_v3 = flags is None or V3_FLAGS <= set(flags.group(1).split())
    return "" if has_v3 else "x86-64-v2"


def _file() -> pathlib.Path:
    folder = prefix()
    of_set = f"mixwell/{instruction_set()}/libmixwell_c.so*"
    for name in (of_set, "libmixwell_c.so*", "libmixwell_c*.dylib"):  # the last one on macOS
        for library in sorted([*folder.glob("lib/" + name), *folder.glob("lib/*-linux-gnu/" + name)]):
            return library
    raise errors.InputError(
        f"{folder} has no libmixwell_c.so. Install the wheel that ./dev package makes (Linux, "
        "x86-64), or set MIXWELL_PREFIX to a folder with Mixwell's bin and lib, for "
        "example build/release")


def _check_version(library: ctypes.CDLL, path: pathlib.Path) -> None:
    """Raises InputError if the library in MIXWELL_PREFIX and the wheel have different versions."""
    try:
        wanted = importlib.metadata.version("mixwell")
    except importlib.metadata.PackageNotFoundError:
        return
    found = library.mixwell_version().decode()
    if found != wanted:
        raise errors.InputError(f"{path} has the version {found}, but this package has the version "
                                f"{wanted}. Set MIXWELL_PREFIX to the folder of Mixwell {wanted}, "
                                "or unset MIXWELL_PREFIX")


def _check_instruction_set(library: ctypes.CDLL, path: pathlib.Path) -> None:
    """Raises InputError if MIXWELL_ISA names a different set than the library has."""
    asked = os.environ.get("MIXWELL_ISA", "")
    if asked and f";isa={asked};" not in library.mixwell_abi().decode():
        raise errors.InputError(f"MIXWELL_ISA is {asked}, but the library for this instruction set "
                                f"is not installed: only {path} was found. Unset MIXWELL_ISA, or "
                                "install a package of Mixwell that has this set")


@functools.lru_cache(maxsize=None)
def library() -> ctypes.CDLL:
    """Loads the library once, and declares the argument and result types of its functions. Raises
    InputError if the library is missing, does not load, or has a different version than the
    package."""
    path = _file()
    try:
        found = ctypes.CDLL(str(path))
    except OSError as fault:
        raise errors.InputError(f"{path} cannot be loaded: {fault}. Install a version of Mixwell "
                                "that was built for this system") from fault
    for name, arguments in CALLS.items():
        getattr(found, "mixwell_" + name).argtypes = arguments
    for name, (result, of_other) in OTHERS.items():
        function = getattr(found, "mixwell_" + name)
        function.restype = result
        function.argtypes = of_other
    _check_version(found, path)
    _check_instruction_set(found, path)
    return found


def call(name: str, *arguments: object) -> None:
    """Calls a function that returns an exit code. Raises the exception for this code unless the
    code is 0."""
    if Process.forked:
        raise errors.RunError("this process was forked after Mixwell had started threads, and a "
                              "forked process does not have these threads. Start processes with "
                              "multiprocessing.get_context(\"spawn\"), or start them before the "
                              "first call to Mixwell")
    loaded = library()
    Process.threads_started = True
    code = getattr(loaded, "mixwell_" + name)(*arguments)
    if code != 0:
        raise errors.of_code(code, loaded.mixwell_fault().decode(errors="replace"))


def text_of(name: str, *arguments: object) -> str:
    """The text that a function returns through its last argument."""
    text = c_void_p()
    call(name, *arguments, ctypes.byref(text))
    try:
        return ctypes.string_at(text).decode()
    finally:
        library().mixwell_free(text)


def encoded(value: object) -> bytes:
    """A path or a string, encoded as bytes for C."""
    return os.fspath(value).encode() if isinstance(value, os.PathLike) else str(value).encode()


class Stop:
    """A request to stop a long call."""

    def __init__(self) -> None:
        self.handle = library().mixwell_stop_new()

    def make(self) -> None:
        library().mixwell_stop_make(self.handle)

    def __del__(self) -> None:
        if getattr(self, "handle", None):
            library().mixwell_stop_free(self.handle)
