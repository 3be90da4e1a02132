// The interface of models: a target density pi(theta) ~ exp(-U(theta)) on R^d, and the optional
// capabilities of a model.
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

/// The groups of results, as ArviZ names them.
enum class RecordGroup {
  posterior,
  sample_stats,
  log_likelihood,        ///< log density of each case of the data, which `az.loo` reads
  posterior_predictive,  ///< data drawn from the posterior predictive distribution, for
                         ///< `az.plot_ppc`
};

/// The group's name in draws.nc, such as "posterior".
MIXWELL_EXPORT std::string_view to_string(RecordGroup group) noexcept;

/// Declares that a coordinate holds whole numbers from `least` to `most`, stored as doubles. The
/// model's density is then a density with respect to the counting measure on these numbers. U is
/// evaluated only at whole numbers, and its gradient in this coordinate is 0.
struct WholeNumbers {
  std::int64_t least = 0;
  std::int64_t most = 0;
  friend bool operator==(const WholeNumbers&, const WholeNumbers&) = default;
};

/// A named array of values, and the consecutive coordinates from which they are computed. The
/// coordinates of a model's parameters follow one another in order. Their total number is d.
struct MIXWELL_EXPORT Parameter {
  std::string name;
  /// Shape of the values: the lengths of the array's dimensions, with the last index fastest. Empty
  /// for a scalar.
  std::vector<Index> shape;
  /// Maps coordinates to the recorded values. U of a Model is a function of the coordinates and
  /// already includes -log |J|, J the Jacobian of this map. A ConstrainedModel adds -log |J| to a U
  /// that is a function of the values.
  Constraint constraint{};
  /// The group in the results, which must not be sample_stats. Everything except derived and
  /// generated quantities belongs to the posterior group.
  RecordGroup group = RecordGroup::posterior;
  /// Names of the array's dimensions: one for each length in `shape`, or none at all. "" leaves a
  /// dimension without a name. Equal names mean the same dimension. Model::labels() may name the
  /// elements of a dimension.
  std::vector<std::string> dims{};
  /// Set if the elements are whole numbers; empty for real numbers.
  std::optional<WholeNumbers> whole{};

  /// Number of values.
  Index size() const noexcept;
  /// Number of coordinates. Precondition: the constraint supports this shape.
  Index coordinates() const noexcept { return constraint.coordinates(shape); }
};

/// Tells a model where to write U and grad U of a batch. `u` is 1 x R, in nats; `gradient` is d x
/// R, in nats per unit of theta. The caller wants at least one of the two. A model may skip the
/// work for the other one.
struct Evaluation {
  double* potential = nullptr;
  /// Its data() is null if the caller wants only U.
  Batch gradient;
  Workspace& scratch;
  /// Distinguishes the evaluations of a noisy law within one sweep: equal numbers give equal noise.
  /// Exact laws ignore it.
  std::uint32_t draw = 0;

  /// Requests only U of theta (d x R).
  static Evaluation of_potential(double* u, ConstBatch theta, Workspace& scratch,
                                 std::uint32_t draw = 0) {
    return {u, MatrixMap(nullptr, theta.rows(), theta.cols()), scratch, draw};
  }

  bool wants_potential() const noexcept { return potential != nullptr; }
  bool wants_gradient() const noexcept { return gradient.data() != nullptr; }
  RowMap u() const { return {potential, gradient.cols()}; }
};

/// A capability: quantities that are computed from the whole position and recorded beside the
/// parameters, or instead of them. Use it for maps that change the number of values, such as d - 1
/// coordinates to a simplex of d numbers.
class MIXWELL_EXPORT Derived {
 public:
  virtual ~Derived();
  /// Names and shapes of the quantities. Constraints of the quantities are ignored, because
  /// `derive` writes the recorded values.
  virtual std::vector<Parameter> quantities() const = 0;
  /// Computes the quantities: theta (d x R) -> out (q x R), where q is the sum of their sizes.
  virtual void derive(ConstBatch theta, Batch out) const = 0;
  /// If true, the parameters themselves are not recorded, and quantities may use their names.
  virtual bool replaces_parameters() const noexcept { return false; }
};

/// A capability: quantities that are drawn at random at each recorded position, such as data that
/// the model predicts. The sampler's own draws do not depend on them.
class MIXWELL_EXPORT Generated {
 public:
  virtual ~Generated();
  /// Names and shapes of the quantities. Constraints of the quantities are ignored, because
  /// `generate` writes the recorded values.
  virtual std::vector<Parameter> generated() const = 0;
  /// Draws the quantities: theta (d x R) -> out (q x R), where q is the sum of their sizes. Column
  /// j belongs to replicate at.replicate + j.
  virtual void generate(ConstBatch theta, const Stream& stream, Address at, Batch out) const = 0;
};

/// Names for the elements of one dimension: groups, times, words.
struct Labels {
  std::string dim;
  std::vector<std::string> labels;  ///< one for each element of the dimension

  friend bool operator==(const Labels&, const Labels&) = default;
};

/// An array of numbers with a name.
struct NamedValues {
  std::string name;
  std::vector<Index> shape;         ///< as Parameter::shape
  std::vector<double> values;       ///< last index fastest
  std::vector<std::string> dims{};  ///< as Parameter::dims

  friend bool operator==(const NamedValues&, const NamedValues&) = default;
};

/// A capability: independent draws from pi itself.
class MIXWELL_EXPORT ExactSampler {
 public:
  virtual ~ExactSampler();
  /// Fills theta (d x R) with draws. Column j belongs to replicate at.replicate + j.
  virtual void draw(const Stream& stream, Address at, Batch theta) const = 0;
};

/// A capability: independent draws from the prior. `draw` fills theta as ExactSampler::draw does.
class MIXWELL_EXPORT Prior {
 public:
  virtual ~Prior();
  virtual void draw(const Stream& stream, Address at, Batch theta) const = 0;
};

/// A capability: builds a position from the recorded values of the parameters.
class MIXWELL_EXPORT NamedPositions {
 public:
  virtual ~NamedPositions();
  /// Names and shapes of all arrays that together determine a position.
  virtual std::vector<Parameter> named() const = 0;
  /// Fills theta (d x 1) from values in the order of named(). Throws InputError if a position
  /// cannot be made from the values.
  virtual void position(const std::vector<NamedValues>& values, Batch theta) const = 0;
  /// Fills theta (d x 1) from a JSON file with one object that maps parameter names to values.
  /// Coordinates of parameters that are not in the file become NaN, and then start where
  /// Model::initial puts them. Throws an InputError that names the path.
  virtual void read_position(const std::string& path, Batch theta) const = 0;
};

class Model;

/// A capability: draws a new data set given the parameters, from the model's own data distribution.
/// If theta is a draw from the prior, then it is also a draw from the posterior of the new data.
/// Given the new data, theta is independent of everything else that is computed from these data.
class MIXWELL_EXPORT DataDraws {
 public:
  virtual ~DataDraws();
  /// Returns the same model with data drawn at theta (d x 1) instead of its own data. The
  /// parameters stay the same.
  virtual std::shared_ptr<Model> with_data_at(ConstBatch theta, const Stream& stream,
                                              Address at) const = 0;
};

class ConditionalPotential;  // <mixwell/law/conditional_potential.hpp>

/// A capability: measures how well a posterior predicts data that the model has not seen.
class MIXWELL_EXPORT Prediction {
 public:
  virtual ~Prediction();
  /// Number of cases to predict.
  virtual Index cases() const = 0;
  /// Number of predicted values for all cases together. It exceeds cases() if each case has several
  /// labels.
  virtual Index predicted() const { return cases(); }
  /// Computes the predicted values: theta (d x R) -> out (predicted() x R). Their average over
  /// draws is the prediction, such as the probability of the positive label.
  virtual void predict(ConstBatch theta, Batch out) const = 0;
  /// Names what error() measures, such as "error rate" or "root mean square error".
  virtual std::string measure() const { return "error rate"; }
  /// Computes the prediction error from the averages over draws (predicted() x 1). With the default
  /// measure(), this is the fraction of cases in which a wrong label has a higher probability than
  /// the true one.
  virtual double error(const Eigen::VectorXd& averages) const = 0;
};

/// A capability: a Riemannian metric G(theta), symmetric and positive definite, such as the
/// expected Fisher information plus the Hessian of the prior's potential.
class MIXWELL_EXPORT Metric {
 public:
  virtual ~Metric();
  /// Computes G: theta (d x w) -> G (d^2 x w). Column j holds the matrix at theta.col(j).
  virtual void metric(ConstBatch theta, Batch G, Workspace& scratch) const = 0;
  /// Computes out_i = sum_ab W_ab dG_ab / dtheta_i for symmetric W: theta (d x w) and W (d^2 x w)
  /// -> out (d x w).
  virtual void contract_derivative(ConstBatch theta, ConstBatch W, Batch out,
                                   Workspace& scratch) const = 0;
  /// Computes out_a = sum_bj W_bj dG_ab / dtheta_j for symmetric W, with the shapes of
  /// contract_derivative. With W = G^-1, Gamma of H = G^-1 is -G^-1 times this result. It equals
  /// contract_derivative if G is the Hessian of a function.
  virtual void contract_crosswise(ConstBatch theta, ConstBatch W, Batch out,
                                  Workspace& scratch) const = 0;
  /// Declares that G does not depend on theta.
  virtual bool is_constant() const noexcept { return false; }
};

/// A capability that minibatches need: a potential that is a sum over cases of the data, U = U_0 +
/// sum_n u_n. U_0 and the u_n are added and never averaged. A caller that uses only some of the
/// terms must scale them itself.
class MIXWELL_EXPORT SumOfTerms {
 public:
  virtual ~SumOfTerms();
  /// N, the number of terms u_n.
  virtual Index terms() const noexcept = 0;
  /// Declares that exp(-U_0) is the prior density of theta, which does not depend on the data, and
  /// that the u_n are the likelihood.
  virtual bool rest_is_prior() const noexcept { return false; }
  /// Computes U_0 and its gradient at each column of theta: everything that does not belong to a
  /// case.
  virtual void evaluate_rest(ConstBatch theta, const Evaluation& out) const = 0;
  /// Computes the sum of u_n over the n in column j of `indices`, and its gradient, at column j of
  /// theta. `indices` is b x w and holds whole numbers below N. Repeated indices count each time.
  /// Cost: O(b d) for each column.
  virtual void evaluate_terms(ConstBatch theta, ConstBatch indices,
                              const Evaluation& out) const = 0;
  /// Computes the gradient of each term separately at one point: theta (d x 1) and indices (b x 1)
  /// -> out (d x b). The default calls evaluate_terms with b columns. Memory: O(d b).
  virtual void gradients_of_terms(ConstBatch theta, ConstBatch indices, Batch out,
                                  Workspace& scratch) const;
  /// Assigns case n to one of `strata` sets: returns a number below `strata`. By default the sets
  /// are consecutive stretches of the data. A model may override this if it knows sets whose parts
  /// can be processed in parallel, such as blocks of a matrix that share no row and no column.
  virtual Index stratum(Index n, Index strata) const;
};

/// The growth of the gradient of U. The certificates of schemes without a Metropolis decision
/// depend on this growth, because the error bounds of such schemes hold as eps -> 0. The
/// enumerators go from the strongest statement to the weakest.
enum class GradientGrowth {
  lipschitz,          ///< |grad U(x) - grad U(y)| <= L |x - y| everywhere
  locally_lipschitz,  ///< Lipschitz on every bounded set, and U is finite everywhere; tails may be
                      ///< steep
  singular,  ///< unbounded or undefined at a place that a step can reach, such as a bounded support
  undeclared,
};

/// The same density from another implementation, for `mixwell check --gradient`.
struct SecondModel {
  std::string made_by;  ///< "engine interpret (stanli, build 1)"
  /// A model with the same parameters; U may differ by a constant. Null if it could not be made.
  std::shared_ptr<const Model> model;
  std::string why_not{};  ///< the reason, if `model` is null
};

/// The target of a run: parameters, U and its gradient. A model is immutable, and several threads
/// may call its methods at once. It offers its capabilities (Offering::offers) as additional public
/// base classes: Derived, Generated, ExactSampler, Prior, NamedPositions, DataDraws, Prediction,
/// Metric and SumOfTerms. Further capabilities have their own headers: ConditionalDraws,
/// EstimatedDensity (kernels then know the density only through an estimate), GaussianPrior,
/// HessianProducts and MarginalLaws.
class MIXWELL_EXPORT Model : public Component, public Offering {
 public:
  static constexpr Kind kind = Kind::model;
  ~Model() override;

  /// The parameters, in the order of their coordinates.
  virtual std::vector<Parameter> parameters() const = 0;
  /// d, the total number of coordinates of the parameters.
  Index dimension() const;

  /// Remarks for the reader of a run, such as "column x is constant", one sentence each. Mixwell
  /// asks for them before the run and again at its end.
  virtual std::vector<std::string> remarks() const { return {}; }
  /// Paths of files that the model depends on and that its keys do not name, such as a library that
  /// the model located itself. Mixwell includes their contents in the origin of a run and in the
  /// identity of a study's cells.
  virtual std::vector<std::string> files() const { return {}; }

  /// Returns another implementation of the same density, or nothing if there is only one.
  virtual std::optional<SecondModel> second() const { return std::nullopt; }
  /// Observed data, which readers of the results compare with draws of the posterior predictive
  /// distribution.
  virtual std::vector<NamedValues> observed_data() const { return {}; }
  /// Other inputs of the model, such as covariates. They are recorded once.
  virtual std::vector<NamedValues> constant_data() const { return {}; }
  /// Element names of the dimensions that parameters, quantities and data use.
  virtual std::vector<Labels> labels() const { return {}; }
  /// Explains why U or its gradient is not finite at theta (d x 1), such as "log_likelihood of case
  /// 17 is nan". Returns "" if the model cannot tell.
  virtual std::string trouble_at(ConstBatch) const { return {}; }

  /// Returns U as a function of these coordinates (ascending) given the others, if this is cheaper
  /// than the whole U. Returns null otherwise.
  virtual std::shared_ptr<const ConditionalPotential> conditional_potential(
      const std::vector<Index>& coordinates) const;
  /// Declares that the Hessian of U does not depend on theta, so the target is Gaussian.
  virtual bool has_constant_hessian() const noexcept { return false; }
  /// Declares how fast the gradient grows. A certificate for a scheme without a Metropolis decision
  /// needs this declaration. The contract of models tests it.
  virtual GradientGrowth gradient_growth() const noexcept { return GradientGrowth::undeclared; }
  /// The same declaration for the interior of the support only, for a density on half lines. The
  /// model `mirrored` uses this declaration.
  virtual GradientGrowth gradient_growth_inside() const noexcept { return gradient_growth(); }

  /// If true, do_evaluate does not write the gradient when Evaluation::wants_gradient() is false.
  /// Otherwise the gradient is always computed, and then discarded if nobody wants it.
  virtual bool evaluates_potential_alone() const noexcept { return false; }
  /// Computes U and grad U for every column of theta (d x R). U is +inf outside the support. NaN
  /// affects only its own column. theta and the gradient must not overlap. Each column's result
  /// depends only on that column, the batch width and the column's index.
  void evaluate(ConstBatch theta, const Evaluation& out) const;
  /// Fills theta with positions to start from. By default, real coordinates are independent and
  /// uniform on (-2, 2), and whole-number coordinates are uniform on their range.
  void initial(const Stream& stream, Address at, Batch theta) const;

 protected:
  /// Override this to implement `evaluate`. The rules are those of `evaluate`.
  virtual void do_evaluate(ConstBatch theta, const Evaluation& out) const = 0;
  /// Override this to implement `initial`.
  virtual void do_initial(const Stream& stream, Address at, Batch theta) const;
};

/// The largest number of coordinates that a model may have.
inline constexpr double most_coordinates = 4294967296.0;

/// Checks whether the results can contain a parameter (a column of draws.nc) with this name.
/// Returns "" if so, otherwise the broken rule, such as "has a slash". A valid name is UTF-8 of 1
/// to 240 bytes. It begins with a letter, a digit, `_` or a non-ASCII character. It has no slash,
/// no control character and no blank at its end. It is not chain, draw, replicate, slot or sample,
/// because draws.nc itself uses these names.
MIXWELL_EXPORT std::string broken_name_rule(std::string_view name);

/// Returns the names of all coordinates, such as `beta[3]`, counted from 0 as in ArviZ. If a value
/// has no coordinate of its own (Constraint::is_of_numbers is false), the name is
/// `unconstrained_beta[3]`.
MIXWELL_EXPORT std::vector<std::string> coordinate_names(const std::vector<Parameter>& parameters);

/// Returns for each coordinate its range of whole numbers, or nothing if it is real.
MIXWELL_EXPORT std::vector<std::optional<WholeNumbers>> whole_numbers(
    const std::vector<Parameter>& parameters);

/// Returns the indices of the real coordinates, ascending: all except those of parameters with
/// `whole`.
MIXWELL_EXPORT std::vector<Index> real_coordinates(const std::vector<Parameter>& parameters);

}  // namespace mixwell
