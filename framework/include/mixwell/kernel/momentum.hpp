// The law of a momentum, p ~ N(0, M), for every coupling of a curvature to the flow.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <mixwell/base/export.hpp>
#include <mixwell/graph/edge.hpp>
#include <mixwell/graph/graph.hpp>
#include <mixwell/integrator.hpp>
#include <mixwell/law/function.hpp>

#include <cstdint>
#include <memory>
#include <string>

namespace mixwell {

/// -log density of p up to the constant that depends only on M: K(p) = 1/2 p' M^-1 p, with M = B
/// for Coupling::mass (so M^-1 = H; Zhang & Sutton 2011 print the inverse) and M = I otherwise.
class MIXWELL_EXPORT MomentumLaw final : public Potential {
 public:
  MomentumLaw(Coupling coupling, std::shared_ptr<const Representation> curvature);

  /// p = M^(1/2) z for z ~ N(0, I); out must not alias z unless M = I.
  void draw(const Numbers& numbers, ConstBatch z, Batch out, Workspace& scratch) const;
  bool is_standard() const noexcept { return standard_; }
  /// u = K(p), gradient = M^-1 p; both are written.
  void evaluate(const Numbers& numbers, ConstBatch p, const Evaluation& out) const override;
  bool evaluates_potential_alone() const noexcept override { return true; }
  /// K(p) of each column. O(d) per column, and one product with H for M = B.
  void kinetic(const Numbers& numbers, ConstBatch p, Row out, Workspace& scratch) const;
  double gradient_cost() const noexcept override { return 0.0; }

 private:
  bool standard_;
  std::shared_ptr<const Representation> curvature_;
};

namespace edge {
/// The law of a momentum as a body sees it.
struct MomentumLaw : LawOf<mixwell::MomentumLaw> {};
}  // namespace edge

/// The law of the momentum for a curvature value of the graph: it depends on the curvature only for
/// M = B, and is a constant otherwise.
MIXWELL_EXPORT Edge<edge::MomentumLaw> add_momentum_law(
    KernelGraph& graph, const std::string& name, Coupling coupling,
    std::shared_ptr<const Representation> representation, Value curvature);

/// p <- persistence p + sqrt(1 - persistence^2) M^(1/2) z in every `every`-th sweep, the first
/// among them, which keeps N(0, M) (Horowitz 1991).
struct Redraw {
  double persistence = 0.0;  ///< 0: what p was does not matter; 1: never redrawn
  std::int64_t every = 1;

  /// The momentum is needed in the next sweep.
  bool carries() const noexcept { return persistence > 0.0 || every > 1; }
};

/// Adds the redraw of `momentum` from its law, with a noise of its own: its newest version.
MIXWELL_EXPORT Edge<edge::Momentum> add_momentum_refresh(KernelGraph& graph,
                                                         const std::string& name, Variable momentum,
                                                         Edge<edge::MomentumLaw> law,
                                                         const Redraw& redraw = {});

}  // namespace mixwell
