// The cases of a density's data, as they appear in the results.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <mixwell/base/export.hpp>
#include <mixwell/density/values.hpp>
#include <mixwell/model.hpp>

#include <Eigen/Core>

#include <string>
#include <vector>

namespace mixwell {

/// The data of a DensityModel as they appear in the results. The observed variable has the same
/// name in observed_data, log_likelihood and posterior_predictive, as ArviZ expects.
class MIXWELL_EXPORT ObservedCases {
 public:
  /// Throws InputError if there is already an observed variable.
  void observe(const std::string& name, const Eigen::VectorXd& values, const Dim& dim);
  void add_constant(const std::string& name, const Eigen::VectorXd& values, const Dim& dim);

  const std::vector<NamedValues>& observed() const noexcept { return observed_; }
  const std::vector<NamedValues>& constant() const noexcept { return constant_; }
  /// Describes log_likelihood and, if `draws` is true, posterior_predictive: one number for each
  /// case. Throws InputError if the observed variable does not have one number for each case.
  std::vector<Parameter> quantities(Index cases, bool draws) const;

 private:
  std::vector<NamedValues> observed_;  ///< at most one variable
  std::vector<NamedValues> constant_;
};

}  // namespace mixwell
