// Starting points in JSON: of all parameters, or of some beside others that are drawn.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "data.hpp"
#include "instance.hpp"
#include "names.hpp"
#include "recorded.hpp"

#include <mixwell/plugin.hpp>

#include <cmath>
#include <cstddef>
#include <limits>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace mixwell::stan {

/// A file of parameters on the program's scale, as CmdStan reads them.
class StartFile {
 public:
  /// Throws InputError where it is no JSON of numbers, or names none of the parameters.
  StartFile(std::string path, std::string text, Arrays parameters)
      : path_(std::move(path)), text_(std::move(text)), parameters_(std::move(parameters)) {
    const std::set<std::string> named = read_data(path_, text_).names;
    for (const Parameter& one : parameters_.arrays())
      if (!named.contains(variable(one.name))) missing_.insert(one.name);
    if (missing_.size() == parameters_.arrays().size()) refuse_all();
    for (const std::string& name : missing_) require_whole(name);
  }

  bool is_whole() const noexcept { return missing_.empty(); }
  const std::string& text() const noexcept { return text_; }

  /// d coordinates, NaN where the file says nothing. `unconstrained`: lists of coordinates, one for
  /// each parameter. Throws InputError where Stan refuses the values, or where they are at other
  /// coordinates for other values of what is missing, as under a bound that is a parameter itself.
  Eigen::VectorXd position(const Instance& instance,
                           const std::vector<Parameter>& unconstrained) const {
    Eigen::VectorXd theta = beside(instance, Eigen::VectorXd::Zero(instance.dimension()));
    const Eigen::VectorXd other =
        beside(instance, Eigen::VectorXd::Constant(instance.dimension(), 0.5));
    Index row = 0;
    for (const Parameter& list : unconstrained) {
      const auto rows = Eigen::seqN(row, list.size());
      const std::string name = list.name.substr(unconstrained_prefix.size());
      if (is_missing(name))
        theta(rows).setConstant(std::numeric_limits<double>::quiet_NaN());
      else if ((theta(rows) - other(rows)).cwiseAbs().maxCoeff() > 1e-8)
        refuse_dependent(name);
      row += list.size();
    }
    return theta;
  }

 private:
  /// That a parameter is a part of: a tuple's member "t:1", a complex number's "z.real".
  static std::string variable(const std::string& name) {
    return name.substr(0, name.find_first_of(":."));
  }
  bool is_missing(const std::string& name) const { return missing_.contains(name); }

  std::string names_of_missing() const {
    std::string names;
    for (const std::string& name : missing_) names += (names.empty() ? "" : ", ") + name;
    return names;
  }

  [[noreturn]] void refuse_all() const {
    throw InputError({path_, 0, 0}, "names none of the program's parameters (" +
                                        names_of_missing() + "); give one of them");
  }
  [[noreturn]] void refuse_dependent(const std::string& name) const {
    throw InputError({path_, 0, 0}, "the constraint of `" + name +
                                        "` depends on parameters that are left out; give these "
                                        "too (" +
                                        names_of_missing() + ")");
  }

  void require_whole(const std::string& name) const {
    if (variable(name) != name)
      throw InputError({path_, 0, 0}, "leaves out `" + variable(name) +
                                          "`, which is a tuple or complex and is not drawn beside "
                                          "others; give it too");
  }

  /// Where the file's values are when what is missing has the values that it has at theta.
  Eigen::VectorXd beside(const Instance& instance, Eigen::VectorXd theta) const {
    std::vector<double> listed(static_cast<std::size_t>(parameters_.size()));
    auto failure = instance.constrain({}, theta.data(), 0, listed.data());
    if (!failure) failure = instance.unconstrain(completed(listed), theta.data());
    if (failure)
      throw InputError({path_, 0, 0},
                       "no values of the program's parameters; Stan says: " + *failure);
    return theta;
  }

  /// The file's object with the parameters that it leaves out, of all that Stan lists.
  std::string completed(const std::vector<double>& listed) const {
    std::vector<double> arranged(listed.size());
    parameters_.arrange(listed.data(), arranged.data());
    std::vector<NamedValues> added;
    const double* at = arranged.data();
    for (const Parameter& one : parameters_.arrays()) {
      const double* const end = at + one.size();
      if (is_missing(one.name)) added.push_back({one.name, one.shape, {at, end}});
      at = end;
    }
    return text_.substr(0, text_.rfind('}')) + "," + json_of(added).substr(1);
  }

  std::string path_;
  std::string text_;
  Arrays parameters_;
  std::set<std::string> missing_;
};

}  // namespace mixwell::stan
