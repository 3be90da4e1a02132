// A plane whose coordinates are drawn given each other or alone, with a mistake of choice.
// SPDX-License-Identifier: Apache-2.0
#include "wrong/mistake.hpp"

#include <mixwell/plugin.hpp>

#include <cmath>

namespace {

using namespace mixwell;

constexpr double rho = 0.8;
constexpr double rest = 1.0 - rho * rho;

/// (a, b) normal with variances 1 and correlation rho.
class CollapsedPlane final : public Model,
                             public ExactSampler,
                             public ConditionalDraws,
                             public MarginalLaws {
 public:
  struct Params {
    wrong::Mistake mistake;
    void declare(Fields& fields) { mistake.declare(fields, {"marginal-variance", "reads-b"}); }
  };
  explicit CollapsedPlane(const Params& params) : mistake_(params.mistake) {}

  std::vector<Parameter> parameters() const override {
    return {{.name = "a", .shape = {}}, {.name = "b", .shape = {}}};
  }

  void draw(const Stream& stream, Address at, Batch theta) const override {
    stream.normals(at, theta);
    theta.row(1) = rho * theta.row(0) + std::sqrt(rest) * theta.row(1);
  }

  std::vector<std::vector<std::string>> conditionals() const override { return {{"a"}, {"b"}}; }
  void draw_conditional(std::size_t which, const Stream& stream, Address at, Batch theta,
                        Workspace& scratch) const override {
    MatrixMap z = scratch.matrix(1, theta.cols());
    stream.normals(at, z);
    const auto other = static_cast<Index>(1 - which);
    theta.row(static_cast<Index>(which)) = rho * theta.row(other) + std::sqrt(rest) * z;
  }

  std::vector<std::vector<std::string>> integrable() const override { return {{"b"}}; }
  void evaluate_marginal(std::size_t, ConstBatch theta, const Evaluation& out) const override {
    Batch gradient = out.gradient;
    const double precision = mistake_.is("marginal-variance") ? 1.0 / rest : 1.0;
    const double pull = mistake_.is("reads-b") ? 0.5 : 0.0;
    for (Index j = 0; j < theta.cols(); ++j) {
      const double a = theta(0, j);
      if (out.wants_potential()) out.u()(j) = 0.5 * precision * a * a;
      if (pull != 0.0 && out.wants_potential()) out.u()(j) -= pull * a * theta(1, j);
      if (!out.wants_gradient()) continue;
      gradient(0, j) = precision * a;
      gradient(1, j) = 0.0;
      if (pull != 0.0) gradient(0, j) -= pull * theta(1, j);
    }
  }

 private:
  void do_evaluate(ConstBatch theta, const Evaluation& out) const override {
    Batch gradient = out.gradient;
    for (Index j = 0; j < theta.cols(); ++j) {
      const double a = theta(0, j);
      const double b = theta(1, j);
      if (out.wants_potential()) out.u()(j) = 0.5 * (a * a - 2.0 * rho * a * b + b * b) / rest;
      if (!out.wants_gradient()) continue;
      gradient(0, j) = (a - rho * b) / rest;
      gradient(1, j) = (b - rho * a) / rest;
    }
  }
  bool evaluates_potential_alone() const noexcept override { return true; }

  wrong::Mistake mistake_;
};

/// Draws a given b, as its law says; by mistake without b.
class WrongCollapsed final : public TransitionKernel {
 public:
  struct Params {
    wrong::Mistake mistake;
    void declare(Fields& fields) { mistake.declare(fields, {"without-b"}); }
  };
  explicit WrongCollapsed(const Params& params) : mistake_(params.mistake) {}

 protected:
  void transition(Transition& t) const override {
    const bool without = mistake_.is("without-b");
    t.add(
        "draw", OperationKind::move, wrong::claims_exact(),
        [without](edge::Position, edge::Law law, edge::Noise noise,
                  edge::Out<edge::Position> next) {
          noise.normals(next);
          if (without) return;
          for (Index j = 0; j < next.cols(); ++j) {
            // The rest is a whole position, in which b is the second coordinate.
            next(0, j) = rho * law.numbers().column(j)[1] + std::sqrt(rest) * next(0, j);
          }
        },
        t.position(), t.target(), t.noise("draw"), t.next());
  }

 private:
  wrong::Mistake mistake_;
};

}  // namespace

MIXWELL_PLUGIN(registrar) {
  registrar.add<CollapsedPlane>(
      {.id = "collapsed-plane", .summary = "a plane that knows the law of one of its coordinates"});
  registrar.add<WrongCollapsed>(
      {.id = "wrong-collapsed", .summary = "draws of a coordinate, with a mistake of choice"});
}
