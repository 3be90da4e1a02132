// Two blocks of a plane, of which the second takes its scale from the first.
// SPDX-License-Identifier: Apache-2.0
#include "wrong/mistake.hpp"

#include <mixwell/plugin.hpp>

#include <cmath>
#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

namespace {

using namespace mixwell;

struct Scale : edge::OneRow<Role::parameter> {
  using OneRow::OneRow;
};

/// Small where the first block is, or was, far out.
double scale_at(double mean_distance) { return mean_distance > 1.0 ? 0.02 : 1.5; }

/// Has x[0] of the sweep before in the place of that of this one. What it remembers is no edge of
/// the graph, and is its own for each column.
class LateRest final : public Body {
 public:
  explicit LateRest(std::shared_ptr<const Body> rest)
      : rest_(std::move(rest)), last_(most_columns, NAN) {}

  void run(ColumnBlock& block) const override {
    rest_->run(block);
    MatrixMap out = block.out(0);
    for (Index j = 0; j < out.cols(); ++j) {
      double& last = last_[static_cast<std::size_t>(block.first_column() + j)];
      const double now = out(0, j);
      if (!std::isnan(last)) out(0, j) = last;
      last = now;
    }
  }

 private:
  static constexpr std::size_t most_columns = 1 << 16;

  std::shared_ptr<const Body> rest_;
  mutable std::vector<double> last_;
};

/// x[0] by `kernel`, then x[1] by random-walk Metropolis whose scale follows |x[0]|: where it is,
/// which is right, or by mistake the mean of where it was after each of the last sweeps. Its law is
/// that given x[0], or by mistake given what x[0] was before the sweep.
class WrongBlocks final : public Compositor {
 public:
  struct Params {
    std::shared_ptr<const Model> model;
    std::shared_ptr<const Kernel> kernel;
    std::int64_t window = 1;
    wrong::Mistake mistake;

    void declare(Fields& fields) {
      fields.component("model", model).help("what to sample, in the plane");
      fields.component("kernel", kernel).help("moves x[0]");
      fields.integer("window", window).at_least(1).help("sweeps that the mistake looks back");
      mistake.declare(fields, {"scale-of-past", "rest-of-before", "rest-by-stealth"});
    }
  };
  explicit WrongBlocks(const Params& params) : params_(params) {
    if (params_.model->dimension() != 2) throw ParameterError("model", "must have two coordinates");
  }

  void compose(KernelGraph& graph, PhaseKind phase) const override {
    const Value target = target_law(graph, params_.model->name(), params_.model);
    const Variable a = graph.part("a", "theta", {0});
    const Variable b = graph.part("b", "theta", {1});
    graph.factor(target, {a, b});
    const bool looks_back = params_.mistake.is("scale-of-past");
    const Variable past = looks_back ? add_past(graph) : Variable{};
    const Value past_scale = looks_back ? scale_of_past(graph, past) : Value{};
    const Value before = graph.current(a);
    params_.kernel->describe(graph, site(graph, "first", target, a, graph.current(b), phase));
    const bool is_late = params_.mistake.is("rest-of-before");
    const Site second =
        site(graph, "second", target, b, is_late ? before : graph.current(a), phase);
    if (params_.mistake.is("rest-by-stealth")) {
      const std::size_t rest = graph.operations().size() - 1;
      graph.instrument(rest, std::make_shared<LateRest>(graph.operations()[rest].body));
    }
    move(graph, second, looks_back ? past_scale : scale_of(graph, graph.current(a)));
    if (looks_back) remember(graph, past, a);
    record_position(graph, "theta", 0, params_.model, target);
  }
  const Model& model() const noexcept override { return *params_.model; }
  std::vector<std::string> slots() const override { return {"theta"}; }

 private:
  static Site site(KernelGraph& graph, const std::string& path, Value target, Variable slot,
                   Value rest, PhaseKind phase) {
    Site site;
    site.path = path;
    site.label = path;
    site.slot = slot;
    site.part = {target, {rest}};
    site.target = conditional_law(graph, path + "/given", target, slot, site.part.rest);
    site.phase = phase;
    return site;
  }

  static void move(KernelGraph& graph, const Site& site, Value scale) {
    Transition t(graph, site);
    const Edge<edge::Law> law{site.target};
    const auto end = t.propose_symmetric(
        [](edge::Position theta, Scale s, edge::Noise noise, edge::ProposedPosition to) {
          noise.normals(to);
          to = theta + to * s.asDiagonal();
        },
        t.position(), Edge<Scale>{scale}, t.noise("propose"));
    t.metropolis(law, end);
    t.finish();
  }

  static Value scale_of(KernelGraph& graph, Value x) {
    return add_operation(
               graph, "scale", OperationKind::pure, {},
               [](edge::PointPosition at, edge::Out<Scale> out) {
                 for (Index j = 0; j < out.cols(); ++j) out(j) = scale_at(std::abs(at(0, j)));
               },
               Edge<edge::PointPosition>{x}, Write<Scale>{Output::derived("scale", 1)})
        .value;
  }

  /// |x[0]| after each of the last sweeps, 0 before the first.
  Variable add_past(KernelGraph& graph) const {
    return graph.history("past", Eigen::VectorXd::Zero(params_.window), Forgets::window);
  }

  static Value scale_of_past(KernelGraph& graph, Variable past) {
    return add_operation(
               graph, "past-scale", OperationKind::pure, {},
               [](edge::Learnt distances, edge::Out<Scale> out) {
                 for (Index j = 0; j < out.cols(); ++j) out(j) = scale_at(distances.col(j).mean());
               },
               Edge<edge::Learnt>{graph.current(past)},
               Write<Scale>{Output::derived("past-scale", 1)})
        .value;
  }

  static void remember(KernelGraph& graph, Variable past, Variable slot) {
    add_operation(
        graph, "remember", OperationKind::observe, {},
        [](edge::History before, edge::PointPosition at, edge::Out<edge::History> next) {
          edge::begin(before, next);
          for (Index j = 0; j < next.cols(); ++j) {
            for (Index k = next.rows() - 1; k > 0; --k) next(k, j) = next(k - 1, j);
            next(0, j) = std::abs(at(0, j));
          }
        },
        Edge<edge::History>{graph.current(past)}, Edge<edge::PointPosition>{graph.current(slot)},
        Write<edge::History>{Output::next(past)});
  }

  Params params_;
};

}  // namespace

MIXWELL_PLUGIN(registrar) {
  registrar.add<WrongBlocks>(
      {.id = "wrong-blocks",
       .summary = "two blocks, one with a scale from the other, with a mistake of choice"});
}
