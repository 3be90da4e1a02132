// Replica exchange: copies at rising temperatures that change places.
// SPDX-License-Identifier: Apache-2.0
#include <mixwell/plugin.hpp>

#include <cmath>
#include <string>
#include <utility>
#include <vector>

namespace {

using namespace mixwell;

/// Two slots x, y under the laws a U, b U: inputs x, y, x*, y*, laws, (u, g) of each, noise.
/// Outputs: x, u, g, y, u, g, acceptance. No new evaluation: a U(y) = (a / b) b U(y).
class SwapBody final : public Body {
 public:
  enum In : std::size_t { x, y, x_proposed, y_proposed, law_x, law_y, u_x, g_x, u_y, g_y, noise };
  enum Out : std::size_t { next_x, next_u_x, next_g_x, next_y, next_u_y, next_g_y, acceptance };

  SwapBody(double a, double b) : a_(a), b_(b) {}

  void run(Block& block) const override {
    Workspace& scratch = block.scratch();
    const Index w = block.columns();
    RowMap uniform = scratch.row(w);
    RowMap probability = scratch.row(w);
    block.uniforms(noise, uniform);
    // exp of a U(x) + b U(y) - a U(y) - b U(x)
    probability =
        ((a_ - b_) * (block.in_row(u_x) / a_ - block.in_row(u_y) / b_)).array().exp().min(1.0);
    exchange(block, {block.in(x), block.in(y), block.out(next_x), block.out(next_y), 1.0, 1.0},
             uniform, probability);
    exchange(
        block,
        {block.in(u_x), block.in(u_y), block.out(next_u_x), block.out(next_u_y), a_ / b_, b_ / a_},
        uniform, probability);
    exchange(
        block,
        {block.in(g_x), block.in(g_y), block.out(next_g_x), block.out(next_g_y), a_ / b_, b_ / a_},
        uniform, probability);
    block.out_row(acceptance) = probability;
  }

 private:
  struct Pair {
    ConstMatrixMap x;
    ConstMatrixMap y;
    MatrixMap next_x;
    MatrixMap next_y;
    double from_y;  ///< factor of what comes from y to x
    double from_x;
  };

  /// What is next may share the memory of what is now.
  static void exchange(Block& block, Pair pair, ConstRow uniform, ConstRow probability) {
    const Workspace::Frame frame(block.scratch());
    MatrixMap kept = block.scratch().matrix(pair.x.rows(), 1);
    for (Index j = 0; j < pair.x.cols(); ++j) {
      const bool swapped = uniform(j) < probability(j);
      kept = pair.x.col(j);
      if (swapped) {
        pair.next_x.col(j) = pair.from_y * pair.y.col(j);
        pair.next_y.col(j) = pair.from_x * kept;
      } else {
        pair.next_x.col(j) = kept;
        if (pair.next_y.data() != pair.y.data()) pair.next_y.col(j) = pair.y.col(j);
      }
    }
  }

  double a_;
  double b_;
};

class Tempering final : public Compositor {
 public:
  struct Params {
    std::shared_ptr<const Model> model;
    std::shared_ptr<const Kernel> kernel;
    std::vector<double> inverse_temperatures{1.0, 0.5, 0.25, 0.125};

    void declare(Fields& fields) {
      fields.component("model", model).help("what the first slot samples");
      fields.component("kernel", kernel).help("the transition of each slot, under its own law");
      fields.numbers("inverse_temperatures", inverse_temperatures)
          .above(0)
          .at_most(1)
          .help("beta of each slot: the first is 1, and each is below the one before it");
    }
  };
  explicit Tempering(const Params& params)
      : model_(params.model), kernel_(params.kernel), betas_(params.inverse_temperatures) {
    if (betas_.size() < 2 || betas_.front() != 1.0) {
      throw ParameterError("inverse_temperatures", "needs at least two, the first of them 1");
    }
    for (std::size_t k = 1; k < betas_.size(); ++k) {
      if (betas_[k] >= betas_[k - 1]) {
        throw ParameterError("inverse_temperatures", "must fall from each to the next");
      }
    }
  }

  void compose(KernelGraph& graph, PhaseKind phase) const override {
    std::vector<Site> sites;
    const Value target = target_law(graph, model_->name(), model_);
    const auto base = std::dynamic_pointer_cast<const Potential>(graph[target].function);
    for (std::size_t k = 0; k < betas_.size(); ++k) {
      sites.push_back(site(graph, k, target, base, phase));
    }
    for (const Site& site : sites) kernel_->describe(graph, site);
    // Even pairs, then odd ones: two exchanges of one group concern different slots.
    for (const std::size_t first : {std::size_t{0}, std::size_t{1}}) {
      for (std::size_t k = first; k + 1 < sites.size(); k += 2) swap(graph, sites, k);
    }
    record_slot(graph, sites.front().slot, 0, model_, target);
  }
  const Model& model() const noexcept override { return *model_; }
  std::vector<std::string> slots() const override { return {slot_name(0)}; }

 private:
  static std::string slot_name(std::size_t k) { return "x" + std::to_string(k); }

  Site site(KernelGraph& graph, std::size_t k, Value target,
            const std::shared_ptr<const Potential>& base, PhaseKind phase) const {
    Site site;
    site.path = slot_name(k) + "/" + kernel_->name();
    if (k > 0) site.label = slot_name(k);
    site.slot = graph.slot(slot_name(k), model_->dimension());
    site.target = k == 0 ? target
                         : graph.constant(model_->name() + "/" + slot_name(k),
                                          std::make_shared<TemperedPotential>(base, betas_[k]));
    graph.factor(site.target, {site.slot});
    site.phase = phase;
    return site;
  }

  void swap(KernelGraph& graph, const std::vector<Site>& sites, std::size_t k) const {
    const Site& x = sites[k];
    const Site& y = sites[k + 1];
    const std::string path = "swap" + std::to_string(k);
    const Index d = model_->dimension();
    const Cached at_x = graph.evaluation(x.target, x.slot);
    const Cached at_y = graph.evaluation(y.target, y.slot);
    const Value now_x = graph.current(x.slot);
    const Value now_y = graph.current(y.slot);
    const auto [x_proposed, y_proposed] = graph.exchange(path + "/exchange", now_x, now_y);
    const auto out =
        graph.add(path, OperationKind::accept, {},
                  {{now_x, Role::state},
                   {now_y, Role::state},
                   {x_proposed, Role::proposed},
                   {y_proposed, Role::proposed},
                   {x.target, Role::law},
                   {y.target, Role::law},
                   {at_x.u, Role::evaluation},
                   {at_x.g, Role::evaluation},
                   {at_y.u, Role::evaluation},
                   {at_y.g, Role::evaluation},
                   {graph.noise(path), Role::noise}},
                  {Output::next(x.slot), Output::evaluation(path + "/x/u", 1, x.target, x.slot),
                   Output::evaluation(path + "/x/g", d, x.target, x.slot), Output::next(y.slot),
                   Output::evaluation(path + "/y/u", 1, y.target, y.slot),
                   Output::evaluation(path + "/y/g", d, y.target, y.slot),
                   Output::derived(path + "/acceptance", 1)},
                  std::make_shared<SwapBody>(betas_[k], betas_[k + 1]));
    graph.record(
        {RecordGroup::sample_stats,
         path + "_acceptance_rate",
         {},
         RecordType::real,
         "",
         "probability of the exchange of slots " + slot_name(k) + " and " + slot_name(k + 1),
         0,
         out[SwapBody::acceptance],
         0});
  }

  std::shared_ptr<const Model> model_;
  std::shared_ptr<const Kernel> kernel_;
  std::vector<double> betas_;
};

}  // namespace

MIXWELL_PLUGIN(registrar) {
  registrar.add<Tempering>(
      {.id = "tempering",
       .summary = "replica exchange: slots at rising temperatures that change places",
       .details =
           "Slot k samples pi^beta_k, by the same kernel; then the pairs (0, 1), (2, 3), ... and "
           "the pairs (1, 2), (3, 4), ... change places, each with probability min(1, "
           "exp((beta_x - beta_y)(U(x) - U(y)))). The flat copies cross barriers, and hand what "
           "they find down to the first slot, the only one that is recorded. An exchange costs no "
           "gradient. Statistics of slot k > 0 are recorded as xk_NAME; an exchange that is "
           "seldom accepted (swapk_acceptance_rate) asks for temperatures closer together. pi^beta "
           "must be a density that can be normalised.",
       .sources = {"Swendsen & Wang 1986, Phys. Rev. Lett. 57",
                   "Geyer 1991, Computing Science and Statistics 23"}});
}
