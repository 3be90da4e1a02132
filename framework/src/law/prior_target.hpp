// The prior of a model, as a separate model.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <mixwell/base/export.hpp>
#include <mixwell/model.hpp>

#include <memory>

namespace mixwell {

/// The ways in which a model may give its prior.
enum class PriorSource {
  none,
  draws,    ///< the model draws from its prior (Prior)
  density,  ///< the density without the likelihood is the prior (SumOfTerms::rest_is_prior)
};

MIXWELL_INTERNAL PriorSource prior_source(const Model& model) noexcept;

/// A model whose density exp(-U) is the prior of `of`, with the same parameters, quantities and
/// data. If the prior only has draws, U is 0 and nothing may read it. Precondition: `of` has a
/// source for its prior.
MIXWELL_INTERNAL std::shared_ptr<const Model> prior_target(std::shared_ptr<const Model> of);

}  // namespace mixwell
