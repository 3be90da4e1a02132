// One case: its certificate, and what worlds and draws say about it.
// SPDX-License-Identifier: Apache-2.0
#include "judge.hpp"

#include <mixwell/base/error.hpp>
#include <mixwell/lab/equilibrium.hpp>
#include <mixwell/lab/manifest.hpp>
#include <mixwell/lab/sampler.hpp>
#include <mixwell/lab/worlds.hpp>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <toml++/toml.h>

#include <algorithm>
#include <cmath>
#include <ctime>
#include <exception>
#include <optional>
#include <utility>
#include <vector>

namespace compositions {
namespace {

using namespace mixwell;

constexpr double suspicious = 0.01;  ///< of a first look

/// What worlds say of the sampling phase; none where its verdict is of a class that they cannot
/// contradict.
std::optional<FiniteReadingResult> reading_of(const Program& program) {
  WorldsComparison seen = compare_with_worlds(program.sampling, program.certificate.now);
  if (seen.judgement == WorldsJudgement::silent) return std::nullopt;
  return std::move(seen.finite);
}

struct Shift {
  std::string statistic;  ///< the one farthest off, and after how many sweeps
  double p = 1.0;         ///< chance of it where no mean is off by more than the tolerance
};

/// Replicates that start from exact draws, after 1, 3, 12 and 48 sweeps: of small steps without a
/// decision, beside other updates, for which no ladder is steep enough. `tolerance` [standard
/// deviations]: what an error that vanishes with the step may come to. Throws InputError where
/// there are no such draws.
Shift shift_of(const Composition& composition, std::int64_t replicates, double tolerance) {
  constexpr std::int64_t looked_after[] = {1, 3, 12, 48};
  Equilibrium equilibrium(
      composition,
      {.replicates = replicates, .warmup = composition.run.warmup, .seed = composition.run.seed});
  Shift farthest;
  std::int64_t done = 0;
  for (const std::int64_t sweeps : looked_after) {
    equilibrium.advance(sweeps - done);
    done = sweeps;
    const auto all = equilibrium.compare();
    const auto looks = static_cast<double>(all.size() * std::size(looked_after));
    for (const EquilibriumStatistic& s : all) {
      if (!s.name.starts_with("law")) continue;
      const double z = std::max(0.0, std::abs(s.z) - tolerance / s.error);
      const double p =
          std::isfinite(z) ? std::min(1.0, looks * std::erfc(z / std::sqrt(2.0))) : 0.0;
      if (p < farthest.p || farthest.statistic.empty())
        farthest = {fmt::format("{} z = {:.3g} after {} sweeps", s.name, s.z, sweeps), p};
    }
  }
  return farthest;
}

std::string outcome_of(const Verification& found) {
  if (found.tested == "untested") return "untested";
  if (!found.conclusive) return "inconclusive";
  if (!found.agrees) return "disagree";
  if (found.certificate.now.accuracy == Accuracy::none && found.tested != "biased") return "strict";
  return found.mobile ? "agree" : "still";
}

/// Without the manifest's name.
std::string plain(std::string text) {
  const auto place = text.find(".toml:");
  const auto after = place == std::string::npos ? place : text.find(": ", place + 6);
  if (after != std::string::npos) text.erase(0, after + 2);
  return text;
}

std::string farthest(const Verification& found) {
  const auto worst = std::min_element(
      found.tests.begin(), found.tests.end(),
      [](const auto& a, const auto& b) { return a.failed != b.failed ? a.failed : a.p < b.p; });
  if (worst == found.tests.end()) return {};
  return fmt::format("{}: {} z = {:.3g}", worst->target, worst->name, worst->z);
}

/// A target that was left out says why nothing could be composed.
std::string remark_of(const Verification& found) {
  std::string remark = fmt::format("{}", fmt::join(found.remarks, "; "));
  if (found.tested != "untested") return plain(remark);
  for (const auto& target : found.targets) {
    if (target.skipped.empty()) continue;
    return (remark.empty() ? "" : remark + ": ") + plain(target.skipped);
  }
  return plain(remark);
}

/// Whether more gradients may tell more.
bool is_open(const Verification& found) {
  if (found.conclusive) return false;
  return found.tested != "untested" ||
         std::any_of(found.targets.begin(), found.targets.end(), [](const auto& target) {
           return target.skipped.empty() || target.skipped.find("forget") != std::string::npos;
         });
}

/// The id of the compositor.
std::string compositor_of(const Composition& composition) {
  const toml::table root = toml::parse(composition.effective_manifest);
  const toml::table* const compositors = root["compositor"].as_table();
  if (compositors == nullptr || compositors->empty()) return {};
  return (*compositors->begin()->second.as_table())["use"].value_or(std::string());
}

class Judging {
 public:
  Judging(const Case& one, const Registry& registry, const JudgeSettings& settings)
      : case_(one), registry_(registry), settings_(settings) {
    row_.id = one.id;
    row_.key = settings.key;
    row_.settings = one.settings;
  }

  Row judge() {
    const std::clock_t start = std::clock();
    try {
      if (is_composed() && !is_decided_by_worlds()) ask_draws();
      decide_by_worlds_after_all();
    } catch (const std::exception& fault) {
      settle("error", plain(fault.what()));
    }
    row_.gradients = fmt::format("{:.4g}", gradients_);
    row_.seconds =
        fmt::format("{:.2f}", static_cast<double>(std::clock() - start) / CLOCKS_PER_SEC);
    return row_;
  }

 private:
  std::string path() const { return settings_.folder + "/" + case_.id + ".toml"; }

  bool is_composed() try {
    composition_ = parse_manifest(case_.manifest, path(), registry_);
    program_ = compose(*composition_->compositor);
    const Certificate& certificate = program_->certificate;
    row_.compositor = compositor_of(*composition_);
    row_.certificate = certificate.now.label() + (certificate.after_warmup ? " after warm-up" : "");
    row_.rule = to_string(certificate.now.rule);
    claims_ = settings_.claims_all || claims(certificate.now);
    return true;
  } catch (const InputError& refusal) {
    return !settle("refused", plain(refusal.what()));
  }

  /// True, for a condition.
  bool settle(const std::string& outcome, const std::string& remark = {}) {
    row_.outcome = outcome;
    row_.remark = remark;
    return true;
  }

  /// A departure decides. Invariance in all worlds says that the wiring is right, as far as traits
  /// tell; whether bodies do what their traits say only draws can see.
  bool is_decided_by_worlds() {
    const auto found = reading_of(*program_);
    if (!found) return false;
    row_.worlds = !found->unread.empty() ? found->unread
                  : found->invariant()   ? "invariant"
                                         : "departs";
    if (const auto& off = found->departure) {
      row_.statistic =
          fmt::format("world {}: off by {:.2g} after {} sweeps", off->world, off->size, off->sweep);
      return settle(claims_ ? "disagree" : "agree");
    }
    return found->invariant() && !case_.drawn && settle(as_worlds_say());
  }

  const char* as_worlds_say() const { return claims_ ? "agree" : "strict"; }

  /// What draws leave open although worlds have decided it.
  void decide_by_worlds_after_all() {
    const bool is_open = row_.outcome == "untested" || row_.outcome == "inconclusive";
    if (is_open && row_.worlds == "invariant") row_.outcome = as_worlds_say();
  }

  void ask_draws() {
    const Verdict& now = program_->certificate.now;
    const bool is_unproven = now.accuracy == Accuracy::none && !now.proved;
    if (settings_.asks_claims_only && !claims_ && !is_unproven) {
      settle("untested", "it claims nothing that draws could refute");
    } else if (case_.small_steps && now.accuracy == Accuracy::asymptotic) {
      ask_shift();
    } else {
      ask_verify();
    }
  }

  void ask_verify() {
    double budget = settings_.verify.budget;
    Verification found = verified(0, budget);
    if (is_open(found) && settings_.second_budget > 1.0) {
      budget *= settings_.second_budget;
      found = verified(0, budget);
    }
    row_.tested = found.tested;
    row_.statistic = farthest(found);
    row_.visible_bias = fmt::format("{:.4g}", found.smallest_visible_bias);
    settle(outcome_of(found), remark_of(found));
    if (row_.outcome == "disagree")
      repeat([&](int run) { return outcome_of(verified(run, budget)) == "disagree"; });
  }

  /// A step of any size has a stationary law only where gradients are Lipschitz. A first look costs
  /// little and refutes nothing.
  void ask_shift() try {
    if (composition_->model()->gradient_growth() != GradientGrowth::lipschitz) {
      settle("untested", "its gradient grows so fast that small steps need not have moments");
      return;
    }
    const Shift first = shift_of(*composition_, 4093, 0.0);
    row_.statistic = first.statistic;
    const auto is_off = [&](int run) {
      return shift_of(composed(run), 65521, 0.1).p < settings_.verify.alpha;
    };
    const bool is_biased = first.p < suspicious && is_off(1);
    row_.tested = is_biased ? "biased" : "asymptotic";
    settle(is_biased ? "disagree" : "agree");
    if (is_biased) repeat([&](int run) { return is_off(run + 1); });
  } catch (const InputError& refusal) {
    settle("untested", plain(refusal.what()));
  }

  /// One run is wrong with the chance alpha, whatever it is wrong about: as many runs, of other
  /// seeds, as make alpha^runs smaller than the level must all say the same.
  template <class Run>
  void repeat(const Run& disagrees) {
    double chance = settings_.verify.alpha;
    for (int run = 1; chance > case_.level * (1.0 + 1e-9); ++run) {
      if (!disagrees(run)) {
        settle("inconclusive", fmt::format("run {}, with another seed, does not see it", run + 1));
        return;
      }
      chance *= settings_.verify.alpha;
    }
  }

  Composition composed(int run) const {
    const std::string seed = std::to_string(composition_->run.seed + run);
    return parse_manifest(case_.manifest, path(), registry_, {{"run.seed", seed}});
  }

  Verification verified(int run, double budget) {
    VerifySettings verify = settings_.verify;
    verify.budget = budget;
    Verification found = mixwell::verify(composed(run), path(), registry_, verify);
    gradients_ += found.gradients;
    return found;
  }

  const Case& case_;
  const Registry& registry_;
  const JudgeSettings& settings_;
  std::optional<Composition> composition_;
  std::optional<Program> program_;
  Row row_;
  double gradients_ = 0.0;
  bool claims_ = false;
};

}  // namespace

bool claims(const Verdict& verdict) {
  if (verdict.adaptive || verdict.accuracy == Accuracy::none) return false;
  return verdict.accuracy == Accuracy::exact || verdict.density == "pi";
}

Row judged(const Case& one, const Registry& registry, const JudgeSettings& settings) {
  return Judging(one, registry, settings).judge();
}

}  // namespace compositions
