// Proposals that are not as likely back as there: their density at both ends.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <mixwell/edge.hpp>
#include <mixwell/export.hpp>
#include <mixwell/transition.hpp>

#include <memory>

namespace mixwell {

/// q(y | theta), which may depend on theta through grad U and eps, column by column.
class MIXWELL_EXPORT AsymmetricProposal {
 public:
  /// From where it is made.
  struct From {
    ConstMatrixMap theta;  ///< d x w
    ConstMatrixMap g;      ///< grad U there, d x w
    ConstRowMap eps;       ///< 1 x w
    Workspace& scratch;
  };

  virtual ~AsymmetricProposal();
  /// y ~ q(. | theta), d x w. The same `draw` of the noise is the same numbers.
  virtual void draw(const From& from, const edge::Noise& noise, Batch y) const = 0;
  /// -log q(y | theta) of each column, up to a constant that is the same for all theta and y.
  virtual void energy(const From& from, ConstBatch y, Row out) const = 0;
};

/// y from q at the newest position, and q made anew at y: what t.metropolis(law, .) needs for
///   min(1, exp(U(theta) - U(y)) q(theta | y) / q(y | theta)).
/// To the certificate, y is an auxiliary variable with the law q(. | theta); theta and y change
/// places, which is an involution that keeps volume whatever q is. One gradient at y, and 2 d + 1
/// numbers a column for q at either end.
MIXWELL_EXPORT Proposal propose_asymmetric(Transition& t, Edge<edge::Law> law,
                                           Edge<edge::StepSize> eps,
                                           std::shared_ptr<const AsymmetricProposal> q);

}  // namespace mixwell
