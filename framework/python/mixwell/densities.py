# Log densities of JAX, PyTorch, NumPyro and PyMC as models.
# SPDX-License-Identifier: Apache-2.0
"""Models from a log density of one point that another package differentiates.

    def log_density(mu, tau):                     # values, as arrays of their shapes
        return ...

    mw.jax(log_density, {"mu": (), "tau": ()}, exponential=["tau"])

Parameters that `exponential` names are positive, those that `logistic` names lie in (0, 1): the function
gets their values, and log |J| of the transform is added here. All of them are evaluated in double
precision, a block of points in one call."""

from __future__ import annotations

import math
import typing

from . import errors
from .functions import Batched, FunctionModel, Shapes, shape_of
from .results import needed

if typing.TYPE_CHECKING:
    import numpy

#: A log density of the values of all parameters, as arguments by name: a number in nats.
LogDensity = typing.Callable[..., typing.Any]


class _Transforms:
    """From the coordinates theta of one point to values by name, and log |J|.

    Written once for the arrays of any package that has exp(), where `softplus` is log(1 + e^x)."""

    def __init__(self, parameters: Shapes, keys: dict[str, typing.Any], exp: typing.Any,
                 softplus: typing.Any, absolute: typing.Any):
        self.shapes = {name: shape_of(shape) for name, shape in parameters.items()}
        self.exponential = frozenset(keys.get("exponential", ()))
        self.logistic = frozenset(keys.get("logistic", ()))
        self.absolute = frozenset(keys.get("absolute", ()))
        self._exp, self._softplus, self._abs = exp, softplus, absolute

    def __call__(self, theta: typing.Any) -> tuple[dict[str, typing.Any], typing.Any]:
        values, jacobian, first = {}, 0.0, 0
        for name, shape in self.shapes.items():
            size = math.prod(shape)
            free = theta[first:first + size].reshape(shape)
            first += size
            values[name], added = self._value(name, free)
            jacobian = jacobian + added
        return values, jacobian

    def _value(self, name: str, free: typing.Any) -> tuple[typing.Any, typing.Any]:
        """A parameter's value, and the sum of its log |d value / d theta|."""
        if name in self.exponential:
            return self._exp(free), free.sum()
        if name in self.logistic:  # s(x) = e^-softplus(-x), and log s' = -softplus(x) - softplus(-x)
            below = self._softplus(-free)
            return self._exp(-below), -(self._softplus(free) + below).sum()
        return (self._abs(free) if name in self.absolute else free), 0.0


def jax(log_density: LogDensity, parameters: Shapes, *, name: str = "jax",
        version: str | None = None, **keys: typing.Any) -> FunctionModel:
    """A model of a log density in JAX, by vmap(value_and_grad), compiled once for 1, 2, 4, 8, ...
    points, to which blocks are filled up. Raises InputError unless JAX computes in double precision."""
    jax = needed("jax", "mixwell.jax")
    numbers = needed("jax.numpy", "mixwell.jax")
    transforms = _Transforms(parameters, keys, numbers.exp, lambda x: numbers.logaddexp(0.0, x),
                             numbers.abs)

    def potential(theta: typing.Any) -> typing.Any:
        values, jacobian = transforms(theta)
        return -(log_density(**values) + jacobian)

    return FunctionModel(_compiled(jax, potential), parameters, name=name, version=version,
                         pads=True, **keys)


def _compiled(jax: typing.Any, potential: typing.Callable[[typing.Any], typing.Any]) -> Batched:
    """U and gradient of a block, of a potential of one point in JAX."""
    if not jax.config.jax_enable_x64:
        raise errors.InputError("mixwell.jax: JAX computes in single precision, which biases what is "
                                "sampled; before all else, say "
                                "jax.config.update(\"jax_enable_x64\", True)")
    return jax.jit(jax.vmap(jax.value_and_grad(potential)))


def torch(log_density: LogDensity, parameters: Shapes, *, name: str = "torch",
          version: str | None = None, **keys: typing.Any) -> FunctionModel:
    """A model of a log density in PyTorch, by torch.func: the function must be one that vmap can take,
    without branches on values."""
    torch = needed("torch", "mixwell.torch")
    transforms = _Transforms(parameters, keys, torch.exp, torch.nn.functional.softplus, torch.abs)

    def potential(theta: typing.Any) -> typing.Any:
        values, jacobian = transforms(theta)
        return -(log_density(**values) + jacobian)

    batched = torch.func.vmap(torch.func.grad_and_value(potential))

    def evaluate(points: numpy.ndarray) -> tuple[numpy.ndarray, numpy.ndarray]:
        gradient, u = batched(torch.from_numpy(points))
        return u.detach().numpy(), gradient.detach().numpy()

    return FunctionModel(evaluate, parameters, name=name, version=version, **keys)


def numpyro(model: typing.Callable[..., typing.Any], *arguments: typing.Any, name: str = "numpyro",
            version: str | None = None, **more: typing.Any) -> FunctionModel:
    """A NumPyro model, by its own log density; `arguments` and `more` are the model's.

    Sites on the positive numbers and on (0, 1) are recorded as they are. A site with another support is
    recorded by the coordinates in which NumPyro moves it, as SITE_free."""
    jax = needed("jax", "mixwell.numpyro")
    util = needed("numpyro.infer.util", "mixwell.numpyro")
    arrays = needed("numpy", "mixwell.numpyro")
    start = util.initialize_model(jax.random.PRNGKey(0), model, model_args=arguments,
                                  model_kwargs=more)
    sites = {site: arrays.shape(free) for site, free in start.param_info.z.items()}
    recorded, keys = _recorded_sites(start.model_trace, sites)

    def potential(theta: typing.Any) -> typing.Any:
        free, first = {}, 0
        for site, shape in sites.items():
            size = math.prod(shape)
            free[site] = theta[first:first + size].reshape(shape)
            first += size
        return start.potential_fn(free)

    return FunctionModel(_compiled(jax, potential), dict(zip(recorded, sites.values())), name=name,
                         version=version, pads=True, **keys)


def _recorded_sites(trace: typing.Any, sites: dict[str, tuple[int, ...]]
                    ) -> tuple[list[str], dict[str, list[str]]]:
    """Names under which sites are recorded, and the keys that say through which transform."""
    transforms = needed("numpyro.distributions.transforms", "mixwell.numpyro")
    biject_to = needed("numpyro.distributions", "mixwell.numpyro").biject_to
    known = {transforms.ExpTransform: "exponential", transforms.SigmoidTransform: "logistic"}
    names: list[str] = []
    keys: dict[str, list[str]] = {}
    for site in sites:
        transform = biject_to(trace[site]["fn"].support)
        if isinstance(transform, transforms.IdentityTransform):
            names.append(site)
        elif type(transform) in known:
            names.append(site)
            keys.setdefault(known[type(transform)], []).append(site)
        else:
            names.append(f"{site}_free")
    return names, keys


def pymc(model: typing.Any, *, name: str = "pymc", version: str | None = None) -> FunctionModel:
    """A PyMC model, by its own log density. Variables that PyMC moves by their logarithms are recorded
    as they are; others with a transform by the coordinates in which it moves them, as VARIABLE_free.

    PyMC evaluates one point at a time: a block takes as many of its calls as it has points."""
    arrays = needed("numpy", "mixwell.pymc")
    log_transform = needed("pymc.distributions.transforms", "mixwell.pymc").LogTransform
    if not model.continuous_value_vars == model.value_vars:
        raise errors.InputError("mixwell.pymc: the model has discrete variables, which have no "
                                "gradient; sum them out")
    blocking = needed("pymc.blocking", "mixwell.pymc")
    start = model.initial_point()
    layout = blocking.DictToArrayBijection.map(start).point_map_info
    function = model.logp_dlogp_function(ravel_inputs=True)
    function.set_extra_values({})
    parameters, positive = {}, []
    for variable in model.value_vars:
        random = model.values_to_rvs[variable]
        transform = model.rvs_to_transforms[random]
        if isinstance(transform, log_transform):
            positive.append(random.name)
        free = "" if transform is None or isinstance(transform, log_transform) else "_free"
        parameters[random.name + free] = arrays.shape(start[variable.name])

    def evaluate(points: numpy.ndarray) -> tuple[numpy.ndarray, numpy.ndarray]:
        u, gradient = arrays.empty(len(points)), arrays.empty_like(points)
        for row, point in enumerate(points):
            value, slope = function(blocking.RaveledVars(point, layout))
            u[row], gradient[row] = -value, -slope
        return u, gradient

    return FunctionModel(evaluate, parameters, name=name, version=version, pads=False,
                         exponential=positive)
