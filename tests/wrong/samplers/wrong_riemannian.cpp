// Hamiltonian Monte Carlo with a metric as its mass and one deliberate mistake; all declare to be
// right.
// SPDX-License-Identifier: Apache-2.0
#include <mixwell/base/error.hpp>
#include <mixwell/plugin.hpp>

#include <Eigen/Cholesky>
#include <Eigen/LU>

#include <cmath>

namespace {

using namespace mixwell;
using Eigen::MatrixXd;
using Eigen::VectorXd;

enum class Mistake { none, no_determinant, explicit_steps, not_converged };

/// H(theta, p) = U + 1/2 p' G^-1 p + 1/2 log det G, written without regard to cost.
class Hamiltonian {
 public:
  Hamiltonian(const Potential& law, Mistake mistake) : law_(law), mistake_(mistake) {}

  MatrixXd metric(const VectorXd& theta) const {
    ++metrics_;
    const Index d = theta.size();
    MatrixXd G(d * d, 1);
    law_.offers<Metric>()->metric(theta, G, scratch_);
    return G.reshaped(d, d);
  }
  /// How often the metric was made.
  Index metrics() const noexcept { return metrics_; }
  VectorXd velocity(const VectorXd& theta, const VectorXd& p) const {
    return metric(theta).llt().solve(p);
  }
  double operator()(const VectorXd& theta, const VectorXd& p) const {
    const MatrixXd L = metric(theta).llt().matrixL();
    double u = 0.0;
    evaluate(theta, &u);
    if (mistake_ != Mistake::no_determinant) u += L.diagonal().array().log().sum();
    return u + 0.5 * p.dot(velocity(theta, p));
  }
  /// dH/dtheta.
  VectorXd slope(const VectorXd& theta, const VectorXd& p) const {
    const Index d = theta.size();
    const VectorXd v = velocity(theta, p);
    MatrixXd W = -0.5 * v * v.transpose();
    if (mistake_ != Mistake::no_determinant) W += 0.5 * metric(theta).inverse();
    MatrixXd out(d, 1);
    law_.offers<Metric>()->contract_derivative(theta, MatrixXd(W.reshaped(d * d, 1)), out,
                                               scratch_);
    return evaluate(theta, nullptr) + out;
  }

 private:
  VectorXd evaluate(const VectorXd& theta, double* u) const {
    MatrixXd g(theta.size(), 1);
    const Eigen::RowVectorXd nothing(0);
    double unused = 0.0;
    law_.evaluate(Numbers(ConstMatrixMap(nothing.data(), 0, 1)), theta,
                  {u == nullptr ? &unused : u, g, scratch_});
    return g;
  }

  const Potential& law_;
  Mistake mistake_;
  mutable Workspace scratch_;
  mutable Index metrics_ = 0;
};

/// Inputs: theta, law, two noises. A whole transition in one operation.
class WrongStep final : public Body {
 public:
  enum In : std::size_t { theta, law, normals, uniforms };

  WrongStep(double eps, int steps, Mistake mistake) : eps_(eps), steps_(steps), mistake_(mistake) {}

  void run(ColumnBlock& block) const override {
    const Index d = block.in(theta).rows();
    const Index w = block.columns();
    MatrixXd z(d, w);
    Eigen::RowVectorXd uniform(w);
    block.normals(normals, z);
    block.uniforms(uniforms, uniform);
    const Hamiltonian H(block.function<Potential>(law), mistake_);
    for (Index j = 0; j < w; ++j) {
      VectorXd x = block.in(theta).col(j);
      VectorXd p = H.metric(x).llt().matrixL() * z.col(j);
      const double start = H(x, p);
      if (!moved(H, x, p)) continue;
      if (std::log(uniform(j)) < start - H(x, p)) block.out(0).col(j) = x;
    }
  }

 private:
  /// x = next(x) until it stays; false if it does not within 60 rounds. The mistake: two rounds,
  /// and no question.
  template <class Next>
  bool solve(VectorXd& x, const Next& next) const {
    const bool hasty = mistake_ == Mistake::not_converged;
    for (int round = 0; round < (hasty ? 2 : 60); ++round) {
      const VectorXd before = x;
      x = next(before);
      if (!x.allFinite()) return false;
      if (!hasty && (x - before).norm() <= 1e-11 * (1.0 + x.norm())) return true;
    }
    return hasty;
  }

  bool moved(const Hamiltonian& H, VectorXd& x, VectorXd& p) const {
    const VectorXd x0 = x;
    const VectorXd p0 = p;
    if (!followed(H, x, p)) return false;
    if (mistake_ == Mistake::not_converged || mistake_ == Mistake::explicit_steps) return true;
    VectorXd x_back = x;
    VectorXd p_back = -p;
    if (!followed(H, x_back, p_back)) return false;
    return (x_back - x0).norm() + (p_back + p0).norm() <= 1e-5;
  }

  bool followed(const Hamiltonian& H, VectorXd& x, VectorXd& p) const {
    for (int k = 0; k < steps_; ++k) {
      const VectorXd x0 = x;
      const VectorXd p0 = p;
      if (mistake_ == Mistake::explicit_steps) {
        p -= 0.5 * eps_ * H.slope(x, p);
        x += eps_ * H.velocity(x, p);
      } else {
        const auto kick = [&](const VectorXd& q) -> VectorXd {
          return p0 - 0.5 * eps_ * H.slope(x, q);
        };
        if (!solve(p, kick)) return false;
        const VectorXd half = x0 + 0.5 * eps_ * H.velocity(x0, p);
        const auto drift = [&](const VectorXd& y) -> VectorXd {
          return half + 0.5 * eps_ * H.velocity(y, p);
        };
        if (!solve(x, drift)) return false;
      }
      p -= 0.5 * eps_ * H.slope(x, p);
      if (!p.allFinite()) return false;
    }
    return true;
  }

  double eps_;
  int steps_;
  Mistake mistake_;
};

class WrongRiemannian final : public Kernel {
 public:
  struct Params {
    double step_size = 0.3;
    std::int64_t steps = 3;
    std::string mistake = "none";
    void declare(Fields& fields) {
      fields.number("step_size", step_size).above(0).refines(Refines::step_size).help("eps");
      fields.integer("steps", steps).at_least(1).refines(Refines::steps).help("L");
      fields.text("mistake", mistake)
          .one_of({"none", "no-determinant", "explicit-steps", "not-converged"})
          .help("what is wrong; none is the right version");
    }
  };
  explicit WrongRiemannian(const Params& params) : params_(params) {}

  void describe(KernelGraph& graph, const Site& site) const override {
    const auto* const target = dynamic_cast<const Potential*>(graph[site.target].function.get());
    if (target->offers<Metric>() == nullptr) throw InputError("the model offers no metric");
    Traits traits;
    traits.invariant = true;
    graph.add(
        site.path + "/step", OperationKind::move, traits,
        {{graph.current(site.slot), Role::state},
         {site.target, Role::law},
         {graph.noise(site.path + "/normals"), Role::noise},
         {graph.noise(site.path + "/uniforms"), Role::noise}},
        {Output::next(site.slot)},
        std::make_shared<WrongStep>(params_.step_size, static_cast<int>(params_.steps), mistake()));
  }

 private:
  Mistake mistake() const {
    if (params_.mistake == "no-determinant") return Mistake::no_determinant;
    if (params_.mistake == "explicit-steps") return Mistake::explicit_steps;
    return params_.mistake == "not-converged" ? Mistake::not_converged : Mistake::none;
  }

  Params params_;
};

}  // namespace

MIXWELL_PLUGIN(registrar) {
  registrar.add<WrongRiemannian>({.id = "wrong-riemannian",
                                  .summary = "a metric as the mass, with a mistake of choice",
                                  .details = "",
                                  .sources = {}});
}
