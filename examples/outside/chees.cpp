// A rule of steps from outside Mixwell: learns the integration time by the ChEES criterion.
// SPDX-License-Identifier: Apache-2.0
#include <mixwell/plugin.hpp>

#include <cmath>

namespace {

using namespace mixwell;

/// L = ceil(h T / eps), where h is van der Corput's sequence. log T climbs the gradient of E
/// (|theta* - mean|^2 - |theta - mean|^2)^2 / 4 over the replicates, by Adam without momentum.
class Chees final : public StepRule, public StepLearner {
 public:
  struct Params {
    double time = 1.0;
    double rate = 0.025;

    void declare(Fields& fields) {
      fields.number("time", time).unit("time").above(0).help("T at the start of warmup");
      fields.number("rate", rate).above(0).below(1).help("learning rate of log T for each sweep");
    }
  };
  explicit Chees(const Params& params) : params_(params) {}

  void draw(const BeforeMove& before, Row L) const override {
    double h = 0.0, digit = 0.5;
    for (std::uint64_t k = before.sweep + 1; k > 0; k /= 2, digit /= 2) h += digit * double(k % 2);
    L = h * std::exp(before.learnt(0, 0)) / before.eps.array();
  }
  const StepLearner* as_learner() const noexcept override { return this; }

  /// The state is log T, the mean square of its gradients, and the number of gradients.
  Eigen::VectorXd initial() const override { return Eigen::Vector3d(std::log(params_.time), 0, 0); }

  void update(const Trajectories& seen, Eigen::Ref<Eigen::VectorXd> state) const override {
    MatrixMap means = seen.scratch.matrix(seen.end.rows(), 2);
    means.col(0) = seen.start.rowwise().mean(), means.col(1) = seen.end.rowwise().mean();
    double sum = 0.0, weight = 1e-12;
    for (Index j = 0; j < seen.end.cols(); ++j) {
      const auto away = seen.end.col(j) - means.col(1);
      const double grown = away.squaredNorm() - (seen.start.col(j) - means.col(0)).squaredNorm();
      const double slope = seen.eps(j) * seen.L(j) * grown * away.dot(seen.end_velocity.col(j));
      if (std::isfinite(slope)) sum += seen.acceptance(j) * slope, weight += seen.acceptance(j);
    }
    const double slope = sum / weight;
    state(1) = 0.95 * state(1) + 0.05 * slope * slope, state(2) += 1.0;
    const double scale = std::sqrt(state(1) / (1.0 - std::pow(0.95, state(2))));
    if (scale > 0.0) state(0) += params_.rate * slope / scale;
  }

 private:
  Params params_;
};

}  // namespace

MIXWELL_PLUGIN(registrar) {
  registrar.add<Chees>(
      {.id = "chees",
       .summary = "The integration time that changes the distance from the mean the most",
       .sources = {"Hoffman, Radul & Sountsov 2021, AISTATS"}});
}
