// The mode: the maximum a posteriori estimate, by L-BFGS and Newton.
// SPDX-License-Identifier: Apache-2.0
#include "optimiser/operations.hpp"

#include <mixwell/plugin.hpp>

namespace {

using namespace mixwell;

/// Inputs: theta, law, u, g. Outputs: theta, u, g, gradient norm, converged.
class ClimbBody final : public Body {
 public:
  ClimbBody(double tolerance, std::int64_t max_iterations, bool polish)
      : tolerance_(tolerance), max_iterations_(max_iterations), polish_(polish) {}

  void run(Block& block) const override {
    const Law law = block.law(1);
    for (Index j = 0; j < block.columns(); ++j) {
      const ColumnLaw column(law, j, block.scratch());
      const Optimum mode = find_mode(column, block.in(0).col(j), tolerance_, max_iterations_,
                                     polish_ ? polish_steps : 0);
      block.count_gradients(1, column.gradients());
      block.out(0).col(j) = mode.theta;
      block.out_row(1)(j) = mode.u;
      block.out(2).col(j) = mode.gradient;
      block.out_row(3)(j) = mode.gradient.norm();
      block.out_row(4)(j) = mode.converged ? 1.0 : 0.0;
    }
  }

 private:
  static constexpr std::int64_t polish_steps = 5;
  double tolerance_;
  std::int64_t max_iterations_;
  bool polish_;
};

class Map final : public Kernel {
 public:
  struct Params {
    std::shared_ptr<const Oracle> oracle;
    double tolerance = 1e-6;
    std::int64_t max_iterations = 10000;
    bool hessian = true;

    void declare(Fields& fields) {
      fields.component("oracle", oracle).or_default("exact").help("where U and grad U come from");
      fields.number("tolerance", tolerance)
          .unit("nats / theta")
          .above(0)
          .help("converged where |grad U| is at most this");
      fields.integer("max_iterations", max_iterations)
          .at_least(1)
          .at_most(1e9)
          .help("of L-BFGS, in a sweep");
      fields.flag("hessian", hessian)
          .help(
              "polish the mode by Newton steps, and record the Hessian there: d^2 numbers a draw");
    }
  };
  explicit Map(const Params& params) : params_(params) {}

  void describe(KernelGraph& graph, const Site& site) const override {
    const Value law = params_.oracle->law(graph, site.path + "/oracle", site.target);
    const auto out = optimiser::add_move(
        graph, site, law, "climb", "converged",
        std::make_shared<ClimbBody>(params_.tolerance, params_.max_iterations, params_.hessian));
    record_statistic(graph, site, "gradient_norm", out[3], RecordType::real, "nats / theta",
                     "|grad U| where it stopped");
    record_statistic(graph, site, "converged", out[4], RecordType::boolean, "",
                     "gradient_norm is within the tolerance");
    if (params_.hessian) optimiser::record_hessian(graph, site, law);
  }

 private:
  Params params_;
};

}  // namespace

MIXWELL_PLUGIN(registrar) {
  registrar.add<Map>(
      {.id = "map",
       .summary = "no sampler: climbs to the mode, with the Hessian there",
       .details =
           "A sweep goes from the present position to a local minimum of U (L-BFGS with 10 pairs, "
           "backtracking line search, then up to 5 Newton steps). One sweep is enough: set "
           "warmup = 0, draws = 1 and allow = [\"none\"] in [run]; replicates start, by `init`, "
           "at different points and may find different modes. Statistics: gradient_norm, "
           "converged, hessian (d x d, central differences: 2 d gradients).",
       .sources = {"Liu & Nocedal 1989, Math. Program. 45"}});
}
