// Keys of the oracles that take some of the cases.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "batch.hpp"
#include "oracle.hpp"

#include <mixwell/plugin.hpp>

#include <cstdint>
#include <string>

namespace mixwell::noise {

struct BatchParams {
  std::int64_t size = 100;
  bool replacement = false;
  bool shared = false;

  void declare(Fields& fields) {
    fields.integer("size", size).at_least(1).at_most(1e9).help("n, cases in a batch");
    fields.flag("replacement", replacement)
        .help("whether a case may come twice in one batch; each batch is drawn afresh either way");
    declare_shared(fields, shared);
  }

  /// How batches of that law are drawn; `who` begins what is said where there can be none. Throws
  /// InputError.
  BatchDraw of(const Potential* base, const std::string& who) const {
    const SumOfTerms* sum = base == nullptr ? nullptr : base->offers<SumOfTerms>();
    if (sum == nullptr) {
      throw InputError(
          who +
          ": the model does not offer its potential as a sum over cases, of which a minibatch "
          "could take some; use a regression, or oracle `noisy` to simulate");
    }
    if (!replacement && size > sum->terms()) {
      throw InputError(who + ": size = " + std::to_string(size) +
                       " cases without replacement, but the data have " +
                       std::to_string(sum->terms()) + "; take fewer, or set replacement = true");
    }
    return {sum->terms(), size, replacement};
  }
};

}  // namespace mixwell::noise
