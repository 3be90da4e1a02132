// The prior of a model, as a model of its own.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <mixwell/base/export.hpp>
#include <mixwell/model.hpp>

#include <memory>

namespace mixwell {

/// What a model tells of its prior.
enum class PriorSource {
  none,
  draws,    ///< draws of its own (Prior)
  density,  ///< its density apart from the likelihood (SumOfTerms::rest_is_prior)
};

MIXWELL_INTERNAL PriorSource prior_source(const Model& model) noexcept;

/// exp(-U) is the prior of `of`, with the same parameters, quantities and data; where it has draws
/// alone, U is 0 and nothing may read it. Precondition: it has a source.
MIXWELL_INTERNAL std::shared_ptr<const Model> prior_target(std::shared_ptr<const Model> of);

}  // namespace mixwell
