# Models whose density is a Python function.
# SPDX-License-Identifier: Apache-2.0
"""Models from Python functions. Each call evaluates a block of points. In manifests, these models
use the component `callback`.

    def bowl(theta):                           # (R, d)
        return 0.5 * (theta**2).sum(axis=1), theta      # U (R,), its gradient (R, d)

    mixwell.function(bowl, {"x": 3})

U is -log density in nats, up to a constant, and infinite outside the support. Mixwell tests the
function before a run, but cannot prove its properties. Certificates mark these properties as
`declared`. Mixwell acquires the global interpreter lock once for each block of points. Only one
thread at a time calls the function."""

from __future__ import annotations

import contextlib
import ctypes
import math
import os
import traceback
import typing
import weakref

from . import _library, errors
from .components import Component

if typing.TYPE_CHECKING:
    import numpy

#: U and its gradient: (R, d) -> (R,), (R, d); all are arrays of float64.
Batched = typing.Callable[["numpy.ndarray"], typing.Tuple["numpy.ndarray", "numpy.ndarray"]]
#: The shape of each parameter by its name: (2, 3) for an array, 8 for a vector, () for a number.
Shapes = typing.Mapping[str, typing.Union[int, typing.Sequence[int]]]


def shape_of(shape: int | typing.Sequence[int]) -> tuple[int, ...]:
    return (shape,) if isinstance(shape, int) else tuple(shape)


def _declared(name: str, shape: int | typing.Sequence[int]) -> str:
    lengths = shape_of(shape)
    return f"{name}[{', '.join(map(str, lengths))}]" if lengths else name


class FunctionFault(errors.RunError):
    """A Python function raised an exception or returned an invalid result. The `__cause__` of this
    exception has the traceback."""


class FunctionModel(Component):
    """A model whose density is a Python function. Use the model like any other component.

    `version`: a string that changes when the function changes. Without a version, runs of the
    model cannot be resumed, and no other process can use their manifests. `pads`: if True, each
    block is padded to 1, 2, 4, 8, ... points with copies of the first point. A function that is
    compiled for each number of points is then compiled only a few times. By default, blocks are
    padded only in verify(), where they have hundreds of different sizes. `keys`: the keys
    `exponential`, `logistic`, `absolute`, `gradient_growth`, `dims` and `coords` of the model
    `callback`."""

    def __init__(self, function: Batched, parameters: Shapes, *, name: str = "function",
                 version: str | None = None, pads: bool | None = None, **keys: typing.Any):
        if not callable(function):
            raise errors.InputError(f"function: {function!r} cannot be called. Give a function "
                                    "that takes an (R, d) array of points and returns U and its "
                                    "gradient")
        self.function = function
        self.parameters = {key: shape_of(shape) for key, shape in parameters.items()}
        self.dimension = sum(math.prod(shape) for shape in self.parameters.values())
        self.version = version
        self.pads = pads
        self.in_verify = False
        self.offered_name = name if version is not None else f"{name} ({os.urandom(8).hex()})"
        self.fault: BaseException | None = None
        self.aborted = False
        self._code = _code_of(self)
        own = {"function": self.offered_name, "parameters": [_declared(*one)
                                                            for one in parameters.items()]}
        if version is not None:
            own["version"] = version
        super().__init__("model", "callback", {**own, **keys}, name)

    def named(self, name: str) -> FunctionModel:
        other = object.__new__(FunctionModel)
        other.__dict__.update(self.__dict__, name=name)
        other._code = _code_of(other)
        return other

    def evaluate(self, points: numpy.ndarray) -> tuple[numpy.ndarray, numpy.ndarray]:
        """U and its gradient at the rows of an (R, d) array, checked as in a run. Raises InputError
        if the function returns an invalid result."""
        import numpy

        rows = len(points)
        if self.pads or (self.pads is None and self.in_verify):
            points = _filled_up(numpy, points)
        result = self.function(points)
        if not isinstance(result, tuple) or len(result) != 2:
            raise errors.InputError(f"{self.name}: the function returned {_in_words(result)}. It "
                                    "must return a pair: U of shape (R,) and its gradient of shape "
                                    "(R, d)")
        shapes = {"U": (len(points),), "the gradient": (len(points), self.dimension)}
        arrays = [numpy.asarray(one) for one in result]
        for (what, shape), array in zip(shapes.items(), arrays):
            if array.shape != shape:
                raise errors.InputError(
                    f"{self.name}: {what} has the shape {array.shape}. It must have the shape {shape} "
                    f"for points of the shape {points.shape}")
            if array.dtype != numpy.float64:
                raise errors.InputError(
                    f"{self.name}: {what} has the dtype {array.dtype}. It must be float64, because "
                    "single precision biases the draws (JAX: set jax_enable_x64; PyTorch: use "
                    "dtype=torch.float64)")
        return arrays[0][:rows], arrays[1][:rows]

    def _called(self, dimension: int, columns: int, theta: int, u: int, gradient: int | None,
                _: int | None) -> int:
        """Evaluates the function for the library. Returns 0 on success. If the function fails,
        stores the exception in `fault` and returns 1."""
        import numpy

        if self.aborted:
            return 1
        try:
            # The function may keep the array, so it gets a copy.
            points = _view(numpy, theta, columns, dimension).copy()
            values, slopes = self.evaluate(points)
            _view(numpy, u, columns, 1)[:, 0] = values
            if gradient:
                _view(numpy, gradient, columns, dimension)[:] = slopes
            return 0
        except BaseException as fault:  # exceptions must not pass through C's frames
            self.fault = self.fault or fault
            return 1

    def tell_fault(self, told: errors.Error) -> typing.NoReturn:
        """Raises FunctionFault from the function's exception (`fault`). The message also quotes the
        library's error (`told`)."""
        fault, self.fault = self.fault, None
        assert fault is not None
        where = traceback.extract_tb(fault.__traceback__)[-1] if fault.__traceback__ else None
        place = f" at {where.filename}:{where.lineno}" if where else ""
        raise FunctionFault(f"{self.name}: the function raised {type(fault).__name__}: {fault}"
                            f"{place}\n  {told}") from fault

    def offer(self) -> None:
        """Registers the function under its name. Manifests can use this name while the model
        exists."""
        self.fault, self.aborted = None, False
        _OWNERS[self.offered_name] = id(self)
        _library.library().mixwell_offer_function(
            self.offered_name.encode(), None if self.version is None else self.version.encode(),
            self._code, None)

    def __del__(self) -> None:
        name = getattr(self, "offered_name", None)
        if name is not None and _OWNERS.get(name) == id(self):
            del _OWNERS[name]
            _library.library().mixwell_offer_function(name.encode(), None, _library.FUNCTION(), None)

    @staticmethod
    @contextlib.contextmanager
    def verified(models: typing.Sequence[FunctionModel]) -> typing.Iterator[None]:
        """Sets `in_verify` of the models for the duration of a `with` block. The default of `pads`
        depends on `in_verify`."""
        for model in models:
            model.in_verify = True
        try:
            yield
        finally:
            for model in models:
                model.in_verify = False

    @staticmethod
    @contextlib.contextmanager
    def offered(models: typing.Sequence[FunctionModel]) -> typing.Iterator[None]:
        """Registers the functions of the models at the start of a `with` block. A FunctionFault
        replaces an error of the library in the block if a function has raised an exception."""
        for model in models:
            model.offer()
        try:
            yield
        except errors.Error as told:
            for model in models:
                if model.fault is not None:
                    model.tell_fault(told)
            raise


# The id() of the model that offers each name. A later model with the same name replaces the
# earlier one.
_OWNERS: dict[str, int] = {}


def _code_of(model: FunctionModel) -> typing.Any:
    """The function that C calls. It has only a weak reference to the model, which a composition
    keeps alive while C may call the function."""
    held = weakref.ref(model)

    def code(*arguments: typing.Any) -> int:
        there = held()
        return 1 if there is None else there._called(*arguments)

    return _library.FUNCTION(code)


def _view(numpy: typing.Any, address: int, rows: int, columns: int) -> typing.Any:
    """A view of C memory as an array (rows, columns), with one point per row."""
    memory = (ctypes.c_double * (rows * columns)).from_address(address)
    return numpy.frombuffer(memory).reshape(rows, columns)


def _filled_up(numpy: typing.Any, points: typing.Any) -> typing.Any:
    """The points, padded to the next power of two with copies of the first point."""
    missing = (1 << (len(points) - 1).bit_length()) - len(points)
    return numpy.concatenate([points, numpy.repeat(points[:1], missing, axis=0)])


def _in_words(value: object) -> str:
    return f"a tuple of {len(value)}" if isinstance(value, tuple) else f"a {type(value).__name__}"


def function(density: Batched, parameters: Shapes, *, name: str = "function",
             version: str | None = None, pads: bool | None = None,
             **keys: typing.Any) -> FunctionModel:
    """A model from the function `density`, which takes a block of points and returns U and its
    gradient. See FunctionModel."""
    return FunctionModel(density, parameters, name=name, version=version, pads=pads, **keys)
