# Exact stationary laws of samplers on a Gaussian, where each sampler is a linear recursion.
# SPDX-License-Identifier: Apache-2.0
#
# z+ = F z + N(0, Q), where the first d rows of z are theta. P is the precision of the target.
import dataclasses

import numpy


@dataclasses.dataclass
class Scheme:
    """The matrices of one transition from z to F z + N(0, Q). The first d dimensions of z are theta."""

    F: numpy.ndarray
    Q: numpy.ndarray
    d: int

    def stationary(self):
        """Returns the solution S of S = F S F' + Q."""
        n = len(self.F)
        lyapunov = numpy.eye(n * n) - numpy.kron(self.F, self.F)
        return numpy.linalg.solve(lyapunov, self.Q.ravel()).reshape(n, n)


    def after(self, start, transitions, refresh_every=None):
        """Returns the covariance of theta after `transitions` transitions, if the initial z has covariance
        `start`. The momentum is redrawn from N(0, I) before every refresh_every-th transition."""
        S = start
        for t in range(transitions):
            if refresh_every and t % refresh_every == 0:
                S = redraw(S, self.d)
            S = self.F @ S @ self.F.T + self.Q
        return S[: self.d, : self.d]


def redraw(S, d):
    fresh = numpy.eye(len(S))
    fresh[:d, :d] = S[:d, :d]
    return fresh


def langevin(P, eps, V):
    """theta+ = theta - eps (P theta + N(0, V)) + N(0, 2 eps)."""
    one = numpy.eye(len(P))
    return Scheme(one - eps * P, (2 * eps + eps**2 * V) * one, len(P))


def friction(P, eps, V, C, B):
    """theta+ = theta + eps p; p+ = p - eps (P theta+ + N(0, V)) - eps C p + N(0, 2 eps (C - B))."""
    d = len(P)
    one = numpy.eye(d)
    F = numpy.block([[one, eps * one], [-eps * P, (1 - eps * C) * one - eps**2 * P]])
    Q = numpy.zeros((2 * d, 2 * d))
    Q[d:, d:] = (2 * eps * (C - B) + eps**2 * V) * one
    return Scheme(F, Q, d)


def leapfrog(P, eps):
    """Returns the matrices of a half kick and of a drift of (theta, p)."""
    one, none = numpy.eye(len(P)), numpy.zeros(P.shape)
    return (numpy.block([[one, none], [-0.5 * eps * P, one]]),
            numpy.block([[one, eps * one], [none, one]]))


def step(P, eps, V):
    """Returns the recursion of one leapfrog step. The two half kicks use gradients with independent noise."""
    d = len(P)
    half, drift = leapfrog(P, eps)
    kick = numpy.zeros((2 * d, 2 * d))
    kick[d:, d:] = 0.25 * eps**2 * V * numpy.eye(d)
    first = half @ kick @ half.T
    return Scheme(half @ drift @ half, half @ drift @ first @ drift.T @ half.T + kick, d)


def redrawn(P, eps, V, steps):
    """Returns the recursion of theta for a trajectory of `steps` leapfrog steps with gradient noise
    N(0, V). The momentum is redrawn before each trajectory."""
    d = len(P)
    half, drift = leapfrog(P, eps)
    z, kick = numpy.zeros((2 * d, 2 * d)), numpy.zeros((2 * d, 2 * d))
    z[d:, d:] = numpy.eye(d)  # covariance, given the start
    kick[d:, d:] = V * numpy.eye(d)
    F = numpy.eye(2 * d)
    for step in range(steps):
        z = half @ (z + (eps**2 * kick if step else 0.25 * eps**2 * kick)) @ half.T
        z = drift @ z @ drift.T
        z, F = half @ z @ half.T, half @ drift @ half @ F
    return Scheme(F[:d, :d], z[:d, :d], d)


def scheme(manifest, P):
    """Returns the recursion for a manifest in which all defaults are filled in. The manifest must have one kernel,
    `langevin` or `hamiltonian`, that makes no Metropolis decision. With integrator
    `leapfrog` and `steps` > 1, the recursion describes one trajectory with a redrawn momentum, else one step."""
    kernel = next(iter(manifest["kernel"].values()))
    oracle = manifest.get("oracle", {}).get(kernel["oracle"], {"use": "exact"})
    V = oracle["variance"] if oracle["use"] == "noisy" else 0.0
    if kernel["use"] == "langevin":
        return langevin(P, kernel["step_size"], V)
    integrator = manifest.get("integrator", {}).get(kernel["integrator"], {"use": "leapfrog"})
    if integrator["use"] == "leapfrog" and kernel["steps"] == 1:
        return step(P, kernel["step_size"], V)
    if integrator["use"] == "leapfrog":
        return redrawn(P, kernel["step_size"], V, kernel["steps"])
    return friction(P, kernel["step_size"], V, integrator["friction"],
                    integrator["noise_estimate"])


def covariance_error(scheme, truth):
    """Returns the mean absolute error of the covariance's entries in equilibrium."""
    return float(abs(scheme.stationary()[: scheme.d, : scheme.d] - truth).mean())


def autocorrelation_time(scheme):
    """Returns the autocorrelation time 1 + sum over s >= 1 of rho_s, averaged over the coordinates of theta. The lag s
    counts transitions."""
    S = scheme.stationary()
    n = len(S)
    sums = scheme.F @ numpy.linalg.solve(numpy.eye(n) - scheme.F, S)
    return float(numpy.mean([1 + sums[i, i] / S[i, i] for i in range(scheme.d)]))


def squares_time(scheme):
    """Returns the autocorrelation time of squares, which determines the error of an estimated variance. It is
    1 + sum over s >= 1 of rho_s^2, in the principal direction of theta in which this sum is largest. Transitions must
    leave the principal directions invariant."""
    S = scheme.stationary()
    _, directions = numpy.linalg.eigh(S[: scheme.d, : scheme.d])
    largest = 0.0
    for w in directions.T:
        w = numpy.concatenate([w, numpy.zeros(len(S) - scheme.d)])
        ahead, total = S @ w, 1.0
        start = numpy.linalg.norm(ahead)
        while numpy.linalg.norm(ahead) > 1e-4 * start:
            ahead = scheme.F @ ahead
            total += (w @ ahead / (w @ S @ w)) ** 2
        largest = max(largest, total)
    return float(largest)
