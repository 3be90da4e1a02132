// Priors of n vectors of length k, with hyper-parameters.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <mixwell/plugin.hpp>

#include <string>
#include <vector>

namespace mixwell::hyper_prior {

/// Writes independent normals with standard deviation `sd`, column by column.
inline void draw_normals(RandomNumbers& random, double sd, Batch X) {
  for (Index i = 0; i < X.cols(); ++i)
    for (Index k = 0; k < X.rows(); ++k) X(k, i) = sd * random.normal();
}

/// x_1, ..., x_n are independent and normal given hyper-parameters with a conjugate prior. `X` is k
/// x n; `h` holds the coordinates of the hyper-parameters.
class RowPrior {
 public:
  virtual ~RowPrior() = default;
  /// The hyper-parameters; `what` is "user", "item_bias", ...
  virtual std::vector<Parameter> parameters(const std::string& what) const = 0;
  virtual Index coordinates() const noexcept = 0;

  /// Adds -log p(X, h), with the Jacobian of the coordinates h, to u, and its gradient to gX (k x
  /// n) and gh.
  virtual void add(ConstBatch X, const double* h, double& u, Batch gX, double* gh,
                   Workspace& scratch) const = 0;
  /// Returns -log p(X, h), with the Jacobian, without gradients.
  virtual double potential(ConstBatch X, const double* h, Workspace& scratch) const = 0;
  /// x_i ~ N(m, Q^-1) given h: adds Q to the lower triangle of `precision` (k x k) and Q m to
  /// `shift` (k x 1).
  virtual void add_precision(const double* h, Batch precision, Batch shift,
                             Workspace& scratch) const = 0;
  /// Writes a draw of the hyper-parameters given X into h; a prior draw if X has no columns.
  virtual void draw(RandomNumbers& random, ConstBatch X, double* h, Workspace& scratch) const = 0;
  /// Writes a draw of x given h for each column of X.
  virtual void draw_rows(RandomNumbers& random, const double* h, Batch X,
                         Workspace& scratch) const = 0;
};

}  // namespace mixwell::hyper_prior
