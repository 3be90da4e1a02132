// The values that a run can record from a program: their scales, names and groups.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "data.hpp"
#include "instance.hpp"
#include "names.hpp"

#include <mixwell/plugin.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>
#include <mutex>
#include <set>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace mixwell::stan {

/// Manifest keys with names of transformed parameters, generated quantities and data.
struct Groups {
  std::vector<std::string> log_likelihood = {"log_lik"};
  std::vector<std::string> posterior_predictive = {"y_rep"};
  std::vector<std::string> observed_data;

  void declare(Fields& fields) {
    fields.texts("log_likelihood", log_likelihood)
        .help("transformed parameters or generated quantities for the group log_likelihood");
    fields.texts("posterior_predictive", posterior_predictive)
        .help("transformed parameters or generated quantities for the group posterior_predictive");
    fields.texts("observed_data", observed_data)
        .help(
            "data variables for the group observed_data (default: y if y_rep has the same shape)");
  }

  RecordGroup of(const std::string& name) const {
    const auto has = [&name](const std::vector<std::string>& names) {
      return std::find(names.begin(), names.end(), name) != names.end();
    };
    if (has(log_likelihood)) return RecordGroup::log_likelihood;
    return has(posterior_predictive) ? RecordGroup::posterior_predictive : RecordGroup::posterior;
  }

  /// Sets the groups of all arrays but the first `count`.
  std::vector<Parameter> applied(std::vector<Parameter> arrays, std::size_t count) const {
    for (std::size_t k = count; k < arrays.size(); ++k) arrays[k].group = of(arrays[k].name);
    return arrays;
  }
};

namespace detail {

/// A predictive variable has the name of its data and this suffix.
inline constexpr std::string_view repeated = "_rep";

/// Names given in a manifest must exist; default names need not.
inline void require_grouped(const std::string& key, const std::vector<std::string>& names,
                            const std::vector<std::string>& defaults,
                            const std::vector<Parameter>& quantities) {
  if (names == defaults) return;
  std::vector<std::string> known;
  std::set<std::string> grouped;
  for (const Parameter& one : quantities) {
    known.push_back(one.name);
    if (one.group != RecordGroup::posterior) grouped.insert(one.name);
  }
  for (const std::string& name : names)
    if (!grouped.contains(name))
      throw ParameterError(
          key, "`" + name + "` is not a recorded transformed parameter or generated quantity" +
                   suggestion(name, known));
}

inline std::vector<NamedValues> named_data(const std::vector<std::string>& names,
                                           const Data& data) {
  const std::vector<std::string> known(data.names.begin(), data.names.end());
  std::vector<NamedValues> found;
  for (const std::string& name : names) {
    const auto one = std::find_if(data.kept.begin(), data.kept.end(),
                                  [&](const NamedValues& kept) { return kept.name == name; });
    if (one == data.kept.end())
      throw ParameterError("observed_data", "`" + name + "` is not a numeric variable of the data" +
                                                suggestion(name, known));
    found.push_back(*one);
  }
  return found;
}

}  // namespace detail

/// Variables of the data that may be observed data.
inline std::set<std::string> observable(const Groups& groups) {
  std::set<std::string> names(groups.observed_data.begin(), groups.observed_data.end());
  if (!names.empty()) return names;
  for (const std::string& name : groups.posterior_predictive)
    if (name.ends_with(detail::repeated))
      names.insert(name.substr(0, name.size() - detail::repeated.size()));
  return names;
}

/// Throws ParameterError for a name that is not one of the quantities. The groups of `quantities`
/// are already set.
inline void require_groups(const Groups& groups, const std::vector<Parameter>& quantities) {
  const Groups defaults;
  detail::require_grouped("log_likelihood", groups.log_likelihood, defaults.log_likelihood,
                          quantities);
  detail::require_grouped("posterior_predictive", groups.posterior_predictive,
                          defaults.posterior_predictive, quantities);
}

/// The variables that the manifest names. If it names none: all variables that have the same shape
/// as their predictive variable. Throws ParameterError for an unknown name.
inline std::vector<NamedValues> observed(const Groups& groups, const Data& data,
                                         const std::vector<Parameter>& quantities) {
  if (!groups.observed_data.empty()) return detail::named_data(groups.observed_data, data);
  std::vector<NamedValues> found;
  for (const Parameter& one : quantities)
    for (const NamedValues& seen : data.kept)
      if (one.group == RecordGroup::posterior_predictive &&
          one.name == seen.name + std::string(detail::repeated) && one.shape == seen.shape)
        found.push_back(seen);
  return found;
}

/// Counts rejected points; may be called from several threads.
class Rejections {
 public:
  void add(std::string message) {
    const std::scoped_lock lock(mutex_);
    if (count_++ == 0) first_ = std::move(message);
  }

  /// "" if there are none.
  std::string in_words(const std::string& what) const {
    const std::scoped_lock lock(mutex_);
    if (count_ == 0) return {};
    return "Stan " + what + " " + std::to_string(count_) + (count_ == 1 ? " time" : " times") +
           "; its first message is: " + first_;
  }

 private:
  mutable std::mutex mutex_;
  std::int64_t count_ = 0;
  std::string first_;
};

/// A library writes as many values as its count says, but Mixwell allocates memory for as many
/// values as the library has names. The two numbers must be equal.
inline void require_size(Index named, Index counted) {
  if (named != counted)
    throw std::invalid_argument(
        "the library lists " + std::to_string(named) + " names for " + std::to_string(counted) +
        " values, but each value must have one name. Compile the library again.");
}

/// Refuses, before a run, names that results cannot have, such as `draw`.
inline void require_names(const Arrays& arrays) {
  for (const Parameter& array : arrays.arrays())
    if (const std::string rule = broken_name_rule(array.name); !rule.empty())
      throw std::invalid_argument("the name `" + array.name + "` " + rule +
                                  ". Rename it in the program.");
}

/// The values that a program computes at a position, as arrays.
class Computed {
 public:
  /// `before`: the number of leading values that are left out; the first `ungrouped` arrays belong
  /// to the posterior.
  Computed(std::shared_ptr<const Instance> instance, Wanted wanted, Index before,
           const Groups& groups, std::size_t ungrouped)
      : instance_(std::move(instance)),
        wanted_(wanted),
        before_(before),
        arrays_(tail(instance_->names(wanted_), before_)),
        quantities_(groups.applied(arrays_.arrays(), ungrouped)) {
    require_size(before_ + arrays_.size(), instance_->size(wanted_));
    require_names(arrays_);
  }

  const std::vector<Parameter>& quantities() const noexcept { return quantities_; }

  /// `seed`: seed of the random numbers. Writes NaN if Stan fails.
  void compute(const double* theta, unsigned seed, Batch out) const {
    std::vector<double> listed(static_cast<std::size_t>(before_ + arrays_.size()));
    auto failure = instance_->constrain(wanted_, theta, seed, listed.data());
    if (!failure) return arrays_.arrange(listed.data() + before_, out.data());
    failures_.add(std::move(*failure));
    out.setConstant(std::numeric_limits<double>::quiet_NaN());
  }

  /// `what`: names the computed quantities.
  std::string failures(const std::string& what) const {
    return failures_.in_words("failed to compute the " + what + " of a draw (recorded as NaN)");
  }

 private:
  /// The names after the first `count` in a comma-separated list.
  static std::string tail(const std::string& names, Index count) {
    std::size_t from = 0;
    for (; count > 0 && from != std::string::npos; --count) {
      from = names.find(',', from);
      if (from != std::string::npos) ++from;
    }
    return from == std::string::npos ? "" : names.substr(from);
  }

  std::shared_ptr<const Instance> instance_;
  Wanted wanted_;
  Index before_;
  Arrays arrays_;
  std::vector<Parameter> quantities_;
  mutable Rejections failures_;
};

/// Parameters and, if wanted, transformed parameters.
class Constrained final : public Derived {
 public:
  Constrained(const std::shared_ptr<const Instance>& instance, bool transformed, bool replaces,
              const Groups& groups)
      : computed_(instance, {.transformed = transformed, .generated = false}, 0, groups,
                  Arrays(instance->names({})).arrays().size()),
        replaces_(replaces) {}

  std::vector<Parameter> quantities() const override { return computed_.quantities(); }
  bool replaces_parameters() const noexcept override { return replaces_; }
  void derive(ConstBatch theta, Batch out) const override {
    for (Index j = 0; j < theta.cols(); ++j) computed_.compute(theta.col(j).data(), 0, out.col(j));
  }
  std::string failures() const { return computed_.failures("parameters"); }

 private:
  Computed computed_;
  bool replaces_;
};

/// Generated quantities, with a separate random generator for each draw of each replicate.
class GeneratedQuantities final : public Generated {
 public:
  /// `transformed`: whether the library writes transformed parameters before them.
  GeneratedQuantities(const std::shared_ptr<const Instance>& instance, bool transformed,
                      const Groups& groups)
      : computed_(instance, {.transformed = transformed, .generated = true},
                  instance->size({.transformed = transformed, .generated = false}), groups, 0) {}

  bool exist() const noexcept { return !computed_.quantities().empty(); }
  std::vector<Parameter> generated() const override { return computed_.quantities(); }
  /// The generator's seed is the upper half of the stream's first word.
  void generate(ConstBatch theta, const Stream& stream, Address at, Batch out) const override {
    Eigen::Matrix<std::uint64_t, Eigen::Dynamic, Eigen::Dynamic> words(1, theta.cols());
    stream.words(at, words);
    for (Index j = 0; j < theta.cols(); ++j)
      computed_.compute(theta.col(j).data(), static_cast<unsigned>(words(0, j) >> 32U), out.col(j));
  }
  std::string failures() const { return computed_.failures("generated quantities"); }

 private:
  Computed computed_;
};

inline const std::string unconstrained_prefix = "unconstrained_";

/// Unconstrained coordinates in Stan's order: one list `unconstrained_NAME` for each parameter.
inline std::vector<Parameter> unconstrained_parameters(const std::string& names) {
  std::vector<Parameter> lists;
  for (const std::string& text : split(names, ',')) {
    const std::string name = unconstrained_prefix + text.substr(0, text.find_first_of(".:"));
    const bool is_scalar = text.find_first_of(".:") == std::string::npos;
    if (lists.empty() || lists.back().name != name) {
      lists.push_back({.name = name, .shape = {}});
      if (!is_scalar) lists.back().shape = {0};
    }
    if (!is_scalar) ++lists.back().shape.front();
  }
  return lists;
}

}  // namespace mixwell::stan
