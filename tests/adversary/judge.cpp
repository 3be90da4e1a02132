// One manifest: its certificate, and what its draws say about it.
// SPDX-License-Identifier: Apache-2.0
#include "judge.hpp"

#include <mixwell/lab/sampler.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <optional>
#include <sstream>
#include <utility>
#include <vector>

namespace adversary {
namespace {

using namespace mixwell;

constexpr double suspicious = 0.01;       ///< of a first look: a second one is made
constexpr double very_suspicious = 1e-6;  ///< a third one, if the second sees nothing
constexpr std::int64_t second_replicates = 65521;
constexpr std::int64_t third_replicates = 524287;
constexpr double again_level = 1e-6;

constexpr std::array names = {"agrees",   "disagrees", "silent", "strict",
                              "untested", "refused",   "slow",   "broken"};

std::string words(const Verdict& now) {
  return fmt::format("{}, {}, rule {}, {}", now.label(), to_string(now.evidence()), now.rule,
                     now.coupled ? "coupled" : "product");
}

/// Without tabs and ends of lines, which separate what is written.
std::string on_one_line(std::string text) {
  std::replace_if(
      text.begin(), text.end(), [](char c) { return c == '\n' || c == '\t'; }, ' ');
  return text;
}

class Judging {
 public:
  Judging(const Composition& composition, const JudgeSettings& settings)
      : composition_(composition),
        settings_(settings),
        verdict_(compose(*composition.compositor).certificate.now),
        claim_(claim_of(verdict_)) {
    found_.verdict = words(verdict_);
  }

  Judgement judge() {
    found_.outcome = Outcome::silent;
    if (claim_ == Claim::in_limit && !can_follow_the_limit()) return found_;
    const bool unproven = verdict_.accuracy == Accuracy::none && !verdict_.proved;
    if (claim_ == Claim::none && !(unproven && settings_.asks_strict)) return found_;
    found_.sight = first_look(composition_);
    const bool seen = found_.sight.p < suspicious;
    if (claim_ == Claim::none) {
      if (!seen) found_.outcome = Outcome::strict;
      return found_;
    }
    found_.outcome = Outcome::agrees;
    if (seen) look_again();
    return found_;
  }

 private:
  /// Steps are small, and a step of any size has a stationary law: else moments need not exist.
  bool can_follow_the_limit() const {
    return settings_.small_steps &&
           composition_.model()->gradient_growth() == GradientGrowth::lipschitz;
  }

  /// Two looks at most, each at half of the level.
  void look_again() {
    const double first = found_.sight.p;
    if (refuted(second_replicates)) return;
    if (first < very_suspicious) refuted(third_replicates);
  }

  bool refuted(std::int64_t replicates) {
    const Sight sight = second_look(composition_, claim_, found_.sight.sweeps, replicates);
    if (!(sight.p < 0.5 * settings_.level)) return false;
    found_.outcome = Outcome::disagrees;
    found_.sight = sight;
    return true;
  }

  const Composition& composition_;
  const JudgeSettings& settings_;
  Verdict verdict_;
  Claim claim_;
  Judgement found_;
};

/// What `work` says of the composition, or why there is none.
template <class Work>
Judgement attempted(const std::string& manifest, const Registry& registry, const std::string& path,
                    const Work& work) {
  Judgement found;
  std::optional<Composition> composition;
  try {
    composition = parse_manifest(manifest, path, registry);
    found.verdict = words(compose(*composition->compositor).certificate.now);
  } catch (const std::exception& refusal) {
    found.remark = refusal.what();
    return found;
  }
  try {
    return work(*composition);
  } catch (const InputError& refusal) {
    found.outcome = Outcome::untested;
    found.remark = refusal.what();
  } catch (const std::exception& fault) {
    found.outcome = Outcome::broken;
    found.remark = fault.what();
  }
  return found;
}

}  // namespace

std::string to_string(Outcome outcome) { return names.at(static_cast<std::size_t>(outcome)); }

std::string to_line(std::size_t number, const Judgement& j) {
  return fmt::format("{}\t{}\t{}\t{}\t{}\t{}\t{}\t{}\n", number, to_string(j.outcome), j.verdict,
                     on_one_line(j.sight.statistic), j.sight.z, j.sight.p, j.sight.sweeps,
                     on_one_line(j.remark));
}

std::pair<std::size_t, Judgement> from_line(const std::string& line) {
  std::vector<std::string> cells;
  std::istringstream in(line);
  for (std::string cell; std::getline(in, cell, '\t');) cells.push_back(cell);
  cells.resize(8);
  Judgement j;
  const auto name = std::find(names.begin(), names.end(), cells[1]);
  j.outcome = static_cast<Outcome>(name - names.begin());
  j.verdict = cells[2];
  j.sight = {cells[3], std::atof(cells[4].c_str()), std::atof(cells[5].c_str()),
             std::atoll(cells[6].c_str())};
  j.remark = cells[7];
  return {std::strtoull(cells[0].c_str(), nullptr, 10), j};
}

Judgement judged(const std::string& manifest, const Registry& registry,
                 const JudgeSettings& settings) {
  return attempted(manifest, registry, settings.path, [&](const Composition& composition) {
    return Judging(composition, settings).judge();
  });
}

Judgement judged_again(const std::string& manifest, const Registry& registry, const Again& again) {
  return attempted(manifest, registry, again.path, [&](const Composition& composition) {
    const Verdict now = compose(*composition.compositor).certificate.now;
    Judgement found{Outcome::silent, words(now), {}, {}};
    const Claim claim = claim_of(now);
    if (claim == Claim::none) return found;
    found.sight = second_look(composition, claim, again.sweeps, again.replicates);
    found.outcome = found.sight.p < again_level ? Outcome::disagrees : Outcome::agrees;
    return found;
  });
}

}  // namespace adversary
