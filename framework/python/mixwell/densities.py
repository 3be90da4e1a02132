# Makes models from log densities in JAX, PyTorch, NumPyro and PyMC.
# SPDX-License-Identifier: Apache-2.0
"""Models from a log density that another package differentiates. The density is a function of one
point.

    def log_density(mu, tau):                     # arrays with the given shapes
        return ...

    mw.jax(log_density, {"mu": (), "tau": ()}, exponential=["tau"])

Parameters named in `exponential` are positive, and parameters named in `logistic` lie in (0, 1).
The function gets the values of the parameters. This module adds log |J| to the log density, where J
is the Jacobian of the transforms. Each call evaluates the density at a block of points, in double
precision."""

from __future__ import annotations

import math
import typing

from . import errors
from .functions import Batched, FunctionModel, Shapes, shape_of
from .results import needed

if typing.TYPE_CHECKING:
    import numpy

#: A log density in nats. Its keyword arguments are the values of all parameters.
LogDensity = typing.Callable[..., typing.Any]


class _Transforms:
    """Maps the coordinates theta of one point to the values of the parameters and to log |J|.

    Works with the arrays of any package. `softplus` is log(1 + e^x)."""

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
        """The value of a parameter, and the sum of log |d value / d theta| over its elements."""
        if name in self.exponential:
            return self._exp(free), free.sum()
        if name in self.logistic:  # s(x) = e^-softplus(-x), and log s' = -softplus(x) - softplus(-x)
            below = self._softplus(-free)
            return self._exp(-below), -(self._softplus(free) + below).sum()
        return (self._abs(free) if name in self.absolute else free), 0.0


def jax(log_density: LogDensity, parameters: Shapes, *, name: str = "jax",
        version: str | None = None, **keys: typing.Any) -> FunctionModel:
    """A model from a log density in JAX. JAX evaluates the density with vmap(value_and_grad).
    Blocks are padded to 1, 2, 4, 8, ... points, and JAX compiles the function once for each of
    these numbers. Raises InputError unless JAX computes in double precision."""
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
    """A function that computes U and its gradient for a block of points. `potential`: a JAX
    function that computes U at one point."""
    if not jax.config.jax_enable_x64:
        raise errors.InputError("mixwell.jax: JAX computes in single precision, which biases the "
                                "draws. Call jax.config.update(\"jax_enable_x64\", True) at the "
                                "start of the program")
    return jax.jit(jax.vmap(jax.value_and_grad(potential)))


def torch(log_density: LogDensity, parameters: Shapes, *, name: str = "torch",
          version: str | None = None, **keys: typing.Any) -> FunctionModel:
    """A model from a log density in PyTorch, evaluated with torch.func. The function must work with
    vmap, so it must not branch on the values of its arguments."""
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
    """A model with the log density of a NumPyro model. `arguments` and `more` are passed to the
    NumPyro model.

    Mixwell records the values of a site if its support is the real line, the positive numbers or
    (0, 1). For any other site, Mixwell records NumPyro's unconstrained coordinates under the name
    SITE_free."""
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
    """The names of the recorded sites, and the keys that select their transforms."""
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
    """A model with the log density of a PyMC model. Mixwell records the values of a variable that
    has no transform or a log transform. For any other variable, Mixwell records the transformed
    coordinates under the name VARIABLE_free.

    PyMC evaluates one point at a time, so a block needs one call per point."""
    arrays = needed("numpy", "mixwell.pymc")
    log_transform = needed("pymc.distributions.transforms", "mixwell.pymc").LogTransform
    if not model.continuous_value_vars == model.value_vars:
        raise errors.InputError("mixwell.pymc: the model has discrete variables, which have no "
                                "gradient. Marginalise them out of the model")
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
