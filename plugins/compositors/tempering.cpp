// Compositor `tempering`: replica exchange between slots at rising temperatures.
// SPDX-License-Identifier: Apache-2.0
#include "parts.hpp"

#include <mixwell/plugin.hpp>

#include <cmath>
#include <string>
#include <tuple>
#include <vector>

namespace {

using namespace mixwell;

/// The two slots of an exchange, and the value of each slot after the exchange.
struct X;
struct Y;
template <class Slot>
struct After;

template <class Slot>
struct At : edge::Numbers<Role::state> {};
template <class Slot>
struct LawOfSlot : edge::LawAs<Role::law> {};
struct Probability : edge::OneRow<Role::parameter> {};

/// Exchanges x and y under the laws a U and b U. Needs no new evaluation: a U(y) = (a / b) b U(y).
class Swap {
 public:
  Swap(double a, double b) : a_(a), b_(b) {}

  void operator()(Columns& block, At<X> x, At<Y> y, edge::Proposed<At<X>>, edge::Proposed<At<Y>>,
                  LawOfSlot<X>, LawOfSlot<Y>, edge::Potential<X> u_x, edge::Gradient<X> g_x,
                  edge::Potential<Y> u_y, edge::Gradient<Y> g_y, edge::Noise noise,
                  edge::Out<At<X>> next_x, edge::Out<edge::Potential<After<X>>> next_u_x,
                  edge::Out<edge::Gradient<After<X>>> next_g_x, edge::Out<At<Y>> next_y,
                  edge::Out<edge::Potential<After<Y>>> next_u_y,
                  edge::Out<edge::Gradient<After<Y>>> next_g_y,
                  edge::Out<Probability> probability) const {
    RowMap uniform = block.scratch().row(block.columns());
    noise.uniforms(uniform);
    // The exponent is a U(x) + b U(y) - a U(y) - b U(x).
    probability = ((a_ - b_) * (u_x / a_ - u_y / b_)).array().exp().min(1.0);
    const auto move = [&](const auto& from_x, const auto& from_y, auto& to_x, auto& to_y,
                          double factor_y, double factor_x) {
      const Workspace::Frame frame(block.scratch());
      MatrixMap kept = block.scratch().matrix(from_x.rows(), 1);
      for (Index j = 0; j < from_x.cols(); ++j) {
        kept = from_x.col(j);  // the next value may share memory with the current value
        if (uniform(j) < probability(j)) {
          to_x.col(j) = factor_y * from_y.col(j);
          to_y.col(j) = factor_x * kept;
        } else {
          to_x.col(j) = kept;
          if (to_y.data() != from_y.data()) to_y.col(j) = from_y.col(j);
        }
      }
    };
    move(x, y, next_x, next_y, 1.0, 1.0);
    move(u_x, u_y, next_u_x, next_u_y, a_ / b_, b_ / a_);
    move(g_x, g_y, next_g_x, next_g_y, a_ / b_, b_ / a_);
  }

 private:
  double a_;
  double b_;
};

class Tempering final : public Compositor {
 public:
  struct Params {
    std::shared_ptr<const Model> model;
    std::shared_ptr<const Kernel> kernel;
    std::vector<double> inverse_temperatures{1.0, 0.5, 0.25, 0.125};
    bool record_slots = false;

    void declare(Fields& fields) {
      fields.component("model", model).help("the model that the first slot samples");
      fields.component("kernel", kernel)
          .help("the kernel that moves each slot under its own tempered target");
      fields.numbers("inverse_temperatures", inverse_temperatures)
          .above(0)
          .at_most(1)
          .help(
              "beta of each slot: the first is 1, and each value is smaller than the value before "
              "it");
      fields.flag("record_slots", record_slots)
          .help("record the positions of the other slots too, as xk_position in sample_stats");
    }
  };
  explicit Tempering(const Params& params)
      : model_(params.model),
        kernel_(params.kernel),
        betas_(params.inverse_temperatures),
        records_slots_(params.record_slots) {
    if (betas_.size() < 2 || betas_.front() != 1.0) {
      throw ParameterError(
          "inverse_temperatures",
          "must list at least two values, and the first must be 1, such as [1, 0.5].");
    }
    for (std::size_t k = 1; k < betas_.size(); ++k) {
      if (betas_[k] >= betas_[k - 1]) {
        throw ParameterError("inverse_temperatures",
                             "must decrease from each value to the next. Sort the values in "
                             "decreasing order without repeats.");
      }
    }
  }

  void compose(KernelGraph& graph, PhaseKind phase) const override {
    std::vector<PositionSlots> positions;
    std::vector<Site> sites;
    const Value target = target_law(graph, model_->name(), model_);
    for (std::size_t k = 0; k < betas_.size(); ++k) {
      positions.push_back(add_position(graph, slot_name(k), *model_, {kernel_}));
      sites.push_back(site(graph, k, target, positions.back(), phase));
    }
    for (const Site& site : sites) kernel_->describe(graph, site);
    // The even pairs come first, then the odd pairs, so the exchanges of one group use different
    // slots.
    for (const std::size_t first : {std::size_t{0}, std::size_t{1}}) {
      for (std::size_t k = first; k + 1 < sites.size(); k += 2) swap(graph, sites, k);
    }
    for (const PositionSlots& position : positions) scatter_position(graph, position);
    record_position(graph, positions.front(), 0, model_, target);
    for (std::size_t k = 1; k < sites.size() && records_slots_; ++k) {
      parts::record_augmented(graph, sites[k].slot);
    }
  }
  const Model& model() const noexcept override { return *model_; }
  std::vector<std::string> slots() const override { return {slot_name(0)}; }

 private:
  static std::string slot_name(std::size_t k) { return "x" + std::to_string(k); }

  Site site(KernelGraph& graph, std::size_t k, Value target, const PositionSlots& position,
            PhaseKind phase) const {
    const Value law = k == 0 ? target : tempered(graph, target, k);
    graph.factor(law, position.slots);
    gather_position(graph, position);
    return {.path = slot_name(k) + "/" + kernel_->name(),
            .label = k == 0 ? "" : slot_name(k),
            .slot = position.whole,
            .target = law,
            .phase = phase};
  }

  /// pi^beta of slot k.
  Value tempered(KernelGraph& graph, Value target, std::size_t k) const {
    return graph.constant(model_->name() + "/" + slot_name(k),
                          std::make_shared<TemperedPotential>(graph.potential(target), betas_[k]));
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
    const auto potential = [&]<class Slot>(const Site& site, const std::string& name) {
      return Write<edge::Potential<After<Slot>>>{
          Output::evaluation(path + name, 1, site.target, site.slot)};
    };
    const auto gradient = [&]<class Slot>(const Site& site, const std::string& name) {
      return Write<edge::Gradient<After<Slot>>>{
          Output::evaluation(path + name, d, site.target, site.slot)};
    };
    const auto written = add_operation(
        graph, path, OperationKind::accept, {}, Swap(betas_[k], betas_[k + 1]), Edge<At<X>>{now_x},
        Edge<At<Y>>{now_y}, Edge<edge::Proposed<At<X>>>{x_proposed},
        Edge<edge::Proposed<At<Y>>>{y_proposed}, Edge<LawOfSlot<X>>{x.target},
        Edge<LawOfSlot<Y>>{y.target}, Edge<edge::Potential<X>>{at_x.u},
        Edge<edge::Gradient<X>>{at_x.g}, Edge<edge::Potential<Y>>{at_y.u},
        Edge<edge::Gradient<Y>>{at_y.g}, Edge<edge::Noise>{graph.noise(path)},
        Write<At<X>>{Output::next(x.slot)}, potential.template operator()<X>(x, "/x/u"),
        gradient.template operator()<X>(x, "/x/g"), Write<At<Y>>{Output::next(y.slot)},
        potential.template operator()<Y>(y, "/y/u"), gradient.template operator()<Y>(y, "/y/g"),
        Write<Probability>{Output::derived(path + "/acceptance", 1)});
    graph.record({.group = RecordGroup::sample_stats,
                  .name = path + "_acceptance_rate",
                  .help = "acceptance probability of the exchange between slots " + slot_name(k) +
                          " and " + slot_name(k + 1),
                  .value = std::get<Edge<Probability>>(written).value});
  }

  std::shared_ptr<const Model> model_;
  std::shared_ptr<const Kernel> kernel_;
  std::vector<double> betas_;
  bool records_slots_;
};

}  // namespace

MIXWELL_PLUGIN(registrar) {
  registrar.add<Tempering>(
      {.id = "tempering",
       .summary = "Replica exchange between slots at rising temperatures",
       .details = "Slot k samples pi^beta_k, where pi is the model's density. All slots use the "
                  "same kernel. After all slots have moved, exchanges are proposed for the pairs "
                  "(0, 1), (2, 3) and so on, and then for the pairs (1, 2), (3, 4) and so on. An "
                  "exchange of two slots with positions x and y is accepted with probability "
                  "min(1, exp((beta_x - beta_y)(U(x) - U(y)))). The slots at high temperatures "
                  "cross barriers, and exchanges bring their positions to the first slot. Only "
                  "the positions of the first slot are recorded as draws. An exchange costs no "
                  "gradient. The statistics of slot k > 0 are recorded with the prefix xk_, as in "
                  "x1_acceptance_rate. The acceptance probability of exchanges between slots k "
                  "and k + 1 is recorded as swapk_acceptance_rate. If it is low, choose "
                  "temperatures that are closer together. Each pi^beta must be a density that can "
                  "be normalised.",
       .sources = {"Swendsen & Wang 1986, Phys. Rev. Lett. 57",
                   "Geyer 1991, Computing Science and Statistics 23"}});
}
