// Model `ica`: the unmixing matrix of independent component analysis with logistic sources.
// SPDX-License-Identifier: Apache-2.0
#include "ica/inverse.hpp"
#include "ica/mixture.hpp"
#include "ica/sources.hpp"

#include <mixwell/plugin.hpp>

#include <Eigen/LU>

#include <cmath>
#include <numbers>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace mixwell::ica {
namespace {

using Eigen::MatrixXd;
using Eigen::VectorXd;

/// N cases in rows, c channels in columns, and remarks about them.
struct Mixtures {
  MatrixXd x;
  std::vector<std::string> remarks;
};

void refuse_repeated(const std::vector<std::string>& inputs) {
  std::set<std::string> seen;
  for (const std::string& input : inputs)
    if (!seen.insert(input).second)
      throw ParameterError("inputs", "names \"" + input + "\" twice. Name each column once.");
}

Mixtures read(const std::string& path, std::vector<std::string> inputs,
              const std::string& missing) {
  CsvTable table(path);
  refuse_repeated(inputs);
  if (inputs.empty()) inputs = table.columns();
  Mixtures all;
  if (std::string dropped =
          table.settle_missing(inputs, missing, ", and `inputs` chooses the columns that are used");
      !dropped.empty())
    all.remarks.push_back(std::move(dropped));
  all.x.resize(table.rows(), static_cast<Index>(inputs.size()));
  for (Index i = 0; i < all.x.cols(); ++i) {
    const std::string& input = inputs[static_cast<std::size_t>(i)];
    all.x.col(i) = table.numbers(input);
    if ((all.x.col(i).array() == all.x(0, i)).all())
      throw InputError(path + ": column \"" + input +
                       "\" is constant, but a mixture of independent sources is never constant. "
                       "Leave this column out of `inputs`.");
  }
  return all;
}

Mixtures simulate(const ica::Simulation& simulation) {
  Mixtures all{ica::simulated_mixtures(simulation), {}};
  constexpr Index most = 8;  // larger matrices would make the remark too long to read
  if (simulation.channels <= most)
    all.remarks.push_back(ica::remark_on(ica::simulated_unmixing(simulation)));
  return all;
}

/// Subtracts the mean of each column and divides by its standard deviation.
void standardize(MatrixXd& x) {
  x.rowwise() -= x.colwise().mean().eval();
  const auto n = static_cast<double>(x.rows());
  x.array().rowwise() /= (x.colwise().squaredNorm().array() / (n - 1)).sqrt().eval();
}

class IndependentComponents final : public Model,
                                    public Prior,
                                    public DataDraws,
                                    public SumOfTerms,
                                    public Generated {
 public:
  struct Params {
    std::optional<std::string> data;
    std::vector<std::string> inputs;
    std::string missing = "refuse";
    bool standardize = false;
    ica::Simulation simulation;
    double prior_variance = 100;

    void declare(Fields& fields) {
      fields.text("data", data)
          .file()
          .help(
              "CSV file of the cases x_n, plain or gzipped; without this key, the cases are "
              "simulated");
      fields.texts("inputs", inputs)
          .help("with data: columns that are channels; by default all columns");
      fields.text("missing", missing)
          .one_of({"refuse", "drop"})
          .help(
              "with data: what to do with rows that have a missing value (empty, NA, N/A, NULL, ?, "
              "...)")
          .only_with("data");
      fields.flag("standardize", standardize)
          .help("with data: scale each channel to mean 0 and standard deviation 1 (divisor n - 1)");
      simulation.declare(fields);
      fields.number("prior_variance", prior_variance)
          .above(0)
          .help("variance of the prior N(0, prior_variance) of each w_ij");
    }
  };

  explicit IndependentComponents(const Params& params)
      : IndependentComponents(params.prior_variance, make_mixtures(params)) {}

  std::vector<Parameter> parameters() const override {
    return {{.name = "W", .shape = {channels_, channels_}}};
  }
  std::vector<std::string> remarks() const override { return remarks_; }

  /// U contains log |det W|: a step can cross det W = 0, where W^-T is unbounded.
  GradientGrowth gradient_growth() const noexcept override { return GradientGrowth::singular; }
  void draw(const Stream& stream, Address at, Batch theta) const override {
    stream.normals(at, theta);
    theta *= std::sqrt(prior_variance_);
  }

  /// x_n = W^-1 s_n. Source i of case n is log(u / (1 - u)), where u is uniform number i of
  /// replicate n.
  std::shared_ptr<Model> with_data_at(ConstBatch theta, const Stream& stream,
                                      Address at) const override {
    MatrixXd sources(channels_, terms());
    stream.uniforms(at, sources);
    sources = (sources.array() / (1.0 - sources.array())).log().matrix();
    const MatrixXd W = ConstMatrixMap(theta.data(), channels_, channels_).transpose();
    Mixtures drawn{W.partialPivLu().solve(sources).transpose(), {}};
    return std::shared_ptr<Model>(new IndependentComponents(prior_variance_, std::move(drawn)));
  }

  std::vector<NamedValues> observed_data() const override {
    return {{.name = "x",
             .shape = {terms(), channels_},
             .values = {x_.data(), x_.data() + x_.size()},
             .dims = {"case", "channel"}}};
  }
  std::vector<Parameter> generated() const override {
    return {
        {.name = "x", .shape = {terms()}, .group = RecordGroup::log_likelihood, .dims = {"case"}},
        {.name = "x",
         .shape = {terms(), channels_},
         .group = RecordGroup::posterior_predictive,
         .dims = {"case", "channel"}}};
  }
  /// log p(x_n | W) of each case, then new x_n drawn as in with_data_at. Costs 2 N c^2
  /// multiplications and additions for each column, and 2 N c logarithms. If W is singular, the
  /// results are -inf and NaN.
  void generate(ConstBatch theta, const Stream& stream, Address at, Batch out) const override {
    const Index N = terms();
    Workspace scratch;
    MatrixMap sources = scratch.matrix(channels_, N);
    MatrixMap inverse = scratch.matrix(channels_, channels_);
    stream.uniforms(at, out.bottomRows(N * channels_));
    for (Index j = 0; j < theta.cols(); ++j) {
      const auto W = ConstMatrixMap(theta.col(j).data(), channels_, channels_).transpose();
      inverse = W;
      const double log_det = ica::invert(inverse, scratch);
      sources.noalias() = W * x_;
      out.col(j).head(N) = log_densities(sources).transpose().array() + log_det;
      MatrixMap drawn(out.col(j).data() + N, channels_, N);
      sources = (drawn.array() / (1.0 - drawn.array())).log().matrix();
      drawn.noalias() = inverse * sources;
    }
  }

  Index terms() const noexcept override { return sources_.cases(); }
  bool rest_is_prior() const noexcept override { return true; }
  void evaluate_rest(ConstBatch theta, const Evaluation& out) const override {
    Batch gradient = out.gradient;
    gradient = theta / prior_variance_;
    if (out.wants_potential()) out.u() = (0.5 / prior_variance_) * theta.colwise().squaredNorm();
  }
  void evaluate_terms(ConstBatch theta, ConstBatch indices, const Evaluation& out) const override {
    Batch gradient = out.gradient;
    gradient.setZero();
    if (out.wants_potential()) out.u().setZero();
    add_terms(theta, indices.rows(), out, [&](Index j, ConstBatch rows, Batch to) {
      return sources_.add_some(indices.col(j), rows, to, out.wants_potential(), out.scratch);
    });
  }
  void gradients_of_terms(ConstBatch theta, ConstBatch indices, Batch out,
                          Workspace& scratch) const override {
    const Workspace::Frame frame(scratch);
    const ConstMatrixMap rows(theta.data(), channels_, channels_);
    sources_.gradients_of_terms(rows, indices, out);
    MatrixMap inverse = scratch.matrix(channels_, channels_);
    inverse = rows.transpose();
    ica::invert(inverse, scratch);
    out.colwise() -= Eigen::Map<const VectorXd>(inverse.data(), inverse.size());
  }

 private:
  IndependentComponents(double prior_variance, Mixtures mixtures)
      : channels_(mixtures.x.cols()),
        x_(mixtures.x.transpose()),
        sources_(mixtures.x),
        scale_(mixtures.x.colwise().squaredNorm() / static_cast<double>(mixtures.x.rows())),
        prior_variance_(prior_variance),
        remarks_(std::move(mixtures.remarks)) {
    scale_ = (std::numbers::pi / std::numbers::sqrt3) * scale_.array().rsqrt();
  }

  static Mixtures make_mixtures(const Params& params) {
    const ica::Simulation& simulation = params.simulation;
    const auto refuse = [&](const std::string& key, bool given) {
      if (given)
        throw ParameterError(
            key,
            params.data
                ? "works only with simulated cases, but `data` is given. Remove this key or `data`."
                : "works only with `data`, which is not given. Give `data`, or leave this key "
                  "out.");
    };
    if (!params.data) {
      refuse("inputs", !params.inputs.empty());
      refuse("standardize", params.standardize);
      if (simulation.cases == 0)
        throw ParameterError("cases",
                             "must be at least 1 if `data` is not given. Give `cases` or `data`.");
      return simulate(simulation);
    }
    refuse("cases", simulation.cases != 0);
    Mixtures all = read(*params.data, params.inputs, params.missing);
    if (params.standardize) standardize(all.x);
    return all;
  }

  void do_evaluate(ConstBatch theta, const Evaluation& out) const override {
    evaluate_rest(theta, out);
    add_terms(theta, terms(), out, [&](Index, ConstBatch rows, Batch to) {
      return sources_.add(rows, to, out.wants_potential(), out.scratch);
    });
  }

  /// W_ij = (delta_ij + 0.2 z_ij / sqrt(c)) scale_j. So source i is close to channel i, and has the
  /// width of the logistic density.
  void do_initial(const Stream& stream, Address at, Batch theta) const override {
    stream.normals(at, theta);
    theta *= 0.2 / std::sqrt(static_cast<double>(channels_));
    for (Index j = 0; j < theta.cols(); ++j) {
      MatrixMap rows(theta.col(j).data(), channels_, channels_);
      rows.diagonal().array() += 1;
      rows = scale_.asDiagonal() * rows;
    }
  }

  /// Adds some cases to `out`: -cases log|det W|, and the value of `add_sources(j, rows,
  /// gradient)`, which also adds to the gradient at position j. Row w_i of this position is column
  /// i of `rows` (c x c).
  template <class AddSources>
  void add_terms(ConstBatch theta, Index cases, const Evaluation& out,
                 const AddSources& add_sources) const {
    const Workspace::Frame frame(out.scratch);
    MatrixMap inverse = out.scratch.matrix(channels_, channels_);
    Batch all = out.gradient;
    for (Index j = 0; j < theta.cols(); ++j) {
      const ConstMatrixMap rows(theta.col(j).data(), channels_, channels_);
      MatrixMap gradient(all.col(j).data(), channels_, channels_);
      inverse = rows.transpose();
      const auto n = static_cast<double>(cases);
      const double log_det = ica::invert(inverse, out.scratch);
      gradient -= n * inverse;
      const double u = add_sources(j, rows, gradient);
      if (out.wants_potential()) out.u()(j) += u - n * log_det;
    }
  }

  /// sum_i -log(4 cosh^2(s_i / 2)) for each column s.
  static Eigen::RowVectorXd log_densities(ConstBatch sources) {
    const auto size = sources.array().abs();
    return -(size + 2.0 * (-size).exp().log1p()).colwise().sum();
  }

  Index channels_;
  MatrixXd x_;  ///< c x N
  ica::Sources sources_;
  VectorXd scale_;  ///< standard deviation of the logistic density over the root mean square of a
                    ///< channel
  double prior_variance_;
  std::vector<std::string> remarks_;
};

}  // namespace
}  // namespace mixwell::ica

MIXWELL_PLUGIN(registrar) {
  registrar.add<mixwell::ica::IndependentComponents>(
      {.id = "ica",
       .summary = "Independent component analysis with logistic sources, for cases from a CSV file "
                  "or simulated cases",
       .details =
           "p(x | W) = |det W| prod_i p(w_i' x), where w_i is row i of the unmixing matrix W (c x "
           "c), and p(y) = 1 / (4 cosh^2(y / 2)) is the logistic density, whose variance is pi^2 / "
           "3. The prior is w_ij ~ N(0, prior_variance), so\nU(W) = -N log|det W| + sum_n sum_i "
           "log(4 cosh^2(w_i' x_n / 2)) + |W|^2 / (2 prior_variance), and +inf if W is singular. "
           "Any order and any signs of the rows give the same U. So there are 2^c c! equal modes, "
           "and samplers do not move between them if N is large.\nA run records W[i, j], where row "
           "i belongs to source i. Starting points have w_ij = (delta_ij + 0.2 z_ij / sqrt(c)) k_j "
           "with independent z_ij ~ N(0, 1), where k_j is pi / sqrt(3) divided by the root mean "
           "square of channel j. So the starting points have about the scale of a mode, and are "
           "far from singular matrices.\nWith data, the channels are columns of a CSV file, "
           "unchanged or standardised. The sources have mean 0, so the channels should have mean 0 "
           "too. Without data, Mixwell simulates N cases A s_n, neither centred nor scaled. The "
           "entries of s_n are independent logistic variables log(u / (1 - u)). The uniform "
           "variables u come from replicate n of the random stream with seed `simulate_seed` and "
           "name \"ica/sources\". The mixing matrix is A = Q D R'. Q and R are the orthogonal "
           "factors of the QR decompositions of two c x c matrices of normals. The normals for Q "
           "come from replicates 0 to c - 1 of the stream \"ica/mixing\", and the normals for R "
           "from replicates c to 2 c - 1. D is diagonal, and its entries are a geometric sequence "
           "from 1 / sqrt(condition) to sqrt(condition). A remark of the run gives W = A^-1 if c "
           "is at most 8.\nOne gradient costs 4 N c^2 multiplications and additions, N c "
           "exponentials and divisions, and 2 c^3 operations for the inverse. The positions of all "
           "replicates are evaluated in one pass over the data. U is the sum U_0 + sum_n u_n. U_0 "
           "is the prior's part, and u_n = -log|det W| + sum_i log(4 cosh^2(w_i' x_n / 2)) is the "
           "term of case n. For each case Mixwell records log p(x_n | W) and all channels of a new "
           "draw of x_n (see the key `run.predictive`). The order and the signs of the rows do not "
           "change log p(x_n | W).",
       .sources = {"Hyvarinen & Oja 2000, Neural Networks 13, 411-430 (likelihood)",
                   "Welling & Teh 2011, ICML, section 5.3 (prior and density, printed as 1 / (4 "
                   "cosh^2(y / 2)))",
                   "Zhang, Shahbaba & Zhao, Variational Hamiltonian Monte Carlo, section 4.4 (the "
                   "density is printed as 1 / (4 cosh(y / 2)), whose integral is not 1)"}});
}
