// The contract of models can fail where a likelihood is told case by case and a prior by draws:
// each mutant breaks the clause meant for it alone.
// SPDX-License-Identifier: Apache-2.0
#if __has_include(<catch2/catch_all.hpp>)
#include <catch2/catch_all.hpp>
#else
#include <catch2/catch.hpp>
#endif

#include <mixwell/contracts/model.hpp>
#include <mixwell/density.hpp>

#include <string>

namespace {

using namespace mixwell;

enum class Fault {
  none,
  likelihood_scaled,
  likelihood_of_prior,  ///< the prior is in the first case's
  case_by_column,
  prior_scaled,
  prior_shifted,
  prior_two_valued,  ///< +-2: mean and variance are right
};

/// y_n ~ N(theta_i, 1), i = n mod 2, theta_i ~ N(0, 4).
class Apart final : public DensityModel<Apart>, public Prior {
 public:
  explicit Apart(Fault fault) : fault_(fault) {}

  template <class S>
  S log_prior(const Values<S>& at) const {
    return normal_lpdf(at(theta_), 0, 2);
  }
  Index cases() const { return 4; }
  template <class S>
  S log_likelihood(const Values<S>& at, Index n) const {
    return normal_lpdf(static_cast<double>(n), at(theta_)[n % 2], 1);
  }
  double draw_case(const Values<double>& at, Index n, RandomNumbers& random) const {
    return at(theta_)[n % 2] + random.normal();
  }

  void draw(const Stream& stream, Address at, Batch theta) const override {
    stream.normals(at, theta);
    theta *= fault_ == Fault::prior_scaled ? 2.1 : 2.0;
    if (fault_ == Fault::prior_shifted) theta.row(1).array() += 0.2;
    if (fault_ == Fault::prior_two_valued) theta = 2.0 * theta.array().sign().matrix();
  }

  void generate(ConstBatch theta, const Stream& stream, Address at, Batch out) const override {
    if (fault_ == Fault::case_by_column) at.replicate = 0;
    DensityModel::generate(theta, stream, at, out);
    if (fault_ == Fault::likelihood_scaled) out.topRows(4) *= 1 + 1e-6;
    if (fault_ == Fault::likelihood_of_prior) out.row(0) -= theta.colwise().squaredNorm() / 8;
  }

 private:
  Fault fault_;
  Vector theta_ = vector("theta", 2);
};

std::string broken(Fault fault) {
  std::string names;
  for (const contracts::Finding& finding : contracts::check_model(Apart(fault)))
    if (!finding.holds) names += (names.empty() ? "" : ", ") + finding.clause;
  return names;
}

}  // namespace

TEST_CASE("likelihoods of cases that are not the model's break their own clause", "[contracts]") {
  CHECK(broken(Fault::none).empty());
  CHECK(broken(Fault::likelihood_scaled) == "log likelihoods");
  CHECK(broken(Fault::likelihood_of_prior) == "log likelihoods");
}

TEST_CASE("cases that do not follow their replicate break the clause of generated quantities",
          "[contracts]") {
  CHECK(broken(Fault::case_by_column) == "generated");
}

TEST_CASE("draws of another prior than the density's break the clause of prior draws",
          "[contracts]") {
  CHECK(broken(Fault::prior_scaled) == "prior draws match the density of the prior");
  CHECK(broken(Fault::prior_shifted) == "prior draws match the density of the prior");
  CHECK(broken(Fault::prior_two_valued) == "prior draws match the density of the prior");
}
