# Runs, checks, tests and studies from Python: the same as the program's.
# SPDX-License-Identifier: Apache-2.0
import json
import os
import pickle
import signal
import threading
import unittest
import unittest.mock

import mixwell as mw

from support import CHALLENGER, SOURCE, Case

GAUSSIAN = {"model": {"g": {"use": "gaussian", "dimension": 3}}, "kernel": {"k": {"use": "nuts"}},
            "run": {"seed": 5, "draws": 200, "warmup": 200}}


class Runs(Case):
    def test_a_manifest_has_the_draws_that_the_program_has(self):
        run = mw.run(CHALLENGER, draws=100, threads=1)
        self.program("run", CHALLENGER, "--set", "run.draws=100", "--out", "out/program", "--quiet")
        theirs = json.loads((self.place / "out/program/run.json").read_text())
        self.assertEqual(run.draws_sha256, theirs["draws_sha256"])
        self.assertEqual(run.folder, self.place / "out" / "challenger")
        self.assertTrue(run.is_complete)
        self.assertEqual(run.certificate.label, "exact after warm-up")

    def test_a_dict_and_components_have_the_draws_of_a_manifest(self):
        by_dict = mw.run(GAUSSIAN, folder="dict")
        by_components = mw.run(mw.gaussian(dimension=3).named("g"), mw.nuts().named("k"), seed=5,
                               draws=200, warmup=200, folder="components")
        (self.place / "by-hand.toml").write_text(
            'mixwell = 1\n[run]\nseed = 5\ndraws = 200\nwarmup = 200\n'
            '[model.g]\nuse = "gaussian"\ndimension = 3\n[kernel.k]\nuse = "nuts"\n')
        by_hand = mw.run("by-hand.toml")
        self.assertEqual(by_dict.draws_sha256, by_hand.draws_sha256)
        self.assertEqual(by_components.draws_sha256, by_hand.draws_sha256)
        other = mw.run(GAUSSIAN, seed=6, folder="other")
        self.assertNotEqual(other.draws_sha256, by_hand.draws_sha256)

    def test_components_refer_to_others(self):
        composition = mw.Composition(mw.gaussian(dimension=2), mw.nuts(estimator=mw.dense()))
        self.assertIn('estimator = "dense"', composition.manifest)
        self.assertIn('use = "dense"', composition.manifest)
        file = composition.write("written.toml")
        self.assertIn("exact", self.program("check", file))

    def test_lists_refer_to_components_and_equal_ids_get_names_of_their_own(self):
        walks = [mw.random_walk_metropolis(), mw.random_walk_metropolis()]
        manifest = mw.Composition(mw.gaussian(dimension=2), mw.cycle(kernels=walks)).manifest
        self.assertIn("[kernel.random-walk-metropolis-2]", manifest)

    def test_draws_and_summary_are_as_arviz_has_them(self):
        import arviz

        run = mw.run(CHALLENGER, draws=500)
        theirs = arviz.summary(run.draws, round_to="none")
        self.assertEqual(list(run.summary.index), list(theirs.index))
        for ours, name in (("mean", "mean"), ("sd", "sd"), ("ess_bulk", "ess_bulk"),
                           ("rhat", "r_hat"), ("mcse_mean", "mcse_mean")):
            worst = (abs(run.summary[ours] - theirs[name].astype(float))
                     / abs(theirs[name].astype(float))).max()
            self.assertLess(worst, 1e-8, ours)

    def test_a_run_pickles_as_its_folder(self):
        run = mw.run(GAUSSIAN, folder="kept")
        again = pickle.loads(pickle.dumps(run))
        self.assertLess(len(pickle.dumps(run)), 1000)
        self.assertEqual(again.folder, run.folder)
        self.assertEqual(again.draws_sha256, run.draws_sha256)
        self.assertEqual(str(again.summary), str(run.summary))

    def test_an_interrupt_keeps_the_draws_and_resume_has_those_of_a_whole_run(self):
        slow = {"model": {"g": {"use": "gaussian", "dimension": 50}},
                "kernel": {"k": {"use": "random-walk-metropolis"}},
                "run": {"seed": 1, "draws": 6000, "warmup": 20, "replicates": 16}}
        told = []

        def interrupt_once(state):
            if state.stage == "sampling" and not told:
                told.append(state)
                os.kill(os.getpid(), signal.SIGINT)

        with (self.assertLogs("mixwell", "WARNING") as log,
              unittest.mock.patch("mixwell._progress.Progress.tell",
                                  lambda _, state: interrupt_once(state))):
            run = mw.run(slow, folder="cut", threads=1)
        self.assertEqual(run.outcome, "interrupted")
        self.assertGreater(run.record["run"]["draws"], 0)
        self.assertLess(run.record["run"]["draws"], 6000)
        self.assertTrue(any("mixwell.resume()" in line for line in log.output), log.output)
        self.assertEqual(mw.load("cut").draws_sha256, run.draws_sha256)
        whole = mw.resume("cut")
        self.assertTrue(whole.is_complete)
        self.assertEqual(whole.draws_sha256, mw.run(slow, folder="whole").draws_sha256)

    def test_several_threads_may_run_at_once(self):
        found = {}

        def one(seed):
            found[seed] = mw.run(GAUSSIAN, seed=seed, folder=f"of-{seed}", threads=1).draws_sha256

        threads = [threading.Thread(target=one, args=(seed,)) for seed in range(1, 7)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        for seed, sha256 in found.items():
            self.assertEqual(mw.run(GAUSSIAN, seed=seed, folder=f"alone-{seed}").draws_sha256,
                             sha256)
        self.assertEqual(len(set(found.values())), 6)

    def test_a_certificate_says_why(self):
        certificate = mw.check(SOURCE / "examples/certificates/qnhmc-published.toml")
        self.assertFalse(certificate.is_exact)
        self.assertIn(certificate.label, str(certificate))
        self.assertIn("<pre>", certificate._repr_html_())
        self.assertTrue(certificate.cures, "one change makes it exact")
        self.assertEqual({one["phase"]: one["judgement"] for one in certificate.worlds},
                         {"sampling": "wrong", "frozen": "right"})
        self.assertIn("in a finite world the distribution of the slots departs from the target",
                      str(certificate))
        theirs = json.loads(self.program("check", SOURCE / "examples/certificates/hmc.toml",
                                         "--json"))
        ours = mw.check(SOURCE / "examples/certificates/hmc.toml").record
        self.assertEqual({key: ours[key] for key in theirs}, theirs)

    def test_verify_tells_a_biased_composition_from_a_right_one(self):
        right = mw.verify(GAUSSIAN, budget=3e5, targets=["own"])
        self.assertTrue(right.is_conclusive and right.agrees, right)
        self.assertEqual(right.tested, "exact")
        wrong = mw.verify(SOURCE / "examples/certificates/naive-unadjusted.toml", budget=3e5,
                          targets=["own"])
        self.assertNotEqual(wrong.tested, "exact")
        self.assertGreater(len(right.targets), 0)

    def test_a_report_is_shown_inline(self):
        report = mw.run(GAUSSIAN, folder="shown").report()
        self.assertEqual(report.path, self.place / "shown" / "report.html")
        shown = report._repr_html_()
        self.assertTrue(shown.startswith("<iframe srcdoc="), shown[:80])
        self.assertIn("sandbox=", shown)

    def test_a_study_runs_in_worker_processes_and_has_a_table(self):
        (self.place / "small.toml").write_text(
            'mixwell = 1\n[study]\nseeds = [1, 2]\n[run]\ndraws = 50\nwarmup = 50\n'
            '[model.g]\nuse = "gaussian"\ndimension = 2\n'
            '[study.variant.nuts]\nkernel.k = { use = "nuts" }\n')
        study = mw.study("small.toml", jobs=1)
        self.assertEqual((study.record["done"], study.record["failed"]), (2, 0))
        table = study.table
        self.assertEqual(list(table["status"]), ["done", "done"])
        self.assertEqual(set(table["seed"]), {1, 2})
        self.assertTrue(study.report().path.exists())
        self.assertEqual(list(pickle.loads(pickle.dumps(study)).table["seed"]),
                         list(table["seed"]))


class BadInput(Case):
    def refused(self, kind, *parts, **more):
        with self.assertRaises(kind) as caught:
            mw.check(*parts, **more)
        return str(caught.exception)

    def test_a_wrong_key_of_a_dict_is_told_as_in_a_file_but_without_a_line(self):
        told = self.refused(mw.InputError, {**GAUSSIAN, "kernel": {"k": {"use": "nuts",
                                                                        "max_dept": 3}}})
        self.assertIn('did you mean "max_depth"?', told)
        self.assertNotRegex(told, r":\d+:\d+")
        self.assertTrue(told.startswith("composition composition: "), told)
        (self.place / "wrong.toml").write_text(
            'mixwell = 1\n[model.g]\nuse = "gaussian"\ndimension = 3\n[kernel.k]\nuse = "nuts"\n'
            'max_dept = 3\n')
        in_file = self.refused(mw.InputError, "wrong.toml")
        self.assertTrue(in_file.startswith("wrong.toml:7:1: "), in_file)
        self.assertEqual(told.split(": ", 1)[1], in_file.split(": ", 1)[1])

    def test_what_no_manifest_has_is_named_by_its_key(self):
        told = self.refused(mw.InputError, mw.gaussian(dimension=object()))
        self.assertIn("model.gaussian.dimension: a manifest cannot hold a value of type object", told)
        self.assertIn("must be a component, such as mixwell.nuts()", self.refused(mw.InputError, 3))
        self.assertIn("must be a component of kind kernel",
                      self.refused(mw.InputError, {"kernel": {"k": mw.gaussian(dimension=1)}}))
        self.assertIn("named()", self.refused(
            mw.InputError, mw.gaussian(dimension=1).named("a"), mw.nuts().named("a"),
            mw.mala().named("a")))

    def test_errors_are_of_the_kind_of_their_exit_code(self):
        self.refused(mw.InputError, "no-such-file.toml")
        biased = SOURCE / "examples/certificates/qnhmc-published.toml"
        with self.assertRaises(mw.Refused):
            mw.run(biased, allow=[])
        self.assertIn("allow", mw.check(biased, allow=[]).error)
        self.assertEqual(mw.Refused.code, 3)

    def test_an_earlier_run_is_replaced_only_where_it_is_said(self):
        mw.run(GAUSSIAN, folder="once")
        with self.assertRaises(mw.InputError):
            mw.run(GAUSSIAN, folder="once")
        mw.run(GAUSSIAN, folder="once", force=True)

    def test_a_fork_after_threads_is_told(self):
        mw.check(GAUSSIAN)
        child = os.fork()
        if child == 0:
            try:
                mw.check(GAUSSIAN)
                os._exit(3)
            except mw.RunError as told:
                os._exit(0 if "spawn" in str(told) else 4)
        self.assertEqual(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]), 0)


if __name__ == "__main__":
    unittest.main()
