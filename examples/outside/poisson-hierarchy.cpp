// A model from outside Mixwell: Poisson regression of counts, with an effect for each group.
// SPDX-License-Identifier: Apache-2.0
#include <mixwell/density.hpp>

namespace {

using namespace mixwell;

/// y_n ~ Poisson(exp(alpha + beta x_n + b_g(n))), b_g ~ N(0, tau^2). The coordinates are the
/// effects b themselves, or z = b / tau, which does not shrink with tau.
class PoissonHierarchy final : public DensityModel<PoissonHierarchy> {
 public:
  struct Params {
    std::string data;
    bool centred = false;

    void declare(Fields& fields) {
      fields.text("data", data).file().required().help("CSV with columns group, x and y");
      fields.flag("centred", centred).help("sample the effects b instead of z = b / tau");
    }
  };

  explicit PoissonHierarchy(const Params& params) : centred_(params.centred) {
    const CsvTable table(params.data);
    y_ = table.numbers("y", {.least = 0, .is_whole = true});
    x_ = table.numbers("x");
    observe("y", y_);
    group_ = table.categories("group");
    effect_ = vector(centred_ ? "b" : "z", {"group", group_.levels});
  }

  template <class S>
  S log_prior(const Values<S>& at) const {
    return normal_lpdf(at(alpha_), 0, 2) + normal_lpdf(at(beta_), 0, 1) +
           normal_lpdf(at(tau_), 0, 1) + normal_lpdf(at(effect_), 0, centred_ ? at(tau_) : S(1));
  }
  Index cases() const { return y_.size(); }
  template <class S>
  S log_likelihood(const Values<S>& at, Index n) const {
    return poisson_log_lpmf(y_[n], log_mean(at, n));
  }
  double draw_case(const Values<double>& at, Index n, RandomNumbers& random) const {
    return draw_poisson(random, std::exp(log_mean(at, n)));
  }

 private:
  template <class S>
  S log_mean(const Values<S>& at, Index n) const {
    const S effect = at(effect_)[group_.codes[n]] * (centred_ ? S(1) : at(tau_));
    return at(alpha_) + at(beta_) * x_[n] + effect;
  }

  bool centred_;
  Eigen::VectorXd y_, x_;
  Categories group_;
  Scalar alpha_ = scalar("alpha"), beta_ = scalar("beta");
  Scalar tau_ = scalar("tau", Constraint::positive());
  Vector effect_;
};

}  // namespace

MIXWELL_PLUGIN(registrar) {
  registrar.add<PoissonHierarchy>(
      {.id = "poisson-hierarchy", .summary = "Poisson regression with an effect for each group"});
}
