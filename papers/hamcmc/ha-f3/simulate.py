# Simulates the sources of ha-f3.toml. Writes mixture.csv and dictionary.json to this folder.
# SPDX-License-Identifier: Apache-2.0
#
# python3 simulate.py    (NumPy; writes the same files again)
#
# Complex source s has entries (Phi_s lambda_s^(2/alpha_s))^(1/2) (z + i z'), lambda_s = W_s H_s, by the model's
# own priors: (W / b)^(-2/alpha) ~ Gamma(a, 1); scales Phi above their 95 % quantile are set to it, because otherwise a
# single entry has half of a source's power. The second source is scaled to 5 dB below the first, in W.
import json
import pathlib

import numpy as np

HERE = pathlib.Path(__file__).resolve().parent
ROWS, COLUMNS = 64, 35
ALPHAS = (1.2, 1.89)
RANKS = (25, 2)
SHAPE = 5.0
SCALE = 1.0
SNR = 5.0  # dB


def factors(random, shape, alpha):
    return SCALE * random.gamma(SHAPE, size=shape) ** (-alpha / 2.0)


def scales(random, shape, alpha):
    """Uses Kanter's function to draw 2 S, where S is positive (alpha/2)-stable."""
    a = alpha / 2.0
    v = np.pi * random.uniform(size=shape)
    e = random.exponential(size=shape)
    phi = 2.0 * np.sin(a * v) / np.sin(v) ** (1 / a) * (np.sin((1 - a) * v) / e) ** ((1 - a) / a)
    return np.minimum(phi, np.quantile(phi, 0.95))


def source(random, alpha, rank):
    w = factors(random, (ROWS, rank), alpha)
    h = factors(random, (rank, COLUMNS), alpha)
    variance = scales(random, (ROWS, COLUMNS), alpha) * (w @ h) ** (2.0 / alpha)
    z = random.normal(size=(2, ROWS, COLUMNS))
    return w, np.sqrt(variance) * (z[0] + 1j * z[1])


def power(s):
    return np.sum(np.abs(s) ** 2)


def write_mixture(x, first):
    with open(HERE / "mixture.csv", "w", encoding="utf-8") as out:
        out.write("row,column,real,imaginary,source_real,source_imaginary\n")
        for i in range(ROWS):
            for j in range(COLUMNS):
                numbers = (x[i, j].real, x[i, j].imag, first[i, j].real, first[i, j].imag)
                out.write(f"{i},{j}," + ",".join(f"{n:.5g}" for n in numbers) + "\n")


def main():
    random = np.random.default_rng(1)
    (w, first), (w_noise, noise) = (source(random, a, k) for a, k in zip(ALPHAS, RANKS))
    gain = np.sqrt(power(first) / power(noise) * 10.0 ** (-SNR / 10.0))
    dictionary = np.hstack([w, gain ** ALPHAS[1] * w_noise])
    write_mixture(first + gain * noise, first)
    text = json.dumps({"row_factors": [[float(f"{n:.5g}") for n in row] for row in dictionary]})
    (HERE / "dictionary.json").write_text(text + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
