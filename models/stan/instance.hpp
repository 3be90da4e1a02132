// Loads a library, creates its Stan model from the data, and passes on Stan's error messages.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "../library/open.hpp"

#include <mixwell/plugin.hpp>

#include <dlfcn.h>

#include <algorithm>
#include <cstddef>
#include <cstdio>
#include <memory>
#include <mutex>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>

namespace mixwell::stan {

/// The functions that Mixwell uses. An opaque `model` or `rng` belongs to the library that made it.
/// A function that fails returns null or a code other than 0, and writes a message that
/// `free_error_msg` frees. The texts that other functions return belong to the model.
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
  /// Missing in version 2.0. If it is null, the library prints where it chooses.
  int (*set_print_callback)(PrintCallback callback, char** error) = nullptr;
};

namespace detail {

/// Refuses a library without BridgeStan's C interface, and any version but 2, before another symbol
/// is read. Version 1.x has the same names with other arguments, and no version number.
inline void require_version(const std::string& key, void* handle) {
  const auto* const major = static_cast<const int*>(::dlsym(handle, "bs_major_version"));
  const bool is_old = major == nullptr && ::dlsym(handle, "bs_log_density_gradient") != nullptr;
  if (major != nullptr && *major == 2) return;
  throw ParameterError(
      key,
      "the library has " +
          (major != nullptr ? "version " + std::to_string(*major) + " of BridgeStan's C interface"
           : is_old         ? "version 1.0 of BridgeStan's C interface"
                            : "no symbol bs_major_version of BridgeStan's C interface") +
          ", but Mixwell needs version 2 of this interface. Compile the model with BridgeStan 2: "
          "`make NAME_model.so`.");
}

}  // namespace detail

/// Loads a library and keeps it until the process ends. `key`: the manifest key that messages name.
/// Throws ParameterError.
inline Interface load_interface(const std::string& key, const std::string& path) {
  void* const handle =
      library::open(key, path,
                    "Compile it for this machine with BridgeStan (`make NAME_model.so`). Do not "
                    "move the shared libraries on which it depends.");
  detail::require_version(key, handle);
  Interface all;
  const auto find = [&](const char* symbol, auto& function) {
    library::find(key, handle, symbol, function,
                  "Compile it again with BridgeStan 2, whose C interface has this symbol.");
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

/// Without STAN_THREADS all models of a process share one autodiff stack. One lock serves all
/// libraries, because the dynamic linker may merge their stacks.
class Turns {
 public:
  using Turn = std::unique_lock<std::mutex>;

  Turns() = default;
  /// `key`: the manifest key of the library, for messages. Throws ParameterError if the process has
  /// loaded a library with the opposite setting of STAN_THREADS. The two libraries would share an
  /// autodiff stack, but only one of them expects a separate stack for each thread.
  Turns(const std::string& key, bool has_threads) : needed_(!has_threads) {
    static std::optional<bool> first;
    if (first.value_or(has_threads) != has_threads)
      throw ParameterError(
          key, std::string("this library was compiled ") + (has_threads ? "with" : "without") +
                   " STAN_THREADS, but another library in this process was "
                   "compiled with the opposite setting. All libraries of one process must have the "
                   "same setting. Compile both libraries with STAN_THREADS=true.");
    first = has_threads;
  }

  bool needed() const noexcept { return needed_; }
  /// Held during a call.
  Turn take() const { return needed_ ? Turn(lock()) : Turn(); }
  /// This lock is held during calls that are made before Mixwell knows whether the library has
  /// threads.
  static Turn alone() { return Turn(lock()); }

 private:
  static std::mutex& lock() {
    static std::mutex one;
    return one;
  }

  bool needed_ = false;
};

/// Stan's message if Stan cannot make a model from a program and its data.
class NoModel : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// Selects which of the values that a program computes are wanted.
struct Wanted {
  bool transformed = false;
  bool generated = false;
};

/// A library, the data, and the model made from both. All methods may be called from several
/// threads at once; if the library is not thread-safe, the calls take turns.
class Instance {
 public:
  /// `data`: JSON, or "" for none; `seed`: for the random numbers in transformed data. Throws
  /// ParameterError with the key of the library if the library is unusable, and NoModel if Stan
  /// rejects the program or the data.
  Instance(const std::string& key, const std::string& path, const std::string& data, unsigned seed)
      : library_(load_interface(key, path)) {
    // Output of `print` goes to the log of a run, its standard error. A library has one callback
    // for all its models. It calls the callback from one thread at a time, and cannot handle an
    // exception from the callback.
    if (library_.set_print_callback != nullptr)
      library_.set_print_callback(
          [](const char* text, std::size_t size) { std::fwrite(text, 1, size, stderr); }, nullptr);
    char* error = nullptr;
    // No other call may run until Mixwell knows whether the library has threads.
    const auto alone = Turns::alone();
    model_ = {library_.model_construct(data.c_str(), seed, &error), library_.model_destruct};
    if (model_ == nullptr) throw NoModel(taken(error));
    turns_ = Turns(key, has_threads());
  }
  ~Instance() {
    const auto turn = turns_.take();
    model_.reset();
  }
  Instance(const Instance&) = delete;
  Instance& operator=(const Instance&) = delete;

  /// The library's description of how it was made.
  std::string info() const { return library_.model_info(model_.get()); }
  bool takes_turns() const noexcept { return turns_.needed(); }

  /// Comma-separated, elements with indices from 1: "mu,theta.1,theta.2".
  std::string names(Wanted wanted) const {
    return as_written(library_.param_names(model_.get(), wanted.transformed, wanted.generated));
  }
  Index size(Wanted wanted) const {
    return library_.param_num(model_.get(), wanted.transformed, wanted.generated);
  }
  std::string unconstrained_names() const {
    return as_written(library_.param_unc_names(model_.get()));
  }
  Index dimension() const { return library_.param_unc_num(model_.get()); }

  /// The log density up to a constant, with the log Jacobian, and its gradient at theta (d numbers
  /// each) unless `gradient` is null. Returns Stan's message if Stan rejects the point.
  std::optional<std::string> log_density(const double* theta, double& value,
                                         double* gradient) const {
    return message_of([&](char** error) {
      return gradient == nullptr
                 ? library_.log_density(model_.get(), true, true, theta, &value, error)
                 : library_.log_density_gradient(model_.get(), true, true, theta, &value, gradient,
                                                 error);
    });
  }

  /// The values that the program computes at theta: size(wanted) numbers. `seed`: for the random
  /// numbers in generated quantities. Returns Stan's message if the call fails.
  std::optional<std::string> constrain(Wanted wanted, const double* theta, unsigned seed,
                                       double* out) const {
    return message_of([&](char** error) {
      std::unique_ptr<void, void (*)(void*)> rng(nullptr, library_.rng_destruct);
      if (wanted.generated) rng.reset(library_.rng_construct(seed, error));
      if (wanted.generated && rng == nullptr) return -1;
      return library_.param_constrain(model_.get(), wanted.transformed, wanted.generated, theta,
                                      out, rng.get(), error);
    });
  }

  /// theta (d numbers) from size({}) numbers on the program's scale. Returns Stan's message if the
  /// call fails.
  std::optional<std::string> unconstrain(const double* values, double* theta) const {
    return message_of([&](char** error) {
      return library_.param_unconstrain(model_.get(), values, theta, error);
    });
  }

 private:
  /// Stan's message if a call returned a code other than 0; otherwise nothing.
  template <class Call>
  std::optional<std::string> message_of(const Call& call) const {
    const auto turn = turns_.take();
    char* error = nullptr;
    if (call(&error) == 0) return std::nullopt;
    return taken(error);
  }

  /// A message of the library without blanks at its ends; the library frees the original.
  std::string taken(char* error) const {
    const std::unique_ptr<char, void (*)(char*)> owner(error, library_.free_error_msg);
    const std::string_view text = error == nullptr ? "" : error;
    const std::size_t first = std::min(text.find_first_not_of(" \t\r\n"), text.size());
    const std::size_t last = text.find_last_not_of(" \t\r\n") + 1;  // npos + 1 = 0
    return first < last ? std::string(text.substr(first, last - first)) : "(no message)";
  }

  /// Stan's compiler adds a prefix to names that are C++ keywords, such as `class`.
  static std::string as_written(std::string names) {
    const std::string prefix = "_stan_";  // names in a program begin with a letter
    for (std::size_t at = names.find(prefix); at != std::string::npos;
         at = names.find(prefix, at)) {
      if (at == 0 || names[at - 1] == ',')
        names.erase(at, prefix.size());
      else
        ++at;
    }
    return names;
  }

  bool has_threads() const { return info().find("STAN_THREADS=true") != std::string::npos; }

  Interface library_;
  std::unique_ptr<void, void (*)(void*)> model_{nullptr, nullptr};
  Turns turns_;
};

}  // namespace mixwell::stan
