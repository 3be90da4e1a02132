// U as a function of some parameters given all others, with a cache of everything that does not
// depend on them.
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
  /// The cache of each column is the end of a column of `numbers`, from row `first` on.
  ConditionalCaches(Numbers numbers, Index first) noexcept : numbers_(numbers), first_(first) {}
  /// The cache of column k: ConditionalPotential::cache_rows numbers.
  const double* column(Index k) const noexcept { return numbers_.column(k) + first_; }

 private:
  Numbers numbers_;
  Index first_;
};

/// U as a function of b coordinates x given the rest. It agrees with Model::evaluate at the whole
/// position, including constants and up to rounding, but costs less. Several threads may call its
/// methods at once. The object is valid as long as the model that made it.
class MIXWELL_EXPORT ConditionalPotential {
 public:
  virtual ~ConditionalPotential();
  /// Numbers in the cache of one column.
  virtual Index cache_rows() const noexcept = 0;
  /// Computes everything that does not depend on x, once for each update: whole positions (d x w)
  /// -> caches (cache_rows x w). The rows of x in the positions are not read. Each cache depends
  /// only on its column of the positions.
  virtual void prepare(ConstBatch theta, Batch caches, Workspace& scratch) const = 0;
  /// Computes U and its gradient with respect to x, at x (b x w). Column k uses the k-th cache. The
  /// rules are those of Model::evaluate.
  virtual void evaluate(const ConditionalCaches& caches, ConstBatch x,
                        const Evaluation& out) const = 0;
};
using BlockPotential [[deprecated("renamed to ConditionalPotential")]] = ConditionalPotential;

/// A block x of n elements that are independent given the rest. Row k belongs to element k modulo
/// n, and
///   U = const + sum over elements e of (prior_e(x_e) + misfit_e(x_e; rest)).
/// exp(-prior_e) is a density that does not depend on the rest. draw() draws from this density.
/// Model::conditional_potential may return an object of this class. The kernel `prior-metropolis`
/// needs such an object. Several threads may call its methods at once.
class MIXWELL_EXPORT IndependentElements : public ConditionalPotential {
 public:
  ~IndependentElements() override;
  /// n, which divides the number of rows.
  virtual Index elements() const noexcept = 0;
  /// Computes misfit_e of each element (n x w) at x (b x w). Column k uses the k-th cache from
  /// prepare(). A constant that is the same for every x may be omitted.
  virtual void misfits(const ConditionalCaches& caches, ConstBatch x, Batch out) const = 0;
  /// Draws independently from the prior of all elements (b x w). Column j belongs to replicate
  /// at.replicate + j, and uses only the random numbers of this at.draw.
  virtual void draw(const Stream& stream, Address at, Batch x) const = 0;
};

}  // namespace mixwell
