// Loads the shared libraries that a manifest names.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <mixwell/plugin.hpp>

#include <dlfcn.h>

#include <string>

namespace mixwell::library {

/// The system's message for the last failure of dlopen.
inline std::string loader_error() {
  const char* const text = ::dlerror();
  return text == nullptr ? "no reason given" : text;
}

/// Loads a library and keeps it until the process ends, because unloading may crash. `key`: the
/// manifest key that messages name. `cure`: a sentence that says how to get a library that loads.
/// Throws ParameterError.
inline void* open(const std::string& key, const std::string& path, const std::string& cure) {
  void* const handle = ::dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (handle == nullptr)
    throw ParameterError(key, "the library cannot be loaded: " + loader_error() + ". " + cure);
  return handle;
}

/// A function of a library. Throws ParameterError with the cure.
template <class Function>
void find(const std::string& key, void* handle, const char* symbol, Function& function,
          const std::string& cure) {
  void* const found = ::dlsym(handle, symbol);
  if (found == nullptr)
    throw ParameterError(key, std::string("the library has no symbol ") + symbol + ". " + cure);
  function = reinterpret_cast<Function>(found);
}

}  // namespace mixwell::library
