"""Kills, full and failing disks, damaged files, two processes at once: runs and studies must end with the
draws of one that nothing happened to, or say why not. Prints a table; fails if anything did not hold.

The mutants are wrong on purpose, and are reported or this program is worth nothing (--mutants).
"""
# SPDX-License-Identifier: Apache-2.0
import argparse
import concurrent.futures
import hashlib
import json
import os
import pathlib
import random
import shutil
import signal
import subprocess
import sys
import tempfile
import time

RUN = """mixwell = 1
[run]
warmup = 6
draws = 20
replicates = 2
checkpoint_seconds = 1e-9
[model.g]
use = "gaussian"
dimension = 2
[estimator.identity]
use = "identity"
[kernel.hmc]
use = "hamiltonian"
steps = 3
target_acceptance = 0.8
"""
STUDY = """mixwell = 1
[run]
replicates = 2
warmup = 2
draws = 6
checkpoint_seconds = 1e-9
[model.g]
use = "gaussian"
dimension = 2
[estimator.identity]
use = "identity"
[kernel.k]
use = "hamiltonian"
step_size = 0.5
steps = 3
[study]
seeds = [1, 2]
disk_wait = 0.0
dead_after = 2.0  # a claim that cannot be read is waited for so long
"""
LONG = 400  # times as many draws, for kills at random times
NOBODY = 65534
SECONDS = 120  # after which a process is taken to hang


class Broken(Exception):
    """What did not hold."""


def demand(holds, what):
    if not holds:
        raise Broken(what)


class Result:
    def __init__(self, code, out, err):
        self.code, self.out, self.err = code, out, err

    def __str__(self):
        return f"exit code {self.code}: {(self.err or self.out).strip()[-400:]}"


class Place:
    """A folder of its own for one trial, with the manifests in it."""

    def __init__(self, bench, action=None, at=0):
        self.bench = bench
        self.path = pathlib.Path(tempfile.mkdtemp(dir=bench.root))
        (self.path / "m.toml").write_text(RUN)
        (self.path / "s.toml").write_text(STUDY)
        self.out = self.path / "out"
        self.torture = {
            "LD_PRELOAD": str(bench.preload),
            "MIXWELL_TORTURE_FOLDER": str(self.out),
            "MIXWELL_TORTURE_EVENTS": str(self.path / "events"),
            "MIXWELL_TORTURE_AT": str(at),
            "MIXWELL_TORTURE_ACTION": action or "",
        }

    def __enter__(self):
        return self

    def __exit__(self, *_):
        shutil.rmtree(self.path, ignore_errors=True)

    def start(self, *words, tortured=False, before=()):
        environment = dict(os.environ, XDG_CACHE_HOME=str(self.bench.root / "cache"),
                           XDG_STATE_HOME=str(self.path / "state"))
        if tortured:
            environment.update(self.torture)
        return subprocess.Popen([*before, str(self.bench.program), *words], cwd=self.path, env=environment,
                                stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                                errors="replace", start_new_session=True)

    def mixwell(self, *words, **how):
        return result_of(self.start(*words, **how))

    def run(self, *more, **how):
        return self.mixwell("run", "m.toml", "--quiet", "--threads", "1", "--out", str(self.out), *more, **how)

    def resume(self, **how):
        return self.mixwell("run", "--quiet", "--threads", "1", "--resume", str(self.out), **how)

    def study(self, *more, **how):
        return self.mixwell("study", "s.toml", "--jobs", "1", "--out", str(self.out), *more, **how)

    def events(self):
        """(kind, path) of each event."""
        lines = (self.path / "events").read_text().splitlines()
        return [tuple((line.split() + [""])[:2]) for line in lines]


def result_of(process, seconds=SECONDS):
    try:
        out, err = process.communicate(timeout=seconds)
    except subprocess.TimeoutExpired:
        os.killpg(process.pid, signal.SIGKILL)
        process.communicate()
        raise Broken(f"hangs: no end after {seconds} s")
    return Result(process.returncode, out, err)


def sha_of_run(folder):
    return json.loads((folder / "run.json").read_text())["draws_sha256"]


def check_tidy(folder):
    left = [str(path.relative_to(folder)) for path in folder.rglob("*")
            if path.name == "resume" or ".partial" in path.name]
    demand(not left, f"left behind: {' '.join(left)}")


def check_run(place, tidy=True):
    demand((place.out / "run.json").exists(), "it ended well, and there is no run.json")
    demand(sha_of_run(place.out) == place.bench.run_sha, "OTHER DRAWS")
    if tidy:
        check_tidy(place.out)


def table_of(place, *more):
    found = place.mixwell("study", "s.toml", "--out", str(place.out), "--table", "--json", *more)
    demand(found.code == 0, f"--table fails, {found}")
    return {row["label"] if "label" in row else str(row["seed"]): row["draws_sha256"]
            for row in json.loads(found.out)["rows"]}


def check_study(place, tidy=True):
    demand(table_of(place) == place.bench.study_table, "OTHER DRAWS in the table of the study")
    if tidy:
        check_tidy(place.out)


def check_message(place, result):
    """One error, which names something in the folder and speaks as Mixwell does."""
    demand(result.code in (1, 2), f"neither success nor failure, {result}")
    demand(result.err.count("mixwell: error:") == 1, f"not one message, {result}")
    demand(str(place.out) in result.err, f"the message does not name the folder, {result}")


def go_on_with_run(place, said=""):
    """Resumes what is there, or begins anew where that is what the program says."""
    checkpoint = (place.out / "resume/checkpoint").exists()
    if (place.out / "run.json").exists():
        demand(sha_of_run(place.out) == place.bench.run_sha, "a run.json of OTHER DRAWS")
    resumed = place.resume()
    if resumed.code == 0:
        return check_run(place)
    demand("continues from the last checkpoint" not in said, f"it said it could go on, and {resumed}")
    demand(resumed.code == 2 and "there is no checkpoint" in resumed.err, f"resume: {resumed}")
    demand(not checkpoint, f"there is a checkpoint, and {resumed}")
    if "is complete" in resumed.err:
        return demand(sha_of_run(place.out) == place.bench.run_sha, "an ended run has OTHER DRAWS")
    anew = place.run("--force")
    demand(anew.code == 0, f"anew with --force: {anew}")
    check_run(place)


def kind_of(place, at):
    """Of the event; "" where this run had fewer: stretches of sweeps follow the clock."""
    events = place.events()
    return events[at - 1][0] if at <= len(events) else ""


def removal_failed(place, action, at):
    """What cannot be removed stays, and harms nobody."""
    return action == "eio" and kind_of(place, at) == "remove"


def tortured_run(bench, action, at):
    with Place(bench, action, at) as place:
        result = place.run(tortured=True)
        if action == "kill":
            if result.code == -signal.SIGKILL:
                return go_on_with_run(place)
            demand(result.code == 0, f"not killed, {result}")
        elif result.code != 0:
            check_message(place, result)
            demand(action != "full" or "No space left" in result.err, f"does not say why, {result}")
            return go_on_with_run(place, result.err)
        check_run(place, tidy=not removal_failed(place, action, at))


def tortured_study(bench, action, at):
    with Place(bench, action, at) as place:
        result = place.study(tortured=True)
        if action in ("full", "eio") and result.code not in (0, 1, 2):
            raise Broken(f"neither success nor failure, {result}")
        if action == "full" and result.code != 0:
            check_message(place, result)
        again = place.study("--retry")
        demand(again.code == 0, f"the same command again: {again}")
        demand("damaged" not in again.err, f"the ledger was damaged, {again}")
        check_study(place, tidy=not removal_failed(place, action, at))


# --- damage

def positions(size, count):
    return sorted({round(k * (size - 1) / max(count - 1, 1)) for k in range(count)}) if size > 0 else []


def damages(path, count):
    """(words, new bytes or None) of ways to damage a file."""
    whole = path.read_bytes()
    yield "deleted", None
    yield "emptied", b""
    yield "longer", whole + b"x"
    for at in positions(len(whole), count):
        flipped = bytearray(whole)
        flipped[at] ^= 1 << at % 8
        yield f"bit at {at}", bytes(flipped)
        if at > 0:
            yield f"cut at {at}", whole[:at]


def is_read(path):
    """A study reads of a cell that has ended its record alone."""
    return path.name == "cell.json" or not (path.parent / "cell.json").exists()


def files_in(folder):
    return sorted(path.relative_to(folder) for path in folder.rglob("*") if path.is_file() and is_read(path))


def damaged_copy(place, source, name, content):
    shutil.copytree(source, place.out, symlinks=True)
    if content is None:
        (place.out / name).unlink()
    else:
        (place.out / name).write_bytes(content)


def damaged_run(bench, name, content):
    with Place(bench) as place:
        damaged_copy(place, bench.unfinished_run, name, content)
        resumed = place.resume()
        if resumed.code == 0:
            return check_run(place)
        demand(resumed.code in (1, 2), f"{resumed}")
        demand(str(name) in resumed.err or str(place.out / "resume") in resumed.err,
               f"refused, but does not name the file, {resumed}")


def damaged_study(bench, name, content):
    with Place(bench) as place:
        damaged_copy(place, bench.unfinished_study, name, content)
        table = {seed: sha for seed, sha in table_of(place).items() if sha is not None}
        demand(table.items() <= bench.study_table.items(), "OTHER DRAWS in the table")
        again = place.study("--retry")
        if again.code == 0:
            return check_study(place)
        demand(again.code in (1, 2), f"{again}")
        demand(name.name in again.err, f"refused, but does not name the file, {again}")


def resealed(text):
    """A checkpoint with one bit of its state turned, under a right seal."""
    title, rest = text.split(b"\n", 1)
    content = bytearray(rest.split(b"\n", 1)[1])
    at = content.rindex(b"theta") if b"theta" in content else len(content) - 4
    content[min(at + 11, len(content) - 1)] ^= 16
    return title + b"\n" + hashlib.sha256(content).hexdigest().encode() + b"\n" + bytes(content)


# --- kills at random times

def kill_after(process, seconds):
    """Whether it was killed before it ended."""
    try:
        process.communicate(timeout=seconds)
        return False
    except subprocess.TimeoutExpired:
        os.killpg(process.pid, signal.SIGKILL)
        process.communicate()
        return True


def killed_at_random(bench, is_study, seed, kills):
    """One run or study, killed that often (or until it has ended) and then left alone."""
    chance = random.Random(seed)
    draws = ("--set", f"run.draws={20 * LONG}", "--set", "run.checkpoint_seconds=0.02")
    with Place(bench) as place:
        if is_study:
            (place.path / "s.toml").write_text(STUDY.replace("draws = 6", f"draws = {6 * LONG}"))
        for _ in range(kills):
            if is_study:
                process = place.start("study", "s.toml", "--jobs", "2", "--out", str(place.out))
            elif (place.out / "resume/checkpoint").exists():
                process = place.start("run", "--quiet", "--resume", str(place.out))
            else:
                process = place.start("run", "m.toml", "--quiet", "--force", "--out", str(place.out), *draws)
            if not kill_after(process, chance.uniform(0.02, 0.35)):
                demand(process.returncode == 0, f"exit code {process.returncode}")
                break
        if is_study:
            again = place.study()
            demand(again.code == 0, f"the same command again: {again}")
            demand(table_of(place) == bench.long_study_table, "OTHER DRAWS in the table of the study")
        else:
            if (place.out / "resume/checkpoint").exists():
                resumed = place.resume()
                demand(resumed.code == 0, f"resume: {resumed}")
            elif not (place.out / "run.json").exists():
                anew = place.run("--force", *draws)
                demand(anew.code == 0, f"anew: {anew}")
            demand(sha_of_run(place.out) == bench.long_run_sha, "OTHER DRAWS")
        check_tidy(place.out)


# --- two at once

def two_at_once(bench, what):
    with Place(bench) as place:
        words = {
            "run": ["run", "m.toml", "--quiet", "--out", str(place.out)],
            "replace": ["run", "m.toml", "--quiet", "--force", "--out", str(place.out)],
            "resume": ["run", "--quiet", "--resume", str(place.out)],
            "study": ["study", "s.toml", "--jobs", "1", "--out", str(place.out)],
        }[what]
        if what == "resume":
            shutil.copytree(bench.unfinished_run, place.out)
        ends = [result_of(process) for process in [place.start(*words), place.start(*words)]]
        losers = [end for end in ends if end.code != 0]
        demand(len(losers) < 2, f"both lose: {ends[0]} / {ends[1]}")
        for end in losers:
            told = any(words in end.err for words in ("is working on", "is not empty", "is complete", "unfinished run"))
            demand(end.code == 2 and told, f"the loser does not say so, {end}")
        check_study(place) if what == "study" else check_run(place)


# --- folders

def deleted_on_the_way(bench):
    with Place(bench) as place:
        process = place.start("run", "m.toml", "--quiet", "--out", str(place.out), "--set", "run.draws=3000000",
                              "--set", "run.checkpoint_seconds=0.02")
        for _ in range(1000):
            if (place.out / "resume/checkpoint").exists():
                break
            time.sleep(0.02)
        while place.out.exists():  # files come and go meanwhile
            shutil.rmtree(place.out, ignore_errors=True)
        result = result_of(process)
        check_message(place, result)
        demand(not place.out.exists(), "the deleted folder is there again")
        demand("continues from" not in result.err, f"nothing can go on, {result}")
        demand(place.run().code == 0, "a new run fails")
        check_run(place)


def deleted_under_study(bench):
    with Place(bench) as place:
        (place.path / "s.toml").write_text(STUDY.replace("draws = 6", "draws = 300000"))
        process = place.start("study", "s.toml", "--jobs", "1", "--out", str(place.out))
        while not list(place.out.glob("cells/*/resume/checkpoint")) and process.poll() is None:
            time.sleep(0.02)
        shutil.rmtree(place.out, ignore_errors=True)
        result = result_of(process)
        demand(result.code in (1, 2), f"{result}")
        demand(result.err.strip() or "failed" in result.out, f"says nothing, {result}")
        shutil.rmtree(place.out, ignore_errors=True)
        (place.path / "s.toml").write_text(STUDY)
        demand(place.study().code == 0, "a new study fails")
        check_study(place)


def linked(bench, is_study):
    with Place(bench) as place:
        (place.path / "elsewhere").mkdir()
        place.out.symlink_to(place.path / "elsewhere")
        result = place.study() if is_study else place.run()
        demand(result.code == 0, f"{result}")
        check_study(place) if is_study else check_run(place)


def linked_inside(bench, name):
    with Place(bench) as place:
        shutil.copytree(bench.unfinished_run, place.out)
        precious = place.path / "precious"
        if (place.out / name).is_dir():
            shutil.move(place.out / name, precious)
        else:
            precious.write_bytes((place.out / name).read_bytes())
            (place.out / name).unlink()
        before = {path: path.read_bytes() for path in [precious, *precious.rglob("*")] if path.is_file()}
        (place.out / name).symlink_to(precious)
        result = place.resume()
        demand(result.code == 2 and name in result.err, f"a link was followed, {result}")
        demand({path: path.read_bytes() for path in before} == before, "what the link leads to has changed")


class Skipped(Exception):
    """What cannot be tried here, and why."""


def read_only(bench, what):
    """As a user without rights: to root every folder can be written."""
    if os.getuid() != 0 or shutil.which("setpriv") is None:
        raise Skipped("a read-only folder needs root and setpriv")
    with Place(bench) as place:
        if what != "new":
            shutil.copytree(bench.unfinished_run if what == "resume" else bench.unfinished_study, place.out)
        before = {path: path.read_bytes() for path in place.out.rglob("*") if path.is_file()}
        os.chmod(place.path, 0o755)
        user = ("setpriv", f"--reuid={NOBODY}", f"--regid={NOBODY}", "--clear-groups")
        act = {"new": place.run, "resume": place.resume, "study": place.study}[what]
        result = act(before=user)
        check_message(place, result)
        demand({path: path.read_bytes() for path in before} == before, "files have changed")
        if what == "study":
            table_of(place)
        elif what == "resume":
            go_on_with_run(place)


# --- all of it

class Bench:
    """What everything is compared with, made without torture, and the table of what held."""

    def __init__(self, program, preload, root, jobs, only):
        self.program, self.preload, self.root, self.jobs, self.only = program, preload, root, jobs, only
        self.rows = []
        os.chmod(root, 0o755)
        self.run_sha, self.run_events = self.reference_run()
        self.study_table, self.study_events = self.reference_study()
        self.unfinished_run = self.unfinished("run", self.run_events)
        self.unfinished_study = self.unfinished("study", self.study_events)
        self.long_run_sha, self.long_study_table = self.long_references()

    def reference_run(self):
        with Place(self) as place:
            demand(place.run(tortured=True).code == 0, "the run without torture fails")
            return sha_of_run(place.out), place.events()

    def reference_study(self):
        with Place(self) as place:
            demand(place.study(tortured=True).code == 0, "the study without torture fails")
            return table_of(place), place.events()

    def long_references(self):
        with Place(self) as run, Place(self) as study:
            demand(run.run("--set", f"run.draws={20 * LONG}").code == 0, "the long run fails")
            (study.path / "s.toml").write_text(STUDY.replace("draws = 6", f"draws = {6 * LONG}"))
            demand(study.study().code == 0, "the long study fails")
            return sha_of_run(run.out), table_of(study)

    def unfinished(self, kind, events):
        """A folder as it is when the process is killed after the last checkpoint but one; in a study, one cell
        has ended then."""
        at = [k for k, (event, path) in enumerate(events, 1) if event == "rename" and path.endswith("/checkpoint")]
        with Place(self, "kill", at[-2] + 1) as place:
            (place.run if kind == "run" else place.study)(tortured=True)
            kept = self.root / f"unfinished-{kind}"
            shutil.copytree(place.out, kept)
            return kept

    def try_all(self, what, trials):
        """trials: (words, function, arguments)."""
        if self.only and self.only not in what:
            return []
        faults, skipped = [], []
        start = time.monotonic()
        with concurrent.futures.ThreadPoolExecutor(self.jobs) as pool:
            futures = [(words, pool.submit(function, self, *arguments)) for words, function, arguments in trials]
            for words, future in futures:
                try:
                    future.result()
                except Skipped as reason:
                    skipped.append(str(reason))
                except Exception as fault:  # a mistake of the trial is one, too
                    faults.append(f"{words}: {type(fault).__name__}: {fault}")
        tried = len(futures) - len(skipped)
        held = tried - len(faults)
        self.rows.append((what, tried, held, len(faults), len(skipped), time.monotonic() - start))
        for fault in faults[:40]:
            print(f"FAILED {what}, {fault}", flush=True)
        for reason in sorted(set(skipped)):
            print(f"skipped {what}: {reason}", flush=True)
        return faults

    def print_table(self):
        print(f"\n{'what':44} {'tried':>6} {'held':>6} {'failed':>6} {'skipped':>7} {'s':>6}")
        for what, tried, held, failed, skipped, seconds in self.rows:
            print(f"{what:44} {tried:6} {held:6} {failed:6} {skipped:7} {seconds:6.0f}")


def groups(events):
    """Numbers of the events, those that follow each other and are alike together."""
    found = []
    for number, event in enumerate(events, 1):
        if number > 1 and event == events[number - 2]:
            found[-1].append(number)
        else:
            found.append([number])
    return found


def some(items, count):
    return [items[k] for k in positions(len(items), count)]


def torture_trials(events, function, action, count):
    """At all events, or at `count` of different kinds or files."""
    if count is None:
        numbers = range(1, len(events) + 1)
    else:
        numbers = sorted({group[k] for group in some(groups(events), count) for k in (0, len(group) // 2, -1)})
    words = {number: " ".join(events[number - 1]) for number in numbers}
    return [(f"event {number} ({words[number]})", function, (action, number)) for number in numbers]


def damage_trials(folder, function, count):
    return [(f"{name} {words}", function, (name, content))
            for name in files_in(folder) for words, content in damages(folder / name, count)]


def everything(bench, short):
    """Counts: of events (None = each), of positions in a file, of kills, of pairs."""
    events_of_run, events_of_study = (14, 7) if short else (None, 10**6)
    in_run, in_study, kills, pairs = (2, 1, 3, 1) if short else (150, 12, 25, 10)
    runs_killed = 2 if short else 10
    bench_words = {"kill": "SIGKILL", "die": "SIGKILL of one process", "full": "full disk", "eio": "EIO"}
    for action in ("kill", "full", "eio"):
        bench.try_all(f"run: {bench_words[action]} at an event",
                      torture_trials(bench.run_events, tortured_run, action, events_of_run))
    for action in ("kill", "die", "full", "eio"):
        bench.try_all(f"study: {bench_words[action]} at an event",
                      torture_trials(bench.study_events, tortured_study, action, events_of_study))
    bench.try_all("run: a file is damaged", damage_trials(bench.unfinished_run, damaged_run, in_run))
    bench.try_all("study: a file is damaged", damage_trials(bench.unfinished_study, damaged_study, in_study))
    for is_study in (False, True):
        bench.try_all(f"{'study' if is_study else 'run'}: {runs_killed * kills} kills at random times",
                      [(f"seed {seed}", killed_at_random, (is_study, seed, kills)) for seed in range(runs_killed)])
    bench.try_all("two at once", [(what, two_at_once, (what,))
                                  for what in ("run", "replace", "resume", "study") for _ in range(pairs)])
    bench.try_all("folders", [("deleted, run", deleted_on_the_way, ()), ("deleted, study", deleted_under_study, ()),
                              ("linked, run", linked, (False,)), ("linked, study", linked, (True,)),
                              *[(f"link {name}", linked_inside, (name,))
                                for name in ("resume", "resume/checkpoint", ".mixwell")],
                              *[(f"read-only, {what}", read_only, (what,)) for what in ("new", "resume", "study")]])


def mutants(bench):
    """Each must be reported; returns how many are not."""
    checkpoint = pathlib.Path("resume/checkpoint")
    wrong = resealed((bench.unfinished_run / checkpoint).read_bytes())
    trials = {
        "bits are flipped on their way to disk": [("flip", tortured_run, ("flip", 1))],
        "the last rename is not done": [("drop", tortured_run, ("drop", 1))],
        "a state is changed and sealed anew": [("resealed", damaged_run, (checkpoint, wrong))],
    }
    return sum(not bench.try_all(f"mutant: {what}", some_trials) for what, some_trials in trials.items())


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("program", type=pathlib.Path)
    parser.add_argument("preload", type=pathlib.Path, help="the library of preload.cpp")
    parser.add_argument("--short", action="store_true", help="a minute's worth")
    parser.add_argument("--mutants", action="store_true", help="what must be reported; fails if it is not")
    parser.add_argument("--only", default="", help="rows of the table that hold this text")
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    given = parser.parse_args()
    # In memory, unless asked otherwise: a disk takes three times as long, and the events are the same.
    memory = "/dev/shm" if "TMPDIR" not in os.environ and os.path.isdir("/dev/shm") else None
    with tempfile.TemporaryDirectory(prefix="mixwell-torture-", dir=memory) as root:
        bench = Bench(given.program.resolve(), given.preload.resolve(), pathlib.Path(root).resolve(), given.jobs,
                      given.only)
        print(f"events: {len(bench.run_events)} in the run, {len(bench.study_events)} in the study", flush=True)
        if given.mutants:
            missed = mutants(bench)
            bench.print_table()
            print(f"{missed} mutants not reported" if missed else "every mutant is reported")
            return 1 if missed else 0
        everything(bench, given.short)
        bench.print_table()
        return 1 if any(failed for _, _, _, failed, *_ in bench.rows) else 0


if __name__ == "__main__":
    sys.exit(main())
