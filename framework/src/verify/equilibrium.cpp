// The equilibrium test starts from exact draws and checks that their distribution stays the same.
// SPDX-License-Identifier: Apache-2.0
#include "base/acceptance_rate.hpp"
#include "graph/edges.hpp"
#include "verify/law_draws.hpp"
#include "verify/statistics.hpp"

#include <mixwell/base/error.hpp>
#include <mixwell/lab/equilibrium.hpp>
#include <mixwell/lab/sampler.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <numbers>
#include <optional>
#include <utility>

namespace mixwell {
namespace {

using Rows = Eigen::RowVectorXd;

constexpr std::size_t few_slots = 5;
/// Number of exact draws in all slots together that a long check averages in each replicate. The
/// check averages at least 1000 draws per slot.
constexpr std::int64_t own_draws = 2000;
/// Largest standard deviation of an average, relative to that of a draw. An average of 25 draws has
/// this value.
constexpr double few_draws = 0.2;

struct Labelled {
  std::string label;
  Rows values;
};

/// Mean and standard deviation of each coordinate. Projections use the coordinates in these units.
struct Scale {
  explicit Scale(const Eigen::MatrixXd& theta)
      : mean(theta.rowwise().mean()),
        sd((theta.colwise() - mean).rowwise().norm() /
           std::sqrt(static_cast<double>(theta.cols()))) {}
  Eigen::VectorXd mean;
  Eigen::VectorXd sd;
};

/// Coordinates, projections and U of one slot. The other statistics are made from these.
std::vector<Labelled> basic(const Model& model, const Scale& scale, ConstBatch theta) {
  const auto names = coordinate_names(model.parameters());
  std::vector<Labelled> all;
  for (Index i = 0; i < theta.rows(); ++i) {
    all.push_back({names[static_cast<std::size_t>(i)], theta.row(i)});
  }
  const Eigen::MatrixXd weights =
      scale.sd.cwiseInverse().asDiagonal() * directions(theta.rows(), "equilibrium/projections");
  for (Index k = 0; k < weights.cols(); ++k) {
    all.push_back({fmt::format("projection {}", k),
                   weights.col(k).transpose() * (theta.colwise() - scale.mean)});
  }
  all.push_back({"U", potentials(model, theta)});
  return all;
}

std::vector<Labelled> of_slot(const Model& model, const Scale& scale, ConstBatch theta) {
  std::vector<Labelled> all = basic(model, scale, theta);
  const auto d = static_cast<std::size_t>(theta.rows());
  const std::size_t u = all.size() - 1;
  for (std::size_t i = 0; i <= u; ++i) {
    const Labelled f = all[i];  // a copy, because `all` grows
    all.push_back({f.label + "^2", f.values.array().square()});
    if (i < u) all.push_back({f.label + "^3", f.values.array().cube()});
    if (i == 0 || i >= d) continue;
    const Labelled& before = all[i - 1];
    all.push_back({before.label + " " + f.label, before.values.array() * f.values.array()});
  }
  return all;
}

/// Products of a statistic of one slot and the same statistic of another slot. The products have
/// known means, because slots are independent at equilibrium.
std::vector<Labelled> of_pair(const Model& model, const Scale& scale, ConstBatch here,
                              ConstBatch there) {
  const auto a = basic(model, scale, here);
  const auto b = basic(model, scale, there);
  std::vector<Labelled> all;
  for (std::size_t i = 0; i < a.size(); ++i) {
    const Eigen::ArrayXXd product = a[i].values.array() * b[i].values.array();
    all.push_back({a[i].label, product});
    if (i + 1 < a.size()) all.push_back({a[i].label + "^2", product.square()});
  }
  return all;
}

/// The standard deviation of these draws (divisor n - 1).
double spread_of(const Rows& numbers) {
  const auto n = static_cast<double>(numbers.size());
  return std::sqrt((numbers.array() - numbers.mean()).square().sum() / (n - 1.0));
}

EquilibriumStatistic compare_means(const std::string& label, const Rows& end, const Rows& start) {
  const Mean change((end - start).transpose());
  const double z = change.z();
  const double spread = spread_of(start);
  return {
      "law of " + label, std::isnan(z) ? 0.0 : two_sided(z), z,
      spread > 0.0 ? change.error / spread : 0.0,
      fmt::format("mean {:.6g}, at equilibrium {:.6g}, z = {:.2f}", end.mean(), start.mean(), z)};
}

/// Tests whether `off`, the difference of two averages in each replicate, has mean 0. Uses
/// Student's statistic with Johnson's correction for skewness (Johnson 1978, eq. 2.4). Returns
/// nothing if the effective sample size of an average is below 25, because the statistic and the
/// correction need more draws.
std::optional<EquilibriumStatistic> compare_averages(const Labelled& start, const Rows& off) {
  const auto n = static_cast<double>(off.size());
  const double mean = off.mean();
  const Eigen::ArrayXd centred = (off.array() - mean).transpose();
  const double variance = centred.square().sum() / (n - 1.0);
  const double spread = spread_of(start.values);
  if (!(std::sqrt(variance) < few_draws * spread)) return std::nullopt;
  const double third = centred.cube().sum() / n;
  const double corrected =
      mean + third / (6.0 * variance * n) + third / (3.0 * variance * variance) * mean * mean;
  const double error = std::sqrt(variance / n);
  const double z = variance > 0.0 ? corrected / error : (mean == 0.0 ? 0.0 : INFINITY);
  return EquilibriumStatistic{"average of " + start.label, two_sided(z, n - 1.0), z,
                              spread > 0.0 ? error / spread : 0.0,
                              fmt::format("off by {:.6g}, z = {:.2f}", mean, z)};
}

/// Largest distance of two empirical distributions of the same size n. Both arguments must be
/// sorted.
double distance(const Rows& a, const Rows& b) {
  Index largest = 0;
  Index i = 0;
  Index j = 0;
  while (i < a.size() && j < b.size()) {
    const double at = std::min(a(i), b(j));
    while (i < a.size() && a(i) <= at) ++i;
    while (j < b.size() && b(j) <= at) ++j;
    largest = std::max(largest, std::abs(i - j));
  }
  return static_cast<double>(largest) / static_cast<double>(a.size());
}

/// Compares the distributions of two samples of size n. `fresh` is sorted. P(distance > x) <= C
/// exp(-n x^2), with C = 2 for n >= 458 and C = e for n >= 4 (Wei & Dudley 2012, theorem 1). A
/// sample with a NaN fails.
EquilibriumStatistic compare_ranks(const Labelled& end, const Labelled& fresh) {
  if (!end.values.allFinite()) return {"ranks of " + end.label, 0.0, INFINITY, 0.0, "not finite"};
  Rows a = end.values;
  std::sort(a.data(), a.data() + a.size());
  const double found = distance(a, fresh.values);
  const double constant = a.size() >= 458 ? 2.0 : std::numbers::e;
  const double p = constant * std::exp(-static_cast<double>(a.size()) * found * found);
  return {"ranks of " + end.label, std::min(1.0, p), found, 0.0,
          fmt::format("distance {:.5f}", found)};
}

/// Positions of every slot.
using Positions = std::vector<Eigen::MatrixXd>;

void add(std::vector<Labelled>& all, const std::string& where, std::vector<Labelled> more) {
  for (Labelled& f : more) all.push_back({where + f.label, std::move(f.values)});
}

/// The earlier slots that are checked together with slot s: all of them, or slots s - 1, s - 2, s -
/// 4, ... if there are many slots.
std::vector<std::size_t> partners(std::size_t s, std::size_t slots) {
  std::vector<std::size_t> all;
  for (std::size_t apart = 1; apart <= s; apart = slots > few_slots ? 2 * apart : apart + 1) {
    all.push_back(s - apart);
  }
  return all;
}

/// `joint`: also check pairs of slots, because the certificate claims that the slots are
/// independent.
std::vector<Labelled> all_statistics(const Model& model, const std::vector<Scale>& scales,
                                     const Positions& at, bool joint) {
  std::vector<Labelled> all;
  for (std::size_t s = 0; s < at.size(); ++s) {
    const std::string where = at.size() > 1 ? fmt::format("slot {}: ", s) : "";
    add(all, where, of_slot(model, scales[s], at[s]));
    if (!joint) continue;
    for (const std::size_t k : partners(s, at.size())) {
      add(all, fmt::format("slots {} and {}: ", k, s), of_pair(model, scales[s], at[k], at[s]));
    }
  }
  return all;
}

RunSettings settings_of(const Composition& composition, const EquilibriumSettings& wanted) {
  RunSettings settings = composition.run;
  settings.seed = wanted.seed;
  settings.replicates = wanted.replicates;
  settings.warmup = wanted.warmup;
  settings.thin = 1;
  const bool exact = composition.model()->offers<ExactSampler>() != nullptr;
  settings.init.how = exact ? Init::How::exact : Init::How::model;
  return settings;
}

/// The law that the first update of a slot leaves invariant instead of `factor`. Returns `factor`
/// if there is no such law.
Value kept_law(const KernelGraph& graph, Variable slot, Value factor) {
  for (const OperationInfo& o : graph.operations()) {
    if (!writes(graph, o, slot)) continue;
    for (const Value law : values_of(o, Role::law))
      if (factor_behind(graph, law) == factor) return law;
  }
  return factor;
}

bool has_exact_draws(const Model& model, const ValueInfo& law) {
  const auto& potential = static_cast<const Potential&>(*law.function);
  return potential.as_model() == &model && model.offers<ExactSampler>() != nullptr;
}

/// Draws the start positions of one slot from its law.
class SlotLaw {
 public:
  static constexpr Index usual_cells = 257;
  static constexpr Index few_cells = 33;  ///< number of cells if each replicate has its own law

  SlotLaw(const Model& model, Sampler& sampler, const std::string& slot, Value kept,
          Index replicates)
      : model_(model), replicates_(replicates), name_(slot) {
    const ValueInfo& law = sampler.graph(PhaseKind::sampling)[kept];
    if (has_exact_draws(model, law)) return;
    const bool shared = law.scope == Scope::run || law.rows == 0;
    for (Index r = 0; r < (shared ? 1 : replicates); ++r) {
      laws_.emplace_back(model.dimension(), shared ? usual_cells : few_cells,
                         [&](ConstBatch theta, Row u) { sampler.evaluate(kept, r, theta, u); });
    }
  }

  const std::string& name() const noexcept { return name_; }

  /// One draw for each replicate. Draws for different `what` are independent.
  Eigen::MatrixXd draws(std::int64_t seed, const std::string& what) const {
    const Stream stream(static_cast<std::uint64_t>(seed), what + "/" + name_);
    const Index d = model_.dimension();
    Eigen::MatrixXd theta(d, replicates_);
    if (laws_.empty()) {
      model_.offers<ExactSampler>()->draw(stream, {}, theta);
      return theta;
    }
    Eigen::MatrixXd uniforms(1 + d, replicates_);
    stream.uniforms({}, uniforms);
    if (laws_.size() == 1) {
      laws_.front().draw(uniforms, theta);
      return theta;
    }
    for (Index r = 0; r < replicates_; ++r) {
      laws_[static_cast<std::size_t>(r)].draw(uniforms.col(r), theta.col(r));
    }
    return theta;
  }

 private:
  const Model& model_;
  Index replicates_;
  std::string name_;
  std::vector<LawDraws> laws_;  ///< one for all replicates or one for each; empty for exact draws
};

}  // namespace

struct Equilibrium::Test {
  Test(const Composition& composed, const EquilibriumSettings& wanted, Program program)
      : composition(composed),
        settings(wanted),
        keeps_another(program.certificate.now.accuracy != Accuracy::none &&
                      program.certificate.now.density != "pi"),
        joint(!program.certificate.now.coupled),
        sampler(composed.compositor, settings_of(composed, wanted), std::move(program)) {}

  void warm_up() {
    sampler.stop_when(settings.late);
    sampler.initialise();
    if (settings.warmup == 0) return;
    sampler.advance(PhaseKind::warmup, settings.warmup);
    sampler.initialise();
  }

  Value kept(const Factor& factor) const {
    const KernelGraph& graph = sampler.graph(PhaseKind::sampling);
    return keeps_another ? kept_law(graph, factor.slots.front(), factor.law) : factor.law;
  }

  /// Throws InputError if a slot has no exact draws. Called before warmup, so that a failing test
  /// spends no gradients.
  void check_draws() const {
    const KernelGraph& graph = sampler.graph(PhaseKind::sampling);
    const Model& model = *composition.model();
    for (const Factor& factor : graph.factors()) {
      const std::string& name = graph[factor.law].name;
      if (slots_of(graph, graph[factor.slots.front()].position) != factor.slots) {
        throw InputError("`" + name +
                         "` is a joint density of several slots. Mixwell cannot draw exactly from "
                         "such densities");
      }
      if (!has_exact_draws(model, graph[kept(factor)]) &&
          model.dimension() > LawDraws::most_dimensions) {
        throw InputError(
            fmt::format("there are no exact draws from `{}`, which has {} dimensions. Mixwell can "
                        "draw on a grid only from densities with at most {} dimensions.",
                        graph[kept(factor)].name, model.dimension(), LawDraws::most_dimensions));
      }
    }
  }

  void find_laws() {
    const KernelGraph& graph = sampler.graph(PhaseKind::sampling);
    for (const Factor& factor : graph.factors()) {
      laws.emplace_back(*composition.model(), sampler, graph[factor.slots.front()].position,
                        kept(factor), settings.replicates);
    }
  }

  void place() {
    const auto recorded = composition.compositor->slots();
    for (std::size_t k = 0; k < laws.size(); ++k) {
      Eigen::MatrixXd theta = laws[k].draws(settings.seed, "equilibrium");
      const Scale scale(theta);
      theta = (settings.stretch * (theta.colwise() - scale.mean)).colwise() + scale.mean;
      if (sampler.has_position(laws[k].name())) sampler.move(laws[k].name(), theta);
      if (!contains(recorded, laws[k].name())) continue;
      compared.push_back(k);
      scales.push_back(scale);
      start.push_back(std::move(theta));
    }
    at_start = statistics(start);
  }

  std::vector<Labelled> statistics(const Positions& at) const {
    return all_statistics(*composition.model(), scales, at, joint);
  }

  /// Sorted statistics of fresh exact draws. All checks compare with the same fresh draws.
  const std::vector<Labelled>& fresh(std::size_t s) {
    if (sorted_fresh.empty()) sorted_fresh.resize(compared.size());
    if (sorted_fresh[s].empty()) {
      const Eigen::MatrixXd theta = laws[compared[s]].draws(settings.seed, "fresh draws");
      sorted_fresh[s] = basic(*composition.model(), scales[s], theta);
      for (Labelled& f : sorted_fresh[s])
        std::sort(f.values.data(), f.values.data() + f.values.size());
    }
    return sorted_fresh[s];
  }

  /// For each replicate, the sums of all statistics over this many independent draws.
  std::vector<Rows> sums_of_draws(std::int64_t draws) const {
    std::vector<Rows> sums;
    for (std::int64_t k = 0; k < draws; ++k) {
      Positions at;
      for (const std::size_t s : compared) {
        at.push_back(laws[s].draws(settings.seed, fmt::format("long look {}", k)));
      }
      add_to(sums, statistics(at));
    }
    return sums;
  }

  static void add_to(std::vector<Rows>& sums, const std::vector<Labelled>& more) {
    if (sums.empty()) sums.resize(more.size(), Rows::Zero(more.front().values.size()));
    for (std::size_t k = 0; k < more.size(); ++k) sums[k] += more[k].values;
  }

  void remember_frozen() {
    const KernelGraph& graph = sampler.graph(PhaseKind::sampling);
    for (const VariableInfo& v : graph.variables()) {
      const bool written = !(v.current == v.carried);
      if (v.kind != VariableKind::history || written || !sampler.has(v.name)) continue;
      frozen.emplace_back(v.name, sampler.variable(v.name));
    }
  }

  /// The positions of the recorded slots. The laws of other slots, such as a pilot, are not tested.
  Positions now() {
    Positions all;
    for (const std::size_t k : compared) all.emplace_back(sampler.position(laws[k].name()));
    return all;
  }

  const Composition& composition;
  EquilibriumSettings settings;
  bool keeps_another;  ///< the certificate names another density than the target
  bool joint;          ///< the certificate claims that the slots are independent
  Sampler sampler;
  std::vector<SlotLaw> laws;
  std::vector<std::size_t> compared;  ///< indices in `laws` of the slots that are checked
  std::vector<Scale> scales;          ///< scales of exact draws, one per checked slot
  Positions start;
  std::vector<Labelled> at_start;
  std::vector<std::vector<Labelled>> sorted_fresh;  ///< one element per checked slot
  std::vector<std::pair<std::string, Eigen::MatrixXd>> frozen;
  double accepted = 0.0;  ///< sum of all acceptance rates; `decided` is their number
  std::int64_t decided = 0;
};

Equilibrium::Equilibrium(const Composition& composition, const EquilibriumSettings& settings)
    : state_(std::make_unique<Test>(composition, settings, compose(*composition.compositor))) {
  state_->check_draws();
  state_->warm_up();
  state_->find_laws();
  state_->place();
  state_->remember_frozen();
}

Equilibrium::~Equilibrium() = default;

void Equilibrium::advance(std::int64_t sweeps) {
  state_->sampler.advance(PhaseKind::sampling, sweeps - 1);
  DrawBuffers last;
  state_->sampler.advance(PhaseKind::sampling, 1, &last);
  const auto& records = state_->sampler.graph(PhaseKind::sampling).records();
  for (std::size_t r = 0; r < records.size(); ++r) {
    if (!is_acceptance_rate(records[r].name)) continue;
    for (const double rate : last.data[r]) {
      if (std::isnan(rate)) continue;  // this branch of a mixture was not chosen
      state_->accepted += rate;
      ++state_->decided;
    }
  }
}

std::vector<EquilibriumStatistic> Equilibrium::compare() const {
  const Model& model = *state_->composition.model();
  const Positions now = state_->now();
  std::vector<EquilibriumStatistic> found;
  const auto at_end = state_->statistics(now);
  for (std::size_t k = 0; k < at_end.size(); ++k) {
    found.push_back(compare_means(at_end[k].label, at_end[k].values, state_->at_start[k].values));
  }
  for (std::size_t s = 0; s < now.size(); ++s) {
    const auto end = basic(model, state_->scales[s], now[s]);
    const std::string where = now.size() > 1 ? fmt::format("slot {}: ", s) : "";
    for (std::size_t k = 0; k < end.size(); ++k) {
      found.push_back(compare_ranks({where + end[k].label, end[k].values}, state_->fresh(s)[k]));
    }
  }
  return found;
}

std::vector<EquilibriumStatistic> Equilibrium::follow(std::int64_t looks, std::int64_t apart) {
  std::vector<Rows> sums;
  for (std::int64_t k = 0; k < looks; ++k) {
    state_->sampler.advance(PhaseKind::sampling, apart);
    Test::add_to(sums, state_->statistics(state_->now()));
  }
  const auto slots = static_cast<std::int64_t>(state_->compared.size());
  const std::int64_t draws = std::max<std::int64_t>(1000, own_draws / slots);
  const std::vector<Rows> exact = state_->sums_of_draws(draws);
  std::vector<EquilibriumStatistic> found;
  for (std::size_t k = 0; k < sums.size(); ++k) {
    const Rows off = sums[k] / static_cast<double>(looks) - exact[k] / static_cast<double>(draws);
    const auto average = compare_averages(state_->at_start[k], off);
    if (average) found.push_back(*average);
  }
  return found;
}

double Equilibrium::moved() const {
  const Positions now = state_->now();
  double least = std::numeric_limits<double>::infinity();
  for (std::size_t s = 0; s < now.size(); ++s) {
    const Eigen::MatrixXd& from = state_->start[s];
    const double spread = (from.colwise() - from.rowwise().mean()).colwise().squaredNorm().mean();
    const double jump = (now[s] - from).colwise().squaredNorm().mean();
    least = std::min(least, spread > 0.0 ? jump / spread : jump);
  }
  return least;
}

Equilibrium::Excess Equilibrium::excess() const {
  const Positions now = state_->now();
  Excess largest{-1.0, 0.0};
  for (std::size_t s = 0; s < now.size(); ++s) {
    const Scale& scale = state_->scales[s];
    const Eigen::ArrayXd far =
        (scale.sd.cwiseInverse().asDiagonal() * (now[s].colwise() - scale.mean))
            .colwise()
            .squaredNorm()
            .transpose() /
        static_cast<double>(now[s].rows());
    const Mean mean(far);
    if (mean.value - 1.0 <= largest.mean) continue;
    largest = {mean.value - 1.0, mean.error};
  }
  return largest;
}

double Equilibrium::acceptance() const {
  return state_->accepted / static_cast<double>(state_->decided);
}

bool Equilibrium::frozen_bits_kept() const {
  const auto same = [](const Eigen::MatrixXd& a, const MatrixMap& b) {
    const auto bytes = static_cast<std::size_t>(a.size()) * sizeof(double);
    return bytes == 0 || std::memcmp(a.data(), b.data(), bytes) == 0;
  };
  return std::ranges::all_of(state_->frozen, [&](const auto& entry) {
    return same(entry.second, state_->sampler.variable(entry.first));
  });
}

double Equilibrium::gradients() const { return state_->sampler.gradients(); }

}  // namespace mixwell
