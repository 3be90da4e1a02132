// What a composition's draws say about what its certificate claims.
// SPDX-License-Identifier: Apache-2.0
#include "look.hpp"

#include <mixwell/lab/equilibrium.hpp>
#include <mixwell/lab/sampler.hpp>
#include <mixwell/random.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>

namespace adversary {
namespace {

using namespace mixwell;

constexpr std::int64_t first_replicates = 4093;  // no multiple of a block's width
constexpr std::int64_t first_sweeps[] = {1, 3, 12, 48};
constexpr std::int64_t first_seed = 1;
constexpr std::int64_t second_seed = 2;
/// What an error that vanishes with the step may come to [standard deviations].
constexpr double tolerance = 0.1;

struct Feature {
  std::string name;
  Eigen::ArrayXd now;
  Eigen::ArrayXd fresh;
};

/// A warm-up leaves nothing behind but histories: positions are drawn anew, auxiliaries forgotten.
std::int64_t warmup_of(const Composition& composition) {
  const Program program = compose(*composition.compositor);
  const auto& variables = program.sampling.variables();
  const bool learns = std::any_of(variables.begin(), variables.end(), [](const VariableInfo& v) {
    return v.kind == VariableKind::history;
  });
  return learns ? composition.run.warmup : 0;
}

/// U of the model at every column.
Eigen::RowVectorXd potential(const Model& model, const Eigen::MatrixXd& theta) {
  Eigen::RowVectorXd u(theta.cols());
  Eigen::MatrixXd g(theta.rows(), theta.cols());
  Workspace scratch;
  model.evaluate(theta, {u.data(), g, scratch});
  return u;
}

/// Columns: coordinates, neighbouring products, U.
std::vector<std::pair<std::string, Eigen::ArrayXd>> basic(const Model& model,
                                                          const Eigen::MatrixXd& theta) {
  std::vector<std::pair<std::string, Eigen::ArrayXd>> all;
  for (Index i = 0; i < theta.rows(); ++i) {
    all.emplace_back(fmt::format("x{}", i), theta.row(i).transpose());
    if (i > 0) {
      all.emplace_back(fmt::format("x{} x{}", i - 1, i),
                       theta.row(i - 1).cwiseProduct(theta.row(i)).transpose());
    }
  }
  all.emplace_back("U", potential(model, theta).transpose());
  return all;
}

/// A run from exact draws in every slot, and as many draws of their own.
class Run {
 public:
  Run(const Composition& composition, std::int64_t replicates)
      : composition_(composition),
        slots_(composition.compositor->slots()),
        sampler_(composition.compositor, settings(replicates), compose(*composition.compositor)),
        replicates_(replicates) {}

  /// Whether every slot has the model's own law, and that is known by exact draws.
  static bool can(const Composition& composition) {
    const Model& model = *composition.model();
    const Program program = compose(*composition.compositor);
    if (model.as_exact() == nullptr || program.certificate.now.density != "pi") return false;
    const auto& factors = program.sampling.factors();
    return std::all_of(factors.begin(), factors.end(), [&](const Factor& factor) {
      const auto* law = dynamic_cast<const Potential*>(program.sampling[factor.law].function.get());
      return law != nullptr && law->as_model() == &model && factor.slots.size() == 1;
    });
  }

  std::vector<Feature> features(std::int64_t sweeps) {
    start();
    sampler_.advance(PhaseKind::sampling, sweeps);
    std::vector<Feature> all;
    std::vector<Eigen::MatrixXd> now;
    std::vector<Eigen::MatrixXd> fresh;
    for (const std::string& slot : slots_) {
      now.emplace_back(sampler_.variable(slot));
      fresh.push_back(draws("fresh/" + slot));
    }
    for (std::size_t s = 0; s < slots_.size(); ++s) add_slot(all, s, now[s], fresh[s]);
    if (joint()) {
      for (std::size_t s = 1; s < slots_.size(); ++s) add_pair(all, s, now, fresh);
    }
    return all;
  }

 private:
  RunSettings settings(std::int64_t replicates) const {
    RunSettings settings = composition_.run;
    settings.seed = second_seed;
    settings.replicates = replicates;
    settings.thin = 1;
    settings.init.how = Init::How::exact;
    return settings;
  }

  Eigen::MatrixXd draws(const std::string& what) const {
    Eigen::MatrixXd theta(composition_.model()->dimension(), replicates_);
    composition_.model()->as_exact()->draw(Stream(second_seed, "adversary/" + what), {}, theta);
    return theta;
  }

  /// What the warm-up learns stays; positions are drawn anew.
  void start() {
    sampler_.initialise();
    sampler_.advance(PhaseKind::warmup, warmup_of(composition_));
    sampler_.initialise();
    const KernelGraph& graph = sampler_.graph(PhaseKind::sampling);
    for (const Factor& factor : graph.factors()) {
      const std::string& slot = graph[factor.slots.front()].name;
      if (sampler_.has(slot)) sampler_.move(slot, draws("start/" + slot));
    }
  }

  bool joint() const { return !compose(*composition_.compositor).certificate.now.coupled; }

  void add_slot(std::vector<Feature>& all, std::size_t s, const Eigen::MatrixXd& now,
                const Eigen::MatrixXd& fresh) const {
    const auto a = basic(*composition_.model(), now);
    const auto b = basic(*composition_.model(), fresh);
    for (std::size_t k = 0; k < a.size(); ++k) {
      const std::string name = fmt::format("{} of {}", a[k].first, slots_[s]);
      all.push_back({name, a[k].second, b[k].second});
      all.push_back({"square of " + name, a[k].second.square(), b[k].second.square()});
    }
  }

  void add_pair(std::vector<Feature>& all, std::size_t s, const std::vector<Eigen::MatrixXd>& now,
                const std::vector<Eigen::MatrixXd>& fresh) const {
    const auto product = [&](const std::vector<Eigen::MatrixXd>& at) {
      auto here = basic(*composition_.model(), at[s]);
      const auto there = basic(*composition_.model(), at[s - 1]);
      for (std::size_t k = 0; k < here.size(); ++k) here[k].second *= there[k].second;
      return here;
    };
    const auto a = product(now);
    const auto b = product(fresh);
    for (std::size_t k = 0; k < a.size(); ++k) {
      all.push_back({fmt::format("{} of {} times that of {}", a[k].first, slots_[s], slots_[s - 1]),
                     a[k].second, b[k].second});
    }
  }

  const Composition& composition_;
  std::vector<std::string> slots_;
  Sampler sampler_;
  std::int64_t replicates_;
};

/// The differences of a draw and an independent one of the same law are symmetric: the sum over the
/// root of the sum of squares exceeds x with a chance of at most 2 exp(-x^2 / 2), whatever the law
/// and however many there are (Hoeffding 1963, of random signs).
Sight compared(const Feature& f) {
  const Eigen::ArrayXd off = f.now - f.fresh;
  const double size = std::sqrt(off.square().sum());
  if (!f.now.allFinite()) return {f.name, INFINITY, 0.0, 0};
  const double z = size > 0.0 ? off.sum() / size : 0.0;
  return {f.name, z, std::min(1.0, 2.0 * std::exp(-0.5 * z * z)), 0};
}

/// Whether the mean is off by more than the tolerance, by a normal of as large a variance.
Sight compared_within(const Feature& f) {
  if (!f.now.allFinite()) return {f.name, INFINITY, 0.0, 0};
  const Eigen::ArrayXd off = f.now - f.fresh;
  const auto n = static_cast<double>(off.size());
  const auto sd = [&](const Eigen::ArrayXd& x) {
    return std::sqrt((x - x.mean()).square().sum() / (n - 1.0));
  };
  const double excess = std::abs(off.mean()) - tolerance * sd(f.fresh);
  const double z = std::max(0.0, excess) / (sd(off) / std::sqrt(n));
  return {f.name, z, std::min(1.0, 2.0 * std::exp(-0.5 * z * z)), 0};
}

Sight least(std::vector<Sight> all, std::int64_t sweeps) {
  Sight best = *std::min_element(all.begin(), all.end(),
                                 [](const Sight& a, const Sight& b) { return a.p < b.p; });
  best.p = std::min(1.0, best.p * static_cast<double>(all.size()));
  best.sweeps = sweeps;
  return best;
}

Sight by_ranks(const Composition& composition, std::int64_t sweeps, std::int64_t replicates) {
  Equilibrium equilibrium(
      composition,
      {.replicates = replicates, .warmup = warmup_of(composition), .seed = second_seed});
  equilibrium.advance(sweeps);
  std::vector<Sight> ranks;
  for (const EquilibriumStatistic& s : equilibrium.compare()) {
    if (s.name.starts_with("ranks")) ranks.push_back({s.name, s.z, s.p, 0});
  }
  return least(std::move(ranks), sweeps);
}

}  // namespace

Claim claim_of(const Verdict& verdict) {
  if (verdict.adaptive || verdict.accuracy == Accuracy::none) return Claim::none;
  if (verdict.accuracy == Accuracy::exact) return Claim::exact;
  return verdict.density == "pi" ? Claim::in_limit : Claim::none;
}

Sight first_look(const Composition& composition) {
  Equilibrium equilibrium(
      composition,
      {.replicates = first_replicates, .warmup = warmup_of(composition), .seed = first_seed});
  Sight best;
  std::int64_t done = 0;
  for (const std::int64_t sweeps : first_sweeps) {
    equilibrium.advance(sweeps - done);
    done = sweeps;
    std::vector<Sight> all;
    for (const EquilibriumStatistic& s : equilibrium.compare())
      all.push_back({s.name, s.z, s.p, 0});
    const Sight sight = least(std::move(all), sweeps);
    if (sight.p < best.p || best.sweeps == 0) best = sight;
  }
  return best;
}

Sight second_look(const Composition& composition, Claim claim, std::int64_t sweeps,
                  std::int64_t replicates) {
  if (!Run::can(composition)) return by_ranks(composition, sweeps, replicates);
  std::vector<Sight> all;
  for (const Feature& f : Run(composition, replicates).features(sweeps)) {
    all.push_back(claim == Claim::in_limit ? compared_within(f) : compared(f));
  }
  return least(std::move(all), sweeps);
}

}  // namespace adversary
