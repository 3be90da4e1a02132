// A plugin that throws after it has registered something: nothing of it may stay.
// SPDX-License-Identifier: Apache-2.0
#include "wrong/flat_model.hpp"

#include <stdexcept>

MIXWELL_PLUGIN(registrar) {
  registrar.add<wrong::FlatModel>({.id = "half-registered", .summary = "must not be kept"});
  throw std::runtime_error("the licence server is away");
}
