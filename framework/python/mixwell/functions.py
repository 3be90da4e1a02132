# Models whose density Python computes.
# SPDX-License-Identifier: Apache-2.0
"""A model by a function of Python: the model `callback`, called with a block of points at once.

    def bowl(theta):                           # (R, d)
        return 0.5 * (theta**2).sum(axis=1), theta      # U (R,), its gradient (R, d)

    mixwell.function(bowl, {"x": 3})

U = -log density in nats, but for a constant; infinite outside the support. Nothing is assumed of the
function: it is tried before a run, and what certificates say of it is `declared`. A block takes one
round of the interpreter's lock, and one thread at a time is in it."""

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

#: U and its gradient: (R, d) -> (R,), (R, d), all of them arrays of float64.
Batched = typing.Callable[["numpy.ndarray"], typing.Tuple["numpy.ndarray", "numpy.ndarray"]]
#: "theta": (2, 3) for an array, 8 for a vector, () for a number.
Shapes = typing.Mapping[str, typing.Union[int, typing.Sequence[int]]]


def shape_of(shape: int | typing.Sequence[int]) -> tuple[int, ...]:
    return (shape,) if isinstance(shape, int) else tuple(shape)


def _declared(name: str, shape: int | typing.Sequence[int]) -> str:
    lengths = shape_of(shape)
    return f"{name}[{', '.join(map(str, lengths))}]" if lengths else name


class FunctionFault(errors.RunError):
    """A function of Python raised, or returned what a model must not; the cause has the traceback."""


class FunctionModel(Component):
    """The model of a function, a component as any other.

    `version`: a text that changes when the function does. Without one the run of it cannot be
    resumed, and no other process knows its manifest. `pads`: whether blocks are filled up to 1, 2,
    4, 8, ... points with copies of their first one, so that a function that is compiled for each
    number of points is compiled a few times only; by default this is done in verify(), which asks
    for hundreds of different numbers. `keys`: exponential, logistic, absolute, gradient_growth,
    dims, coords, as the model `callback` has them."""

    def __init__(self, function: Batched, parameters: Shapes, *, name: str = "function",
                 version: str | None = None, pads: bool | None = None, **keys: typing.Any):
        if not callable(function):
            raise errors.InputError(f"function: {function!r} cannot be called")
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
        """U and gradient of (R, d) points, checked as in a run. Raises InputError."""
        import numpy

        rows = len(points)
        if self.pads or (self.pads is None and self.in_verify):
            points = _filled_up(numpy, points)
        result = self.function(points)
        if not isinstance(result, tuple) or len(result) != 2:
            raise errors.InputError(f"{self.name}: the function returned {_in_words(result)}; wanted "
                                    "is a pair: U (R,) and its gradient (R, d)")
        shapes = {"U": (len(points),), "the gradient": (len(points), self.dimension)}
        arrays = [numpy.asarray(one) for one in result]
        for (what, shape), array in zip(shapes.items(), arrays):
            if array.shape != shape:
                raise errors.InputError(f"{self.name}: {what} has the shape {array.shape}; wanted is "
                                        f"{shape}, for points of the shape {points.shape}")
            if array.dtype != numpy.float64:
                raise errors.InputError(
                    f"{self.name}: {what} has the dtype {array.dtype}; wanted is float64, as single "
                    "precision biases what is sampled (JAX: jax_enable_x64; PyTorch: "
                    "dtype=torch.float64)")
        return arrays[0][:rows], arrays[1][:rows]

    def _called(self, dimension: int, columns: int, theta: int, u: int, gradient: int | None,
                _: int | None) -> int:
        """What C calls: 0, or 1 with what was raised kept in `fault`."""
        import numpy

        if self.aborted:
            return 1
        try:
            points = _view(numpy, theta, columns, dimension).copy()  # it may be kept by the function
            values, slopes = self.evaluate(points)
            _view(numpy, u, columns, 1)[:, 0] = values
            if gradient:
                _view(numpy, gradient, columns, dimension)[:] = slopes
            return 0
        except BaseException as fault:  # it must not leave C's frames
            self.fault = self.fault or fault
            return 1

    def tell_fault(self, told: errors.Error) -> typing.NoReturn:
        """Raises what the function raised, in the place of what was told of it."""
        fault, self.fault = self.fault, None
        assert fault is not None
        where = traceback.extract_tb(fault.__traceback__)[-1] if fault.__traceback__ else None
        place = f" at {where.filename}:{where.lineno}" if where else ""
        raise FunctionFault(f"{self.name}: the function raised {type(fault).__name__}: {fault}"
                            f"{place}\n  {told}") from fault

    def offer(self) -> None:
        """Lets manifests find the function under its name, until this model is gone."""
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
        """While verify() is at work: see `pads`."""
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
        """While what looks for the functions or calls them is at work; tells what they raise."""
        for model in models:
            model.offer()
        try:
            yield
        except errors.Error as told:
            for model in models:
                if model.fault is not None:
                    model.tell_fault(told)
            raise


# Which model offers a name, by its id: a later one takes the name over.
_OWNERS: dict[str, int] = {}


def _code_of(model: FunctionModel) -> typing.Any:
    """What C calls. It does not hold the model: compositions that may call it do."""
    held = weakref.ref(model)

    def code(*arguments: typing.Any) -> int:
        there = held()
        return 1 if there is None else there._called(*arguments)

    return _library.FUNCTION(code)


def _view(numpy: typing.Any, address: int, rows: int, columns: int) -> typing.Any:
    """Memory of C as (rows, columns): a point after the other."""
    memory = (ctypes.c_double * (rows * columns)).from_address(address)
    return numpy.frombuffer(memory).reshape(rows, columns)


def _filled_up(numpy: typing.Any, points: typing.Any) -> typing.Any:
    """As many points as the next power of two, the last ones copies of the first."""
    missing = (1 << (len(points) - 1).bit_length()) - len(points)
    return numpy.concatenate([points, numpy.repeat(points[:1], missing, axis=0)])


def _in_words(value: object) -> str:
    return f"a tuple of {len(value)}" if isinstance(value, tuple) else f"a {type(value).__name__}"


def function(density: Batched, parameters: Shapes, *, name: str = "function",
             version: str | None = None, pads: bool | None = None,
             **keys: typing.Any) -> FunctionModel:
    """The model of a batched function U, gradient = density(theta); see FunctionModel."""
    return FunctionModel(density, parameters, name=name, version=version, pads=pads, **keys)
