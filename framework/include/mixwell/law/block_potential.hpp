// U of some parameters given all others, with a cache of what does not change with them; a block of
// elements that are independent given the rest, each with a prior that can be drawn.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <mixwell/base/export.hpp>
#include <mixwell/base/random.hpp>
#include <mixwell/base/types.hpp>
#include <mixwell/base/workspace.hpp>
#include <mixwell/law/function.hpp>
#include <mixwell/model.hpp>

namespace mixwell {

/// The caches of the columns of a batch.
class BlockCaches {
 public:
  /// Each is the end of a column of `numbers`, from row `first` on.
  BlockCaches(Numbers numbers, Index first) noexcept : numbers_(numbers), first_(first) {}
  /// That of the k-th column: as many numbers as BlockPotential::cache_rows.
  const double* column(Index k) const noexcept { return numbers_.column(k) + first_; }

 private:
  Numbers numbers_;
  Index first_;
};

/// U as a function of b coordinates x given the rest: what Model::evaluate gives of the whole
/// position, constants included, up to rounding, for less. All methods may be called from several
/// threads at once; valid as long as the model that made it.
class MIXWELL_EXPORT BlockPotential {
 public:
  virtual ~BlockPotential();
  /// Numbers that the cache of a column holds.
  virtual Index cache_rows() const noexcept = 0;
  /// What does not change with x, once for each update: from whole positions (d x w), whose rows of
  /// x are not read, to caches (cache_rows x w). Each column depends only on that column.
  virtual void prepare(ConstBatch theta, Batch caches, Workspace& scratch) const = 0;
  /// U and its gradient by x at x (b x w), column k with the k-th cache; as Model::evaluate.
  virtual void evaluate(const BlockCaches& caches, ConstBatch x, const Evaluation& out) const = 0;
};

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
