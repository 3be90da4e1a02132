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

/// The law of a momentum p: U = K(p) = 1/2 p' M^-1 p, up to a constant that depends only on M. For
/// Coupling::mass, M = B, so M^-1 = H (Eq. 15 of Zhang & Sutton 2011 prints H^-1 instead of H).
/// Otherwise M = I.
class MIXWELL_EXPORT MomentumLaw final : public Potential {
 public:
  MomentumLaw(Coupling coupling, std::shared_ptr<const Representation> preconditioner);

  /// Computes p = M^(1/2) z for z ~ N(0, I). out must not alias z unless M = I.
  void draw(const Numbers& numbers, ConstBatch z, Batch out, Workspace& scratch) const;
  bool is_standard() const noexcept { return standard_; }
  /// Writes both u = K(p) and gradient = M^-1 p.
  void evaluate(const Numbers& numbers, ConstBatch p, const Evaluation& out) const override;
  bool evaluates_potential_alone() const noexcept override { return true; }
  /// Writes K(p). For each column, this costs O(d) and, if M = B, one product with H.
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

/// Adds the law of a momentum to the graph. The law depends on `preconditioner` only if M = B.
/// Otherwise it is a constant.
MIXWELL_EXPORT Edge<edge::MomentumLaw> add_momentum_law(
    KernelGraph& graph, const std::string& name, Coupling coupling,
    std::shared_ptr<const Representation> representation, Value preconditioner);

/// The rule that redraws a momentum: p <- persistence p + sqrt(1 - persistence^2) M^(1/2) z. It is
/// applied in sweeps 0, `every`, 2 `every`, etc. This leaves N(0, M) invariant (Horowitz 1991).
struct Redraw {
  double persistence = 0.0;  ///< 0: the new p is independent of the old p. 1: p is not redrawn
  std::int64_t every = 1;

  /// True if the next sweep needs the momentum.
  bool carries() const noexcept { return persistence > 0.0 || every > 1; }
};

/// Adds an operation that redraws `momentum` from its law, and a `noise` value for this operation.
/// Returns the momentum's newest version.
MIXWELL_EXPORT Edge<edge::Momentum> add_momentum_refresh(KernelGraph& graph,
                                                         const std::string& name, Variable momentum,
                                                         Edge<edge::MomentumLaw> law,
                                                         const Redraw& redraw = {});

}  // namespace mixwell
