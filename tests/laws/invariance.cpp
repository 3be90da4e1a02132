// The equilibrium test.
// SPDX-License-Identifier: Apache-2.0
#include <mixwell/laws/invariance.hpp>
#include <mixwell/sampler.hpp>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <string>
#include <utility>
#include <vector>

namespace mixwell::laws {
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

/// z with P(|Z| > z) = p, by bisection of erfc: p may be as small as 1e-300.
double two_sided_quantile(double p) {
  double low = 0.0;
  double high = 40.0;
  for (int k = 0; k < 100; ++k) {
    const double middle = 0.5 * (low + high);
    (std::erfc(middle / std::sqrt(2.0)) > p ? low : high) = middle;
  }
  return high;
}

Finding compare(const std::string& label, const Rows& end, const Rows& start, double threshold) {
  const Rows change = end - start;
  const auto n = static_cast<double>(change.size());
  const double mean = change.mean();
  const double variance = (change.array() - mean).square().sum() / (n - 1.0);
  const double z = variance > 0.0 ? mean / std::sqrt(variance / n) : (mean == 0.0 ? 0.0 : INFINITY);
  char detail[160];
  std::snprintf(detail, sizeof detail, "mean %.6g, at equilibrium %.6g, z = %.2f (bound %.2f)",
                end.mean(), start.mean(), z, threshold);
  return {"law of " + label, std::abs(z) <= threshold, detail};
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
/// triangle inequality and Massart 1990.
Finding compare_ranks(const Labelled& end, const Labelled& fresh, double alpha) {
  Rows a = end.values;
  Rows b = fresh.values;
  std::sort(a.data(), a.data() + a.size());
  std::sort(b.data(), b.data() + b.size());
  const double found = distance(a, b);
  const double bound = std::sqrt(2.0 * std::log(4.0 / alpha) / static_cast<double>(a.size()));
  char detail[160];
  std::snprintf(detail, sizeof detail, "distance %.5f (bound %.5f)", found, bound);
  return {"ranks of " + end.label, found <= bound, detail};
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

}  // namespace

Findings check_invariance(const Composition& composition, const InvarianceOptions& options) {
  RunSettings settings = composition.run;
  settings.seed = options.seed;
  settings.replicates = options.replicates;
  settings.warmup = options.warmup;
  settings.init.how = Init::How::exact;
  Sampler sampler(composition.compositor, settings, compose(*composition.compositor));
  sampler.initialise();
  if (options.warmup > 0) {
    sampler.advance(PhaseKind::warmup, options.warmup);
    sampler.initialise();
  }
  const Positions before = positions(composition, sampler);
  sampler.advance(PhaseKind::sampling, options.sweeps);
  const Positions after = positions(composition, sampler);

  const Model& model = *composition.model();
  const auto pairs = paired(model, before, after);
  const Positions fresh = fresh_draws(model, after, options.seed);
  const std::size_t ranked = after.size() * basic(model, after.front()).size();
  const double alpha = options.alpha / static_cast<double>(pairs.size() + ranked);
  const double threshold = two_sided_quantile(alpha);
  Findings findings;
  for (const Pair& pair : pairs) {
    findings.push_back(compare(pair.end.label, pair.end.values, pair.start.values, threshold));
  }
  for (std::size_t s = 0; s < after.size(); ++s) {
    const auto end = basic(model, after[s]);
    const auto exact = basic(model, fresh[s]);
    for (std::size_t k = 0; k < end.size(); ++k) {
      findings.push_back(compare_ranks(end[k], exact[k], alpha));
    }
    const double jump = (after[s] - before[s]).colwise().squaredNorm().mean();
    findings.push_back({"moves", jump > 0.0, "mean squared jump " + std::to_string(jump)});
  }
  return findings;
}

}  // namespace mixwell::laws
