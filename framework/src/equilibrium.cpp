// The equilibrium test.
// SPDX-License-Identifier: Apache-2.0
#include <mixwell/equilibrium.hpp>
#include <mixwell/sampler.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

namespace mixwell {
namespace {

using Rows = Eigen::RowVectorXd;

struct Labelled {
  std::string label;
  Rows values;
};

Rows potentials(const Model& model, ConstBatch theta) {
  Rows u(theta.cols());
  Eigen::MatrixXd g(theta.rows(), theta.cols());
  Workspace scratch;
  model.evaluate(theta, {u.data(), g, scratch});
  return u;
}

/// Coordinates and U of one slot: what the other statistics are made from.
std::vector<Labelled> basic(const Model& model, ConstBatch theta) {
  const auto names = coordinate_names(model.parameters());
  std::vector<Labelled> all;
  for (Index i = 0; i < theta.rows(); ++i) {
    all.push_back({names[static_cast<std::size_t>(i)], theta.row(i)});
  }
  all.push_back({"U", potentials(model, theta)});
  return all;
}

std::vector<Labelled> of_slot(const Model& model, ConstBatch theta) {
  std::vector<Labelled> all = basic(model, theta);
  const std::size_t d = all.size() - 1;
  for (std::size_t i = 0; i <= d; ++i) {
    const Labelled f = all[i];  // a copy: `all` grows
    all.push_back({f.label + "^2", f.values.array().square()});
    if (i < d) all.push_back({f.label + "^3", f.values.array().cube()});
    if (i == 0 || i == d) continue;
    const Labelled& before = all[i - 1];
    all.push_back({before.label + " " + f.label, before.values.array() * f.values.array()});
  }
  return all;
}

/// Slots are independent at equilibrium: products of one's statistic and the next one's.
std::vector<Labelled> of_neighbours(const Model& model, ConstBatch here, ConstBatch there) {
  const auto a = basic(model, here);
  const auto b = basic(model, there);
  std::vector<Labelled> all;
  for (std::size_t i = 0; i < a.size(); ++i) {
    const Eigen::ArrayXXd product = a[i].values.array() * b[i].values.array();
    all.push_back({a[i].label + " of both", product});
    if (i + 1 < a.size()) all.push_back({a[i].label + "^2 of both", product.square()});
  }
  return all;
}

EquilibriumStatistic compare(const std::string& label, const Rows& end, const Rows& start) {
  const Rows change = end - start;
  const auto n = static_cast<double>(change.size());
  const double mean = change.mean();
  const double variance = (change.array() - mean).square().sum() / (n - 1.0);
  const double error = std::sqrt(variance / n);
  const double z = variance > 0.0 ? mean / error : (mean == 0.0 ? 0.0 : INFINITY);
  const double spread = std::sqrt((start.array() - start.mean()).square().sum() / (n - 1.0));
  return {
      "law of " + label, std::isnan(z) ? 0.0 : std::erfc(std::abs(z) / std::sqrt(2.0)), z,
      spread > 0.0 ? error / spread : 0.0,
      fmt::format("mean {:.6g}, at equilibrium {:.6g}, z = {:.2f}", end.mean(), start.mean(), z)};
}

/// Largest distance of two empirical distributions of the same size n; both arguments are sorted.
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

/// Two samples of n: P(distance > x) <= 2 P(one sample's > x / 2) <= 4 exp(-n x^2 / 2) by the
/// triangle inequality and Massart 1990. A NaN is no draw of anything.
EquilibriumStatistic compare_ranks(const Labelled& end, const Labelled& fresh) {
  if (!end.values.allFinite()) return {"ranks of " + end.label, 0.0, INFINITY, 0.0, "not finite"};
  Rows a = end.values;
  Rows b = fresh.values;
  std::sort(a.data(), a.data() + a.size());
  std::sort(b.data(), b.data() + b.size());
  const double found = distance(a, b);
  const double p = 4.0 * std::exp(-0.5 * static_cast<double>(a.size()) * found * found);
  return {"ranks of " + end.label, std::min(1.0, p), found, 0.0,
          fmt::format("distance {:.5f}", found)};
}

/// Positions of every recorded slot.
using Positions = std::vector<Eigen::MatrixXd>;

Positions positions(const Composition& composition, Sampler& sampler) {
  Positions all;
  for (const std::string& slot : composition.compositor->slots()) {
    all.emplace_back(sampler.variable(slot));
  }
  return all;
}

struct Pair {
  Labelled start;
  Labelled end;
};

void add(std::vector<Pair>& pairs, std::vector<Labelled> start, std::vector<Labelled> end) {
  for (std::size_t k = 0; k < start.size(); ++k) {
    pairs.push_back({std::move(start[k]), std::move(end[k])});
  }
}

std::vector<Pair> paired(const Model& model, const Positions& before, const Positions& after) {
  std::vector<Pair> pairs;
  for (std::size_t s = 0; s < before.size(); ++s) {
    add(pairs, of_slot(model, before[s]), of_slot(model, after[s]));
    if (s == 0) continue;
    add(pairs, of_neighbours(model, before[s - 1], before[s]),
        of_neighbours(model, after[s - 1], after[s]));
  }
  return pairs;
}

/// Draws that no slot has seen.
Positions fresh_draws(const Model& model, const Positions& like, std::int64_t seed) {
  Positions all = like;
  for (std::size_t s = 0; s < all.size(); ++s) {
    const Stream stream(static_cast<std::uint64_t>(seed), "fresh draws/" + std::to_string(s));
    model.as_exact()->draw(stream, {0, 0, 0}, all[s]);
  }
  return all;
}

RunSettings settings_of(const Composition& composition, const EquilibriumSettings& wanted) {
  RunSettings settings = composition.run;
  settings.seed = wanted.seed;
  settings.replicates = wanted.replicates;
  settings.warmup = wanted.warmup;
  settings.init.how = Init::How::exact;
  return settings;
}

}  // namespace

struct Equilibrium::State {
  State(const Composition& composed, const EquilibriumSettings& wanted)
      : composition(composed),
        seed(wanted.seed),
        sampler(composed.compositor, settings_of(composed, wanted), compose(*composed.compositor)) {
  }

  const Composition& composition;
  std::int64_t seed;
  Sampler sampler;
  Positions before;
  Positions after;
};

Equilibrium::Equilibrium(const Composition& composition, const EquilibriumSettings& settings)
    : state_(std::make_unique<State>(composition, settings)) {
  state_->sampler.initialise();
  if (settings.warmup > 0) {
    state_->sampler.advance(PhaseKind::warmup, settings.warmup);
    state_->sampler.initialise();
  }
  state_->before = positions(composition, state_->sampler);
  state_->after = state_->before;
}

Equilibrium::~Equilibrium() = default;

std::vector<EquilibriumStatistic> Equilibrium::look(std::int64_t sweeps) {
  state_->sampler.advance(PhaseKind::sampling, sweeps);
  state_->after = positions(state_->composition, state_->sampler);
  const Model& model = *state_->composition.model();
  std::vector<EquilibriumStatistic> found;
  for (const Pair& pair : paired(model, state_->before, state_->after)) {
    found.push_back(compare(pair.end.label, pair.end.values, pair.start.values));
  }
  const Positions fresh = fresh_draws(model, state_->after, state_->seed);
  for (std::size_t s = 0; s < fresh.size(); ++s) {
    const auto end = basic(model, state_->after[s]);
    const auto exact = basic(model, fresh[s]);
    for (std::size_t k = 0; k < end.size(); ++k) found.push_back(compare_ranks(end[k], exact[k]));
  }
  return found;
}

double Equilibrium::moved() const {
  double least = std::numeric_limits<double>::infinity();
  for (std::size_t s = 0; s < state_->before.size(); ++s) {
    const Eigen::MatrixXd& from = state_->before[s];
    const double spread = (from.colwise() - from.rowwise().mean()).colwise().squaredNorm().mean();
    const double jump = (state_->after[s] - from).colwise().squaredNorm().mean();
    least = std::min(least, spread > 0.0 ? jump / spread : jump);
  }
  return least;
}

double Equilibrium::gradients() const { return state_->sampler.gradients(); }

}  // namespace mixwell
