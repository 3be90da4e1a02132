// A target density pi(theta) ~ exp(-U(theta)) on R^d, and the capabilities it may offer.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <mixwell/base/export.hpp>
#include <mixwell/base/random.hpp>
#include <mixwell/base/types.hpp>
#include <mixwell/base/workspace.hpp>
#include <mixwell/component/component.hpp>
#include <mixwell/law/constraint.hpp>
#include <mixwell/law/offer.hpp>

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace mixwell {

/// Of the results: the groups that ArviZ knows.
enum class RecordGroup {
  posterior,
  sample_stats,
  log_likelihood,        ///< log densities of the data one by one, which `az.loo` reads
  posterior_predictive,  ///< data drawn anew, which `az.plot_ppc` lays beside those seen
};

/// "posterior", ... as in draws.nc.
MIXWELL_EXPORT std::string_view to_string(RecordGroup group) noexcept;

/// Of a coordinate: it takes the whole numbers from `least` to `most`, held as doubles, and the law
/// is a density with respect to counting them. U is asked for only at whole numbers; its gradient
/// there is 0.
struct WholeNumbers {
  std::int64_t least = 0;
  std::int64_t most = 0;
  friend bool operator==(const WholeNumbers&, const WholeNumbers&) = default;
};

/// Named values and the neighbouring coordinates that they come from. The parameters of a model
/// follow one another, with d coordinates in all.
struct MIXWELL_EXPORT Parameter {
  std::string name;
  /// Of the values: empty = a scalar; otherwise lengths of the array's dimensions, last index
  /// fastest.
  std::vector<Index> shape;
  /// How coordinates become the values that are recorded. U of a Model is a function of the
  /// coordinates, and has the Jacobian in it; a ConstrainedModel adds it to one of the values.
  Constraint constraint{};
  /// Not sample_stats; what is no derived or generated quantity belongs to the posterior.
  RecordGroup group = RecordGroup::posterior;
  /// Names of the array's dimensions, one for each length, or none; "" for one without a name. The
  /// same name is the same dimension; Model::labels() may say what its elements are called.
  std::vector<std::string> dims{};
  /// Where its elements are no real numbers.
  std::optional<WholeNumbers> whole{};

  /// How many values there are.
  Index size() const noexcept;
  /// How many coordinates they come from; precondition: the shape is one of the constraint's.
  Index coordinates() const noexcept { return constraint.coordinates(shape); }
};

/// Where U and grad U of a batch go. `u` is 1 x R in nats, `g` d x R in nats per unit of theta. At
/// least one of the two is wanted; a model may save the other's work.
struct Evaluation {
  double* potential = nullptr;
  /// Without memory (its data() is null) where only U is wanted.
  Batch gradient;
  Workspace& scratch;
  /// Tells evaluations of a noisy law within one sweep apart: equal numbers are equal noise. Exact
  /// laws have no use for it.
  std::uint32_t draw = 0;

  /// Only U of theta (d x R).
  static Evaluation of_potential(double* u, ConstBatch theta, Workspace& scratch,
                                 std::uint32_t draw = 0) {
    return {u, MatrixMap(nullptr, theta.rows(), theta.cols()), scratch, draw};
  }

  bool wants_potential() const noexcept { return potential != nullptr; }
  bool wants_gradient() const noexcept { return gradient.data() != nullptr; }
  RowMap u() const { return {potential, gradient.cols()}; }
};

/// Quantities recorded beside the parameters, or in their place: a map of the whole position to a
/// vector of another size, such as that of d - 1 coordinates to a simplex of d numbers.
class MIXWELL_EXPORT Derived {
 public:
  virtual ~Derived();
  /// Constraints are ignored: `derive` writes what is recorded.
  virtual std::vector<Parameter> quantities() const = 0;
  /// theta d x R -> out q x R, q the sum of sizes.
  virtual void derive(ConstBatch theta, Batch out) const = 0;
  /// Whether the parameters themselves are not recorded; their names are free for quantities then.
  virtual bool replaces_parameters() const noexcept { return false; }
};

/// Quantities drawn anew at each recorded position, such as data that the model would predict. What
/// is sampled does not depend on them.
class MIXWELL_EXPORT Generated {
 public:
  virtual ~Generated();
  /// Constraints are ignored: `generate` writes what is recorded.
  virtual std::vector<Parameter> generated() const = 0;
  /// theta d x R -> out q x R, q the sum of sizes; column j belongs to replicate at.replicate + j.
  virtual void generate(ConstBatch theta, const Stream& stream, Address at, Batch out) const = 0;
};

/// What the elements of a dimension are called: groups, times, words.
struct Labels {
  std::string dim;
  std::vector<std::string> labels;  ///< as many as the dimension is long

  friend bool operator==(const Labels&, const Labels&) = default;
};

/// An array of numbers by its name.
struct NamedValues {
  std::string name;
  std::vector<Index> shape;         ///< as that of a parameter
  std::vector<double> values;       ///< last index fastest
  std::vector<std::string> dims{};  ///< as those of a parameter

  friend bool operator==(const NamedValues&, const NamedValues&) = default;
};

/// Independent draws of pi itself.
class MIXWELL_EXPORT ExactSampler {
 public:
  virtual ~ExactSampler();
  /// Fills theta (d x R); column j belongs to replicate at.replicate + j.
  virtual void draw(const Stream& stream, Address at, Batch theta) const = 0;
};

/// Independent draws of the prior.
class MIXWELL_EXPORT Prior {
 public:
  virtual ~Prior();
  virtual void draw(const Stream& stream, Address at, Batch theta) const = 0;
};

/// Positions given by the parameters as they are recorded.
class MIXWELL_EXPORT NamedPositions {
 public:
  virtual ~NamedPositions();
  /// Names and shapes of all that a position is made of.
  virtual std::vector<Parameter> named() const = 0;
  /// Fills theta (d x 1) from values in the order of named(). Throws InputError.
  virtual void position(const std::vector<NamedValues>& values, Batch theta) const = 0;
  /// Fills theta (d x 1) from one object of parameters by name, with NaN for coordinates of those
  /// that it leaves out: they start where Model::initial puts them. Throws InputError with the
  /// path.
  virtual void read_position(const std::string& path, Batch theta) const = 0;
};

class Model;

/// Data that can be drawn given the parameters, as the model says that they came about. With theta
/// a draw of the prior, theta is then a draw of the posterior of the new data, and independent of
/// all else that is known of them.
class MIXWELL_EXPORT DataDraws {
 public:
  virtual ~DataDraws();
  /// The model with data drawn at theta (d x 1) instead of its own; same parameters.
  virtual std::shared_ptr<Model> with_data_at(ConstBatch theta, const Stream& stream,
                                              Address at) const = 0;
};

class BlockPotential;  // <mixwell/law/block_potential.hpp>

/// How well a posterior predicts data it has not seen.
class MIXWELL_EXPORT Prediction {
 public:
  virtual ~Prediction();
  virtual Index cases() const = 0;
  /// How many numbers predict all cases: several for each where there are several labels.
  virtual Index predicted() const { return cases(); }
  /// theta d x R -> out predicted x R: numbers whose average over draws predicts the cases, such as
  /// the probability of the positive label.
  virtual void predict(ConstBatch theta, Batch out) const = 0;
  /// What error() is: "error rate", "root mean square error".
  virtual std::string measure() const { return "error rate"; }
  /// Of the averages over draws, predicted x 1: the share of cases whose label another one is given
  /// more probability than, or what measure() says.
  virtual double error(const Eigen::VectorXd& averages) const = 0;
};

/// A Riemannian metric G(theta), symmetric and positive definite, such as the expected Fisher
/// information plus the prior's Hessian.
class MIXWELL_EXPORT Metric {
 public:
  virtual ~Metric();
  /// theta d x w -> G d^2 x w: column j holds the matrix of theta.col(j).
  virtual void metric(ConstBatch theta, Batch G, Workspace& scratch) const = 0;
  /// out_i = sum_ab W_ab dG_ab / dtheta_i for symmetric W: theta d x w, W d^2 x w -> out d x w.
  virtual void contract_derivative(ConstBatch theta, ConstBatch W, Batch out,
                                   Workspace& scratch) const = 0;
  /// out_a = sum_bj W_bj dG_ab / dtheta_j for symmetric W, shapes as above: Gamma of H = G^-1 is
  /// -G^-1 times this with W = G^-1. Equal to contract_derivative where G is the Hessian of
  /// some function.
  virtual void contract_crosswise(ConstBatch theta, ConstBatch W, Batch out,
                                  Workspace& scratch) const = 0;
  /// Declares that G is the same everywhere.
  virtual bool is_constant() const noexcept { return false; }
};

/// A potential that is a sum over cases of the data, U = U_0 + sum_n u_n: what minibatches need.
/// The sums are over the whole, never means; whoever takes some of the terms scales them.
class MIXWELL_EXPORT SumOfTerms {
 public:
  virtual ~SumOfTerms();
  /// N, how many u_n there are.
  virtual Index terms() const noexcept = 0;
  /// Declares that exp(-U_0) is the prior, a density of theta in which nothing of the data is, and
  /// the u_n the likelihood.
  virtual bool rest_is_prior() const noexcept { return false; }
  /// U_0 and its gradient at each column of theta: all that does not belong to a case.
  virtual void evaluate_rest(ConstBatch theta, const Evaluation& out) const = 0;
  /// The sum of u_n over the n in column j of `indices` (b x w, whole numbers below N, repeats
  /// count) and its gradient, at column j of theta. O(b d) a column.
  virtual void evaluate_terms(ConstBatch theta, ConstBatch indices,
                              const Evaluation& out) const = 0;
  /// Gradients one by one, at a single point: theta d x 1, indices b x 1 -> out d x b. By default
  /// evaluate_terms of b columns; O(d b) memory.
  virtual void gradients_of_terms(ConstBatch theta, ConstBatch indices, Batch out,
                                  Workspace& scratch) const;
  /// Which of `strata` sets of cases the n-th belongs to, a number below `strata`: stretches of the
  /// data, unless the model knows sets whose parts can be worked on side by side, as the blocks of
  /// a matrix that share no row and no column.
  virtual Index stratum(Index n, Index strata) const;
};

/// How the gradient of U grows: what a scheme without Metropolis rests on, whose argument is one
/// for eps -> 0. The weaker later.
enum class GradientGrowth {
  lipschitz,          ///< |grad U(x) - grad U(y)| <= L |x - y| everywhere
  locally_lipschitz,  ///< on every bounded set, and U is finite everywhere: tails may be steep
  singular,           ///< unbounded, or ends, at a place that a step can reach: a bounded support
  undeclared,
};

/// The density of a model by another implementation, for `mixwell check --gradient`.
struct SecondModel {
  std::string made_by;  ///< "engine interpret (stanli, build 1)"
  /// Same parameters; U may differ by a constant. Null where it cannot be made.
  std::shared_ptr<const Model> model;
  std::string why_not{};  ///< where it is null
};

/// Immutable; all methods may be called from several threads at once. It offers (Offering::offers)
/// what it has as further public base classes: Derived, Generated, ExactSampler, Prior,
/// NamedPositions, DataDraws, Prediction, Metric, SumOfTerms and, of headers of their own,
/// ConditionalDraws, EstimatedDensity (kernels then know the density only by an estimate),
/// GaussianPrior, HessianProducts, MarginalLaws.
class MIXWELL_EXPORT Model : public Component, public Offering {
 public:
  static constexpr Kind kind = Kind::model;
  ~Model() override;

  virtual std::vector<Parameter> parameters() const = 0;
  /// d, the sum of the parameters' coordinates.
  Index dimension() const;

  /// Remarks for the reader of a run ("column x is constant"), one sentence each. Asked for before
  /// the run, and again when it has ended.
  virtual std::vector<std::string> remarks() const { return {}; }
  /// What it was made of beside the files that its keys name, such as a library that it found by
  /// itself. Their contents belong to a run's origin and to what a cell of a study is.
  virtual std::vector<std::string> files() const { return {}; }

  /// Nothing where there is one implementation.
  virtual std::optional<SecondModel> second() const { return std::nullopt; }
  /// What readers of the results lay beside draws of the posterior predictive law.
  virtual std::vector<NamedValues> observed_data() const { return {}; }
  /// What else it was given, such as covariates; recorded once.
  virtual std::vector<NamedValues> constant_data() const { return {}; }
  /// Of dimensions that parameters, quantities and data name.
  virtual std::vector<Labels> labels() const { return {}; }
  /// Why U or its gradient is not finite at theta (d x 1), such as "log_likelihood of case 17 is
  /// nan", or "".
  virtual std::string trouble_at(ConstBatch) const { return {}; }

  /// U as a function of these coordinates (ascending) given the rest, where that takes less than
  /// the whole; else null.
  virtual std::shared_ptr<const BlockPotential> block_potential(
      const std::vector<Index>& coordinates) const;
  /// Declares that the Hessian of U is the same everywhere: a Gaussian.
  virtual bool has_constant_hessian() const noexcept { return false; }
  /// Declared by every model that schemes without Metropolis are to be certified on; the contract
  /// of models tests it.
  virtual GradientGrowth gradient_growth() const noexcept { return GradientGrowth::undeclared; }
  /// The same of a law on half lines, within its support: what `mirrored` has of it.
  virtual GradientGrowth gradient_growth_inside() const noexcept { return gradient_growth(); }

  /// Where Evaluation::wants_gradient() is false, do_evaluate leaves the gradient alone. Of other
  /// models it is evaluated all the same, and thrown away.
  virtual bool evaluates_potential_alone() const noexcept { return false; }
  /// U and grad U of every column of theta (d x R). U = +inf outside the support; NaN is trouble of
  /// only that column. theta and gradient must not overlap. Every column's result depends on that
  /// column, the batch width and its position only.
  void evaluate(ConstBatch theta, const Evaluation& out) const;
  /// Positions to start from: by default independent uniforms on (-2, 2), and on the whole numbers
  /// of those coordinates that take them.
  void initial(const Stream& stream, Address at, Batch theta) const;

 protected:
  virtual void do_evaluate(ConstBatch theta, const Evaluation& out) const = 0;
  virtual void do_initial(const Stream& stream, Address at, Batch theta) const;
};

/// Of a model, in all.
inline constexpr double most_coordinates = 4294967296.0;

/// "" where results can have a parameter (a column of draws.nc) of that name, else the rule that it
/// breaks, such as "has a slash". UTF-8 of 1 to 240 bytes that begins with a letter, a digit, `_`
/// or a character beyond ASCII; no slash, no control character, no blank at its end; not chain,
/// draw, replicate, slot or sample, which draws.nc uses itself.
MIXWELL_EXPORT std::string broken_name_rule(std::string_view name);

/// Names of all coordinates of the parameters, such as `beta[3]`: 0-based, as in ArviZ. Where a
/// number has no coordinate of its own (Constraint::is_of_numbers), `unconstrained_beta[3]`.
MIXWELL_EXPORT std::vector<std::string> coordinate_names(const std::vector<Parameter>& parameters);

/// Of each coordinate: what it takes, where it takes whole numbers.
MIXWELL_EXPORT std::vector<std::optional<WholeNumbers>> whole_numbers(
    const std::vector<Parameter>& parameters);

/// Coordinates that take real numbers, ascending: all but those of parameters with `whole`.
MIXWELL_EXPORT std::vector<Index> real_coordinates(const std::vector<Parameter>& parameters);

}  // namespace mixwell
