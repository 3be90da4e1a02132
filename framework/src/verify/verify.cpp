// Tests a composition on several targets, and draws a conclusion from the results.
// SPDX-License-Identifier: Apache-2.0
#include "base/clock.hpp"
#include "graph/edges.hpp"
#include "verify/at_equilibrium.hpp"
#include "verify/ladder.hpp"
#include "verify/operations.hpp"
#include "verify/statistics.hpp"
#include "verify/target.hpp"

#include <mixwell/base/error.hpp>
#include <mixwell/lab/equilibrium.hpp>
#include <mixwell/lab/sampler.hpp>
#include <mixwell/lab/stop_request.hpp>
#include <mixwell/lab/verify.hpp>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cmath>

namespace mixwell {
namespace {

constexpr std::int64_t usual_warmup = 300;
/// Numbers of warmup sweeps for a composition that never stops learning. The error of such a
/// composition must vanish with growing warmup.
constexpr std::int64_t longer_warmups[] = {300, 1200, 4800};
/// A shift falls if it is below this share of the shift after the shortest warmup.
constexpr double falling_share = 0.7;
constexpr double same_column = 1e-9;

// Shares of alpha, which add up to 1: single operations, long checks, and everything else.
constexpr double operations_share = 0.1;
constexpr double long_share = 0.2;
constexpr double targets_share = 0.7;
constexpr std::int64_t timed_replicates = 1021;
constexpr std::int64_t timed_sweeps = 4;
/// The expected cost of all checks, in checks of 1021 replicates: 8 checks of 4093 replicates on
/// each of 9 targets, and two long checks.
constexpr double looks_expected = 1500.0;
constexpr std::size_t most_long_looks = 2;
// Shares of the budget: all short checks together, each long check, all ladders together.
constexpr double short_budget = 0.25;
constexpr double long_budget = 0.3;
constexpr double ladder_budget = 0.5;

class Deadline {
 public:
  Deadline(double seconds, const StopRequest* stop)
      : limit_(seconds), stop_(stop), start_(Clock::now()) {}
  bool passed() const { return is_made(stop_) || (limit_ > 0.0 && seconds_since(start_) > limit_); }
  std::string in_words() const {
    return is_made(stop_) ? "the test was stopped by a signal or by its caller"
                          : "the test reached its time limit (max_seconds). Raise this limit.";
  }

 private:
  double limit_;
  const StopRequest* stop_;
  Clock::time_point start_;
};

bool writes_slot(const KernelGraph& graph, const OperationInfo& o) {
  return o.kind != OperationKind::regroup &&
         std::ranges::any_of(o.outputs, [&](Value v) { return is_slot(graph, v); });
}

/// Whether only schemes with an order move the slots, without acceptance decisions.
bool is_unadjusted(const KernelGraph& graph) {
  bool moves = false;
  for (const OperationInfo& o : graph.operations()) {
    if (!writes_slot(graph, o)) continue;
    const bool scheme = o.kind == OperationKind::move && o.traits.order > 0;
    if (!scheme || o.traits.invariant) return false;
    moves = true;
  }
  return moves;
}

/// Whether the integration time of a sweep is proportional to eps. Then more sweeps compensate for
/// smaller steps.
bool is_local(const KernelGraph& graph) {
  return std::ranges::all_of(graph.operations(), [](const OperationInfo& o) {
    return o.kind != OperationKind::move || o.traits.local;
  });
}

/// Whether the program leaves a density invariant that depends on learnt numbers.
bool keeps_learnt_law(const Program& program) {
  return program.certificate.now.density != "pi" &&
         std::ranges::any_of(program.sampling.values(), [](const ValueInfo& value) {
           return dynamic_cast<const Potential*>(value.function.get()) != nullptr && value.rows > 0;
         });
}

class Verifier {
 public:
  Verifier(const Composition& composition, const std::string& path, const Registry& registry,
           const VerifySettings& settings)
      : composition_(composition),
        settings_(settings),
        targets_(composition, path, registry),
        deadline_(settings.max_seconds, settings.stop),
        program_(compose(*composition.compositor)) {}

  Verification run() {
    result_.certificate = program_.certificate;
    try {
      test();
    } catch (const Stopped&) {
      stopped_ = true;
    }
    conclude();
    return std::move(result_);
  }

 private:
  /// If an operation violates a trait that it declares, the test continues, because the test of the
  /// whole composition shows whether the fault matters.
  void test() {
    check_blocks();
    if (biased_) return;
    check_alone();
    tell_seconds();
    if (is_ladder()) {
      if (!targets_.has_schedule()) climb_all();
    } else if (!has_no_draws()) {
      test_all();
    }
  }

  /// Throws Stopped if no time is left.
  void check_time() const {
    if (deadline_.passed()) throw Stopped("the test");
  }

  /// A function that returns whether no time is left, for code that runs in several threads.
  std::function<bool()> late() const {
    return [this] { return deadline_.passed(); };
  }

  /// Tests that replicates are independent. No statistic of single replicates shows a dependence
  /// between replicates.
  void check_blocks() {
    double difference = 0.0;
    try {
      difference = difference_between_blocks(composition_, late());
    } catch (const Stopped&) {
      throw;
    } catch (const Error& refusal) {
      result_.remarks.push_back(
          std::string("the composition does not run on the model of its manifest: ") +
          refusal.what());
    }
    if (difference <= same_column) return;
    biased_ = true;
    result_.tests.push_back({"columns stand alone", "own", true, difference, 0.0});
  }

  /// Estimates the time of the test from the time of a gradient and of a check. Measures both on
  /// the first target that the composition can be composed on.
  void tell_seconds() {
    if (!settings_.expects) return;
    for (const std::string& name : verify_targets()) {
      try {
        const Composition composition = targets_.composed(name, 1.0);
        Equilibrium trial(composition, {.replicates = timed_replicates, .seed = 1, .late = late()});
        trial.advance(2);
        const double before = trial.gradients();
        auto start = Clock::now();
        trial.advance(timed_sweeps);
        const double spent = std::max(trial.gradients() - before,
                                      static_cast<double>(timed_replicates * timed_sweeps));
        const double seconds = settings_.budget * seconds_since(start) / spent;
        start = Clock::now();
        trial.compare();
        settings_.expects(seconds + looks_expected * seconds_since(start));
        return;
      } catch (const Stopped&) {
        throw;
      } catch (const Error&) {
        continue;
      }
    }
  }

  /// Tests every operation separately: on the model of the manifest, and on a target in two
  /// dimensions, where the test of volumes needs few differences.
  void check_alone() {
    constexpr std::array targets = {"own", "quartic"};
    const double share = operations_share / static_cast<double>(targets.size());
    for (const char* target : targets) {
      try {
        const Composition composition = targets_.composed(target, 1.0);
        take(check_operations(composition, warmup(), share * settings_.alpha, late()), target,
             share);
      } catch (const WiringError&) {
        throw;
      } catch (const Stopped&) {
        throw;
      } catch (const Error&) {
        continue;  // the composition cannot use this target; test_all() reports why
      }
    }
  }

  void take(OperationsChecked checked, const std::string& target, double share) {
    result_.gradients += checked.gradients;
    for (VerifiedOperation& u : checked.untested) take_untested(std::move(u));
    if (checked.found.empty()) return;
    note(checked.adjusted_p / share, static_cast<double>(checked.found.size()));
    for (VerifiedOperation& f : checked.found) {
      if (f.failed) {
        broken_ = true;
        result_.tests.push_back(
            {fmt::format("{} of {}: {}", f.trait, f.operation, f.what), target, true, f.z, f.p});
      }
      result_.operations.push_back(std::move(f));
    }
  }

  /// Records an operation that cannot be tested, but only once if several targets report it.
  void take_untested(VerifiedOperation one) {
    const bool known = std::ranges::any_of(result_.untested, [&](const auto& u) {
      return u.operation == one.operation && u.trait == one.trait;
    });
    if (!known) result_.untested.push_back(std::move(one));
  }

  /// `adjusted`: p times alpha, divided by its share of alpha. The smallest p of n independent
  /// checks has the distribution function 1 - exp(-n p). The smallest p of dependent checks is
  /// larger.
  void note(double adjusted, double looks) {
    result_.adjusted_p = std::min(result_.adjusted_p, -std::expm1(-adjusted));
    result_.looks += looks;
  }

  /// Whether the test measures errors on ladders. Ladders are for errors that vanish with eps, and
  /// for unadjusted schemes for which the certificate promises nothing.
  bool is_ladder() const {
    const Verdict& now = program_.certificate.now;
    return (now.accuracy == Accuracy::asymptotic && !has_no_draws()) ||
           (now.accuracy == Accuracy::none && is_unadjusted(program_.sampling));
  }

  /// Whether there are no exact draws for the errors at eps > 0, because the density is not the
  /// target or because the composition still learns.
  bool has_no_draws() const {
    const Verdict& now = program_.certificate.now;
    return now.accuracy == Accuracy::asymptotic && (now.adaptive || now.density != "pi");
  }

  void climb_all() {
    const std::vector<std::string> names = ladder_targets();
    for (const std::string& name : names) {
      EquilibriumTest test = test_of(name, names.size());
      test.budget = ladder_budget * settings_.budget / static_cast<double>(names.size());
      visit(test, [&] { return climb(targets_, test, ladder_of(test)); });
      if (biased_) return;
      check_time();
    }
  }

  LadderSettings ladder_of(const EquilibriumTest& test) {
    return {.order = std::max(1, result_.certificate.now.order),
            .local = is_local(program_.sampling),
            .bounded = test.target == "own" && !is_lipschitz(),
            .factor = 0.25 * best_factor(targets_, test, result_.gradients)};
  }

  /// The smooth targets that the composition can be composed on. Includes the model of the manifest
  /// if this model offers exact draws or if there is no other target.
  std::vector<std::string> ladder_targets() const {
    std::vector<std::string> possible;
    for (const std::string& name : smooth_targets()) {
      if (targets_.can_compose(name)) possible.push_back(name);
    }
    if (composition_.model()->offers<ExactSampler>() != nullptr || possible.empty()) {
      possible.emplace_back("own");
    }
    return possible;
  }

  bool is_lipschitz() const {
    return composition_.model()->gradient_growth() == GradientGrowth::lipschitz;
  }

  void test_all() {
    const std::vector<std::string> names =
        settings_.targets.empty() ? verify_targets() : settings_.targets;
    for (const std::string& name : names) {
      if (biased_) return;
      const EquilibriumTest test = test_of(name, names.size());
      visit(test, [&] { return tested(test); });
      check_time();
    }
    if (!biased_) arrive(names.size());
    if (!biased_ && !result_.certificate.now.adaptive) look_long_at_all();
  }

  /// Whether the target was tested from exact draws of a single law.
  static bool has_looks(const VerifiedTarget& target) {
    return target.skipped.empty() && !target.redraws_data;
  }

  /// Makes long checks on the first two targets that were tested from exact draws of a single law.
  void look_long_at_all() {
    std::size_t looks = 0;
    for (VerifiedTarget& seen : result_.targets) {
      if (biased_ || looks == most_long_looks) return;
      if (!has_looks(seen)) continue;
      ++looks;
      EquilibriumTest test = test_of(seen.name, 1);
      test.budget = long_budget * settings_.budget;
      test.alpha = long_share * settings_.alpha / most_long_looks;
      try {
        EquilibriumOutcome outcome = look_long(targets_, test, seen.step_factor);
        take(outcome, test);
        seen.long_sweeps = outcome.seen.sweeps;
        seen.long_visible_bias = outcome.seen.visible_bias;
        if (!biased_) continue;
        std::erase_if(result_.tests, [](const VerifiedStatistic& s) { return !s.failed; });
        result_.tests.insert(result_.tests.end(), outcome.tests.begin(), outcome.tests.end());
      } catch (const Stopped&) {
        throw;
      } catch (const Error& refusal) {
        result_.remarks.push_back("there was no long check on " + seen.name + ": " +
                                  refusal.what());
      }
    }
  }

  EquilibriumTest test_of(const std::string& target, std::size_t count) {
    EquilibriumTest test;
    test.target = target;
    test.fixed_steps = result_.certificate.after_warmup || !targets_.has_step_sizes();
    test.warmup = warmup();
    test.adaptive = result_.certificate.now.adaptive;
    test.learnt_laws = keeps_learnt_law(program_);
    test.budget = short_budget * settings_.budget / static_cast<double>(count);
    test.alpha = targets_share * settings_.alpha / static_cast<double>(count);
    test.seed = composition_.run.seed;
    test.late = late();
    return test;
  }

  std::int64_t warmup() const {
    return result_.certificate.after_warmup || composition_.run.warmup == 0
               ? std::min(composition_.run.warmup, usual_warmup)
               : 0;
  }

  EquilibriumOutcome tested(const EquilibriumTest& test) {
    const Model& model = *composition_.model();
    const bool of_pi = result_.certificate.now.density == "pi";
    if (test.target == "own" && of_pi && is_calibrated(model) &&
        !result_.certificate.now.adaptive) {
      return calibrate(targets_, model, test);
    }
    return result_.certificate.now.adaptive ? after_longer_warmups(test)
                                            : test_at_equilibrium(targets_, test);
  }

  void take(const EquilibriumOutcome& outcome, const EquilibriumTest& test) {
    result_.gradients += outcome.gradients;
    if (outcome.looks > 0.0) note(outcome.adjusted_p * settings_.alpha / test.alpha, outcome.looks);
    biased_ = outcome.biased;
    tells_ = tells_ || outcome.tells;
  }

  template <class Made>
  void visit(const EquilibriumTest& test, const Made& made) {
    try {
      EquilibriumOutcome outcome = made();
      take(outcome, test);
      if (!outcome.remark.empty()) result_.remarks.push_back(outcome.remark);
      result_.targets.push_back(std::move(outcome.seen));
      result_.tests.insert(result_.tests.end(), outcome.tests.begin(), outcome.tests.end());
    } catch (const Stopped&) {
      throw;
    } catch (const Error& refusal) {
      VerifiedTarget skipped;
      skipped.name = test.target;
      skipped.skipped = targets_.reason(refusal);
      result_.targets.push_back(std::move(skipped));
    }
  }

  /// Tests a composition that still learns. Such a composition may have a bias, but the bias must
  /// fall with the length of the warmup.
  EquilibriumOutcome after_longer_warmups(EquilibriumTest test) {
    EquilibriumOutcome outcome;
    double gradients = 0.0;
    double first_shift = 0.0;
    for (const std::int64_t sweeps : longer_warmups) {
      test.warmup = sweeps;
      test.fixed_steps = true;
      outcome = test_at_equilibrium(targets_, test);
      gradients += outcome.gradients;
      if (first_shift == 0.0) first_shift = outcome.largest_shift;
      const bool falls = outcome.largest_shift < falling_share * first_shift;
      outcome.biased = outcome.biased && !falls;
      if (!outcome.biased || deadline_.passed()) break;
    }
    outcome.gradients = gradients;
    return outcome;
  }

  /// Tests whether chains come back from starts that are too far out, on the first target that was
  /// tested.
  void arrive(std::size_t count) {
    const auto first = std::ranges::find_if(result_.targets, has_looks);
    if (first == result_.targets.end()) return;
    const EquilibriumTest test = test_of(first->name, count);
    Arrival found = arrival(targets_, test, first->step_factor);
    result_.gradients += found.gradients;
    if (found.stalled && !test.fixed_steps) {  // step sizes may be too large far out
      found = arrival(targets_, test, 0.125 * first->step_factor);
      result_.gradients += found.gradients;
    }
    result_.arrival = {first->name, found.left, found.sweeps, !found.stalled};
  }

  void conclude() {
    if (broken_ && !biased_) result_.remarks.push_back(why_broken());
    biased_ = biased_ || broken_;
    bool any = biased_;
    for (const VerifiedTarget& seen : result_.targets) {
      if (!seen.skipped.empty()) continue;
      any = true;
      result_.smallest_visible_bias = std::max(result_.smallest_visible_bias, seen.visible_bias);
    }
    result_.mobile = biased_ || !any || (moves() && result_.arrival.arrives);
    result_.tested = biased_ ? "biased" : !any || stopped_ ? "untested" : clean();
    if (stopped_) result_.remarks.push_back(deadline_.in_words());
    if (!any) result_.remarks.push_back(why_untested());
    compare_classes();
  }

  std::string why_broken() const {
    return stopped_ ? "an operation violates a trait that it declares. The test of the whole "
                      "composition was not finished"
                    : "an operation violates a trait that it declares, so the proof behind the "
                      "certificate does not hold. The test of the whole composition found no bias";
  }

  /// The class of a composition in which the test found no fault.
  std::string clean() const {
    const bool climbed = std::ranges::any_of(
        result_.targets, [](const VerifiedTarget& t) { return !t.rungs.empty(); });
    const Verdict& now = result_.certificate.now;
    if (climbed) return "asymptotic";
    if (now.adaptive) return "adaptive";
    return now.density == "pi" ? "exact" : "approximate";
  }

  bool moves() const {
    bool everywhere = true;
    for (const VerifiedTarget& seen : result_.targets) {
      if (!seen.skipped.empty()) continue;
      if (seen.name == "own") return seen.moved >= still_distance;
      everywhere = everywhere && seen.moved >= still_distance;
    }
    return everywhere;
  }

  std::string why_untested() const {
    if (is_ladder() && targets_.has_schedule()) {
      return "the step sizes fall with time, but the test measures errors at fixed step sizes. Set "
             "schedule = \"constant\".";
    }
    if (has_no_draws()) {
      return "there are no exact draws for the comparison, because the composition still adapts or "
             "its density is not the target density of the model";
    }
    for (const VerifiedTarget& seen : result_.targets) {
      if (!seen.skipped.empty())
        return "the composition could not be tested on any target. The first reason is: " +
               seen.skipped;
    }
    return "the composition cannot be built on any test target";
  }

  void compare_classes() {
    const Verdict& now = result_.certificate.now;
    const bool says_right = now.accuracy != Accuracy::none;
    if (result_.tested == "untested") return;
    if (result_.tested == "asymptotic" && !tells_) {
      result_.remarks.emplace_back(
          "the measured errors are too uncertain to estimate their limit at step size 0. Raise "
          "--budget.");
    } else if (says_right) {
      result_.conclusive = true;
      result_.agrees = !biased_;
    } else if (biased_) {
      result_.conclusive = result_.agrees = true;
    } else if (!now.proved) {
      result_.conclusive = result_.agrees = true;
      result_.remarks.emplace_back(
          "the certificate depends on a property that no component declares. The test found no "
          "error");
    } else {
      result_.remarks.emplace_back(
          "the certificate states why the composition is biased, but the test did not detect the "
          "bias with this budget. Raise --budget.");
    }
  }

  const Composition& composition_;
  const VerifySettings& settings_;
  VerifyTargets targets_;
  Deadline deadline_;
  Program program_;
  Verification result_;
  bool biased_ = false;
  bool broken_ = false;  ///< an operation does not do what it declares
  bool tells_ = false;   ///< the errors of a ladder are certain enough
  bool stopped_ = false;
};

}  // namespace

Verification verify(const Composition& composition, const std::string& path,
                    const Registry& registry, const VerifySettings& settings) {
  const std::vector<std::string> known = verify_targets();
  for (const std::string& name : settings.targets) {
    if (!contains(known, name)) {
      throw InputError(fmt::format("verify: there is no target \"{}\". Choose one of: {}", name,
                                   fmt::join(known, ", ")));
    }
  }
  return Verifier(composition, path, registry, settings).run();
}

}  // namespace mixwell
