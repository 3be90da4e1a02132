// Choices of a tuning that are not based on a score are findings, for every cause.
// SPDX-License-Identifier: Apache-2.0
#include "files/sha256.hpp"
#include "support.hpp"

#include <mixwell/lab/study.hpp>

#include <nlohmann/json.hpp>

#include <algorithm>

namespace {

using Json = nlohmann::json;
using mixwell::StudyTable;
using mixwell::StudyTuning;

std::string record(const Json& rows) {
  const std::string text = rows.dump();
  return R"({"format":1,"sha256":")" + mixwell::sha256(text) + R"(","rows":)" + text + "}\n";
}

/// `scores` of each rung, null for none; the first candidate of the last rung has won.
Json trials(const std::string& tuning, const std::vector<Json>& scores, double gradients) {
  Json all = Json::array();
  for (std::size_t rung = 0; rung < scores.size(); ++rung) {
    for (std::size_t k = 0; k < scores[rung].size(); ++k) {
      const Json& score = scores[rung][k];
      all.push_back({{"tuning", tuning},
                     {"rung", rung},
                     {"candidate", k},
                     {"model", "m"},
                     {"variant", tuning},
                     {"axes", R"({"run.draws":7})"},
                     {"values", "{}"},
                     {"objective", "min_ess_per_gradient"},
                     {"score", score},
                     {"gradients", gradients},
                     {"seconds", 1.0},
                     {"reason", score.is_null() ? Json("too short") : Json()},
                     {"winner", rung + 1 == scores.size() && k == 0 ? 1 : 0}});
    }
  }
  return all;
}

/// Of a study with one place and tuning for each.
class Study {
 public:
  void add(const std::string& variant, const std::vector<Json>& scores, double gradients = 10.0) {
    folder_.file("tune/" + variant + ".json",
                 record({{"tune", trials(variant, scores, gradients)}}));
    tunings_.push_back(variant);
    points_.push_back({{"place", points_.size() + 1},
                       {"label", variant},
                       {"model", "m"},
                       {"variant", variant},
                       {"seed", 1},
                       {"axes", R"({"run.draws":7})"},
                       {"cell", "0123456789abcdef"}});
  }

  StudyTable table() const {
    folder_.file("cells/0123456789abcdef/cell.json", record({{"cells",
                                                              {{{"cell", "0123456789abcdef"},
                                                                {"sha256", ""},
                                                                {"status", "done"},
                                                                {"attempts", 1}}}},
                                                             {"metrics", Json::array()},
                                                             {"compared", Json::array()}}));
    folder_.file("places.json", record({{"points", points_}, {"history", Json::array()}}));
    folder_.file("study.json", record({{"study",
                                        {{{"key", "tunings"}, {"value", tunings_.dump()}},
                                         {{"key", "tune_gradients"}, {"value", "50.0"}}}}}));
    return mixwell::read_study_table(folder_.path());
  }

 private:
  support::TemporaryFolder folder_;
  Json tunings_ = Json::array();
  Json points_ = Json::array();
};

StudyTuning tuning(const std::string& variant, double gradients, bool tuned = true) {
  return {.model = "m",
          .variant = variant,
          .axes = "{}",
          .trials = 4,
          .scored = tuned ? 4 : 0,
          .gradients = gradients,
          .tuned = tuned,
          .reason = tuned ? "" : "too short"};
}

}  // namespace

TEST_CASE("A tuning is one where each rung kept what has a score, or left nothing out") {
  Study study;
  study.add("a-good", {{1.0, nullptr, 2.0, nullptr}, {1.0, nullptr}});
  study.add("b-none", {{nullptr, nullptr, nullptr, nullptr}, {nullptr, nullptr}});
  study.add("c-blind-first-rung", {{nullptr, 1.0, nullptr, nullptr}, {1.0, 2.0}});
  study.add("d-blind-last-rung", {{1.0, 1.0, 1.0}, {nullptr}});
  study.add("e-nothing-left-out", {{nullptr, nullptr}, {1.0, 2.0}});
  const StudyTable table = study.table();
  REQUIRE(table.rows.size() == 5);
  const std::vector<bool> wanted = {true, false, false, false, true};
  for (std::size_t k = 0; k < wanted.size(); ++k) {
    INFO(table.rows[k].variant);
    REQUIRE(table.rows[k].tuned.has_value());
    CHECK(*table.rows[k].tuned == wanted[k]);
    CHECK(table.tunings[k].tuned == table.rows[k].tuned);
  }
  const std::vector<std::string> found = table.findings();
  REQUIRE(found.size() == 4);
  CHECK(found[0] ==
        "m/b-none/run.draws=7 is not tuned: none of its 6 trials has a score (too short), so "
        "Mixwell used the first candidate");
  CHECK(found[1].starts_with(
      "m/c-blind-first-rung/run.draws=7 is not tuned fairly: only 3 of its 6 "));
  CHECK(found[2].starts_with(
      "m/d-blind-last-rung/run.draws=7 is not tuned fairly: only 3 of its 4 "));
  const Json json = Json::parse(mixwell::study_table_json(table));
  CHECK(json["findings"].size() == found.size());
  CHECK(json["tunings"][1]["scored"] == 0);
  CHECK(json["tunings"][1]["budget"] == 50.0);
  CHECK(json["rows"][1]["tuned"] == false);
  CHECK(json["rows"][0]["tuned"] == true);
}

TEST_CASE("Where nothing was tuned a row says neither, and there is no finding") {
  Study study;
  study.add("other", {{1.0}});
  StudyTable table = study.table();
  CHECK(table.findings().empty());
  table.tunings.clear();
  table.rows.front().tuned.reset();
  CHECK(table.findings().empty());
  CHECK(Json::parse(mixwell::study_table_json(table))["rows"][0]["tuned"].is_null());
}

std::vector<std::string> tuning_findings(std::vector<StudyTuning> tunings, double budget) {
  StudyTable table;
  table.tunings = std::move(tunings);
  table.tune_gradients = budget;
  return table.findings();
}

TEST_CASE("Budgets that differ by more than a twentieth are told with both ends") {
  CHECK(tuning_findings({tuning("a", 400.0), tuning("b", 419.0)}, 400.0).empty());
  const auto found = tuning_findings({tuning("a", 400.0), tuning("b", 451.0)}, 400.0);
  REQUIRE(found.size() == 1);
  CHECK(found.front().find("m/a spent 400, and m/b spent 451. The budget of each tuning was 400") !=
        std::string::npos);
  StudyTuning open = tuning("c", 10.0);
  open.tuned.reset();
  CHECK(tuning_findings({tuning("a", 400.0), open}, 400.0).empty());
}

TEST_CASE("Of many tunings without a score five are named and the others counted") {
  std::vector<StudyTuning> all;
  for (int k = 0; k < 7; ++k) all.push_back(tuning("v" + std::to_string(k), 400.0, false));
  const auto found = tuning_findings(all, 400.0);
  REQUIRE(found.size() == 6);
  CHECK(found.back().starts_with("2 more tunings chose a candidate without a score"));
}
