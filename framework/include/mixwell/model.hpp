// The interface of models: a target density pi = exp(-U) / Z on R^d, and optional capabilities.
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
  log_likelihood,        ///< pointwise log likelihood, for `az.loo`
  posterior_predictive,  ///< data drawn from the posterior predictive distribution, for
                         ///< `az.plot_ppc`
};

/// The group's name in draws.nc, such as "posterior".
MIXWELL_EXPORT std::string_view to_string(RecordGroup group) noexcept;

/// Declares that the values of a coordinate are whole numbers from `least` to `most`, stored as
/// doubles. The model's density is then a density with respect to the counting measure on these
/// numbers. U is evaluated only at whole numbers, and its gradient in this coordinate is 0.
struct WholeNumbers {
  std::int64_t least = 0;
  std::int64_t most = 0;
  friend bool operator==(const WholeNumbers&, const WholeNumbers&) = default;
};

/// A named array of values, and the consecutive coordinates from which they are computed. The
/// coordinates of a model's parameters follow one another in the order of the parameters. Their
/// total number is d.
struct MIXWELL_EXPORT Parameter {
  std::string name;
  /// Shape of the values: the lengths of the array's dimensions, or empty for a scalar. The last
  /// index varies fastest.
  std::vector<Index> shape;
  /// Maps coordinates to the recorded values. U of a Model is a function of the coordinates and
  /// already includes -log |J|, where J is the Jacobian of this map. A ConstrainedModel adds -log
  /// |J| to a U that is a function of the values.
  Constraint constraint{};
  /// The group in the results. Derived and generated quantities may be in any group except
  /// `sample_stats`. All other parameters must be in `posterior`.
  RecordGroup group = RecordGroup::posterior;
  /// Names of the array's dimensions: one for each length in `shape`, or none at all. "" leaves a
  /// dimension without a name. Equal names mean the same dimension. Model::labels() may name the
  /// elements of a dimension.
  std::vector<std::string> dims{};
  /// Set if the elements are whole numbers. Empty for real numbers.
  std::optional<WholeNumbers> whole{};

  /// Number of values.
  Index size() const noexcept;
  /// Number of coordinates. Precondition: the constraint supports this shape.
  Index coordinates() const noexcept { return constraint.coordinates(shape); }
};

/// Tells a model where to write U and grad U of a batch. `u` is 1 x R, in nats. `gradient` is d x
/// R, in nats per unit of theta. The caller wants at least one of the two. A model may skip a
/// result that the caller does not want.
struct Evaluation {
  double* potential = nullptr;
  /// gradient.data() is null if the caller wants only U.
  Batch gradient;
  Workspace& scratch;
  /// Distinguishes the evaluations of a noisy law within one sweep: equal numbers give equal noise.
  /// Exact laws ignore this number.
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
/// parameters, or instead of them. Use it for maps that change the number of values, such as a map
/// from d - 1 coordinates to a simplex of d numbers.
class MIXWELL_EXPORT Derived {
 public:
  virtual ~Derived();
  /// Names and shapes of the quantities. Constraints of the quantities are ignored, because
  /// `derive` writes values, not coordinates.
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
  /// `generate` writes values, not coordinates.
  virtual std::vector<Parameter> generated() const = 0;
  /// Draws the quantities: theta (d x R) -> out (q x R), where q is the sum of their sizes. Column
  /// j belongs to replicate at.replicate + j.
  virtual void generate(ConstBatch theta, const Stream& stream, Address at, Batch out) const = 0;
};

/// Names for the elements of one dimension, such as groups, times or words.
struct Labels {
  std::string dim;
  std::vector<std::string> labels;  ///< one for each element of the dimension

  friend bool operator==(const Labels&, const Labels&) = default;
};

/// An array of numbers with a name.
struct NamedValues {
  std::string name;
  std::vector<Index> shape;         ///< see Parameter::shape
  std::vector<double> values;       ///< the last index varies fastest
  std::vector<std::string> dims{};  ///< see Parameter::dims

  friend bool operator==(const NamedValues&, const NamedValues&) = default;
};

/// A capability: independent draws from the target pi.
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

/// A capability: positions that are made from the recorded values of the parameters.
class MIXWELL_EXPORT NamedPositions {
 public:
  virtual ~NamedPositions();
  /// Names and shapes of all arrays that together determine a position.
  virtual std::vector<Parameter> named() const = 0;
  /// Fills theta (d x 1) from values in the order of named(). Throws InputError if a position
  /// cannot be made from the values.
  virtual void position(const std::vector<NamedValues>& values, Batch theta) const = 0;
  /// Fills theta (d x 1) from a JSON file with one object that maps parameter names to values.
  /// Coordinates of parameters that are not in the file become NaN. The caller replaces them by the
  /// starting positions of Model::initial. Throws InputErrors that name `path`.
  virtual void read_position(const std::string& path, Batch theta) const = 0;
};

class Model;

/// A capability: new data sets that are drawn from the model's own data distribution, given theta.
/// If theta is a draw from the prior, it is also a draw from the posterior given the new data.
/// Given the new data, theta is independent of everything that is computed from these data.
class MIXWELL_EXPORT DataDraws {
 public:
  virtual ~DataDraws();
  /// Returns the same model with data drawn at theta (d x 1) instead of its own data. The
  /// parameters stay the same.
  virtual std::shared_ptr<Model> with_data_at(ConstBatch theta, const Stream& stream,
                                              Address at) const = 0;
};

class ConditionalPotential;  // <mixwell/law/conditional_potential.hpp>

/// A capability: predictions of data that the model has not seen, and their error.
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
  /// Computes the prediction error from the averages over draws (predicted() x 1). If measure() is
  /// not overridden, the result must be the fraction of cases in which a wrong label has a higher
  /// probability than the true one.
  virtual double error(const Eigen::VectorXd& averages) const = 0;
};

/// A capability: a Riemannian metric G(theta), symmetric and positive definite, such as the
/// expected Fisher information plus the Hessian of the prior's potential.
class MIXWELL_EXPORT Metric {
 public:
  virtual ~Metric();
  /// Computes G: theta (d x w) -> G (d^2 x w). Column j is the matrix at theta.col(j).
  virtual void metric(ConstBatch theta, Batch G, Workspace& scratch) const = 0;
  /// Computes out_i = sum_ab W_ab dG_ab / dtheta_i for symmetric W: theta (d x w) and W (d^2 x w)
  /// -> out (d x w).
  virtual void contract_derivative(ConstBatch theta, ConstBatch W, Batch out,
                                   Workspace& scratch) const = 0;
  /// Computes out_a = sum_bj W_bj dG_ab / dtheta_j for symmetric W, with the shapes of
  /// contract_derivative. If W = G^-1, the drift correction Gamma for H = G^-1 is -G^-1 times this
  /// result. The two contractions give the same result if G is the Hessian of a function.
  virtual void contract_crosswise(ConstBatch theta, ConstBatch W, Batch out,
                                  Workspace& scratch) const = 0;
  /// Declares that G does not depend on theta.
  virtual bool is_constant() const noexcept { return false; }
};

/// A capability that minibatches need: a potential that is a sum over cases of the data, U = U_0 +
/// sum_n u_n. U is this sum, and not an average. A caller that uses only some of the terms must
/// scale them itself.
class MIXWELL_EXPORT SumOfTerms {
 public:
  virtual ~SumOfTerms();
  /// N, the number of terms u_n.
  virtual Index terms() const noexcept = 0;
  /// Declares that exp(-U_0) is the prior density of theta, and that exp(-u_n) is the likelihood of
  /// case n. The prior must not depend on the data.
  virtual bool rest_is_prior() const noexcept { return false; }
  /// Computes U_0 and its gradient at each column of theta. U_0 is the part of U that belongs to no
  /// case.
  virtual void evaluate_rest(ConstBatch theta, const Evaluation& out) const = 0;
  /// Computes the sum of u_n over the n in column j of `indices`, and its gradient, at column j of
  /// theta. `indices` is b x w and contains whole numbers below N. An index that occurs more than
  /// once counts each time. Cost: O(b d) for each column.
  virtual void evaluate_terms(ConstBatch theta, ConstBatch indices,
                              const Evaluation& out) const = 0;
  /// Computes the gradient of each term separately at one point: theta (d x 1) and indices (b x 1)
  /// -> out (d x b). The default calls evaluate_terms with b columns. Memory: O(d b).
  virtual void gradients_of_terms(ConstBatch theta, ConstBatch indices, Batch out,
                                  Workspace& scratch) const;
  /// Assigns case n to one of `strata` sets: returns a number below `strata`. By default, the sets
  /// are consecutive ranges of the data. A model may override this so that each set consists of
  /// parts that can be processed in parallel. For example, a set may consist of blocks of a matrix
  /// that share no row and no column.
  virtual Index stratum(Index n, Index strata) const;
};

/// The growth of the gradient of U. The certificates of schemes without a Metropolis decision
/// depend on this growth, because the error bounds of these schemes in the limit eps -> 0 assume
/// limited growth. The enumerators are ordered from the strongest statement to the weakest.
enum class GradientGrowth {
  lipschitz,          ///< |grad U(x) - grad U(y)| <= L |x - y| everywhere
  locally_lipschitz,  ///< grad U is Lipschitz on every bounded set, and U is finite everywhere;
                      ///< tails may be steep
  singular,  ///< grad U is unbounded or undefined at a point that a step can reach, such as a
             ///< point outside a bounded support
  undeclared,
};

/// A second implementation of the same density, for `mixwell check --gradient`.
struct SecondModel {
  std::string made_by;  ///< "engine interpret (stanli, build 1)"
  /// A model with the same parameters and, up to a constant, the same U. Null if there is none.
  std::shared_ptr<const Model> model;
  std::string why_not{};  ///< the reason, if `model` is null
};

/// The target of a run: parameters, U and its gradient. A model is immutable, and several threads
/// may call its methods concurrently. It offers its capabilities (Offering::offers) as additional
/// public base classes: Derived, Generated, ExactSampler, Prior, NamedPositions, DataDraws,
/// Prediction, Metric and SumOfTerms. Further capabilities have their own headers:
/// ConditionalDraws, EstimatedDensity (kernels then use only an estimate of the density),
/// GaussianPrior, HessianProducts and MarginalLaws.
class MIXWELL_EXPORT Model : public Component, public Offering {
 public:
  static constexpr Kind kind = Kind::model;
  ~Model() override;

  /// The parameters, in the order of their coordinates.
  virtual std::vector<Parameter> parameters() const = 0;
  /// d, the total number of coordinates of the parameters.
  Index dimension() const;

  /// Remarks for the user, such as "column x is constant", one sentence each. Mixwell calls this
  /// function before a run and again at the end of the run.
  virtual std::vector<std::string> remarks() const { return {}; }
  /// Paths of files that the model depends on and that its keys do not name, such as a library that
  /// the model located itself. Mixwell stores hashes of their contents with a run, and also uses
  /// their contents to identify the cells of a study.
  virtual std::vector<std::string> files() const { return {}; }

  /// Returns a second implementation of the same density, or std::nullopt if there is none.
  virtual std::optional<SecondModel> second() const { return std::nullopt; }
  /// Observed data, which readers of the results compare with draws of the posterior predictive
  /// distribution.
  virtual std::vector<NamedValues> observed_data() const { return {}; }
  /// Other inputs of the model, such as covariates. Mixwell records them once.
  virtual std::vector<NamedValues> constant_data() const { return {}; }
  /// Element names of the dimensions that parameters, quantities and data use.
  virtual std::vector<Labels> labels() const { return {}; }
  /// Explains why U or its gradient is not finite at theta (d x 1), such as "log_likelihood of case
  /// 17 is nan". Returns "" if the model cannot tell.
  virtual std::string trouble_at(ConstBatch) const { return {}; }

  /// Returns U as a function of `coordinates` (in ascending order) given the others, if this is
  /// cheaper to evaluate than the whole U. Returns null otherwise.
  virtual std::shared_ptr<const ConditionalPotential> conditional_potential(
      const std::vector<Index>& coordinates) const;
  /// Declares that the Hessian of U does not depend on theta, so the target is Gaussian.
  virtual bool has_constant_hessian() const noexcept { return false; }
  /// Declares how fast the gradient grows. A certificate for a scheme without a Metropolis decision
  /// needs this declaration. contracts::check_model tests it.
  virtual GradientGrowth gradient_growth() const noexcept { return GradientGrowth::undeclared; }
  /// Declares how fast the gradient grows inside the support of a density on positive numbers. The
  /// model `mirrored` uses this declaration.
  virtual GradientGrowth gradient_growth_inside() const noexcept { return gradient_growth(); }

  /// If true, do_evaluate does not write the gradient when Evaluation::wants_gradient() is false.
  /// Otherwise do_evaluate always writes the gradient, and Mixwell discards it if it is not wanted.
  virtual bool evaluates_potential_alone() const noexcept { return false; }
  /// Computes U and grad U for every column of theta (d x R). U is +inf outside the support. NaN in
  /// a column of theta affects only that column's results. theta and the gradient must not overlap.
  /// Each column's result depends only on that column, the batch width and the column's index.
  void evaluate(ConstBatch theta, const Evaluation& out) const;
  /// Fills theta with starting positions. By default, real coordinates are independent and uniform
  /// on (-2, 2), and whole-number coordinates are uniform on their range.
  void initial(const Stream& stream, Address at, Batch theta) const;

 protected:
  /// Override this to implement `evaluate`, with the same rules.
  virtual void do_evaluate(ConstBatch theta, const Evaluation& out) const = 0;
  /// Override this to implement `initial`.
  virtual void do_initial(const Stream& stream, Address at, Batch theta) const;
};

/// The largest number of coordinates that a model may have.
inline constexpr double most_coordinates = 4294967296.0;

/// Checks whether the results can contain a parameter (a column of draws.nc) with this name.
/// Returns "" if so, otherwise the broken rule, such as "is empty". A valid name is UTF-8 of 1 to
/// 240 bytes. It begins with a letter, a digit, `_` or a non-ASCII character. It has no slash, no
/// control character and no blank at the end. It must not be `chain`, `draw`, `replicate`, `slot`
/// or `sample`, because draws.nc uses these names itself.
MIXWELL_EXPORT std::string broken_name_rule(std::string_view name);

/// Returns the names of all coordinates, such as `beta[3]`. Indices count from 0, as in ArviZ. If a
/// value has no coordinate of its own (Constraint::is_of_numbers is false), the name is
/// `unconstrained_beta[3]`.
MIXWELL_EXPORT std::vector<std::string> coordinate_names(const std::vector<Parameter>& parameters);

/// For each coordinate, returns the range of its whole numbers, or std::nullopt if it is real.
MIXWELL_EXPORT std::vector<std::optional<WholeNumbers>> whole_numbers(
    const std::vector<Parameter>& parameters);

/// Returns the indices of the real coordinates, ascending: all except those of parameters with
/// `whole`.
MIXWELL_EXPORT std::vector<Index> real_coordinates(const std::vector<Parameter>& parameters);

}  // namespace mixwell
