// Tests estimator `natural-gradient`: steps on a matrix need the drift correction.
// SPDX-License-Identifier: Apache-2.0
#include "sampling/moments.hpp"

#include <string>

using sampling::label;
using sampling::Moment;
using sampling::second_moment;

TEST_CASE("natural-gradient steps leave a matrix density invariant only with Gamma", "[nightly]") {
  const std::string normal = "[model.m]\nuse = \"gaussian\"\ndimension = 4\nmean = [1, 0, 0, 1]\n";
  const auto with = [&](const std::string& gamma) {
    return normal + "[estimator.e]\nuse = \"natural-gradient\"\ngamma = " + gamma +
           "\n[kernel.k]\nuse = \"langevin\"\nstep_size = 0.004\n";
  };
  CHECK(label(with("true")) == "asymptotic");
  CHECK(label(with("false")) == "biased");
  constexpr double truth = 1.5;  // second moments 1 + 1 and 0 + 1, averaged
  const Moment right = second_moment(with("true"), {4000, 1500, 1500});
  const Moment wrong = second_moment(with("false"), {4000, 1500, 1500});
  INFO(right.mean << " +- " << right.error << ", without " << wrong.mean << " +- " << wrong.error);
  CHECK(std::abs(right.mean - truth) < 4.0 * right.error + 0.03);
  CHECK(std::abs(wrong.mean - truth) > 0.3);
}
