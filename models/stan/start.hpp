// Starting points of a Stan model: uniform, or read from a JSON file for some or all parameters.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "constraints.hpp"
#include "data.hpp"
#include "instance.hpp"
#include "names.hpp"
#include "recorded.hpp"
#include "shapes.hpp"

#include <mixwell/plugin.hpp>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace mixwell::stan {

namespace detail {

/// The reason why no chain can start at theta (d x 1), or "".
inline std::string why_no_start(const Instance& instance, ConstBatch theta) {
  double value = 0;
  Eigen::VectorXd gradient(theta.rows());
  if (const auto rejection = instance.log_density(theta.data(), value, gradient.data()))
    return "Stan says: " + *rejection;
  if (std::isfinite(value) && gradient.allFinite()) return {};
  return "the log density is " + number_text(value) +
         (gradient.allFinite() ? "" : ", and its gradient is not finite");
}

}  // namespace detail

/// Fills the column of replicate at.replicate with a random point, as Stan does by default: each
/// unconstrained coordinate is uniform on (-radius, radius). Draws again if no chain can start at
/// the point. Throws InputError, with `who` in front, if no point is suitable.
inline void find_start(const Instance& instance, double radius, const std::string& who,
                       const Stream& stream, Address at, Batch theta) {
  constexpr int most_tries = 100;
  std::string first;
  for (int tries = 0; tries < most_tries; ++tries, ++at.draw) {
    stream.uniforms(at, theta);
    theta = (radius * (2.0 * theta.array() - 1.0)).matrix();
    const std::string why = detail::why_no_start(instance, theta);
    if (why.empty()) return;
    if (first.empty()) first = why;
  }
  throw InputError(
      who + ": replicate " + std::to_string(at.replicate) +
      " has no starting point. Mixwell tried " + std::to_string(most_tries) +
      " random points, but no chain can start at any of them. Each unconstrained coordinate was "
      "uniform on (-r, r), where r = `init_radius` = " +
      number_text(radius) + ". At the first point: " + first +
      ". Check the program and the data, change `init_radius`, or give starting points with `init` "
      "in [run].");
}

/// The variable that contains an array of an engine's list: "t" for a tuple's member "t:1", "z" for
/// a complex number's "z.real".
inline std::string variable_of(const std::string& name) {
  return name.substr(0, name.find_first_of(":."));
}

/// Reads a file of parameters on the program's scale, as CmdStan does.
class StartFile {
 public:
  /// `outputs`: variables of the program that a file may contain besides parameters; this class
  /// ignores them. Throws InputError if the text is not a JSON object of numbers, if a name is
  /// unknown, or if a value has a wrong shape or violates a constraint.
  StartFile(std::string path, std::string_view text, Arrays parameters,
            const std::set<std::string>& outputs, const Constraints& constraints)
      : path_(std::move(path)), parameters_(std::move(parameters)) {
    std::set<std::string> wanted;
    for (const Parameter& one : parameters_.arrays()) wanted.insert(variable_of(one.name));
    data_ = read_data(path_, text, wanted);
    for (const Given& given : data_.given) require_known(given, wanted, outputs);
    values_.setConstant(parameters_.size(), std::numeric_limits<double>::quiet_NaN());
    Index row = 0;
    for (const Parameter& one : parameters_.arrays()) {
      read(one, values_.segment(row, one.size()));
      row += one.size();
    }
    if (missing_.size() == parameters_.arrays().size()) refuse_all();
    for (const std::string& name : missing_) require_whole(name);
    if (const auto found = constraints.depending_on(missing_))
      refuse_dependent(found->variable, found->words);
    if (const auto found = constraints.broken_by(data_.kept)) refuse(found->variable, found->words);
  }

  /// d coordinates, NaN where the file gives no value. `unconstrained`: lists of coordinates, one
  /// for each parameter. Throws InputError in four cases: Stan rejects the values; they are on a
  /// boundary; the map to coordinates and back changes them; or their coordinates depend on the
  /// values of missing parameters, as under a bound that is itself a parameter.
  Eigen::VectorXd position(const Instance& instance,
                           const std::vector<Parameter>& unconstrained) const {
    Eigen::VectorXd theta = beside(instance, any_point(instance));
    require_finite(theta, unconstrained);
    require_kept(instance, theta);
    if (missing_.empty()) return theta;
    const Eigen::VectorXd other =
        beside(instance, Eigen::VectorXd::Constant(instance.dimension(), 0.5));
    Index row = 0;
    for (const Parameter& list : unconstrained) {
      const auto rows = Eigen::seqN(row, list.size());
      if (is_missing(list))
        theta(rows).setConstant(std::numeric_limits<double>::quiet_NaN());
      else if (differ(theta(rows), other(rows)))
        refuse_dependent(name_of(list), names_of_missing());
      row += list.size();
    }
    return theta;
  }

 private:
  /// A point where all coordinates are well defined: the coordinates of a unit vector are not at 0.
  static Eigen::VectorXd any_point(const Instance& instance) {
    return Eigen::VectorXd::Constant(instance.dimension(), 0.25);
  }
  static bool differ(const Eigen::VectorXd& a, const Eigen::VectorXd& b) {
    return (a - b).cwiseAbs().maxCoeff() > 1e-8;
  }
  static std::string name_of(const Parameter& unconstrained) {
    return unconstrained.name.substr(unconstrained_prefix.size());
  }
  bool is_missing(const Parameter& unconstrained) const {
    return missing_.contains(name_of(unconstrained));
  }

  void require_known(const Given& given, const std::set<std::string>& parameters,
                     const std::set<std::string>& outputs) const {
    const std::string name = given.name.substr(0, given.name.find(':'));
    if (parameters.contains(name) || outputs.contains(name) || is_shape(given.shape, {0})) return;
    const std::string whole = name.substr(0, name.find_first_of("[."));
    if (whole != name && parameters.contains(whole))
      throw InputError(given.where, "`" + name + "` is an element of the parameter `" + whole +
                                        "`. Give the whole parameter: \"" + whole +
                                        "\": [VALUE, ...].");
    throw InputError(given.where, "`" + name + "` is not a parameter of the program" +
                                      suggestion(name, std::vector<std::string>(parameters.begin(),
                                                                                parameters.end())));
  }

  /// `out`: NaN if the file has no value for the parameter.
  void read(const Parameter& one, Eigen::Ref<Eigen::VectorXd> out) {
    const bool is_imaginary = one.name.ends_with(".imag");
    const bool is_complex = is_imaginary || one.name.ends_with(".real");
    const std::string leaf = is_complex ? one.name.substr(0, one.name.size() - 5) : one.name;
    if (!data_.names.contains(variable_of(one.name))) {
      missing_.insert(one.name);
      return;
    }
    std::vector<Index> shape = one.shape;
    if (is_complex) shape.push_back(2);
    const std::vector<double>& numbers = numbers_of(leaf, shape);
    for (Index k = 0; k < out.size(); ++k)
      out[k] = numbers[static_cast<std::size_t>(is_complex ? 2 * k + (is_imaginary ? 1 : 0) : k)];
  }

  const std::vector<double>& numbers_of(const std::string& leaf,
                                        const std::vector<Index>& shape) const {
    for (std::size_t k = 0; k < data_.given.size(); ++k) {
      const Given& given = data_.given[k];
      if (given.name != leaf) continue;
      if (!is_shape(given.shape, shape))
        throw InputError(given.where, "`" + leaf + "` is " + in_words(given.shape) +
                                          ", but the parameter is " + in_words(shape) + "." +
                                          shape_cure(given.shape, shape));
      if (!given.is_finite)
        throw InputError(given.where,
                         "`" + leaf +
                             "` is not finite, so no chain can start from this value. Give finite "
                             "values, or leave the parameter out so that Mixwell draws it.");
      return kept(leaf);
    }
    throw InputError({path_, 0, 0}, "the value of `" + variable_of(leaf) +
                                        "` does not have the type of the parameter. The part `" +
                                        leaf + "`, " + in_words(shape) +
                                        ", is missing from the value. Add this part.");
  }
  const std::vector<double>& kept(const std::string& leaf) const {
    return std::find_if(data_.kept.begin(), data_.kept.end(),
                        [&](const NamedValues& one) { return one.name == leaf; })
        ->values;
  }

  std::string names_of_missing() const {
    std::string names;
    for (const std::string& name : missing_) names += (names.empty() ? "" : ", ") + name;
    return names;
  }

  [[noreturn]] void refuse_all() const {
    throw InputError({path_, 0, 0}, "the file has none of the program's parameters (" +
                                        names_of_missing() + "). Give at least one of them.");
  }

  [[noreturn]] void refuse_dependent(const std::string& name, const std::string& on) const {
    throw InputError(
        where(name),
        "the constraint of `" + name +
            "` depends on parameters that the file leaves out. Give these parameters too: " + on +
            ".");
  }

  void require_whole(const std::string& name) const {
    if (variable_of(name) != name)
      throw InputError(
          {path_, 0, 0},
          "the file leaves out `" + variable_of(name) +
              "`, which has a tuple type or a complex type. Mixwell cannot draw such a parameter "
              "if the file gives other parameters. Add this parameter to the file.");
  }

  /// The coordinates of the file's values, with missing parameters at their values at theta.
  Eigen::VectorXd beside(const Instance& instance, Eigen::VectorXd theta) const {
    std::vector<double> listed(static_cast<std::size_t>(parameters_.size()));
    std::optional<std::string> failure;
    if (!missing_.empty()) failure = instance.constrain({}, theta.data(), 0, listed.data());
    Eigen::VectorXd all(parameters_.size());
    parameters_.arrange(listed.data(), all.data());
    all = values_.array().isNaN().select(all, values_);
    parameters_.list(all.data(), listed.data());
    if (!failure) failure = instance.unconstrain(listed.data(), theta.data());
    if (failure)
      throw InputError(
          {path_, 0, 0},
          "Stan rejects these values of the program's parameters. Correct the values. Stan says: " +
              *failure);
    return theta;
  }

  Location where(const std::string& name) const {
    for (const Given& given : data_.given)
      if (given.name.substr(0, given.name.find(':')) == variable_of(name)) return given.where;
    return {path_, 0, 0};
  }

  [[noreturn]] void refuse(const std::string& name, const std::string& why) const {
    throw InputError(where(name), why +
                                      ". A chain can start only from values that strictly "
                                      "satisfy their constraints. Give such values, or leave `" +
                                      name + "` out so that Mixwell draws it.");
  }

  void require_finite(const Eigen::VectorXd& theta,
                      const std::vector<Parameter>& unconstrained) const {
    Index row = 0;
    for (const Parameter& list : unconstrained) {
      if (!is_missing(list) && !theta.segment(row, list.size()).allFinite())
        refuse(name_of(list),
               "`" + name_of(list) + "` violates its constraint or is on the boundary");
      row += list.size();
    }
  }

  /// Finds violations that an engine does not check, such as an asymmetric matrix: the engine
  /// computes other values from the coordinates.
  void require_kept(const Instance& instance, const Eigen::VectorXd& theta) const {
    std::vector<double> listed(static_cast<std::size_t>(parameters_.size()));
    if (instance.constrain({}, theta.data(), 0, listed.data())) return;
    Eigen::VectorXd made(parameters_.size());
    parameters_.arrange(listed.data(), made.data());
    Index row = 0;
    for (const Parameter& one : parameters_.arrays()) {
      require_equal(one, values_.segment(row, one.size()), made.segment(row, one.size()));
      row += one.size();
    }
  }
  void require_equal(const Parameter& one, const Eigen::VectorXd& given,
                     const Eigen::VectorXd& made) const {
    if (given.size() == 0 || given.hasNaN()) return;
    Index k = 0;
    const double apart = (given - made).cwiseAbs().maxCoeff(&k);
    if (apart <= detail::constraint_tolerance * (1 + given.cwiseAbs().maxCoeff())) return;
    refuse(variable_of(one.name),
           "`" + detail::element_name(one.name, one.shape, k) + "` is " + number_text(given[k]) +
               ", but the map to unconstrained coordinates and back changes this value to " +
               number_text(made[k]));
  }

  std::string path_;
  Arrays parameters_;
  Data data_;
  std::set<std::string> missing_;
  Eigen::VectorXd values_;  ///< of all parameters, in the order of their arrays
};

}  // namespace mixwell::stan
