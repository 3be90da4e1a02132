// Stretch moves of a walker in an ensemble (Goodman & Weare 2010), and one mistake of choice.
// SPDX-License-Identifier: Apache-2.0
#include "wrong/mistake.hpp"

#include <mixwell/plugin.hpp>

#include <cmath>

namespace {

using namespace mixwell;

struct Pivot : edge::Numbers<Role::parameter> {
  using Numbers::Numbers;
};
struct Ray : edge::Numbers<Role::parameter> {
  using Numbers::Numbers;
};

constexpr double reach = 2.0;  ///< z is between 1 / reach and reach

/// y = c + z (x - c), z with a density proportional to z^-1/2. Its numbers are x and c. With
/// r = |x - c| and s = |y - c| it is seen from c, where a volume is s^(d-1) ds times an angle:
/// -log q = log(s r) / 2 + (d - 1) log s.
class RayLaw final : public Potential {
 public:
  explicit RayLaw(wrong::Mistake mistake) : mistake_(std::move(mistake)) {}

  void evaluate(const Numbers& numbers, ConstBatch y, const Evaluation& out) const override {
    Batch gradient = out.gradient;
    if (out.wants_gradient()) gradient.setZero();
    if (!out.wants_potential()) return;
    const auto d = static_cast<double>(y.rows());
    const double power = mistake_.is("no-power") ? 0.0 : d - 1.0;
    for (Index j = 0; j < y.cols(); ++j) {
      const Eigen::Map<const Eigen::MatrixXd> ray(numbers.column(j), y.rows(), 2);
      const double r = (ray.col(0) - ray.col(1)).norm();
      const double s = (y.col(j) - ray.col(1)).norm();
      out.u()(j) = 0.5 * std::log(s * r) + power * std::log(s);
    }
  }
  bool evaluates_potential_alone() const noexcept override { return true; }
  double gradient_cost() const noexcept override { return 0.0; }

  void draw(const Numbers& numbers, const edge::Noise& noise, Batch y, Workspace& scratch) const {
    RowMap root = scratch.row(y.cols());
    noise.uniforms(root);
    for (Index j = 0; j < y.cols(); ++j) {
      const Eigen::Map<const Eigen::MatrixXd> ray(numbers.column(j), y.rows(), 2);
      root(j) = (1.0 + (reach - 1.0) * root(j)) / std::sqrt(reach);
      y.col(j) = ray.col(1) + root(j) * root(j) * (ray.col(0) - ray.col(1));
    }
  }

 private:
  wrong::Mistake mistake_;
};

class WrongStretch final : public TransitionKernel {
 public:
  struct Params {
    wrong::Mistake mistake;
    void declare(Fields& fields) { mistake.declare(fields, {"no-power"}); }
  };
  explicit WrongStretch(const Params& params) : params_(params) {}

 protected:
  void transition(Transition& t) const override {
    const auto law = t.target();
    const auto pivot = t.add(
        "pivot", OperationKind::pure, {},
        [](Columns& block, edge::List<edge::PointPosition> others, edge::Noise noise,
           edge::Out<Pivot> to) {
          RowMap which = block.scratch().row(to.cols());
          noise.uniforms(which);
          for (Index j = 0; j < to.cols(); ++j) {
            to.col(j) =
                others[static_cast<std::size_t>(which(j) * static_cast<double>(others.size()))].col(
                    j);
          }
        },
        edges<edge::PointPosition>(t.site().memory.points), t.noise("pivot"),
        t.derived<Pivot>("pivot", t.dimension()));
    const auto function = std::make_shared<RayLaw>(params_.mistake);
    SharedOperation ray([](edge::PointPosition x, Pivot c, edge::Out<Ray> both) {
      both.topRows(x.rows()) = x;
      both.bottomRows(x.rows()) = c;
    });
    const auto law_from = [&](const std::string& path, const EvaluatedPoint& point) {
      return ray
          .add(t.graph(), path + "/ray", OperationKind::pure, {},
               Edge<edge::PointPosition>{point.theta}, pivot,
               Write<Ray>{Output::derived(path + "/ray", 2 * t.dimension(), function)})
          .value;
    };
    t.metropolis(law, propose_from<RayLaw>(t, law, law_from, Space::line));
  }

 private:
  Params params_;
};

}  // namespace

MIXWELL_PLUGIN(registrar) {
  registrar.add<WrongStretch>({.id = "wrong-stretch", .summary = "stretch moves, right or wrong"});
}
