// Shared libraries that a manifest names, loaded at run time.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <mixwell/plugin.hpp>

#include <dlfcn.h>

#include <string>

namespace mixwell::library {

/// The system's words for the last failure of dlopen.
inline std::string loader_error() {
  const char* const text = ::dlerror();
  return text == nullptr ? "no reason given" : text;
}

/// Loads a library for as long as the process lasts: unloading one may crash. `key`: of the
/// manifest, for messages; `cure`: how to make one that can be loaded. Throws ParameterError.
inline void* open(const std::string& key, const std::string& path, const std::string& cure) {
  void* const handle = ::dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (handle == nullptr)
    throw ParameterError(key, "the library cannot be loaded: " + loader_error() + "; " + cure);
  return handle;
}

/// A function of a library. Throws ParameterError, which ends with the cure.
template <class Function>
void find(const std::string& key, void* handle, const char* symbol, Function& function,
          const std::string& cure) {
  void* const found = ::dlsym(handle, symbol);
  if (found == nullptr)
    throw ParameterError(key, std::string("lacks the symbol ") + symbol + "; " + cure);
  function = reinterpret_cast<Function>(found);
}

}  // namespace mixwell::library
