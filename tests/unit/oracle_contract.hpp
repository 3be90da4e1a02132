// The density that a manifest's oracle makes, at one point and with many seeds.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "composing.hpp"
#include "support.hpp"

#include <mixwell/lab/sampler.hpp>

#include <string>

namespace oracle_contract {

/// A logistic regression of 60 cases with two inputs.
inline std::string logistic(const support::TemporaryFolder& folder) {
  Eigen::MatrixXd numbers(60, 3);
  mixwell::Stream(2, "test/cases").normals({}, numbers);
  std::string csv = "a,b,y\n";
  for (mixwell::Index n = 0; n < numbers.rows(); ++n) {
    csv += std::to_string(numbers(n, 0)) + "," + std::to_string(numbers(n, 1)) +
           (numbers(n, 2) > 0.0 ? ",1\n" : ",0\n");
  }
  return "[model.m]\nuse = \"logistic-regression\"\nresponse = \"y\"\npositive = 1\ndata = \"" +
         folder.file("cases.csv", csv) + "\"\n";
}

class OracleLaw {
 public:
  /// `body` = a model and an oracle.
  explicit OracleLaw(const std::string& body)
      : composition_(composing::compose(body + "[kernel.k]\nuse = \"langevin\"\n")),
        program_(mixwell::compose(*composition_.compositor)) {
    for (const mixwell::ValueInfo& v : program_.sampling.values()) {
      const auto* found = dynamic_cast<const mixwell::Potential*>(v.function.get());
      if (found != nullptr && v.name.find("oracle") != std::string::npos) law_ = found;
    }
    REQUIRE(law_ != nullptr);
  }

  const mixwell::Potential* operator->() const noexcept { return law_; }
  const mixwell::Model& model() const { return *composition_.model(); }
  mixwell::Index dimension() const { return model().dimension(); }

  /// The same point, d x count.
  Eigen::MatrixXd points(mixwell::Index count) const {
    return Eigen::VectorXd::LinSpaced(dimension(), -0.5, 0.7).replicate(1, count);
  }
  /// 2 x count numbers of the density.
  static Eigen::MatrixXd seeds(mixwell::Index count) {
    Eigen::MatrixXd numbers(2, count);
    mixwell::Stream(4, "test/seeds").uniforms({}, numbers);
    return (numbers.array() * 4294967296.0).floor();
  }
  /// Of the model itself, at the point.
  Eigen::VectorXd whole_gradient() const { return whole(nullptr); }
  double whole_potential() const {
    double u = 0.0;
    whole(&u);
    return u;
  }

 private:
  Eigen::VectorXd whole(double* u) const {
    Eigen::MatrixXd g(dimension(), 1);
    mixwell::Workspace scratch;
    model().evaluate(points(1), {u, g, scratch});
    return g.col(0);
  }

  mixwell::Composition composition_;
  mixwell::Program program_;
  const mixwell::Potential* law_ = nullptr;
};

}  // namespace oracle_contract
