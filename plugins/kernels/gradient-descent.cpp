// Gradient descent (an optimiser): Langevin dynamics without its noise.
// SPDX-License-Identifier: Apache-2.0
#include "optimiser/operations.hpp"

#include <mixwell/plugin.hpp>

#include <cmath>

namespace {

using namespace mixwell;

using optimiser::Search;

constexpr StatisticTable<Search, 2> descent_statistics{
    {{Search::gradient_norm,
      {"gradient_norm", RecordType::real, "nats / theta", "|grad U| after the step"}},
     {Search::flag,
      {"diverging", RecordType::boolean, "",
       "whether the step was dropped because U or grad U was not finite at the end of the step"}}}};

class GradientDescent final : public TransitionKernel {
 public:
  struct Params {
    std::shared_ptr<const Oracle> oracle;
    double step_size = 0.01;
    bool hessian = false;

    void declare(Fields& fields) {
      fields.component("oracle", oracle).or_default("exact").help("source of U and grad U");
      fields.number("step_size", step_size)
          .unit("theta^2 / nat")
          .above(0)
          .help(
              "eps in theta+ = theta - eps grad U (converges near a mode if eps < 2 / largest "
              "Hessian eigenvalue)");
      fields.flag("hessian", hessian)
          .help("record the Hessian at every draw (d^2 entries, computed from 2 d gradients)");
    }
  };
  explicit GradientDescent(const Params& params) : params_(params) {}

 protected:
  void transition(Transition& t) const override {
    const auto law = t.law(params_.oracle);
    optimiser::add_move(
        t, law, "descend",
        [step = params_.step_size](
            Columns& block, edge::Position theta, edge::Law of, edge::Potential<edge::Here> u,
            edge::Gradient<edge::Here> g, edge::Out<edge::Position> next,
            edge::Out<edge::Potential<edge::Next>> next_u,
            edge::Out<edge::Gradient<edge::Next>> next_g, edge::Statistics<Search> statistics) {
          Workspace& scratch = block.scratch();
          MatrixMap end = scratch.matrix(theta.rows(), theta.cols());
          MatrixMap g_end = scratch.matrix(theta.rows(), theta.cols());
          RowMap u_end = scratch.row(theta.cols());
          flat(end) = flat(theta) - step * flat(g);
          of.evaluate(end, {u_end.data(), g_end, scratch});
          edge::begin(theta, next);
          edge::begin(u, next_u);
          edge::begin(g, next_g);
          for (Index j = 0; j < end.cols(); ++j) {
            const bool fine = std::isfinite(u_end(j)) && g_end.col(j).allFinite();
            statistics[Search::flag](j) = fine ? 0.0 : 1.0;
            if (!fine) block.report(trouble(j, u_end(j), g_end, 0.0), theta);
            if (fine) next.col(j) = end.col(j);
            if (fine) next_u(j) = u_end(j);
            if (fine) next_g.col(j) = g_end.col(j);
            statistics[Search::gradient_norm](j) = next_g.col(j).norm();
          }
        },
        descent_statistics);
    if (params_.hessian) optimiser::record_hessian(t, law);
  }

 private:
  Params params_;
};

}  // namespace

MIXWELL_PLUGIN(registrar) {
  registrar.add<GradientDescent>(
      {.id = "gradient-descent",
       .summary = "Gradient descent (an optimiser, not a sampler)",
       .details = "A sweep computes theta+ = theta - eps grad U. The descent converges to a mode "
                  "and stays there, whereas a sampler keeps moving. The certificate of an "
                  "optimiser has the class \"none\", so set allow = [\"none\"] in [run]. The "
                  "kernel records gradient_norm, diverging and, if hessian = true, hessian.",
       .sources = {"Cauchy 1847, C. R. Acad. Sci. 25"}});
}
