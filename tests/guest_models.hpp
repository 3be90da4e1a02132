// Models that come with papers, made from manifest text, and the texts of their refusals.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "composing.hpp"

#include <memory>
#include <string>

namespace guests {

/// The model of `[model.target]` with the given lines.
inline std::shared_ptr<const mixwell::Model> make_model(const std::string& body) {
  return composing::compose("[model.target]\n" + body +
                            "\n[estimator.identity]\nuse = \"identity\"\n[kernel.hmc]\nuse = "
                            "\"hamiltonian\"\nstep_size = 0.1\nsteps = 1\n")
      .model();
}

/// The message with which the model is refused, or "accepted".
inline std::string refusal(const std::string& body) {
  try {
    make_model(body);
    return "accepted";
  } catch (const mixwell::InputError& fault) {
    return fault.what();
  }
}

}  // namespace guests
