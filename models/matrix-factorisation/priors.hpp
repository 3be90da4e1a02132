// The priors of the rows of a side.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "../hyper-prior/row_prior.hpp"

namespace mixwell::factorisation {

/// Of its factors, and of its biases.
struct Priors {
  const hyper_prior::RowPrior& factors;
  const hyper_prior::RowPrior& bias;
};

}  // namespace mixwell::factorisation
