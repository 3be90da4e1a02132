// Messages between a study and its workers, written and read back.
// SPDX-License-Identifier: Apache-2.0
#include "study/task.hpp"
#include "support.hpp"

#include <mixwell/base/error.hpp>

#include <cmath>

namespace {

using namespace mixwell::study;

template <class T>
T sent(const T& result) {
  const WorkerAnswer answer = answer_from(line_of(WorkerAnswer{WorkerStatus::done, "", result}));
  CHECK(answer.status == WorkerStatus::done);
  return std::get<T>(answer.result);
}

template <class T>
T asked(const T& request) {
  const std::string line = line_of(WorkerRequest(request));
  CHECK(line.find('\n') == std::string::npos);
  return std::get<T>(request_from(line));
}

const CellManifest manifest{"mixwell = 1\n\"é\"\n",
                            "s.toml",
                            {{"model.m", "", {"s.toml", 3, 7}, mixwell::Override::Effect::remove}}};

CellFigures some_figures() {
  CellFigures figures;
  figures.row.outcome = mixwell::EndedBy::min_ess;
  figures.row.certificate = "adaptive";
  figures.row.min_ess = 0.1;
  figures.row.gradients = 4.0;
  figures.row.cell_seconds = -INFINITY;
  figures.row.draws = 1L << 60;
  figures.row.summary = "{\"a\": 1}\n";
  figures.metrics = {{"mean_ess", 1.0 / 3.0, INFINITY}};
  figures.errors = {
      "id", "", {{2, 1.0, 2.0, 0.5, std::nan("")}}, {{"mean_error_sd", 0.25, std::nan("")}}};
  return figures;
}

std::string refusal(const std::string& line, auto read) {
  try {
    read(line);
    return "accepted";
  } catch (const mixwell::RunError& error) {
    return error.what();
  }
}

}  // namespace

TEST_CASE("A worker is asked what the study asks", "[study]") {
  const auto plan = asked(PlanRequest{manifest, 3, true});
  CHECK(plan.manifest.text == manifest.text);
  REQUIRE(plan.manifest.changes.size() == 1);
  CHECK(plan.manifest.changes[0].where.column == 7);
  CHECK(plan.manifest.changes[0].effect == mixwell::Override::Effect::remove);
  CHECK(plan.threads == 3);
  CHECK(plan.estimate);
  const auto run =
      asked(RunRequest{manifest, 1, "out/s/cells/a", "local", false, {{"id", {"a", "b"}}}});
  CHECK(run.folder == "out/s/cells/a");
  CHECK(run.scratch == "local");
  CHECK_FALSE(run.keeps_draws);
  REQUIRE(run.reference);
  CHECK(run.reference->paths == std::vector<std::string>{"a", "b"});
  CHECK_FALSE(asked(RunRequest{manifest, 1, "a", "", true, {}}).reference);
  CHECK(asked(TrialRequest{manifest, 1, 0.1, "min_ess_per_second"}).budget == 0.1);
  CHECK(asked(CompareRequest{"a", {"id", {}}}).reference.id == "id");
}

TEST_CASE("A worker's answer arrives as it was given, infinite numbers among it", "[study]") {
  const CellFigures figures = sent(some_figures());
  CHECK(figures.row.outcome == mixwell::EndedBy::min_ess);
  CHECK(figures.row.certificate == "adaptive");
  CHECK(figures.row.min_ess == 0.1);
  CHECK(std::isnan(figures.row.min_ess_mcse));
  CHECK(figures.row.gradients == 4.0);
  CHECK(figures.row.cell_seconds == -INFINITY);
  CHECK(figures.row.draws == 1L << 60);
  CHECK(figures.row.summary == "{\"a\": 1}\n");
  REQUIRE(figures.metrics.size() == 1);
  CHECK(figures.metrics[0].value == 1.0 / 3.0);
  CHECK(figures.metrics[0].mcse == INFINITY);
  REQUIRE(figures.errors.curve.size() == 1);
  CHECK(figures.errors.curve[0].error_mean == 0.5);
  CHECK(std::isnan(figures.errors.curve[0].error_covariance));
  REQUIRE(figures.errors.distance.size() == 1);
  CHECK(figures.errors.distance[0].value == 0.25);

  CellPlan plan;
  plan.files = {{"d.csv", "/data/d.csv", ""}};
  CHECK(sent(plan).files[0].path == "/data/d.csv");
  CHECK_FALSE(sent(plan).cost);
  plan.cost = {.gradients = 12.0, .seconds = 0.5, .reason = ""};
  CHECK(sent(plan).cost->gradients == 12.0);
  CHECK(std::isnan(sent(TrialResult{.reason = "too small"}).score));
  const WorkerAnswer bad =
      answer_from(line_of(WorkerAnswer{WorkerStatus::bad_input, "no \xff", {}}));
  CHECK(bad.status == WorkerStatus::bad_input);
  CHECK(bad.reason == "no \xef\xbf\xbd");
  CHECK(bad.result.index() == 0);
}

TEST_CASE("A line that is no request or no answer is refused, with its beginning", "[study]") {
  const std::string whole = line_of(WorkerAnswer{WorkerStatus::done, "", some_figures()});
  for (const std::string& line :
       {std::string("hello"), std::string("{}"), std::string("[0]"), whole.substr(1),
        std::string(R"([0,"",[9,[]]])"), std::string(R"([0,1,[0,null]])"),
        std::string(R"([0,"",[0,null],0])")}) {
    const std::string told = refusal(line, answer_from);
    INFO(line << " -> " << told);
    CHECK(told.find("a line that is not a valid answer: " + line.substr(0, 20)) !=
          std::string::npos);
    CHECK(told.size() < 600);
    CHECK(refusal(line, request_from).find("a line that is not a valid request: ") !=
          std::string::npos);
  }
  CHECK(refusal(whole, request_from) != "accepted");
}
