// U as a function of some parameters given the rest, with a cache that depends only on the rest.
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
class ConditionalCaches {
 public:
  /// The cache of column k consists of the entries of numbers.column(k) from row `first` on.
  ConditionalCaches(Numbers numbers, Index first) noexcept : numbers_(numbers), first_(first) {}
  /// The cache of column k, with ConditionalPotential::cache_rows() entries.
  const double* column(Index k) const noexcept { return numbers_.column(k) + first_; }

 private:
  Numbers numbers_;
  Index first_;
};

/// U as a function of b coordinates x given the rest. Up to rounding, the result equals U of
/// Model::evaluate at the whole position, with all constants, but costs less. Several threads may
/// call its methods concurrently. The object must not outlive the model that made it.
class MIXWELL_EXPORT ConditionalPotential {
 public:
  virtual ~ConditionalPotential();
  /// Length of the cache of one column.
  virtual Index cache_rows() const noexcept = 0;
  /// Computes everything that does not depend on x, once for each update: whole positions (d x w)
  /// -> caches (cache_rows x w). The rows of x in the positions are not read. The cache of a column
  /// depends only on the same column of theta.
  virtual void prepare(ConstBatch theta, Batch caches, Workspace& scratch) const = 0;
  /// Computes U and its gradient with respect to x, at x (b x w). Column k uses the k-th cache. The
  /// rules of Model::evaluate apply.
  virtual void evaluate(const ConditionalCaches& caches, ConstBatch x,
                        const Evaluation& out) const = 0;
};
using BlockPotential [[deprecated("renamed to ConditionalPotential")]] = ConditionalPotential;

/// U as a function of a block x of n elements, which are independent given the rest. Row k of x
/// belongs to element k modulo n, and
///   U = const + sum over elements e of (prior_e(x_e) + misfit_e(x_e; rest)).
/// exp(-prior_e) is a density that does not depend on the rest. draw() draws from this density.
/// Model::conditional_potential may return an object of this class. The kernel `prior-metropolis`
/// needs such an object. Several threads may call its methods concurrently.
class MIXWELL_EXPORT IndependentElements : public ConditionalPotential {
 public:
  ~IndependentElements() override;
  /// n, the number of elements. The number of rows of x is a multiple of n.
  virtual Index elements() const noexcept = 0;
  /// Computes misfit_e of each element (n x w) at x (b x w). Column k uses the k-th cache from
  /// prepare(). A constant that is the same for every x may be omitted.
  virtual void misfits(const ConditionalCaches& caches, ConstBatch x, Batch out) const = 0;
  /// Fills x (b x w) with independent draws of all elements from their priors. Column j uses only
  /// the random numbers of replicate at.replicate + j with the draw number at.draw.
  virtual void draw(const Stream& stream, Address at, Batch x) const = 0;
};

}  // namespace mixwell
