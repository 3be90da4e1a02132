// What stops early on request: a summary, and a run at any point.
// SPDX-License-Identifier: Apache-2.0
#include "composing.hpp"
#include "draws_testing.hpp"

#include <mixwell/lab/run.hpp>
#include <mixwell/lab/stop_request.hpp>
#include <mixwell/lab/summary.hpp>

#include <catch2/catch.hpp>

#include <chrono>
#include <filesystem>
#include <functional>
#include <string>
#include <thread>

using namespace mixwell;
using namespace mixwell::testing;
namespace fs = std::filesystem;

namespace {

Composition gaussian(const std::string& run) {
  return composing::compose("[run]\nwarmup = 20\nreplicates = 2\ncheckpoint_seconds = 1e-9\n" +
                            run +
                            "[model.m]\nuse = \"gaussian\"\ndimension = 2\n"
                            "[estimator.identity]\nuse = \"identity\"\n[kernel.k]\nuse = "
                            "\"hamiltonian\"\nstep_size = 0.5\nsteps = 3\n");
}

using StopWhen = std::function<bool(const Progress&)>;

/// A run in that folder, which is asked to stop when `when` is true.
RunResult run_in(const std::string& folder, const Composition& composition, bool resume,
                 const StopWhen& when, double patience = 0.0) {
  StopRequest stop(patience);
  RunOptions options;
  options.folder = folder;
  options.threads = 1;
  options.resume = resume;
  options.stop = &stop;
  options.progress = [&](const Progress& now) {
    if (when(now)) stop.make();
  };
  return run(composition, options);
}

bool never(const Progress&) { return false; }

bool at_last_draw(const Progress& now) { return now.done == now.total; }

}  // namespace

TEST_CASE("a request is made once until it is withdrawn, and nobody makes one of null") {
  StopRequest stop;
  CHECK_FALSE(is_made(&stop));
  CHECK(stop.make());
  CHECK_FALSE(stop.make());
  CHECK(is_made(&stop));
  stop.withdraw();
  CHECK_FALSE(is_made(&stop));
  CHECK(stop.make());
  CHECK_FALSE(is_made(nullptr));
  CHECK_NOTHROW(end_if_overdue(nullptr, "nothing"));
  CHECK_THROWS_AS(end_if_overdue(&stop, "all"), Stopped);
}

TEST_CASE("a request with patience is overdue only later") {
  StopRequest patient(1e6);
  StopRequest hasty(0.02);
  CHECK_FALSE(hasty.is_overdue());
  for (StopRequest* const stop : {&patient, &hasty}) stop->make();
  CHECK(patient.is_made());
  CHECK_FALSE(patient.is_overdue());
  CHECK_NOTHROW(end_if_overdue(&patient, "all"));
  std::this_thread::sleep_for(std::chrono::milliseconds(30));
  CHECK(hasty.is_overdue());
  hasty.withdraw();
  CHECK_FALSE(hasty.is_overdue());
}

TEST_CASE("a summary that is asked to stop ends before its end and writes no table") {
  const TemporaryFolder folder;
  write_file(header(folder.path(), {real("x", {3})}), 50,
             [](std::size_t, std::int64_t draw, Index, Index k) { return double(draw * (k + 1)); });
  StopRequest stop;
  SummaryOptions options;
  options.table = folder.path() + "/table.nc";
  options.stop = &stop;
  CHECK_NOTHROW(summarise(folder.path(), options));
  fs::remove(options.table);
  stop.make();
  CHECK_THROWS_AS(summarise(folder.path(), options), Stopped);
  CHECK_FALSE(fs::exists(options.table));
}

TEST_CASE("a run that is asked to stop when all draws are there leaves out its summary alone") {
  const TemporaryFolder folder;
  const Composition composition = gaussian("draws = 40\n");
  const std::string out = folder.path() + "/out";
  CHECK(run_in(out, composition, false, never).summary);
  REQUIRE(fs::exists(out + "/summary.json"));
  fs::remove_all(out);

  const RunResult stopped = run_in(out, composition, false, at_last_draw);
  CHECK(stopped.record.outcome == Outcome::complete);
  CHECK(stopped.record.ended_by == EndedBy::draws);
  CHECK_FALSE(stopped.summary);
  CHECK(stopped.resumable);
  CHECK_FALSE(fs::exists(out + "/summary.json"));
  CHECK(read_run(out).draws_sha256 == DrawsFile(out).sha256());
  CHECK(summarise(out).variables.size() == 2);

  CHECK(run_in(folder.path() + "/patient", composition, false, at_last_draw, 1e6).summary);
  const RunResult whole = run_in(out, composition, true, never);
  CHECK(whole.summary);
  CHECK(whole.record.draws_sha256 == stopped.record.draws_sha256);
  CHECK(fs::exists(out + "/summary.json"));
}

TEST_CASE("a summary of fewer draws does not outlive a run that leaves its own out") {
  const TemporaryFolder folder;
  const Composition composition = gaussian("draws = 40\n");
  const std::string out = folder.path() + "/out";
  run_in(out, composition, false, [](const Progress& now) { return now.done > 25; });
  std::filesystem::copy_file(out + "/run.json", out + "/summary.json");
  CHECK_FALSE(run_in(out, composition, true, at_last_draw).summary);
  CHECK_FALSE(fs::exists(out + "/summary.json"));
}

TEST_CASE("a run that is asked to stop while it looks at its draws ends where it would have") {
  const TemporaryFolder folder;
  const Composition composition = gaussian("draws = 100000\nstop_min_ess = 150\n");
  const RunResult whole = run_in(folder.path() + "/whole", composition, false, never);
  REQUIRE(whole.record.ended_by == EndedBy::min_ess);
  const std::string out = folder.path() + "/out";
  const RunResult stopped = run_in(out, composition, false, [&](const Progress& now) {
    return now.phase == PhaseKind::sampling && now.done == 20 + whole.record.draws;
  });
  CHECK(stopped.record.ended_by == EndedBy::interrupt);
  CHECK(stopped.record.draws == whole.record.draws);
  const RunResult resumed = run_in(out, composition, true, never);
  CHECK(resumed.record.ended_by == EndedBy::min_ess);
  CHECK(resumed.record.draws_sha256 == whole.record.draws_sha256);
}
