// A block of elements that are independent given the rest, each with a prior that can be drawn.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <mixwell/block_potential.hpp>
#include <mixwell/export.hpp>
#include <mixwell/random.hpp>
#include <mixwell/types.hpp>

namespace mixwell {

/// A block x of n elements, row k of which belongs to element k modulo n, with
///   U = const + sum over elements e of (prior_e(x_e) + misfit_e(x_e; rest)),
/// where exp(-prior_e) is a density that the rest does not change, and that draw() draws from. What
/// Model::block_potential gives of such coordinates may be one; kernel `prior-metropolis` asks for
/// it. All methods may be called from several threads at once.
class MIXWELL_EXPORT IndependentElements : public BlockPotential {
 public:
  ~IndependentElements() override;
  /// n, which divides the number of rows.
  virtual Index elements() const noexcept = 0;
  /// misfit_e of each element (n x w) at x (b x w), column k with the k-th cache of prepare(). A
  /// constant that is the same at every x may be left out.
  virtual void misfits(const BlockCaches& caches, ConstBatch x, Batch out) const = 0;
  /// Independent draws from the prior of all elements (b x w); column j belongs to replicate
  /// at.replicate + j, and takes numbers only at this at.draw.
  virtual void draw(const Stream& stream, Address at, Batch x) const = 0;
};

}  // namespace mixwell
