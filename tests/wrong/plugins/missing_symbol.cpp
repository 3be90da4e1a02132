// A plugin that needs a function nobody has.
// SPDX-License-Identifier: Apache-2.0
#include "wrong/flat_model.hpp"

extern "C" void function_of_a_library_that_is_not_there();

MIXWELL_PLUGIN(registrar) {
  function_of_a_library_that_is_not_there();
  registrar.add<wrong::FlatModel>({.id = "unlinked", .summary = "cannot be loaded"});
}
