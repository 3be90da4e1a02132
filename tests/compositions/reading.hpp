// A composition read on finite worlds beside its certificate.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <mixwell/lab/sampler.hpp>
#include <mixwell/lab/worlds.hpp>

#include <optional>

namespace compositions {

/// What worlds say of the sampling phase; none where its verdict is of a class that they cannot
/// contradict.
std::optional<mixwell::FiniteReadingResult> reading_of(const mixwell::Program& program);

}  // namespace compositions
