// U of some parameters given all others, with a cache of what does not change with them.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <mixwell/export.hpp>
#include <mixwell/function.hpp>
#include <mixwell/model.hpp>
#include <mixwell/types.hpp>
#include <mixwell/workspace.hpp>

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

}  // namespace mixwell
