// Model `gaussian-mixture`: a mixture of isotropic normals.
// SPDX-License-Identifier: Apache-2.0
#include <mixwell/plugin.hpp>

#include <algorithm>
#include <limits>

namespace {

using namespace mixwell;

using Eigen::MatrixXd;
using Eigen::VectorXd;

class GaussianMixture final : public Model, public ExactSampler {
 public:
  struct Params {
    std::vector<double> weights = {1, 2};
    std::vector<double> means = {-2, 0, 2, 1};
    std::vector<double> sd = {1};

    void declare(Fields& fields) {
      fields.numbers("weights", weights)
          .above(0)
          .help("K positive numbers; component k has probability weights[k] / (sum of weights)");
      fields.numbers("means", means)
          .help("K d numbers: the d coordinates of the first mean, then of the next, ...");
      fields.numbers("sd", sd).above(0).help(
          "standard deviation of the coordinates in each component: K numbers, or one for all "
          "components");
    }
  };

  explicit GaussianMixture(const Params& params)
      : share_(VectorXd::Map(params.weights.data(), components(params))),
        means_(MatrixXd::Map(params.means.data(), dimension(params), components(params))),
        sd_(deviations(params)),
        precision_(sd_.array().square().inverse()) {
    if (!share_.allFinite()) throw ParameterError("weights", "must be finite");
    if (!means_.allFinite()) throw ParameterError("means", "must be finite");
    if (!sd_.allFinite()) throw ParameterError("sd", "must be finite");
    share_ /= share_.maxCoeff();  // prevents overflow of the sum
    share_ /= share_.sum();
    height_ = share_.array().log() - static_cast<double>(means_.rows()) * sd_.array().log();
  }

  std::vector<Parameter> parameters() const override {
    return {{.name = "x", .shape = {means_.rows()}}};
  }
  GradientGrowth gradient_growth() const noexcept override { return GradientGrowth::lipschitz; }

  /// A uniform chooses the component, and normals choose the point in this component. The two use
  /// separate draw numbers.
  void draw(const Stream& stream, Address at, Batch theta) const override {
    MatrixXd uniform(1, theta.cols());
    stream.uniforms({at.sweep, 2 * at.draw, at.replicate}, uniform);
    stream.normals({at.sweep, 2 * at.draw + 1, at.replicate}, theta);
    for (Index j = 0; j < theta.cols(); ++j) {
      const Index k = component(uniform(0, j));
      theta.col(j) = means_.col(k) + sd_[k] * theta.col(j);
    }
  }

 private:
  static Index components(const Params& params) {
    return static_cast<Index>(params.weights.size());
  }

  static Index dimension(const Params& params) {
    const auto numbers = static_cast<Index>(params.means.size());
    const Index k = components(params);
    if (numbers == 0 || numbers % k != 0)
      throw ParameterError("means", "must have the same number of coordinates for each of the " +
                                        std::to_string(k) + " weights, but has " +
                                        std::to_string(numbers));
    return numbers / k;
  }

  static VectorXd deviations(const Params& params) {
    const auto given = static_cast<Index>(params.sd.size());
    const Index k = components(params);
    if (given == 1) return VectorXd::Constant(k, params.sd.front());
    if (given != k)
      throw ParameterError("sd", "must have 1 or " + std::to_string(k) +
                                     " numbers (one for each weight), but has " +
                                     std::to_string(given));
    return VectorXd::Map(params.sd.data(), k);
  }

  Index component(double uniform) const {
    Index k = 0;
    for (double below = share_[0]; uniform > below && k + 1 < share_.size(); below += share_[k])
      ++k;
    return k;
  }

  /// exponents(j, k) = log of share_k sd_k^-d exp(-|theta_j - mean_k|^2 / (2 sd_k^2)).
  void fill(ConstBatch theta, MatrixMap& exponents) const {
    for (Index k = 0; k < means_.cols(); ++k) {
      for (Index j = 0; j < theta.cols(); ++j) {
        double square = 0;
        for (Index i = 0; i < theta.rows(); ++i) {
          const double off = theta(i, j) - means_(i, k);
          square += off * off;
        }
        exponents(j, k) = height_[k] - 0.5 * precision_[k] * square;
      }
    }
  }

  /// The largest exponent of each column, or NaN if all exponents of the column are NaN.
  static void largest(const MatrixMap& exponents, RowMap& top) {
    top = exponents.col(0).transpose();
    for (Index k = 1; k < exponents.cols(); ++k)
      for (Index j = 0; j < top.size(); ++j)
        if (exponents(j, k) > top[j]) top[j] = exponents(j, k);
  }

  /// exponents -> exp(exponents - top), and their sums over k. Where top is -inf, all terms are 0
  /// (or the least value of exp) and U = +inf; without the maximum, -inf - (-inf) would be NaN.
  static void to_terms(const RowMap& top, MatrixMap& exponents, RowMap& sum) {
    for (Index k = 0; k < exponents.cols(); ++k)
      for (Index j = 0; j < top.size(); ++j)
        exponents(j, k) -= std::max(top[j], std::numeric_limits<double>::lowest());
    flat(exponents) = flat(exponents).exp();
    sum.setZero();
    for (Index k = 0; k < exponents.cols(); ++k) sum += exponents.col(k).transpose();
  }

  /// grad U of column j = sum_k share(j, k) precision_k (theta_j - mean_k) / sum_k share(j, k).
  void gradient(ConstBatch theta, const MatrixMap& share, const RowMap& sum, Batch g) const {
    g.setZero();
    for (Index k = 0; k < means_.cols(); ++k) {
      for (Index j = 0; j < theta.cols(); ++j) {
        const double pull = precision_[k] * share(j, k) / sum[j];
        for (Index i = 0; i < theta.rows(); ++i) g(i, j) += pull * (theta(i, j) - means_(i, k));
      }
    }
  }

  bool evaluates_potential_alone() const noexcept override { return true; }
  void do_evaluate(ConstBatch theta, const Evaluation& out) const override {
    const Workspace::Frame frame(out.scratch);
    MatrixMap share = out.scratch.matrix(theta.cols(), means_.cols());
    RowMap top = out.scratch.row(theta.cols());
    RowMap sum = out.scratch.row(theta.cols());
    fill(theta, share);
    largest(share, top);
    to_terms(top, share, sum);
    if (out.wants_gradient()) gradient(theta, share, sum, out.gradient);
    if (out.wants_potential()) out.u() = -top - sum.array().log().matrix();
  }

  VectorXd share_;
  MatrixXd means_;  ///< d x K
  VectorXd sd_;
  VectorXd precision_;
  VectorXd height_;
};

}  // namespace

MIXWELL_PLUGIN(registrar) {
  registrar.add<GaussianMixture>(
      {.id = "gaussian-mixture",
       .summary = "Mixture of isotropic normals; exact draws",
       .details =
           "U(theta) = -log sum_k p_k sd_k^-d exp(-|theta - mean_k|^2 / (2 sd_k^2)), p_k = "
           "weights[k] / sum of weights; parameter x has shape [d]. The sum is computed relative "
           "to its largest term, so it neither overflows nor underflows.\n"
           "d is the length of `means` divided by the length of `weights`. The default has two "
           "components in the plane, with a third of the mass around (-2, 0) and the rest around "
           "(2, 1). A gradient takes about 5 K d multiplications and additions and K exponentials "
           "for each replicate. If U is computed too, this takes one additional logarithm for each "
           "replicate. An exact draw takes one uniform random number, and one normal random number "
           "for each coordinate.",
       .sources = {}});
}
