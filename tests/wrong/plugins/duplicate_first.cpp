// One of two plugins that offer the same id.
// SPDX-License-Identifier: Apache-2.0
#include "wrong/flat_model.hpp"

MIXWELL_PLUGIN(registrar) {
  registrar.add<wrong::FlatModel>({.id = "twin", .summary = "first come, first served"});
}
