// Measures how well draws separate the first source from the other sources.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "likelihood.hpp"

#include <mixwell/plugin.hpp>

#include <cmath>
#include <string>

namespace mixwell::stable_factorisation {

/// The mean of the first source given factors and scales, x_n v_1n / v_n, averaged over draws: the
/// real parts of all entries, then the imaginary parts.
class Separation final : public Prediction {
 public:
  explicit Separation(const Likelihood& likelihood) : likelihood_(likelihood) {}

  Index cases() const override { return likelihood_.entries().size(); }
  Index predicted() const override { return 2 * cases(); }
  void predict(ConstBatch theta, Batch out) const override {
    const Entries& entries = likelihood_.entries();
    for (Index r = 0; r < theta.cols(); ++r) {
      const double* const x = theta.col(r).data();
      for (Index n = 0; n < cases(); ++n) {
        const double share =
            std::exp(likelihood_.log_variance(x, 0, n)) / likelihood_.variance(x, n);
        out(n, r) = share * entries.real(n);
        out(cases() + n, r) = share * entries.imaginary(n);
      }
    }
  }
  std::string measure() const override { return "distortion in dB (minus the SDR)"; }
  /// 10 log10 of the sum of squared errors divided by the sum of squares of the source.
  double error(const Eigen::VectorXd& averages) const override {
    const Entries& entries = likelihood_.entries();
    const double errors = (averages.head(cases()) - entries.source_real).squaredNorm() +
                          (averages.tail(cases()) - entries.source_imaginary).squaredNorm();
    return 10.0 * std::log10(errors / (entries.source_real.squaredNorm() +
                                       entries.source_imaginary.squaredNorm()));
  }

 private:
  const Likelihood& likelihood_;
};

}  // namespace mixwell::stable_factorisation
