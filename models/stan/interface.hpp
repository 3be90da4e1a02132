// BridgeStan's C interface 2.x, as a library offers it that was loaded at run time.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "../library/open.hpp"

#include <mixwell/plugin.hpp>

#include <dlfcn.h>

#include <cstddef>
#include <string>

namespace mixwell::stan {

/// The functions that are used. An opaque `model` or `rng` belongs to the library it came from.
/// Those that fail return another code than 0, or null, and write a message that `free_error_msg`
/// takes back; the texts that others return belong to the model.
struct Interface {
  using PrintCallback = void (*)(const char* text, std::size_t size);

  void* (*model_construct)(const char* data, unsigned seed, char** error) = nullptr;
  void (*model_destruct)(void* model) = nullptr;
  void (*free_error_msg)(char* error) = nullptr;
  const char* (*model_info)(const void* model) = nullptr;
  const char* (*param_names)(const void* model, bool transformed, bool generated) = nullptr;
  const char* (*param_unc_names)(const void* model) = nullptr;
  int (*param_num)(const void* model, bool transformed, bool generated) = nullptr;
  int (*param_unc_num)(const void* model) = nullptr;
  int (*param_constrain)(const void* model, bool transformed, bool generated, const double* theta,
                         double* out, void* rng, char** error) = nullptr;
  int (*param_unconstrain)(const void* model, const double* values, double* theta,
                           char** error) = nullptr;
  int (*log_density)(const void* model, bool propto, bool jacobian, const double* theta,
                     double* value, char** error) = nullptr;
  int (*log_density_gradient)(const void* model, bool propto, bool jacobian, const double* theta,
                              double* value, double* gradient, char** error) = nullptr;
  void* (*rng_construct)(unsigned seed, char** error) = nullptr;
  void (*rng_destruct)(void* rng) = nullptr;
  /// Not in 2.0; null = the library prints where it likes.
  int (*set_print_callback)(PrintCallback callback, char** error) = nullptr;
};

namespace detail {

/// Refuses what is none, or not of version 2, before any other symbol is asked for: 1.x has the
/// same names with other arguments, and no number.
inline void require_version(const std::string& key, void* handle) {
  const auto* const major = static_cast<const int*>(::dlsym(handle, "bs_major_version"));
  const bool is_old = major == nullptr && ::dlsym(handle, "bs_log_density_gradient") != nullptr;
  if (major != nullptr && *major == 2) return;
  throw ParameterError(
      key, (major != nullptr ? "has BridgeStan's C interface " + std::to_string(*major)
            : is_old         ? "has BridgeStan's C interface 1.0"
                             : "has no symbol bs_major_version of BridgeStan's C interface") +
               ", and 2 is wanted; make the library with BridgeStan 2, by `make NAME_model.so`");
}

}  // namespace detail

/// Loads a library, for as long as the process lasts. `key`: of the manifest, for messages. Throws
/// ParameterError.
inline Interface load_interface(const std::string& key, const std::string& path) {
  void* const handle = library::open(
      key, path,
      "it must be made for this machine, by `make NAME_model.so` of BridgeStan, where "
      "the libraries that it needs still are");
  detail::require_version(key, handle);
  Interface all;
  const auto find = [&](const char* symbol, auto& function) {
    library::find(key, handle, symbol, function,
                  "make the library again with BridgeStan 2, whose C interface has it");
  };
  find("bs_model_construct", all.model_construct);
  find("bs_model_destruct", all.model_destruct);
  find("bs_free_error_msg", all.free_error_msg);
  find("bs_model_info", all.model_info);
  find("bs_param_names", all.param_names);
  find("bs_param_unc_names", all.param_unc_names);
  find("bs_param_num", all.param_num);
  find("bs_param_unc_num", all.param_unc_num);
  find("bs_param_constrain", all.param_constrain);
  find("bs_param_unconstrain", all.param_unconstrain);
  find("bs_log_density", all.log_density);
  find("bs_log_density_gradient", all.log_density_gradient);
  find("bs_rng_construct", all.rng_construct);
  find("bs_rng_destruct", all.rng_destruct);
  if (::dlsym(handle, "bs_set_print_callback") != nullptr)
    find("bs_set_print_callback", all.set_print_callback);
  return all;
}

}  // namespace mixwell::stan
