#!/usr/bin/env python3
"""Simulates how many workers share out the cells of a study by claims (docs/clusters.md).

Each worker goes by the rules of framework/src/study: it begins at a place of its own, asks for one cell after
another, and after 16 in vain it lists two folders and goes on with what is free there; when nothing is free it
looks at 64 cells of others and leaves. A call of the file system takes one round trip, and the server serves
so many a second, all workers together. --one-by-one: without the listings, as a warning.
"""
# SPDX-License-Identifier: Apache-2.0
import argparse
import heapq
import os
import statistics
import tempfile
import time

import numpy

# Calls of the file system, as strace counts them of `mixwell study --worker` (--measure).
CALLS_TO_TAKE = 18
CALLS_TO_END = 12
CALLS_OF_ANOTHER = 6  # of a cell that another is at
CALLS_OF_ENDED = 1
NAMES_A_CALL = 300  # of a listing
MOST_IN_VAIN = 16
MOST_OF_OTHERS = 64
BEATS = 8.0 / 120.0  # of a claim, a second


class Server:
    """Calls wait for one another only as far as it can serve them."""

    def __init__(self, round_trip, rate):
        self.round_trip, self.rate, self.free, self.calls = round_trip, rate, 0.0, 0

    def after(self, now, calls):
        self.calls += calls
        self.free = max(self.free, now) + calls / self.rate
        return max(now + calls * self.round_trip, self.free)


class Study:
    def __init__(self, cells, seconds, random):
        sigma = 0.5
        self.seconds = random.lognormal(numpy.log(seconds) - sigma**2 / 2, sigma, cells)
        self.claimed = numpy.full(cells, numpy.inf)
        self.ended = numpy.full(cells, numpy.inf)

    def free_cells(self, now, random):
        """In the order in which a worker asks for them: from one on that is anyhow."""
        free = numpy.flatnonzero(self.claimed > now)
        return numpy.roll(free, random.integers(len(free))) if len(free) else free


class Worker:
    def __init__(self, random):
        self.random, self.queue, self.in_vain = random, iter(()), MOST_IN_VAIN
        self.cell, self.found, self.leaves = None, None, False

    def look_around(self, study, server, now):
        """Begins to list two folders; what is free is known when the answer is there."""
        begun = int(numpy.count_nonzero(study.claimed <= now))
        self.found = study.free_cells(now, self.random)[: 8 * MOST_IN_VAIN].copy()
        return server.after(now, 2 + begun // NAMES_A_CALL)

    def step(self, study, server, now, lists):
        """The next thing that it does; returns when it is done with it."""
        if self.cell is not None:
            study.ended[self.cell], self.cell = now, None
            return server.after(now, CALLS_TO_END)
        if self.found is not None:
            self.queue, self.in_vain, none_free = iter(self.found), 0, len(self.found) == 0
            self.found = None
            if none_free:
                self.leaves = True
                others = min(MOST_OF_OTHERS, int(numpy.count_nonzero(study.ended > now)))
                return server.after(now, CALLS_OF_ANOTHER * others)
        cell = next(self.queue, None) if self.in_vain < MOST_IN_VAIN else None
        if cell is None:
            self.leaves = not lists
            return self.look_around(study, server, now) if lists else now
        self.in_vain += lists
        if study.ended[cell] <= now:
            return server.after(now, CALLS_OF_ENDED)
        if study.claimed[cell] <= now:
            return server.after(now, CALLS_OF_ANOTHER)
        study.claimed[cell], self.cell, self.in_vain = now, cell, 0
        beats = int(study.seconds[cell] * BEATS)
        return server.after(now, CALLS_TO_TAKE + beats) + study.seconds[cell]


def simulate(workers, options, round_trip, rate):
    random = numpy.random.default_rng(options.seed)
    study = Study(options.cells, options.seconds, random)
    server = Server(round_trip, rate)
    crew = [Worker(random) for _ in range(workers)]
    if options.one_by_one:
        for worker in crew:
            worker.queue, worker.in_vain = one_by_one(int(random.integers(options.cells)), options.cells), 0
    events = [(0.0, k) for k in range(workers)]
    heapq.heapify(events)
    left = 0.0
    while events:
        now, k = heapq.heappop(events)
        if crew[k].leaves:
            left = max(left, now)
            continue
        heapq.heappush(events, (crew[k].step(study, server, now, not options.one_by_one), k))
    return study.ended.max(), left, server.calls


def one_by_one(start, cells):
    yield from range(start, cells)
    yield from range(start)


def measure():
    """Seconds of one call on the disk of this machine: a file made, linked, listed and removed."""
    with tempfile.TemporaryDirectory() as folder:
        times = []
        for _ in range(200):
            start = time.perf_counter()
            for k in range(10):
                name = f"{folder}/{k}"
                os.close(os.open(name, os.O_CREAT | os.O_WRONLY))
                os.link(name, name + "x")
                os.listdir(folder)
                os.unlink(name + "x")
                os.unlink(name)
            times.append((time.perf_counter() - start) / 60)
    return statistics.median(times)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--cells", type=int, default=100000)
    parser.add_argument("--seconds", type=float, default=60.0, help="of a cell, on average")
    parser.add_argument("--round-trip", type=float, default=0.005, help="seconds of a call")
    parser.add_argument("--rate", type=float, default=20000.0, help="calls a second that the server serves")
    parser.add_argument("--workers", type=int, nargs="+", default=[10, 100, 1000, 3000, 10000])
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--one-by-one", action="store_true", help="without listings")
    options = parser.parse_args()
    print(f"a call on this machine's disk: {1e6 * measure():.1f} us")
    print("| workers | calls that cost nothing, s | with claims, s | ratio | last one leaves, s | calls a cell | calls a second |")
    print("|---|---|---|---|---|---|---|")
    for workers in options.workers:
        alone = simulate(workers, options, 0.0, numpy.inf)[0]
        end, left, calls = simulate(workers, options, options.round_trip, options.rate)
        print(f"| {workers} | {alone:.0f} | {end:.0f} | {end / alone:.3f} | {left:.0f} "
              f"| {calls / options.cells:.0f} | {calls / left:.0f} |", flush=True)


if __name__ == "__main__":
    main()
