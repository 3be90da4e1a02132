// The density of a momentum, p ~ N(0, M), for every coupling of a preconditioner to the flow.
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

/// -log density of p, up to a constant that depends only on M: K(p) = 1/2 p' M^-1 p. M = B for
/// Coupling::mass, so M^-1 = H (Zhang & Sutton 2011 print the inverse). M = I otherwise.
class MIXWELL_EXPORT MomentumLaw final : public Potential {
 public:
  MomentumLaw(Coupling coupling, std::shared_ptr<const Representation> preconditioner);

  /// Computes p = M^(1/2) z for z ~ N(0, I). out must not alias z unless M = I.
  void draw(const Numbers& numbers, ConstBatch z, Batch out, Workspace& scratch) const;
  bool is_standard() const noexcept { return standard_; }
  /// Writes both u = K(p) and gradient = M^-1 p.
  void evaluate(const Numbers& numbers, ConstBatch p, const Evaluation& out) const override;
  bool evaluates_potential_alone() const noexcept override { return true; }
  /// Writes K(p) of each column. O(d) for each column, and one product with H if M = B.
  void kinetic(const Numbers& numbers, ConstBatch p, Row out, Workspace& scratch) const;
  double gradient_cost() const noexcept override { return 0.0; }

 private:
  bool standard_;
  std::shared_ptr<const Representation> preconditioner_;
};

namespace edge {
/// The law of a momentum, as a parameter of a body.
struct MomentumLaw : LawOf<mixwell::MomentumLaw> {};
}  // namespace edge

/// Adds the law of the momentum for a preconditioner value of the graph. The law depends on the
/// preconditioner only if M = B. Otherwise it is a constant.
MIXWELL_EXPORT Edge<edge::MomentumLaw> add_momentum_law(
    KernelGraph& graph, const std::string& name, Coupling coupling,
    std::shared_ptr<const Representation> representation, Value preconditioner);

/// The rule by which a momentum is redrawn: p <- persistence p + sqrt(1 - persistence^2) M^(1/2) z
/// in the first sweep and every `every` sweeps. This leaves N(0, M) invariant (Horowitz 1991).
struct Redraw {
  double persistence = 0.0;  ///< 0: independent of the old p; 1: never redrawn
  std::int64_t every = 1;

  /// True if the next sweep needs the momentum.
  bool carries() const noexcept { return persistence > 0.0 || every > 1; }
};

/// Adds the redraw of `momentum` from its law, with its own noise. Returns the newest version.
MIXWELL_EXPORT Edge<edge::Momentum> add_momentum_refresh(KernelGraph& graph,
                                                         const std::string& name, Variable momentum,
                                                         Edge<edge::MomentumLaw> law,
                                                         const Redraw& redraw = {});

}  // namespace mixwell
