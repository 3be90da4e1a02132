// The equilibrium test on one target after another, and what follows from it.
// SPDX-License-Identifier: Apache-2.0
#include <mixwell/equilibrium.hpp>
#include <mixwell/error.hpp>
#include <mixwell/sampler.hpp>
#include <mixwell/verify.hpp>

#include "verify_ladder.hpp"
#include "verify_target.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <optional>

namespace mixwell {
namespace {

constexpr std::int64_t kFewestSweeps = 4;  ///< whatever they cost
constexpr std::int64_t kMostSweeps = 128;
constexpr int kLooks = 8;  ///< after 1, 2, 4, ..., 128 sweeps
constexpr std::int64_t kWarmup = 300;
/// A chain that has gone less than this share of a variance in all its sweeps stands still.
constexpr double kStill = 0.02;
constexpr double kLadderMoved = 1.6;  ///< what a ladder asks for before it measures

class Deadline {
 public:
  explicit Deadline(double seconds) : limit_(seconds), start_(std::chrono::steady_clock::now()) {}
  bool passed() const {
    const std::chrono::duration<double> gone = std::chrono::steady_clock::now() - start_;
    return limit_ > 0.0 && gone.count() > limit_;
  }

 private:
  double limit_;
  std::chrono::steady_clock::time_point start_;
};

class Verifier {
 public:
  Verifier(const Composition& composition, const std::string& path, const Registry& registry,
           const VerifySettings& settings)
      : composition_(composition),
        settings_(settings),
        targets_(composition, path, registry),
        deadline_(settings.max_seconds) {}

  Verification run() {
    result_.certificate = compose(*composition_.compositor).certificate;
    const std::vector<std::string> names =
        settings_.targets.empty() ? verify_targets() : settings_.targets;
    if (is_unadjusted()) {
      climb_all();
    } else if (is_tested_at_equilibrium()) {
      for (const std::string& name : names) {
        if (!biased_ && !stopped_) visit(name, names.size());
      }
    }
    conclude();
    return std::move(result_);
  }

 private:
  /// Slots are moved by schemes that have an order, and nothing accepts.
  bool is_unadjusted() const {
    const Program program = compose(*composition_.compositor);
    const KernelGraph& graph = program.sampling;
    bool moves = false;
    for (const OperationInfo& o : graph.operations()) {
      const bool writes_slot = std::any_of(o.outputs.begin(), o.outputs.end(), [&](Value v) {
        return graph[v].kind == ValueKind::version &&
               graph[graph[v].variable].kind == VariableKind::slot;
      });
      if (!writes_slot) continue;
      const bool scheme = o.kind == OperationKind::move && o.traits.order > 0;
      if (!scheme || o.traits.invariant) return false;
      moves = true;
    }
    return moves;
  }

  /// Whether a sweep goes as far as eps lets it, so that more of them make up for smaller steps.
  bool is_local() const {
    const Program program = compose(*composition_.compositor);
    const auto& all = program.sampling.operations();
    return std::all_of(all.begin(), all.end(), [](const OperationInfo& o) {
      return o.kind != OperationKind::move || o.traits.local;
    });
  }

  void climb_all() {
    const auto& names = smooth_targets();
    const bool local = is_local();
    for (const std::string& name : names) {
      VerifiedTarget seen;
      seen.name = name;
      try {
        LadderSettings ladder;
        ladder.target = name;
        ladder.order = std::max(1, result_.certificate.now.order);
        ladder.local = local;
        ladder.budget = settings_.budget / static_cast<double>(names.size());
        ladder.bound = normal_bound(settings_.alpha / static_cast<double>(4 * names.size()));
        ladder.factor = 0.25 * best_factor(name);
        ladder.seed = composition_.run.seed;
        take(climb(targets_, ladder), ladder, seen);
      } catch (const InputError& refusal) {
        seen.skipped = refusal.what();
      }
      result_.targets.push_back(std::move(seen));
      if (biased_ || deadline_.passed()) break;
    }
    stopped_ = stopped_ || deadline_.passed();
  }

  void take(const Ladder& found, const LadderSettings& ladder, VerifiedTarget& seen) {
    result_.gradients += found.gradients;
    seen.step_factor = ladder.factor;
    if (!found.moved) {
      seen.skipped =
          "it does not forget its start within 4096 sweeps, so that no error can be told";
      return;
    }
    seen.moved = kLadderMoved;
    seen.rungs = found.rungs;
    seen.statistic = found.statistic;
    seen.limit = found.limit;
    seen.visible_bias = ladder.bound * found.limit_error;
    if (!found.vanishes) biased_ = true;
    const double z = found.limit / found.limit_error;
    result_.tests.push_back({"limit of " + found.statistic, seen.name, !found.vanishes, z,
                             std::erfc(std::abs(z) / std::sqrt(2.0))});
  }

  /// The draws of an unadjusted or approximate composition are not of pi at any step size above 0.
  bool is_tested_at_equilibrium() const {
    const Verdict& now = result_.certificate.now;
    return now.accuracy != Accuracy::asymptotic && now.density == "pi" && !now.optimiser &&
           !now.adaptive && !has_other_laws();
  }

  /// Some slot, recorded or not, has another law than the model's: it cannot start from exact
  /// draws.
  bool has_other_laws() const {
    const Program program = compose(*composition_.compositor);
    const auto& factors = program.sampling.factors();
    return std::any_of(factors.begin(), factors.end(),
                       [&](const Factor& factor) { return factor.law != factors.front().law; });
  }

  std::int64_t warmup() const {
    return result_.certificate.after_warmup || composition_.run.warmup == 0
               ? std::min(composition_.run.warmup, kWarmup)
               : 0;
  }

  void visit(const std::string& name, std::size_t count) {
    VerifiedTarget seen;
    seen.name = name;
    try {
      seen.step_factor = best_factor(name);
      test(targets_.composed(name, seen.step_factor), seen, count);
    } catch (const InputError& refusal) {
      seen.skipped = refusal.what();
    }
    result_.targets.push_back(std::move(seen));
  }

  /// The multiple of the manifest's step sizes with which a few sweeps go farthest. What a
  /// composition keeps does not depend on them, what a test can see of it does.
  double best_factor(const std::string& name) {
    if (result_.certificate.after_warmup || !targets_.has_step_sizes()) return 1.0;
    double best = 1.0;
    double farthest = -1.0;
    for (const double factor : {1.0, 0.25, 4.0, 0.0625, 16.0, 0.015625, 64.0, 256.0}) {
      const Composition pilot = targets_.composed(name, factor);
      Equilibrium test(pilot, {.replicates = 256, .warmup = 0, .seed = composition_.run.seed});
      test.look(2);
      result_.gradients += test.gradients();
      if (!(test.moved() > farthest)) continue;
      farthest = test.moved();
      best = factor;
    }
    return best;
  }

  void test(const Composition& composition, VerifiedTarget& seen, std::size_t count) {
    const Index d = composition.model()->dimension();
    const std::int64_t replicates = d > 20 ? 1024 : 4096;
    Equilibrium equilibrium(
        composition, {.replicates = replicates, .warmup = warmup(), .seed = composition_.run.seed});
    const double share = settings_.budget / static_cast<double>(count);
    const double before = equilibrium.gradients();  // of the warm-up
    for (std::int64_t more = 1; seen.sweeps < kMostSweeps; more = seen.sweeps) {
      const auto statistics = equilibrium.look(more);
      seen.sweeps += more;
      judge(statistics, seen, count);
      const double spent = equilibrium.gradients() - before;
      if (biased_ || (seen.sweeps >= kFewestSweeps && 2.0 * spent > share)) break;
      if (deadline_.passed()) {
        stopped_ = true;
        break;
      }
    }
    seen.moved = equilibrium.moved();
    result_.gradients += equilibrium.gradients();
  }

  void judge(const std::vector<EquilibriumStatistic>& statistics, VerifiedTarget& seen,
             std::size_t count) {
    const double alpha = settings_.alpha / static_cast<double>(statistics.size() * count * kLooks);
    const double bound = normal_bound(alpha);
    const EquilibriumStatistic* worst = nullptr;
    seen.visible_bias = 0.0;
    for (const EquilibriumStatistic& s : statistics) {
      if (worst == nullptr || s.p < worst->p) worst = &s;
      seen.visible_bias = std::max(seen.visible_bias, bound * s.error);
      if (s.p >= alpha) continue;
      if (!biased_) forget(seen);
      biased_ = true;
      result_.tests.push_back({s.name, seen.name, true, s.z, s.p});
    }
    if (biased_ || worst == nullptr) return;
    forget(seen);
    result_.tests.push_back({worst->name, seen.name, false, worst->z, worst->p});
  }

  /// What an earlier look at the target has found.
  void forget(const VerifiedTarget& seen) {
    std::erase_if(result_.tests, [&](const VerifiedStatistic& s) { return s.target == seen.name; });
  }

  /// z with P(|Z| > z) = p, by bisection of erfc.
  static double normal_bound(double p) {
    double low = 0.0;
    double high = 40.0;
    for (int k = 0; k < 100; ++k) {
      const double middle = 0.5 * (low + high);
      (std::erfc(middle / std::sqrt(2.0)) > p ? low : high) = middle;
    }
    return high;
  }

  void conclude() {
    bool any = false;
    for (const VerifiedTarget& seen : result_.targets) {
      if (!seen.skipped.empty()) continue;
      any = true;
      result_.smallest_visible_bias = std::max(result_.smallest_visible_bias, seen.visible_bias);
    }
    result_.mobile = biased_ || !any || moves();
    result_.tested = biased_ ? "biased" : !any || stopped_ ? "untested" : clean();
    if (stopped_) result_.remarks.emplace_back("stopped by max_seconds");
    if (!any) result_.remarks.push_back(why_untested());
    compare();
  }

  /// What a composition is that nothing was found against.
  const char* clean() const {
    const bool climbed = std::any_of(result_.targets.begin(), result_.targets.end(),
                                     [](const VerifiedTarget& t) { return !t.rungs.empty(); });
    return climbed ? "asymptotic" : "exact";
  }

  bool moves() const {
    bool everywhere = true;
    for (const VerifiedTarget& seen : result_.targets) {
      if (!seen.skipped.empty()) continue;
      if (seen.name == "own") return seen.moved >= kStill;
      everywhere = everywhere && seen.moved >= kStill;
    }
    return everywhere;
  }

  std::string why_untested() const {
    const Verdict& now = result_.certificate.now;
    if (now.optimiser) return "an optimiser keeps no distribution: nothing to test";
    if (now.density != "pi") return "there are no exact draws of " + now.density;
    if (now.adaptive) {
      return "what still learns keeps pi in the limit of long runs alone; freeze it after warm-up "
             "to "
             "test what it has learnt";
    }
    if (has_other_laws()) return "a slot has another law, of which there are no exact draws";
    return "no target could be composed";
  }

  void compare() {
    const Verdict& now = result_.certificate.now;
    const bool says_right = now.accuracy != Accuracy::none;
    if (result_.tested == "untested") return;
    if (says_right) {
      result_.conclusive = true;
      result_.agrees = !biased_;
    } else if (biased_) {
      result_.conclusive = result_.agrees = true;
    } else if (!now.proved) {
      result_.conclusive = result_.agrees = true;
      result_.remarks.emplace_back(
          "the certificate rests on something undeclared, and the test found nothing wrong");
    } else {
      result_.remarks.emplace_back(
          "the certificate says why it is biased, and this budget did not see it");
    }
  }

  const Composition& composition_;
  const VerifySettings& settings_;
  VerifyTargets targets_;
  Deadline deadline_;
  Verification result_;
  bool biased_ = false;
  bool stopped_ = false;
};

}  // namespace

Verification verify(const Composition& composition, const std::string& path,
                    const Registry& registry, const VerifySettings& settings) {
  const std::vector<std::string> known = verify_targets();
  for (const std::string& name : settings.targets) {
    if (std::find(known.begin(), known.end(), name) == known.end()) {
      throw InputError(fmt::format("verify: there is no target \"{}\"; known: {}", name,
                                   fmt::join(known, ", ")));
    }
  }
  return Verifier(composition, path, registry, settings).run();
}

}  // namespace mixwell
