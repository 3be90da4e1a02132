// Search for the mode (maximum a posteriori estimate) by L-BFGS and Newton steps.
// SPDX-License-Identifier: Apache-2.0
#include "optimiser/operations.hpp"

#include <mixwell/plugin.hpp>

namespace {

using namespace mixwell;

using optimiser::Search;

constexpr StatisticTable<Search, 2> climb_statistics{
    {{Search::gradient_norm,
      {"gradient_norm", RecordType::real, "nats / theta", "|grad U| at the end"}},
     {Search::flag,
      {"converged", RecordType::boolean, "", "whether gradient_norm is within the tolerance"}}}};

constexpr std::int64_t polish_steps = 5;

class Map final : public TransitionKernel {
 public:
  struct Params {
    std::shared_ptr<const Oracle> oracle;
    double tolerance = 1e-6;
    std::int64_t max_iterations = 10000;
    bool hessian = true;

    void declare(Fields& fields) {
      fields.component("oracle", oracle).or_default("exact").help("source of U and grad U");
      fields.number("tolerance", tolerance)
          .unit("nats / theta")
          .above(0)
          .help("largest |grad U| at which the search counts as converged");
      fields.integer("max_iterations", max_iterations)
          .at_least(1)
          .at_most(1e9)
          .help("largest number of L-BFGS iterations in a sweep");
      fields.flag("hessian", hessian)
          .help(
              "end the search with Newton steps, and record the Hessian at the end point (d^2 "
              "entries)");
    }
  };
  explicit Map(const Params& params) : params_(params) {}

 protected:
  void transition(Transition& t) const override {
    const auto law = t.law(params_.oracle);
    optimiser::add_move(
        t, law, "climb",
        [tolerance = params_.tolerance, most = params_.max_iterations,
         polish = params_.hessian ? polish_steps : 0](
            Columns& block, edge::Position theta, edge::Law of, edge::Potential<edge::Here>,
            edge::Gradient<edge::Here>, edge::Out<edge::Position> next,
            edge::Out<edge::Potential<edge::Next>> next_u,
            edge::Out<edge::Gradient<edge::Next>> next_g, edge::Statistics<Search> statistics) {
          for (Index j = 0; j < block.columns(); ++j) {
            const ColumnLaw column(of, j, block.scratch());
            const Optimum mode = find_mode(column, theta.col(j), tolerance, most, polish);
            next.col(j) = mode.theta;
            next_u(j) = mode.u;
            next_g.col(j) = mode.gradient;
            statistics[Search::gradient_norm](j) = mode.gradient.norm();
            statistics[Search::flag](j) = mode.converged ? 1.0 : 0.0;
          }
        },
        climb_statistics);
    if (params_.hessian) optimiser::record_hessian(t, law);
  }

 private:
  Params params_;
};

}  // namespace

MIXWELL_PLUGIN(registrar) {
  registrar.add<Map>(
      {.id = "map",
       .summary = "Search for the mode and its Hessian (an optimiser, not a sampler)",
       .details =
           "A sweep searches for a local minimum of U from the current position. It uses L-BFGS "
           "with 10 correction pairs and a backtracking line search, then up to 5 Newton steps if "
           "hessian = true. One sweep is enough, so set warmup = 0 and draws = 1 in [run]. The "
           "certificate of an optimiser has the class \"none\", so also set allow = [\"none\"]. "
           "The replicates start at different points (key `init`), so they may find different "
           "modes. The kernel records gradient_norm, converged and, if hessian = true, hessian (d "
           "x d, from central differences that cost 2 d gradients).",
       .sources = {"Liu & Nocedal 1989, Math. Program. 45"}});
}
