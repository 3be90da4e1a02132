// A constant curvature that another run learnt, or that a text file holds.
// SPDX-License-Identifier: Apache-2.0
#include "covariance/constant.hpp"
#include "covariance/dense.hpp"
#include "covariance/diagonal.hpp"
#include "curvature-file/read.hpp"

#include <mixwell/plugin.hpp>

namespace mixwell::curvature_file {
namespace {

std::shared_ptr<const Representation> diagonal(const Metric& metric) {
  const covariance::DiagonalNumbers at(metric.rows());
  Eigen::VectorXd numbers(at.rows());
  numbers.segment(at.variance(), at.d) = metric;
  numbers.segment(at.deviation(), at.d) = metric.cwiseSqrt();
  return std::make_shared<covariance::Constant<covariance::DiagonalRepresentation>>(
      std::move(numbers));
}

std::shared_ptr<const Representation> dense(const Metric& metric, const std::string& path) {
  const covariance::DenseNumbers at(metric.rows());
  Eigen::VectorXd numbers(at.rows());
  MatrixMap H(numbers.data() + at.covariance(), at.d, at.d);
  H = metric.selfadjointView<Eigen::Lower>();
  if (!covariance::cholesky(H, {numbers.data() + at.factor(), at.d, at.d})) {
    throw InputError(path + ": a curvature is positive definite, but it has no Cholesky factor");
  }
  return std::make_shared<covariance::Constant<covariance::DenseRepresentation>>(
      std::move(numbers));
}

class CurvatureFile final : public ConstantCurvature {
 public:
  struct Params {
    std::string file;
    std::optional<double> chain;
    std::string kernel;

    void declare(Fields& fields) {
      fields.text("file", file)
          .file()
          .required()
          .help(
              "the draws.nc of a run that learnt a curvature, or a CSV of H: d numbers in one line "
              "(its diagonal) or d lines of d");
      fields.number("chain", chain)
          .at_least(0)
          .help("draws.nc: which chain's curvature (a whole number); left out: the mean of all");
      fields.text("kernel", kernel)
          .help(
              "draws.nc of a run with several kernels, such as one of blocks: whose curvature, by "
              "the name that stands before `_inv_metric`");
    }
  };

  explicit CurvatureFile(const Params& params) : path_(params.file) {
    const Metric metric = read(params);
    require_curvature(metric, path_);
    dimension_ = metric.rows();
    representation_ = is_diagonal(metric) ? diagonal(metric) : dense(metric, path_);
  }

  std::shared_ptr<const Representation> representation() const override { return representation_; }
  /// Throws InputError for another dimension than the file's.
  void check(Index dimension) const override {
    if (dimension == dimension_) return;
    throw InputError(path_ + ": a curvature of " + std::to_string(dimension_) +
                     " coordinates, but what it is for has " + std::to_string(dimension) +
                     "; it must come from the same model, and from the same block of it");
  }

 private:
  static Metric read(const Params& params) {
    if (is_netcdf(params.file)) return read_recorded(params);
    for (const auto& [key, is_given] : {std::pair("kernel", !params.kernel.empty()),
                                        std::pair("chain", params.chain.has_value())})
      if (is_given)
        throw ParameterError(
            key, "goes with a draws.nc; " + params.file + " is a text, which holds one curvature");
    return read_csv(params.file);
  }

  static Metric read_recorded(const Params& params) {
    const RecordedMetric recorded(params.file, params.kernel);
    if (!params.chain) return recorded.mean();
    const double chain = *params.chain;
    if (chain != std::floor(chain) || chain >= static_cast<double>(recorded.chains())) {
      throw ParameterError("chain", "must be a whole number from 0 to " +
                                        std::to_string(recorded.chains() - 1) + ", the chains of " +
                                        params.file);
    }
    return recorded.of_chain(static_cast<Index>(chain));
  }

  std::string path_;
  Index dimension_ = 0;
  std::shared_ptr<const Representation> representation_;
};

}  // namespace
}  // namespace mixwell::curvature_file

MIXWELL_PLUGIN(registrar) {
  registrar.add<mixwell::curvature_file::CurvatureFile>(
      {.id = "curvature-file",
       .summary = "a constant curvature from a file, such as one that another run learnt",
       .details =
           "H is read once and stays: composed with a fixed step size, the certificate is exact "
           "from the first sweep. A draws.nc gives the `inv_metric` that a run with the estimator "
           "diagonal or dense recorded, of one chain or the mean over chains, in their order; that "
           "of a run with several kernels is called by `kernel`, and lists the coordinates of its "
           "block in their order. A CSV has no header and lists H, the inverse of the mass where "
           "coupling is mass. A matrix must be symmetric (to 1e-12; the lower triangle is used) "
           "and positive definite. O(d) or O(d^2) a product, d^3 / 3 once for the factor S.",
       .sources = {}});
}
