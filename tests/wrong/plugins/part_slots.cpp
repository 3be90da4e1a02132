// Compositors whose slots are not the model's vector: one that holds a part of it in each of two
// slots, and one that adds a coordinate of its own. Nothing else is wrong with them.
// SPDX-License-Identifier: Apache-2.0
#include <mixwell/plugin.hpp>

namespace {

using namespace mixwell;

/// What both are made of.
struct CommonParams {
  std::shared_ptr<const Model> model;
  std::shared_ptr<const Kernel> kernel;
  void declare(Fields& fields) {
    fields.component("model", model).help("what to sample");
    fields.component("kernel", kernel).help("moves every slot");
  }
};

/// U of the whole vector as a function of coordinate `row`; the numbers are the other coordinate.
class Conditional final : public Potential {
 public:
  Conditional(std::shared_ptr<const Model> model, Index row)
      : model_(std::move(model)), row_(row) {}

  void evaluate(const Numbers& numbers, ConstBatch theta, const Evaluation& out) const override {
    const Workspace::Frame frame(out.scratch);
    MatrixMap whole = out.scratch.matrix(2, theta.cols());
    MatrixMap g = out.scratch.matrix(2, theta.cols());
    for (Index j = 0; j < theta.cols(); ++j) {
      whole(row_, j) = theta(0, j);
      whole(1 - row_, j) = *numbers.column(j);
    }
    model_->evaluate(whole, {out.potential, g, out.scratch, out.draw});
    Batch gradient = out.gradient;
    gradient.row(0) = g.row(row_);
  }

 private:
  std::shared_ptr<const Model> model_;
  Index row_;
};

/// A slot for each of two coordinates, moved given the other. Records nothing of the slots.
class Halves final : public Compositor {
 public:
  using Params = CommonParams;
  explicit Halves(const Params& params) : params_(params) {
    if (params_.model->dimension() != 2) throw ParameterError("model", "must have two coordinates");
  }

  void compose(KernelGraph& graph, PhaseKind phase) const override {
    const Value joint = target_law(graph, params_.model->name(), params_.model);
    const Variable slots[2] = {graph.slot("first", 1), graph.slot("second", 1)};
    graph.factor(joint, {slots[0], slots[1]});
    Traits traits;
    traits.unbiased = true;
    for (Index k = 0; k < 2; ++k) {
      Site site;
      site.label = graph[slots[k]].name;
      site.path = site.label + "/" + params_.kernel->name();
      site.slot = slots[k];
      site.target =
          graph.view(site.label + "/conditional", std::make_shared<Conditional>(params_.model, k),
                     graph.current(slots[1 - k]), traits, joint);
      site.phase = phase;
      params_.kernel->describe(graph, site);
    }
  }

  const Model& model() const noexcept override { return *params_.model; }
  std::vector<std::string> slots() const override { return {"first"}; }

 private:
  Params params_;
};

/// pi(theta) times a standard normal law of one coordinate more.
class Augmented final : public Potential {
 public:
  explicit Augmented(std::shared_ptr<const Model> model) : model_(std::move(model)) {}

  void evaluate(const Numbers&, ConstBatch theta, const Evaluation& out) const override {
    const Workspace::Frame frame(out.scratch);
    const Index d = model_->dimension();
    MatrixMap x = out.scratch.matrix(d, theta.cols());
    MatrixMap g = out.scratch.matrix(d, theta.cols());
    x = theta.topRows(d);
    model_->evaluate(x, {out.potential, g, out.scratch, out.draw});
    Batch gradient = out.gradient;
    gradient.topRows(d) = g;
    gradient.row(d) = theta.row(d);
    if (out.wants_potential()) out.u().array() += 0.5 * theta.row(d).array().square();
  }

 private:
  std::shared_ptr<const Model> model_;
};

/// One slot that holds a coordinate more than the model has.
class OneMore final : public Compositor {
 public:
  using Params = CommonParams;
  explicit OneMore(const Params& params) : params_(params) {}

  void compose(KernelGraph& graph, PhaseKind phase) const override {
    const Value joint = graph.constant("augmented", std::make_shared<Augmented>(params_.model));
    const Variable slot = graph.slot("theta", params_.model->dimension() + 1);
    graph.factor(joint, {slot});
    Site site;
    site.path = params_.kernel->name();
    site.slot = slot;
    site.target = joint;
    site.phase = phase;
    params_.kernel->describe(graph, site);
    record_slot(graph, slot, 0, params_.model, joint);
  }

  const Model& model() const noexcept override { return *params_.model; }
  std::vector<std::string> slots() const override { return {"theta"}; }

 private:
  Params params_;
};

}  // namespace

MIXWELL_PLUGIN(registrar) {
  registrar.add<Halves>({.id = "halves", .summary = "a slot for each of two coordinates"});
  registrar.add<OneMore>({.id = "one-more", .summary = "a slot with a coordinate of its own"});
}
