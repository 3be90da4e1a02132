// What a reader of a study must know before its figures: choices that rest on no score.
// SPDX-License-Identifier: Apache-2.0
#include "study/findings.hpp"

#include "files/json.hpp"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>

namespace mixwell::study {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::size_t most_named = 5;
/// Budgets that differ by more than this share are worth a sentence.
constexpr double alike = 0.05;

/// "MODEL/VARIANT/KEY=VALUE,...", as the label of its cells has it.
std::string label_of(const StudyTuning& tuning) {
  std::string axes;
  const Json found = parse_json(tuning.axes);
  for (const auto& [key, value] : found.items()) {
    const std::string text = value.is_string() ? value.get<std::string>() : json_text(value);
    axes += fmt::format("{}{}={}", axes.empty() ? "/" : ",", key, text);
  }
  return tuning.model + "/" + tuning.variant + axes;
}

bool chose_blindly(const StudyTuning& tuning) { return tuning.tuned && !*tuning.tuned; }

std::string blind_choice(const StudyTuning& tuning) {
  const std::string why = tuning.reason.empty() ? "" : " (" + tuning.reason + ")";
  const std::string label = label_of(tuning);
  if (tuning.scored == 0) {
    return fmt::format(
        "{} is not tuned: none of its {} trials has a score{}, so the first candidate was taken",
        label, tuning.trials, why);
  }
  return fmt::format(
      "{} is not tuned fairly: only {} of its {} trials have a score{}, so candidates were left "
      "out "
      "or taken without one",
      label, tuning.scored, tuning.trials, why);
}

void add_blind_choices(const std::vector<StudyTuning>& tunings, std::vector<std::string>& to) {
  std::size_t more = 0;
  for (const StudyTuning& tuning : tunings) {
    if (!chose_blindly(tuning)) continue;
    if (to.size() < most_named)
      to.push_back(blind_choice(tuning));
    else
      ++more;
  }
  if (more == 0) return;
  to.push_back(fmt::format(
      "{} more tunings chose without a score; the table marks their cells with tuned = false",
      more));
}

void add_unequal_budgets(std::vector<StudyTuning> tunings, double budget,
                         std::vector<std::string>& to) {
  std::erase_if(tunings, [](const StudyTuning& one) { return !one.tuned; });
  const auto [least, most] = std::minmax_element(
      tunings.begin(), tunings.end(),
      [](const StudyTuning& a, const StudyTuning& b) { return a.gradients < b.gradients; });
  if (tunings.empty() || most->gradients <= (1.0 + alike) * least->gradients) return;
  to.push_back(fmt::format(
      "tuning did not cost the same everywhere: {} spent {:.0f} gradients and {} {:.0f}; the "
      "budget "
      "of each was {:.0f}, and a trial ends before it or beyond it by as much as one sweep costs",
      label_of(*least), least->gradients, label_of(*most), most->gradients, budget));
}

}  // namespace

std::vector<std::string> tuning_findings(const std::vector<StudyTuning>& tunings, double budget) {
  std::vector<std::string> found;
  add_blind_choices(tunings, found);
  add_unequal_budgets(tunings, budget, found);
  return found;
}

}  // namespace mixwell::study

namespace mixwell {

std::vector<std::string> StudyTable::findings() const {
  return study::tuning_findings(tunings, tune_gradients);
}

}  // namespace mixwell
