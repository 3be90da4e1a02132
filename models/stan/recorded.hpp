// What is recorded of a Stan model: values on the program's own scale, under its names.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "groups.hpp"
#include "instance.hpp"
#include "names.hpp"
#include "rejections.hpp"

#include <mixwell/plugin.hpp>

#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

namespace mixwell::stan {

/// A library writes as many numbers as it counts, into memory for as many as it names.
inline void require_size(Index named, Index counted) {
  if (named != counted)
    throw std::invalid_argument(std::to_string(named) + " names for " + std::to_string(counted) +
                                " numbers");
}

/// Names that results cannot have, such as `draw`, are told before a run.
inline void require_names(const Arrays& arrays) {
  for (const Parameter& array : arrays.arrays())
    if (const std::string rule = broken_name_rule(array.name); !rule.empty())
      throw std::invalid_argument("the name `" + array.name + "` " + rule +
                                  "; give it another one in the program");
}

/// What a program computes at a position, in arrays.
class Computed {
 public:
  /// `before`: how many of the wanted numbers come first and are left out; the first `ungrouped`
  /// arrays belong to the posterior.
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

  /// `seed`: of random numbers. NaN where Stan fails.
  void compute(const double* theta, unsigned seed, Batch out) const {
    std::vector<double> listed(static_cast<std::size_t>(before_ + arrays_.size()));
    auto failure = instance_->constrain(wanted_, theta, seed, listed.data());
    if (!failure) return arrays_.arrange(listed.data() + before_, out.data());
    failures_.add(std::move(*failure));
    out.setConstant(std::numeric_limits<double>::quiet_NaN());
  }

  /// `what`: is computed.
  std::string failures(const std::string& what) const {
    return failures_.in_words("could not compute the " + what + " of a draw, which are NaN there,");
  }

 private:
  /// All but the first `count` of a comma-separated list.
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

/// Generated quantities, with a generator of their own for each draw of each replicate.
class GeneratedQuantities final : public Generated {
 public:
  /// `transformed`: whether the library is to write transformed parameters before them.
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

/// Unconstrained coordinates as Stan orders them: one list `unconstrained_NAME` for each parameter.
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
