// A small registry of components that do nothing, for tests of manifests and schemas.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <mixwell/lab/registry.hpp>

#include <memory>
#include <stdexcept>
#include <utility>

namespace toy {

using namespace mixwell;

class Flat final : public Model {
 public:
  struct Params {
    double scale = 1;
    std::int64_t size = 2;
    bool centred = false;
    std::string shape = "round";
    std::vector<double> weights = {0.5, 0.25};
    std::vector<std::string> labels;
    std::optional<double> level;
    std::optional<std::string> data;
    std::optional<Interval> span;
    NamedPoints predict;
    void declare(Fields& fields) {
      fields.number("scale", scale).unit("nats").above(0).help("width of the target");
      fields.integer("size", size).at_least(1).at_most(64).help("coordinates");
      fields.flag("centred", centred).help("at the origin");
      fields.text("shape", shape).one_of({"round", "square"}).help("outline");
      fields.numbers("weights", weights).at_least(0).help("of the coordinates");
      fields.texts("labels", labels).help("names");
      fields.number("level", level).help("height");
      fields.text("data", data).file().help("table to read");
      fields.interval("span", span).above(0).help("support");
      fields.named_points("predict", predict).help("cases to predict");
    }
  };
  explicit Flat(Params given) : params(std::move(given)) {
    if (params.size % 2 != 0) throw ParameterError("size", "must be even");
    if (params.shape == "square") throw std::runtime_error("squares are broken");
  }
  std::vector<Parameter> parameters() const override { return {{"x", {params.size}, {}}}; }
  std::vector<std::string> remarks() const override { return {"It is flat."}; }

  Params params;

 protected:
  void do_evaluate(ConstBatch, const Evaluation& out) const override {
    Batch gradient = out.gradient;
    gradient.setZero();
    if (out.wants_potential()) out.u().setZero();
  }
};

class Still final : public Integrator {
 public:
  struct Params {
    void declare(Fields&) {}
  };
  explicit Still(const Params&) {}
  Traits traits() const override { return {}; }
  std::int64_t gradients(std::int64_t) const noexcept override { return 0; }
  void advance(PhasePoint, std::int64_t, const Motion&, double*) const override {}
};

class Step final : public Kernel {
 public:
  struct Params {
    double step_size = 0.1;
    std::int64_t steps = 10;
    std::shared_ptr<const Integrator> integrator;
    void declare(Fields& fields) {
      fields.number("step_size", step_size).unit("time").above(0).help("step of the integrator");
      fields.integer("steps", steps).at_least(1).help("steps of a trajectory");
      fields.component("integrator", integrator).or_default("leapfrog").help("how it moves");
    }
  };
  explicit Step(Params given) : params(std::move(given)) {}
  void describe(KernelGraph&, const Site&) const override {}

  Params params;
};

class Pair final : public Kernel {
 public:
  struct Params {
    std::shared_ptr<const Kernel> first;
    std::string title;
    void declare(Fields& fields) {
      fields.component("first", first).help("goes first");
      fields.text("title", title).required().help("what it is called");
    }
  };
  explicit Pair(Params given) : params(std::move(given)) {}
  void describe(KernelGraph&, const Site&) const override {}

  Params params;
};

class Chain final : public Compositor {
 public:
  struct Params {
    std::shared_ptr<const Model> model;
    std::shared_ptr<const Kernel> kernel;
    void declare(Fields& fields) {
      fields.component("model", model).help("what is sampled");
      fields.component("kernel", kernel).help("what moves it");
    }
  };
  explicit Chain(Params given) : params(std::move(given)) {}
  void compose(KernelGraph&, PhaseKind) const override {}
  const Model& model() const noexcept override { return *params.model; }
  std::vector<std::string> slots() const override { return {"main"}; }

  Params params;
};

class Nowhere final : public Recorder {
 public:
  struct Params {
    void declare(Fields&) {}
  };
  explicit Nowhere(const Params&) {}
  std::unique_ptr<Recording> open(const RunHeader&) const override { return nullptr; }
};

template <class T>
void add(Registry& registry, std::string id, std::string summary, std::string purpose = {}) {
  Entry entry;
  entry.kind = T::kind;
  entry.description.id = std::move(id);
  entry.description.summary = std::move(summary);
  entry.description.purpose = std::move(purpose);
  entry.library = "/plugins/" + entry.description.id + ".so";
  entry.blueprint = [] { return std::make_unique<BlueprintOf<T>>(); };
  registry.add(std::move(entry));
}

inline Registry registry() {
  Registry all;
  add<Flat>(all, "flat", "a constant density");
  add<Still>(all, "leapfrog", "goes nowhere");
  add<Step>(all, "step", "one step");
  add<Pair>(all, "pair", "two kernels");
  add<Chain>(all, "chain", "one slot, one kernel");
  add<Nowhere>(all, "netcdf", "keeps nothing", "draws.nc");
  add<Nowhere>(all, "memory", "keeps nothing either");
  return all;
}

/// The shortest manifest that works.
inline const std::string smallest = R"(mixwell = 1
[model.m]
use = "flat"
[kernel.k]
use = "step"
)";

}  // namespace toy
