// The cases of the data of a density, as results show them.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <mixwell/base/export.hpp>
#include <mixwell/density/values.hpp>
#include <mixwell/model.hpp>

#include <Eigen/Core>

#include <string>
#include <vector>

namespace mixwell {

/// The data of a DensityModel as results show them. The name of what was observed is that of the
/// variables in observed_data, log_likelihood and posterior_predictive alike, as ArviZ expects it.
class MIXWELL_EXPORT ObservedCases {
 public:
  /// Throws InputError where there is one already.
  void observe(const std::string& name, const Eigen::VectorXd& values, const Dim& dim);
  void add_constant(const std::string& name, const Eigen::VectorXd& values, const Dim& dim);

  const std::vector<NamedValues>& observed() const noexcept { return observed_; }
  const std::vector<NamedValues>& constant() const noexcept { return constant_; }
  /// log_likelihood, and with `draws` posterior_predictive, a number for each case. Throws
  /// InputError where what was observed is not one number for each.
  std::vector<Parameter> quantities(Index cases, bool draws) const;

 private:
  std::vector<NamedValues> observed_;  ///< none or one
  std::vector<NamedValues> constant_;
};

}  // namespace mixwell
