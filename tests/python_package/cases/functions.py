# Models whose density Python computes: right ones, wrong ones, interrupts, and what resumes.
# SPDX-License-Identifier: Apache-2.0
import os
import signal
import threading
import time
import unittest

import numpy

import mixwell as mw

from support import Case

SHORT = {"seed": 3, "draws": 300, "warmup": 300, "progress": False}


def bowl(theta):
    return 0.5 * (theta**2).sum(axis=1), theta


class Functions(Case):
    def test_a_function_has_the_draws_of_the_built_in_model_bit_for_bit(self):
        ours = mw.run(mw.function(bowl, {"x": ()}), mw.hamiltonian(), folder="ours", **SHORT)
        theirs = mw.run(mw.gaussian(dimension=1).named("function"), mw.hamiltonian(), folder="theirs",
                        **SHORT)
        numpy.testing.assert_array_equal(ours.draws["posterior"]["x"].values.ravel(),
                                         theirs.draws["posterior"]["x"].values.ravel())
        self.assertEqual(ours.certificate.evidence, "declared")
        self.assertEqual(theirs.certificate.evidence, "proved")
        self.assertTrue(ours.certificate.is_exact)

    def test_shapes_and_scales_are_recorded_as_they_are_declared(self):
        # sigma = exp(theta) is Gamma(3, 1), with the Jacobian in U; x is N(0, 1).
        def density(theta):
            gradient = theta.copy()
            u = 0.5 * (theta[:, :6]**2).sum(axis=1)
            u += numpy.exp(theta[:, 6]) - 3.0 * theta[:, 6]
            gradient[:, 6] = numpy.exp(theta[:, 6]) - 3.0
            return u, gradient

        model = mw.function(density, {"x": (2, 3), "sigma": ()}, exponential=["sigma"],
                            dims={"x": ["row", "column"]})
        run = mw.run(model, seed=8, draws=1500, warmup=500, replicates=16, progress=False)
        posterior = run.draws["posterior"]
        self.assertEqual(posterior["x"].dims, ("chain", "draw", "row", "column"))
        row = run.summary.loc["sigma"]
        # One in 10^5 for each of three.
        for figure, wanted, error in (("mean", 3.0, row["mcse_mean"]),
                                      ("sd", 3.0**0.5, row["mcse_sd"])):
            self.assertLess(abs(row[figure] - wanted) / error, 4.5, figure)
        cubes = (posterior["x"].values**3).ravel()
        ess = run.summary.filter(like="x[", axis=0)["ess_bulk"].sum() / 4
        self.assertLess(abs(cubes.mean()) / (15**0.5 / ess**0.5), 4.5)
        self.assertIsNone(mw.check(model, gradient=True).error)

    def test_a_wrong_gradient_is_found(self):
        wrong = mw.function(lambda theta: (0.5 * (theta**2).sum(axis=1), 1.1 * theta), {"x": 3})
        self.assertIn("gradient does not match", mw.check(wrong, gradient=True).error)

    def test_verify_works_on_a_function(self):
        found = mw.verify(mw.function(bowl, {"x": 2}), mw.nuts(), budget=3e5,
                          targets=["quartic"])
        self.assertTrue(found.agrees, found)
        self.assertEqual(found.tested, "exact")

    def test_verify_asks_a_function_for_few_numbers_of_points(self):
        """As one that is compiled for each of them wants it."""
        asked = {None: set(), False: set()}
        for pads, widths in asked.items():
            def compiled(theta, widths=widths):
                widths.add(len(theta))
                return bowl(theta)

            mw.verify(mw.function(compiled, {"x": 2}, pads=pads), mw.nuts(), budget=1e5,
                      targets=["quartic"])
        self.assertLessEqual(len(asked[None]), 13)
        others = {width for width in asked[None] if width & (width - 1)}
        self.assertLessEqual(len(others), 1, "beside the trial when it is composed")
        self.assertGreater(len(asked[False]), 2 * len(asked[None]))

    def test_padding_changes_no_value(self):
        points = numpy.random.default_rng(1).normal(size=(5, 3))
        for pads in (True, False):
            u, gradient = mw.function(bowl, {"x": 3}, pads=pads).evaluate(points)
            numpy.testing.assert_array_equal(u, bowl(points)[0])
            numpy.testing.assert_array_equal(gradient, points)

    def test_verify_ends_in_time_with_a_slow_function(self):
        seen = set()

        def slow(theta):
            time.sleep(0.002 if len(theta) in seen else 0.5)  # as if it were compiled
            seen.add(len(theta))
            return bowl(theta)

        began = time.monotonic()
        found = mw.verify(mw.function(slow, {"x": 3}), mw.nuts(), max_seconds=5)
        self.assertLess(time.monotonic() - began, 15)
        self.assertEqual(found.tested, "untested")


class WrongFunctions(Case):
    def fault(self, function, kind=mw.FunctionFault):
        with self.assertRaises(kind) as caught:
            mw.run(mw.function(function, {"x": 3}, name="target"), **SHORT)
        return caught.exception

    def test_what_is_returned_must_be_a_pair_of_the_right_shapes_in_double_precision(self):
        for returned, said in (
                (lambda t: t.sum(axis=1), "returned a ndarray. It must return a pair"),
                (lambda t: (t.sum(axis=1), t, t), "returned a tuple of 3"),
                (lambda t: (0.0, t), "U has the shape ()"),
                (lambda t: (t.sum(axis=1), t.T[:2]), "the gradient has the shape (2, "),
                (lambda t: (t.sum(axis=1).astype("f"), t), "U has the dtype float32"),
                (lambda t: (t.sum(axis=1), t.astype(int)), "the gradient has the dtype int64")):
            fault = self.fault(returned)
            self.assertIn(said, str(fault))
            self.assertIn("target: ", str(fault))
            self.assertIsInstance(fault.__cause__, mw.InputError)

    def test_what_is_raised_is_told_with_its_place_and_is_the_cause(self):
        def broken(theta):
            raise KeyError("no such table")

        fault = self.fault(broken)
        self.assertIn("raised KeyError: 'no such table' at ", str(fault))
        self.assertIn("functions.py:", str(fault))
        self.assertIsInstance(fault.__cause__, KeyError)
        self.assertEqual(fault.__cause__.__traceback__.tb_next.tb_next.tb_frame.f_code.co_name,
                         "broken")

    def test_what_is_raised_during_a_run_keeps_the_draws_before_it(self):
        calls = []

        def fragile(theta):
            calls.append(len(theta))
            if len(calls) > 4000:
                raise ZeroDivisionError("too late")
            return bowl(theta)

        with self.assertRaises(mw.FunctionFault) as caught:
            mw.run(mw.function(fragile, {"x": 3}), mw.hamiltonian(), draws=100000, warmup=20,
                   folder="fragile", progress=False)
        self.assertIn("draws before this error are in", str(caught.exception))
        self.assertEqual(mw.load("fragile").outcome, "interrupted")

    def test_a_function_that_does_not_repeat_itself_is_refused(self):
        state = numpy.random.default_rng(1)
        with self.assertRaisesRegex(mw.InputError, "a different U when it is called again at the same points"):
            mw.run(mw.function(lambda t: (state.random(len(t)), t), {"x": 3}), **SHORT)

    def test_a_second_interrupt_ends_the_function(self):
        def slow(theta):
            time.sleep(0.05)
            return bowl(theta)

        model = mw.function(slow, {"x": 30})
        composition = mw.Composition(model, mw.nuts(learn_step_size=False, step_size=1e-4),
                                     draws=10**6)
        for seconds in (0.5, 0.8):
            threading.Timer(seconds, os.kill, (os.getpid(), signal.SIGINT)).start()
        began = time.monotonic()
        with self.assertLogs("mixwell", "WARNING"), self.assertRaises(KeyboardInterrupt):
            mw.run(composition, progress=False)
        self.assertLess(time.monotonic() - began, 10)

    def test_the_function_may_keep_its_points(self):
        kept = []

        def keeping(theta):
            kept.append(theta)
            return bowl(theta)

        mw.run(mw.function(keeping, {"x": 3}), mw.mala(), draws=20, warmup=20, progress=False)
        first = kept[0].copy()
        self.assertTrue(numpy.isfinite(first).all() and (abs(first) < 2).all())
        numpy.testing.assert_array_equal(kept[0], kept[2], "of the trial, the same points")


class Resumed(Case):
    def interrupted(self, version):
        calls = []

        def stopping(theta):
            calls.append(0)
            if len(calls) == 3000:
                os.kill(os.getpid(), signal.SIGINT)
            return bowl(theta)

        with self.assertLogs("mixwell", "WARNING"):
            return mw.run(mw.function(stopping, {"x": 5}, name="bowl", version=version),
                          mw.hamiltonian(), draws=3000, warmup=50, folder="cut", progress=False)

    def test_a_function_with_its_version_goes_on(self):
        self.assertEqual(self.interrupted("1").outcome, "interrupted")
        model = mw.function(bowl, {"x": 5}, name="bowl", version="1")
        whole = mw.run(model, mw.hamiltonian(), draws=3000, warmup=50, folder="whole",
                       progress=False)
        self.assertEqual(mw.resume("cut", model, progress=False).draws_sha256,
                         whole.draws_sha256)

    def test_another_version_is_refused_and_so_is_none(self):
        self.interrupted("1")
        for version, said in (("2", "offered with version \"2\", but the manifest has version \"1\""),
                              (None, "has no version")):
            with self.assertRaises(mw.InputError) as caught:
                mw.resume("cut", mw.function(bowl, {"x": 5}, name="bowl", version=version))
            self.assertIn(said, str(caught.exception))

    def test_a_function_without_a_version_is_known_to_no_other(self):
        run = self.interrupted(None)
        self.assertTrue(any("results do not record which version ran" in line for line in run.remarks))
        with self.assertRaisesRegex(mw.InputError, "this process offers no function with this name"):
            mw.resume("cut")


if __name__ == "__main__":
    unittest.main()
