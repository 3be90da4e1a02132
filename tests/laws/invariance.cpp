// The equilibrium test.
// SPDX-License-Identifier: Apache-2.0
#include <mixwell/laws/invariance.hpp>
#include <mixwell/sampler.hpp>

#include <cmath>
#include <cstdio>

namespace mixwell::laws {
namespace {

/// Statistics of positions (d x R) as rows, with their names.
class Statistics {
 public:
  Statistics(const Model& model, ConstBatch theta) : names_(coordinate_names(model.parameters())) {
    const Index d = theta.rows();
    Eigen::RowVectorXd u(theta.cols());
    Eigen::MatrixXd g(d, theta.cols());
    Workspace scratch;
    model.evaluate(theta, {u.data(), g, scratch});
    for (Index i = 0; i < d; ++i) {
      const std::string& name = names_[static_cast<std::size_t>(i)];
      add(name, theta.row(i));
      add(name + "^2", theta.row(i).array().square());
      add(name + "^3", theta.row(i).array().cube());
      if (i > 0) {
        add(names_[static_cast<std::size_t>(i - 1)] + " " + name,
            theta.row(i - 1).array() * theta.row(i).array());
      }
    }
    add("U", u);
    add("U^2", u.array().square());
  }

  std::size_t count() const { return values_.size(); }
  const std::string& label(std::size_t k) const { return labels_[k]; }
  const Eigen::RowVectorXd& operator[](std::size_t k) const { return values_[k]; }

 private:
  void add(std::string label, const Eigen::RowVectorXd& values) {
    labels_.push_back(std::move(label));
    values_.push_back(values);
  }

  std::vector<std::string> names_;
  std::vector<std::string> labels_;
  std::vector<Eigen::RowVectorXd> values_;
};

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

Finding compare(const std::string& label, const Eigen::RowVectorXd& end,
                const Eigen::RowVectorXd& start, double threshold) {
  const Eigen::RowVectorXd change = end - start;
  const auto n = static_cast<double>(change.size());
  const double mean = change.mean();
  const double variance = (change.array() - mean).square().sum() / (n - 1.0);
  const double z = variance > 0.0 ? mean / std::sqrt(variance / n) : (mean == 0.0 ? 0.0 : INFINITY);
  char detail[160];
  std::snprintf(detail, sizeof detail, "mean %.6g, at equilibrium %.6g, z = %.2f (bound %.2f)",
                end.mean(), start.mean(), z, threshold);
  return {"law of " + label, std::abs(z) <= threshold, detail};
}

void compare_slot(const Model& model, ConstBatch before, ConstBatch after, double alpha,
                  Findings& findings) {
  const Statistics start(model, before);
  const Statistics end(model, after);
  const double threshold = two_sided_quantile(alpha / static_cast<double>(start.count()));
  for (std::size_t k = 0; k < start.count(); ++k) {
    findings.push_back(compare(start.label(k), end[k], start[k], threshold));
  }
  const double jump = (after - before).colwise().squaredNorm().mean();
  findings.push_back({"moves", jump > 0.0, "mean squared jump " + std::to_string(jump)});
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
  const auto slots = composition.compositor->slots();
  std::vector<Eigen::MatrixXd> before;
  for (const std::string& slot : slots) before.emplace_back(sampler.variable(slot));
  sampler.advance(PhaseKind::sampling, options.sweeps);
  Findings findings;
  for (std::size_t s = 0; s < slots.size(); ++s) {
    compare_slot(*composition.model(), before[s], sampler.variable(slots[s]),
                 options.alpha / static_cast<double>(slots.size()), findings);
  }
  return findings;
}

}  // namespace mixwell::laws
