# Log densities of JAX, NumPyro, PyMC and PyTorch as models, against known answers.
# SPDX-License-Identifier: Apache-2.0
"""In an environment of its own, as these packages are large; one that cannot be had is left out, and
without any the exit code is 77 (skipped). PyTorch is used where the environment has it."""

import os
import subprocess
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
SOURCE = os.environ.get("MIXWELL_SOURCE_DIR") or os.path.join(HERE, "..", "..")
BUILD = os.environ.get("MIXWELL_BUILD_DIR") or os.path.join(SOURCE, "build", "release")
PACKAGES = ("jax", "numpyro", "pymc", "pandas", "netCDF4")
SHORT = {"draws": 1500, "warmup": 500, "replicates": 8, "seed": 4, "progress": False}


def environment_python():
    folder = os.path.join(BUILD, "densities-environment")
    python = os.path.join(folder, "bin", "python")
    if not os.path.exists(os.path.join(folder, "ready")):
        for command in ([sys.executable, "-m", "venv", "--clear", folder],
                        [python, "-m", "pip", "install", "--quiet", "--retries", "1", *PACKAGES]):
            if subprocess.run(command).returncode != 0:
                print("skipped: no environment with", ", ".join(PACKAGES))
                sys.exit(77)
        open(os.path.join(folder, "ready"), "w", encoding="utf-8").close()
    return python


def agree(run, wanted):
    """Means and standard deviations, each within 4.5 standard errors: 1 in 10^5 fails."""
    table = run.summary
    for name, (mean, sd) in wanted.items():
        row = table.loc[name]
        assert abs(row["mean"] - mean) < 4.5 * row["mcse_mean"], (name, mean, row)
        assert abs(row["sd"] - sd) < 4.5 * row["mcse_sd"], (name, sd, row)


# x ~ N(0, 1) of shape (2, 2), tau ~ Gamma(3, 1), p ~ Beta(2, 3).
SHAPES = {"x": (2, 2), "tau": (), "p": ()}
SCALES = {"exponential": ["tau"], "logistic": ["p"]}
MOMENTS = {"x[1,0]": (0.0, 1.0), "tau": (3.0, 3.0**0.5), "p": (0.4, 0.2)}


def log_density_by(log):
    return lambda x, tau, p: (-0.5 * (x**2).sum() + 2 * log(tau) - tau + log(p) + 2 * log(1 - p))


def check_jax(mw):
    import jax

    try:
        mw.jax(log_density_by(jax.numpy.log), SHAPES, **SCALES)
        raise AssertionError("single precision is refused")
    except mw.InputError as told:
        assert "jax_enable_x64" in str(told)
    jax.config.update("jax_enable_x64", True)
    model = mw.jax(log_density_by(jax.numpy.log), SHAPES, **SCALES)
    assert mw.check(model, gradient=True).error is None
    agree(mw.run(model, folder="jax", **SHORT), MOMENTS)


def check_torch(mw):
    import torch

    model = mw.torch(log_density_by(torch.log), SHAPES, **SCALES)
    assert mw.check(model, gradient=True).error is None
    agree(mw.run(model, folder="torch", **SHORT), MOMENTS)


def check_numpyro(mw):
    import jax
    import numpyro
    import numpyro.distributions as dist

    jax.config.update("jax_enable_x64", True)

    def model(observed):
        mu = numpyro.sample("mu", dist.Normal(0.0, 2.0))
        numpyro.sample("tau", dist.Gamma(3.0, 1.0))
        numpyro.sample("p", dist.Beta(2.0, 3.0))
        numpyro.sample("w", dist.Dirichlet(jax.numpy.ones(3)))
        numpyro.sample("y", dist.Normal(mu, 1.0), obs=observed)

    run = mw.run(mw.numpyro(model, 1.5), folder="numpyro", **SHORT)
    agree(run, {"mu": (1.2, 0.8**0.5), "tau": MOMENTS["tau"], "p": MOMENTS["p"]})
    assert "w_free[1]" in run.summary.index, run.summary


def check_pymc(mw):
    import pymc

    with pymc.Model() as model:
        mu = pymc.Normal("mu", 0.0, 2.0, shape=2)
        pymc.Gamma("tau", 3.0, 1.0)
        pymc.Beta("p", 2.0, 3.0)
        pymc.Normal("y", mu, 1.0, observed=[1.5, -1.5])
    run = mw.run(mw.pymc(model), folder="pymc", **SHORT)
    agree(run, {"mu[0]": (1.2, 0.8**0.5), "mu[1]": (-1.2, 0.8**0.5), "tau": MOMENTS["tau"]})
    assert "p_free" in run.summary.index, run.summary


def main():
    import tempfile

    import mixwell as mw

    with tempfile.TemporaryDirectory() as place:
        os.chdir(place)
        for check in (check_jax, check_numpyro, check_pymc, check_torch):
            try:
                check(mw)
            except ImportError as why:
                print(f"{check.__name__}: left out: {why}")
                continue
            print(f"{check.__name__}: holds")


if __name__ == "__main__":
    if sys.argv[1:] == ["here"]:
        main()
    else:
        environment = {**os.environ, "MIXWELL_PREFIX": BUILD,
                       "PYTHONPATH": os.path.join(SOURCE, "framework", "python")}
        sys.exit(subprocess.run([environment_python(), __file__, "here"],
                                env=environment).returncode)
