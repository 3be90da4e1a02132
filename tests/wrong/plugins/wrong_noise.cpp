// The gradient times random factors of mean 1, with one mistake of choice; all declare to be right.
// SPDX-License-Identifier: Apache-2.0
#include "../../../plugins/oracles/noise/oracle.hpp"
#include "wrong/mistake.hpp"

#include <mixwell/oracle.hpp>
#include <mixwell/plugin.hpp>

#include <cmath>

namespace {

using namespace mixwell;

/// (1 +- 0.7) grad U with one sign a column and draw; U itself is exact.
class RoughPotential final : public Potential {
 public:
  RoughPotential(std::shared_ptr<const Potential> base, wrong::Mistake mistake)
      : base_(std::move(base)), mistake_(std::move(mistake)) {}

  void evaluate(const Numbers& numbers, ConstBatch theta, const Evaluation& out) const override {
    base_->evaluate({ConstMatrixMap(nullptr, 0, theta.cols())}, theta, out);
    Batch g = out.gradient;
    Eigen::MatrixXd uniform(1, 1);
    const double share = mistake_.is("not-centred") ? 0.3 : 0.5;
    for (Index j = 0; j < theta.cols(); ++j) {
      noise::stream_of(numbers, j).uniforms({0, out.draw, 0}, uniform);
      g.col(j) *= uniform(0) < share ? 1.7 : 0.3;
    }
  }
  double gradient_cost() const noexcept override { return base_->gradient_cost(); }

 private:
  std::shared_ptr<const Potential> base_;
  wrong::Mistake mistake_;
};

/// Inputs: a law, noise. Output: a seed for each column; a wrong one is the same for all laws of a
/// sweep, or in all sweeps.
class SeedBody final : public Body {
 public:
  explicit SeedBody(wrong::Mistake mistake) : mistake_(std::move(mistake)) {}

  void run(ColumnBlock& block) const override {
    MatrixMap seed = block.out(0);
    block.uniforms(1, seed);
    const Address at{mistake_.is("drawn-once") ? 0 : block.sweep(), 0,
                     static_cast<std::uint64_t>(block.first_column())};
    const bool wrong = mistake_.is("drawn-once") || mistake_.is("shared");
    if (wrong) Stream(1, "oracle").uniforms(at, seed);
    seed = (seed.array() * 4294967296.0).floor();
  }

 private:
  wrong::Mistake mistake_;
};

class WrongNoise final : public Oracle {
 public:
  struct Params {
    wrong::Mistake mistake;
    void declare(Fields& fields) {
      mistake.declare(fields, {"not-centred", "drawn-once", "shared"});
    }
  };
  explicit WrongNoise(const Params& params) : mistake_(params.mistake) {}

  Value law(KernelGraph& graph, const std::string& path, Value factor) const override {
    auto base = std::dynamic_pointer_cast<const Potential>(graph[factor].function);
    auto rough = std::make_shared<RoughPotential>(std::move(base), mistake_);
    Traits traits;
    traits.unbiased = true;
    return graph
        .add(path, OperationKind::pure, traits,
             {{factor, Role::law}, {graph.noise(path), Role::noise}},
             {Output::derived(path + "/law", noise::seed_rows, std::move(rough))},
             std::make_shared<SeedBody>(mistake_))
        .front();
  }

 private:
  wrong::Mistake mistake_;
};

/// beta U.
class Flatter final : public Potential {
 public:
  Flatter(std::shared_ptr<const Potential> base, double beta)
      : base_(std::move(base)), beta_(beta) {}
  void evaluate(const Numbers& numbers, ConstBatch theta, const Evaluation& out) const override {
    base_->evaluate(numbers, theta, out);
    Batch g = out.gradient;
    g *= beta_;
    if (out.wants_potential()) out.u() *= beta_;
  }

 private:
  std::shared_ptr<const Potential> base_;
  double beta_;
};

/// The target itself, or in secret a flatter one.
class WrongExact final : public Oracle {
 public:
  struct Params {
    wrong::Mistake mistake;
    void declare(Fields& fields) { mistake.declare(fields, {"tempered"}); }
  };
  explicit WrongExact(const Params& params) : mistake_(params.mistake) {}

  Value law(KernelGraph& graph, const std::string& path, Value factor) const override {
    auto base = std::dynamic_pointer_cast<const Potential>(graph[factor].function);
    Traits traits;
    traits.unbiased = true;
    return graph.view(
        path, std::make_shared<Flatter>(std::move(base), mistake_.is("tempered") ? 0.9 : 1.0),
        factor, traits);
  }

 private:
  wrong::Mistake mistake_;
};

}  // namespace

MIXWELL_PLUGIN(registrar) {
  registrar.add<WrongNoise>(
      {.id = "wrong-noise", .summary = "gradients times noise, with a mistake of choice"});
  registrar.add<WrongExact>(
      {.id = "wrong-exact", .summary = "the target itself, with a mistake of choice"});
}
