// The modules that carry out the commands that few runs need, loaded when one of them is used.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

namespace mixwell::app {

/// Whether this build has it.
bool has_module(const std::string& module);

/// A function of lib/mixwell/commands/MODULE.so, which stays loaded. Throws RunError that names the
/// file and the cure.
void* module_function(const std::string& module, const char* name);

/// module_function() with the type of its declaration, which stands in app/modules/MODULE.hpp.
template <class Function>
Function& from_module(const std::string& module, const char* name) {
  return *reinterpret_cast<Function*>(module_function(module, name));
}

}  // namespace mixwell::app
