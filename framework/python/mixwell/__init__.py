# Mixwell in Python.
# SPDX-License-Identifier: Apache-2.0
"""Compose MCMC kernels, learn what the composition is guaranteed to sample, and run it.

    import mixwell as mw

    run = mw.run(mw.logistic_regression(data="challenger.csv", response="distress", positive="1",
                                        inputs=["temperature"], prior_variance=9),
                 mw.nuts(estimator=mw.dense()), draws=2000)
    run.certificate, run.summary, run.draws, run.report()

Every component is a function in the namespace of its kind (`mw.kernels.nuts`). It is also a
function of this package (`mw.nuts`), unless another kind has a component with the same name.
`help(mw.nuts)` shows the keys of `nuts`. The library runs in this process and is called through its
C interface."""

from __future__ import annotations

import typing

from . import components as _components
from .actions import check, resume, run, study, verify
from .components import Component, Namespace
from .composition import Composition
from .densities import jax, numpyro, pymc, torch
from .errors import Error, InputError, Refused, RunError
from .functions import FunctionFault, FunctionModel, function
from .registry import add_plugin, plugins, schema
from .results import Certificate, Report, Run, Study, Verification, load, report

models = Namespace("mixwell.models", "model")
oracles = Namespace("mixwell.oracles", "oracle")
integrators = Namespace("mixwell.integrators", "integrator")
estimators = Namespace("mixwell.estimators", "estimator")
steps = Namespace("mixwell.steps", "steps")
kernels = Namespace("mixwell.kernels", "kernel")
compositors = Namespace("mixwell.compositors", "compositor")
recorders = Namespace("mixwell.recorders", "recorder")

__all__ = [
    "Certificate", "Component", "Composition", "Error", "FunctionFault", "FunctionModel",
    "InputError", "Refused", "Report", "Run", "RunError", "Study", "Verification", "add_plugin",
    "check", "compositors", "estimators", "function", "integrators", "jax", "kernels", "load",
    "models", "numpyro", "oracles", "plugins", "pymc", "recorders", "report", "resume", "run",
    "schema", "steps", "study", "torch", "verify",
]


def __getattr__(name: str) -> typing.Any:
    """The function for the component `name`. `__version__` is the version of the library."""
    if name == "__version__":
        from ._library import library

        return library().mixwell_version().decode()
    if name.startswith("_"):
        raise AttributeError(f"mixwell has no attribute {name}")
    return _components.find(name)


def __dir__() -> list[str]:
    return sorted({*__all__, *dir(Namespace("mixwell", None))})
