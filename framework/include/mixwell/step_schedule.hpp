// Step sizes that fall with the number of the sweep.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <mixwell/edge.hpp>
#include <mixwell/export.hpp>
#include <mixwell/fields.hpp>
#include <mixwell/kernel.hpp>

#include <cstdint>
#include <string>

namespace mixwell {

/// eps_t for t = 1, 2, ..., a number that depends only on the sweep: to a certificate a constant.
struct MIXWELL_EXPORT StepSchedule {
  std::string schedule = "constant";
  double step_size = 0.01;  ///< a
  double offset = 0.0;      ///< b
  double exponent = 0.51;   ///< delta
  std::int64_t hold = 1;    ///< sweeps for which t stays the same

  /// `meaning` is the help of step_size: the step that eps is the size of. By default the Langevin
  /// step of this program's convention, with that of others beside it.
  void declare(Fields& fields, const std::string& meaning = langevin_step);
  /// The same without step_size, for kernels that have one already.
  void declare_shape(Fields& fields);
  bool is_constant() const noexcept { return schedule == "constant"; }

  static const std::string langevin_step;
  /// constant: a; polynomial: a (b + t)^-delta; power: (a / t)^delta, with t = 1 + sweep / hold.
  double at(std::uint64_t sweep) const;
  /// eps of this sweep, 1 x w.
  Edge<edge::StepSize> add(KernelGraph& graph, const std::string& path) const;
  /// Records eps (of `add`) as the statistic `weight`, unless it is the same in all sweeps: the
  /// average of f is sum eps_t f(theta_t) / sum eps_t (Simsekli et al. 2016, Eq. 12). For samplers;
  /// the way of an optimiser has no average.
  void record_weight(KernelGraph& graph, const Site& site, Edge<edge::StepSize> eps) const;

 private:
  void declare_kind(Fields& fields);
  void declare_numbers(Fields& fields);
};

}  // namespace mixwell
