// Laws and bodies that are never called, because only the edges and traits of wirings are read.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <mixwell/graph/graph.hpp>
#include <mixwell/law/capabilities.hpp>
#include <mixwell/law/function.hpp>

#include <memory>
#include <stdexcept>

namespace mixwell::testing {

/// Rows of slots and momenta, of histories, of numbers, and of draws. More than one, so that one
/// can be chosen.
inline constexpr Index place = 3;
inline constexpr Index memory = 2;
inline constexpr Index digest = 2;
inline constexpr Index draws = 3;

class PlaceholderBody final : public Body {
 public:
  void run(ColumnBlock&) const override { throw std::logic_error("a wiring is never run"); }
};

class PlaceholderLaw : public Potential {
 public:
  void evaluate(const Numbers&, ConstBatch, const Evaluation&) const override {
    throw std::logic_error("a wiring is never run");
  }
  GradientGrowth gradient_growth() const noexcept override { return GradientGrowth::lipschitz; }
};

/// A density that is known only by an unbiased estimate.
class EstimatedPlaceholder final : public PlaceholderLaw, public EstimatedDensity {
 private:
  Index normals() const noexcept override { return 1; }
  void estimate(ConstBatch, ConstBatch, Row, Workspace&) const override {
    throw std::logic_error("a wiring is never run");
  }
};

inline std::shared_ptr<const Body> some_body() { return std::make_shared<PlaceholderBody>(); }
inline std::shared_ptr<const Potential> some_law() { return std::make_shared<PlaceholderLaw>(); }
inline std::shared_ptr<const Potential> estimated_law() {
  return std::make_shared<EstimatedPlaceholder>();
}

}  // namespace mixwell::testing
