// The number of steps of each transition: fixed or jittered.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <mixwell/plugin.hpp>

#include <cmath>
#include <cstdint>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

namespace mixwell {

/// Input: [noise], where the number is jittered. Output: steps, one number per column.
class StepsBody final : public Body {
 public:
  StepsBody(std::int64_t steps, std::optional<Interval> jitter) : steps_(steps), jitter_(jitter) {}

  void run(Block& block) const override {
    RowMap steps = block.out_row(0);
    if (!jitter_) {
      steps.setConstant(static_cast<double>(steps_));
      return;
    }
    block.uniforms(0, steps);
    const auto [a, b] = *jitter_;
    steps = (a + ((b - a + 1.0) * steps.array()).floor()).min(b);
  }

 private:
  std::int64_t steps_;
  std::optional<Interval> jitter_;
};

/// What a manifest says about them.
struct Steps {
  static constexpr double most = 1e6;

  std::int64_t count = 10;
  std::optional<Interval> jitter{};

  void declare(Fields& fields) {
    fields.integer("steps", count)
        .at_least(1)
        .at_most(most)
        .help("L, integrator steps in a transition");
    fields.interval("steps_jitter", jitter)
        .at_least(1)
        .at_most(most)
        .help(
            "[a, b]: L uniform on the whole numbers a..b for each transition and replicate, "
            "instead of steps");
  }
  void check() const { check_interval("steps_jitter", jitter, true); }

  /// L of this transition, 1 x w.
  Value add(KernelGraph& graph, const Site& site) const {
    std::vector<Input> inputs;
    if (jitter) inputs.push_back({graph.noise(site.path + "/steps"), Role::noise});
    return graph
        .add(site.path + "/steps", OperationKind::pure, {}, std::move(inputs),
             {Output::derived(site.path + "/L", 1)}, std::make_shared<StepsBody>(count, jitter))
        .front();
  }
};

}  // namespace mixwell
