// Models that compute their density by code of which nothing is known.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <mixwell/export.hpp>
#include <mixwell/model.hpp>

namespace mixwell {

/// A second base of a Model that calls code of the user's, such as a C function: no contract holds
/// it to anything. A certificate then rests on the word of its author, wherever the code of the
/// model itself is from.
class MIXWELL_EXPORT ForeignCode {
 public:
  virtual ~ForeignCode();
  /// Of a model that is made of another one: whether that one does.
  virtual bool calls_foreign_code() const noexcept { return true; }
};

MIXWELL_EXPORT bool calls_foreign_code(const Model& model) noexcept;

}  // namespace mixwell
