# What a density in Python costs a column: 25-dimensional logistic regression at 64 columns.
# SPDX-License-Identifier: Apache-2.0
"""python_density.py: the microseconds of an evaluation of one column by NumPy and, where it is
installed, JAX, called as Mixwell calls them, beside the function alone. Needs MIXWELL_PREFIX and
PYTHONPATH (docs/python.md)."""

import ctypes
import time

import numpy

import mixwell as mw

DIMENSION, COLUMNS, CASES, REPEATS = 25, 64, 1000, 300


def regression():
    """Inputs and signs of answers, N(0, 100) prior."""
    random = numpy.random.default_rng(1)
    inputs = random.standard_normal((CASES, DIMENSION))
    answers = random.random(CASES) < 1 / (1 + numpy.exp(-inputs @ random.standard_normal(DIMENSION)))
    return inputs, 2.0 * answers - 1.0


def by_numpy(inputs, signs):
    signed = inputs * signs[:, None]

    def density(theta):
        margins = theta @ signed.T  # (R, N)
        weights = numpy.exp(-numpy.abs(margins))
        u = (numpy.log1p(weights) - numpy.minimum(margins, 0.0)).sum(axis=1)
        slopes = numpy.where(margins > 0, weights, 1.0) / (1.0 + weights)
        return u + 0.005 * (theta**2).sum(axis=1), 0.01 * theta - slopes @ signed

    return mw.function(density, {"beta": DIMENSION})


def by_jax(inputs, signs):
    import jax

    jax.config.update("jax_enable_x64", True)
    signed = jax.numpy.asarray(inputs * signs[:, None])

    def log_density(beta):
        return -jax.numpy.logaddexp(0.0, -signed @ beta).sum() - 0.005 * (beta**2).sum()

    return mw.jax(log_density, {"beta": DIMENSION})


def microseconds(call):
    """Of a column, the median of many blocks."""
    for _ in range(20):
        call()
    times = []
    for _ in range(REPEATS):
        began = time.perf_counter()
        call()
        times.append(time.perf_counter() - began)
    return 1e6 * sorted(times)[REPEATS // 2] / COLUMNS


def main():
    data = regression()
    theta = 0.3 * numpy.random.default_rng(2).standard_normal((COLUMNS, DIMENSION))
    u, gradient = numpy.empty(COLUMNS), numpy.empty_like(theta)
    addresses = [ctypes.c_void_p(array.ctypes.data) for array in (theta, u, gradient)]
    for name, make in (("NumPy", by_numpy), ("JAX", by_jax)):
        try:
            model = make(*data)
        except ImportError:
            print(f"{name}: not installed")
            continue
        block = microseconds(lambda: model._code(DIMENSION, COLUMNS, *addresses, None))
        alone = microseconds(lambda: model.function(theta)[1].max())
        print(f"{name}: {block:.1f} us a column, of it the function {alone:.1f}")


if __name__ == "__main__":
    main()
