// The other of two plugins that offer the same id; what else it offers goes with it.
// SPDX-License-Identifier: Apache-2.0
#include "wrong/flat_model.hpp"

MIXWELL_PLUGIN(registrar) {
  registrar.add<wrong::FlatModel>({.id = "bystander", .summary = "in the same file as a twin"});
  registrar.add<wrong::FlatModel>({.id = "twin", .summary = "too late"});
}
