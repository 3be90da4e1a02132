// Model `gaussian`: N(mean, Sigma) with Sigma in one of five shapes.
// SPDX-License-Identifier: Apache-2.0
#include <mixwell/columns.hpp>
#include <mixwell/data.hpp>
#include <mixwell/plugin.hpp>

#include <Eigen/Cholesky>
#include <Eigen/Eigenvalues>
#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>

namespace mixwell {
namespace {

using Eigen::ArrayXd;
using Eigen::MatrixXd;
using Eigen::VectorXd;

/// Columns whose mean and precision are laid out side by side, so that small d vectorises too.
constexpr Index tile = 8;

ArrayXd tiled(const ArrayXd& column) { return column.replicate(tile, 1); }

/// N(mean, Sigma) as the model needs it.
class Shape {
 public:
  explicit Shape(VectorXd mean) : mean_(std::move(mean)) {}
  virtual ~Shape() = default;
  Index dimension() const noexcept { return mean_.size(); }
  /// out.gradient = Sigma^-1 (theta - mean).
  virtual void gradient(const ConstBatch& theta, const Evaluation& out) const = 0;
  /// theta ~ N(mean, Sigma).
  virtual void draw(const Stream& stream, Draw at, Batch theta) const = 0;
  /// out.u = (theta - mean)' out.gradient / 2.
  virtual void potential(const ConstBatch& theta, const Evaluation& out) const {
    out.u() = 0.5 * out.gradient.cwiseProduct(theta.colwise() - mean_).colwise().sum();
  }

 protected:
  const VectorXd mean_;
};

/// Sigma = v I around m 1: one multiplication a coordinate, whatever the dimension.
class Round final : public Shape {
 public:
  Round(const VectorXd& mean, double variance)
      : Shape(mean), variance_(variance), precision_(1.0 / variance) {}

  void gradient(const ConstBatch& theta, const Evaluation& out) const override {
    flat(out.gradient) = precision_ * (flat(theta) - mean_(0));
  }

  /// v g'g / 2.
  void potential(const ConstBatch&, const Evaluation& out) const override {
    column_dots(out.gradient, out.gradient, out.u());
    out.u() *= 0.5 * variance_;
  }

  void draw(const Stream& stream, Draw at, Batch theta) const override {
    stream.normals(at, theta);
    flat(theta) = mean_(0) + std::sqrt(variance_) * flat(theta);
  }

 private:
  double variance_;
  double precision_;
};

/// Sigma = diag(variances).
class Axes final : public Shape {
 public:
  Axes(const VectorXd& mean, const VectorXd& variances)
      : Shape(mean),
        means_(tiled(mean)),
        precisions_(tiled(variances.cwiseInverse())),
        sd_(variances.cwiseSqrt()) {}

  void gradient(const ConstBatch& theta, const Evaluation& out) const override {
    const auto x = flat(theta);
    auto g = flat(out.gradient);
    for (Index first = 0; first < x.size(); first += means_.size()) {
      const Index n = std::min(means_.size(), x.size() - first);
      g.segment(first, n) = precisions_.head(n) * (x.segment(first, n) - means_.head(n));
    }
  }

  void draw(const Stream& stream, Draw at, Batch theta) const override {
    stream.normals(at, theta);
    theta.array().colwise() *= sd_.array();
    theta.colwise() += mean_;
  }

 private:
  ArrayXd means_;
  ArrayXd precisions_;
  VectorXd sd_;
};

/// Sigma = 1 1' + c I; by Sherman and Morrison Sigma^-1 v = (v - 1 m) / c + 1 m / (c + d) with m
/// the mean of v: O(d), and without the cancellation of v - 1 (1'v) / (c + d) at small c.
class OnesPlus final : public Shape {
 public:
  OnesPlus(const VectorXd& mean, double c) : Shape(mean), c_(c) {}

  void gradient(const ConstBatch& theta, const Evaluation& out) const override {
    Batch g = out.gradient;
    for (Index j = 0; j < g.cols(); ++j) {
      auto v = g.col(j).array();
      v = theta.col(j).array() - mean_.array();
      const double m = v.mean();
      v = (v - m) / c_ + m / (c_ + static_cast<double>(v.size()));
    }
  }

  /// sqrt(c) z + 1 w, where w is the normal of row d.
  void draw(const Stream& stream, Draw at, Batch theta) const override {
    MatrixXd z(theta.rows() + 1, theta.cols());
    stream.normals(at, z);
    theta = std::sqrt(c_) * z.topRows(theta.rows());
    theta.rowwise() += z.bottomRows<1>();
    theta.colwise() += mean_;
  }

 private:
  double c_;
};

/// Any Sigma = L L'.
class Dense final : public Shape {
 public:
  Dense(const VectorXd& mean, const Eigen::LLT<MatrixXd>& factor)
      : Shape(mean),
        lower_(factor.matrixL()),
        precision_(factor.solve(MatrixXd::Identity(factor.rows(), factor.cols()))) {}

  void gradient(const ConstBatch& theta, const Evaluation& out) const override {
    const Workspace::Frame frame(out.scratch);
    MatrixMap centred = out.scratch.matrix(theta.rows(), theta.cols());
    centred = theta.colwise() - mean_;
    Batch g = out.gradient;
    g.noalias() = precision_ * centred;
  }

  void draw(const Stream& stream, Draw at, Batch theta) const override {
    MatrixXd z(theta.rows(), theta.cols());
    stream.normals(at, z);
    theta.noalias() = lower_.triangularView<Eigen::Lower>() * z;
    theta.colwise() += mean_;
  }

 private:
  MatrixXd lower_;
  MatrixXd precision_;
};

std::string text(double value) {
  std::array<char, 32> buffer{};
  return {buffer.data(), std::to_chars(buffer.data(), buffer.data() + buffer.size(), value).ptr};
}

MatrixXd read_square(const std::string& path) {
  const CsvTable table(path);
  const auto d = static_cast<Index>(table.columns().size());
  if (table.rows() != d)
    throw InputError(path + ": a covariance is square, but there are " +
                     std::to_string(table.rows()) + " rows and " + std::to_string(d) + " columns");
  MatrixXd sigma(d, d);
  for (Index j = 0; j < d; ++j)
    sigma.col(j) = table.numbers(table.columns()[static_cast<std::size_t>(j)]);
  return sigma;
}

void require_symmetric(const MatrixXd& sigma, const std::string& path) {
  for (Index j = 0; j < sigma.cols(); ++j) {
    for (Index i = 0; i < j; ++i) {
      if (std::abs(sigma(i, j) - sigma(j, i)) <= 1e-12 * std::abs(sigma(i, j))) continue;
      throw InputError(path + ": a covariance is symmetric, but row " + std::to_string(i + 1) +
                       ", column " + std::to_string(j + 1) + " is " + text(sigma(i, j)) +
                       " and row " + std::to_string(j + 1) + ", column " + std::to_string(i + 1) +
                       " is " + text(sigma(j, i)));
    }
  }
}

Eigen::LLT<MatrixXd> positive_factor(const MatrixXd& sigma, const std::string& path) {
  Eigen::LLT<MatrixXd> factor(sigma);
  const double least_rcond = static_cast<double>(sigma.rows()) * 1e-15;
  if (factor.info() == Eigen::Success && factor.rcond() > least_rcond) return factor;
  const Eigen::SelfAdjointEigenSolver<MatrixXd> solver(sigma, Eigen::EigenvaluesOnly);
  throw InputError(path + ": a covariance is positive definite, but its smallest eigenvalue is " +
                   text(solver.eigenvalues().minCoeff()) + " (largest " +
                   text(solver.eigenvalues().maxCoeff()) + ")");
}

/// Variances condition^(-i / (d - 1)), i = 0 .. d - 1: from 1 down to 1 / condition.
VectorXd geometric(Index d, double condition) {
  const double last = std::max(1.0, static_cast<double>(d - 1));
  return pow(condition, -ArrayXd::LinSpaced(d, 0, static_cast<double>(d - 1)) / last).matrix();
}

VectorXd vector(const std::vector<double>& list) {
  return VectorXd::Map(list.data(), static_cast<Index>(list.size()));
}

class Gaussian final : public Model, public ExactSampler {
 public:
  struct Params {
    std::int64_t dimension = 0;
    std::vector<double> mean = {0.0};
    std::string covariance = "identity";
    std::vector<double> variances;
    std::optional<double> c;
    std::optional<double> condition;
    std::optional<std::string> file;

    void declare(Fields& fields) {
      fields.integer("dimension", dimension)
          .at_least(0)
          .help("number of coordinates d; 0 = as mean, variances or file have it");
      fields.numbers("mean", mean).help("d numbers, or one for all coordinates");
      fields.text("covariance", covariance)
          .one_of({"identity", "diagonal", "ones-plus", "dense", "geometric"})
          .help("shape of Sigma");
      fields.numbers("variances", variances).above(0).help("diagonal: d variances");
      fields.number("c", c).above(0).help("ones-plus: the c of Sigma = 1 1' + c I");
      fields.number("condition", condition)
          .at_least(1)
          .help("geometric: condition number; variance i is condition^(-i / (d - 1))");
      fields.text("file", file)
          .file()
          .help("dense: CSV of Sigma, a header of d names, then d rows");
    }
  };

  explicit Gaussian(const Params& params) : shape_(make_shape(params)) {}

  std::vector<Parameter> parameters() const override {
    return {{.name = "x", .shape = {shape_->dimension()}}};
  }
  const ExactSampler* as_exact() const noexcept override { return this; }
  void draw(const Stream& stream, Draw at, Batch theta) const override {
    shape_->draw(stream, at, theta);
  }

 private:
  /// A key belongs to one shape: there it must be given, elsewhere it must not.
  static void require_match(const Params& params, const std::string& shape, const std::string& key,
                            bool given) {
    if (given == (params.covariance == shape)) return;
    throw ParameterError(key, given ? "goes with covariance = \"" + shape + "\", but it is \"" +
                                          params.covariance + "\""
                                    : "must be given with covariance = \"" + shape + "\"");
  }

  /// d on which dimension, a longer mean and the covariance (0 = any) agree.
  static Index agreed_dimension(const Params& params, Index covariance) {
    Index d = covariance;
    const auto settle = [&d](const std::string& key, Index wanted) {
      if (wanted != 0 && d != 0 && wanted != d)
        throw ParameterError(key, "is for " + std::to_string(wanted) +
                                      " coordinates, but there are " + std::to_string(d));
      d = std::max(d, wanted);
    };
    settle("dimension", params.dimension);
    if (params.mean.size() != 1) settle("mean", static_cast<Index>(params.mean.size()));
    if (params.mean.empty()) throw ParameterError("mean", "is an empty list");
    if (d == 0) throw ParameterError("dimension", "must be at least 1 here: nothing else tells d");
    return d;
  }

  static VectorXd means(const Params& params, Index d) {
    if (params.mean.size() == 1) return VectorXd::Constant(d, params.mean.front());
    return vector(params.mean);
  }

  static std::unique_ptr<const Shape> make_dense(const Params& params) {
    const MatrixXd sigma = read_square(*params.file);
    require_symmetric(sigma, *params.file);
    const Index d = agreed_dimension(params, sigma.rows());
    return std::make_unique<Dense>(means(params, d), positive_factor(sigma, *params.file));
  }

  static std::unique_ptr<const Shape> make_axes(const VectorXd& mean, const VectorXd& variances) {
    const bool round = (mean.array() == mean(0)).all() && (variances.array() == variances(0)).all();
    if (round) return std::make_unique<Round>(mean, variances(0));
    return std::make_unique<Axes>(mean, variances);
  }

  static std::unique_ptr<const Shape> make_shape(const Params& params) {
    require_match(params, "diagonal", "variances", !params.variances.empty());
    require_match(params, "ones-plus", "c", params.c.has_value());
    require_match(params, "geometric", "condition", params.condition.has_value());
    require_match(params, "dense", "file", params.file.has_value());
    if (params.file) return make_dense(params);
    const Index d = agreed_dimension(params, static_cast<Index>(params.variances.size()));
    const VectorXd mean = means(params, d);
    if (params.c) return std::make_unique<OnesPlus>(mean, *params.c);
    if (params.condition) return std::make_unique<Axes>(mean, geometric(d, *params.condition));
    return make_axes(mean, params.variances.empty() ? VectorXd::Ones(d) : vector(params.variances));
  }

  void do_evaluate(ConstBatch theta, const Evaluation& out) const override {
    shape_->gradient(theta, out);
    if (out.wants_potential()) shape_->potential(theta, out);
  }

  std::unique_ptr<const Shape> shape_;
};

}  // namespace
}  // namespace mixwell

MIXWELL_PLUGIN(registrar) {
  registrar.add<mixwell::Gaussian>(
      {.id = "gaussian",
       .summary = "Normal distribution with a covariance of a chosen shape; exact draws",
       .details = "U(theta) = (theta - mean)' Sigma^-1 (theta - mean) / 2, without the constant; "
                  "parameter x of shape [d].\n"
                  "identity:  Sigma = I\n"
                  "diagonal:  Sigma = diag(variances)\n"
                  "geometric: Sigma = diag(condition^(-i / (d - 1))), i = 0 .. d - 1\n"
                  "ones-plus: Sigma = 1 1' + c I, inverted by Sherman and Morrison in O(d): one "
                  "direction of variance c + d, d - 1 of variance c\n"
                  "dense:     Sigma from a CSV file; d^2 multiplications a gradient",
       .sources = {}});
}
