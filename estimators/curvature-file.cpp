// Estimator `curvature-file`: a constant preconditioner from another run or from a text file.
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
    throw InputError(path +
                     ": the preconditioner must be positive definite, but it has no Cholesky "
                     "factor. Use a positive definite matrix.");
  }
  return std::make_shared<covariance::Constant<covariance::DenseRepresentation>>(
      std::move(numbers));
}

class CurvatureFile final : public ConstantPreconditioner {
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
              "draws.nc of a run that adapted a preconditioner, or a CSV file with H or its "
              "diagonal");
      fields.number("chain", chain)
          .at_least(0)
          .help("chain of draws.nc whose preconditioner is used (default: the mean of all chains)");
      fields.text("kernel", kernel)
          .help("kernel NAME, whose preconditioner is the variable `NAME_inv_metric` of draws.nc");
    }
  };

  explicit CurvatureFile(const Params& params) : path_(params.file) {
    const Metric metric = read(params);
    require_preconditioner(metric, path_);
    dimension_ = metric.rows();
    representation_ = is_diagonal(metric) ? diagonal(metric) : dense(metric, path_);
  }

  std::shared_ptr<const Representation> representation() const override { return representation_; }
  /// Throws InputError if `dimension` differs from the dimension of the file.
  void check(Index dimension) const override {
    if (dimension == dimension_) return;
    throw InputError(path_ + ": the file has a preconditioner for " + std::to_string(dimension_) +
                     " coordinates, but the kernel that uses it moves " +
                     std::to_string(dimension) +
                     ". Use a file from the same model and the same block of parameters.");
  }

 private:
  static Metric read(const Params& params) {
    if (is_netcdf(params.file)) return read_recorded(params);
    for (const auto& [key, is_given] : {std::pair("kernel", !params.kernel.empty()),
                                        std::pair("chain", params.chain.has_value())})
      if (is_given)
        throw ParameterError(
            key, "works only with a draws.nc file, but " + params.file +
                     " is a text file, which has only one preconditioner. Leave this key out.");
    return read_csv(params.file);
  }

  static Metric read_recorded(const Params& params) {
    const RecordedMetric recorded(params.file, params.kernel);
    if (!params.chain) return recorded.mean();
    const double chain = *params.chain;
    if (chain != std::floor(chain) || chain >= static_cast<double>(recorded.chains())) {
      throw ParameterError("chain", "must be a whole number from 0 to " +
                                        std::to_string(recorded.chains() - 1) +
                                        ". Use the number of a chain in " + params.file);
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
       .summary =
           "A constant preconditioner from a file, for example one that an earlier run adapted",
       .details =
           "Mixwell reads H once and keeps it constant. With a fixed step size, the sampler is "
           "therefore certified exact from the first sweep. If the file is a draws.nc, H is the "
           "`inv_metric` of one chain or its mean over all chains. A run with estimator `diagonal` "
           "or `dense` records `inv_metric`, with rows and columns in the order of the model's "
           "coordinates. If the run had several kernels, the key `kernel` chooses one of them. The "
           "`inv_metric` of this kernel has rows and columns only for the coordinates of the "
           "kernel's block, in their order. A CSV file has no header. It has d numbers in one line "
           "(the diagonal of H) or d lines of d numbers. With coupling = \"mass\", H is the "
           "inverse of the mass matrix. A matrix must be symmetric (to 1e-12) and positive "
           "definite. Mixwell uses its lower triangle. A product H v costs O(d) if H is diagonal "
           "and O(d^2) otherwise. Mixwell computes the Cholesky factor S of a matrix only once, "
           "which costs d^3 / 3 multiplications.",
       .sources = {}});
}
