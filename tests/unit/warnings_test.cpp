// Warnings of a run: their subjects, and that their fixes only name keys of its own kernels.
// SPDX-License-Identifier: Apache-2.0
#include "advice/warnings.hpp"

#include "guests.hpp"
#include "manifest/effective.hpp"

#include <mixwell/lab/registry.hpp>

#include <catch2/catch.hpp>

#include <algorithm>
#include <cctype>
#include <limits>
#include <optional>
#include <set>
#include <utility>

using namespace mixwell;

namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();

const Registry& registry() {
  static const Registry all = Registry::load(guests::with_default_folders());
  return all;
}

std::set<std::string> keys_of(const std::string& kernel) {
  std::set<std::string> keys;
  const auto blueprint = registry().find(Kind::kernel, kernel).blueprint();
  for (const Field& field : blueprint->fields().all()) keys.insert(field.key());
  return keys;
}

/// The table of a kernel with its defaults, or with every key that has none set to a number.
EffectiveTable table_of(const std::string& kernel, bool all_set) {
  EffectiveTable table{"kernel.k", {}};
  const auto blueprint = registry().find(Kind::kernel, kernel).blueprint();
  for (const Field& field : blueprint->fields().all()) {
    const std::string value = field.value_text();
    table.lines.push_back({field.key(), value.empty() && all_set ? "0.5" : value, field.help()});
  }
  return table;
}

/// Everything is wrong with it.
Summary bad_summary(double rhat) {
  Summary summary;
  SummaryRow row{"x"};
  row.standard.sd = 1.0;
  row.standard.rhat = rhat;
  row.standard.ess_bulk = 20.0;
  row.standard.ess_tail = 10.0;
  summary.variables = {row};
  summary.sampler.acceptance = 0.01;
  summary.sampler.divergences = 7;
  summary.sampler.ebfmi = 0.1;
  summary.sampler.reached_max_depth = 1.0;
  summary.not_judged = {{"b", 2, {"mean"}, "3 of 200 draws are NaN", 3}};
  return summary;
}

std::vector<std::string> all_warnings(const Advice& advice) {
  std::vector<std::string> texts;
  for (const double rhat : {1.03, 1.3, infinity}) {
    for (const std::string& text : warnings(bad_summary(rhat), advice)) texts.push_back(text);
  }
  Summary still = bad_summary(infinity);
  still.sampler.still_chains = 4;
  for (const std::string& text : warnings(still, advice)) texts.push_back(text);
  return texts;
}

std::set<std::string> words_of(const std::string& text) {
  std::set<std::string> words;
  std::string word;
  for (const char c : text + ' ') {
    if (std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_') {
      word += c;
    } else if (!word.empty()) {
      words.insert(std::exchange(word, {}));
    }
  }
  return words;
}

/// The first word that is a key of another kernel and none of this one's, or "".
std::string foreign_key(const std::string& text, const std::set<std::string>& own,
                        const std::set<std::string>& of_all) {
  for (const std::string& word : words_of(text))
    if (of_all.count(word) != 0 && own.count(word) == 0) return word;
  return {};
}

/// Without those that are words of any sentence.
std::set<std::string> keys_of_all_kernels() {
  std::set<std::string> keys;
  for (const std::string& kernel : registry().ids(Kind::kernel)) keys.merge(keys_of(kernel));
  for (const char* const word : {"model", "size", "mean", "error", "own", "fixed"})
    keys.erase(word);
  return keys;
}

bool contains(const std::vector<std::string>& texts, const std::string& part) {
  return std::any_of(texts.begin(), texts.end(),
                     [&](const std::string& text) { return text.find(part) != std::string::npos; });
}

Advice nuts() { return Advice(effective_text({table_of("nuts", false)})); }

}  // namespace

TEST_CASE("cures name no key that the kernel lacks, whatever the kernel and the trouble") {
  const std::set<std::string> of_all = keys_of_all_kernels();
  REQUIRE(registry().ids(Kind::kernel).size() > 15);
  for (const std::string& kernel : registry().ids(Kind::kernel)) {
    for (const bool all_set : {false, true}) {
      const Advice advice(effective_text({table_of(kernel, all_set)}));
      for (const std::string& text : all_warnings(advice)) {
        INFO(kernel << ": " << text);
        CHECK(foreign_key(text, keys_of(kernel), of_all).empty());
      }
    }
  }
}

TEST_CASE("a cure with a key that the kernel lacks is found out") {
  const std::set<std::string> own = keys_of("nuts");
  CHECK(foreign_key("Multiply run.draws by about 40, or make trajectories longer (more "
                    "steps).",
                    own, keys_of_all_kernels()) == "steps");
  CHECK(foreign_key("Raise kernel.k.max_depth.", own, keys_of_all_kernels()).empty());
}

TEST_CASE("trajectories at the largest depth are warned of, with their share and a cure") {
  const std::vector<std::string> texts = warnings(bad_summary(1.0), nuts());
  CHECK(contains(texts, "100 % of the trajectories reached the maximum tree depth"));
  CHECK(contains(texts, "Raise kernel.k.max_depth, or set kernel.k.estimator"));
  Summary few = bad_summary(1.0);
  few.sampler.reached_max_depth = 0.005;
  CHECK_FALSE(contains(warnings(few, nuts()), "maximum tree depth"));
}

TEST_CASE("an infinite R-hat and chains that never moved are warned of, without more draws") {
  Summary summary = bad_summary(infinity);
  summary.sampler.still_chains = 4;
  const std::vector<std::string> texts = warnings(summary, nuts());
  CHECK(contains(texts, "4 chains never moved: every proposal was rejected."));
  CHECK(contains(texts, "R-hat of x is infinite"));
  CHECK(contains(texts, "Raise kernel.k.target_acceptance."));
  CHECK_FALSE(contains(texts, "run.draws"));
  summary.sampler.acceptance = 1.0;  // of steps too short to change a number
  CHECK(contains(warnings(summary, Advice("[kernel.w]\nstep_size = 1e-30\n")),
                 "too short to change any parameter value. Raise kernel.w.step_size."));
}

TEST_CASE("draws that are not finite are warned of, with count and variable") {
  CHECK(contains(warnings(bad_summary(1.0), nuts()),
                 "b: 3 of 200 draws are NaN; 2 more variables have such draws."));
}

TEST_CASE("each of several kernels is held to its own target") {
  Summary summary;
  summary.sampler.kernels = {{"a", 0.3, 0, std::nullopt}, {"b", 0.05, 0, std::nullopt}};
  const Advice advice(
      "[kernel.a]\nuse = \"nuts\"\ntarget_acceptance = 0.8  # aim\n\n[kernel.b]\nuse "
      "= \"mala\"\nstep_size = 3.0\n# target_acceptance is not set: aim\n");
  const std::vector<std::string> texts = warnings(summary, advice);
  CHECK(contains(texts, "The acceptance rate of a is 0.30, far from its target 0.80"));
  CHECK(contains(texts, "The acceptance rate of b is 0.05, which is low"));
  CHECK(contains(texts, "Lower kernel.b.step_size."));
}

TEST_CASE("without a manifest advice names no keys") {
  for (const std::string& text : all_warnings(Advice())) {
    INFO(text);
    CHECK(foreign_key(text, {}, keys_of_all_kernels()).empty());
  }
}

TEST_CASE("what could not be judged is said in words") {
  CHECK(in_words({"k", 3, {"rhat", "ess_tail"}, "why", 0}) ==
        "rhat and ess_tail of k and 3 more: why");
  CHECK(in_words({"", 0, {"ebfmi"}, "why", 0}) == "ebfmi of the sampler: why");
}

TEST_CASE("an effective manifest has its keys read back, set or not") {
  const std::vector<EffectiveTable> tables = {
      {"run", {{"draws", "100", "how many"}}},
      {"kernel.k", {{"use", "\"x\"", ""}, {"steps", "", "so many = more"}}}};
  const std::vector<EffectiveTable> read = read_effective(effective_text(tables));
  REQUIRE(read.size() == 2);
  CHECK(read[0].heading == "run");
  CHECK(read[1].lines[0].key == "use");
  CHECK(read[1].lines[0].value == "\"x\"");
  CHECK(read[1].lines[1].key == "steps");
  CHECK(read[1].lines[1].value.empty());
}
