// A Stan model with its data: what a library makes of both, behind checked calls.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "interface.hpp"
#include "turns.hpp"

#include <mixwell/plugin.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdio>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>

namespace mixwell::stan {

/// Stan's message where it makes no model of a program and its data.
class NoModel : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// Which of the values that a program computes are wanted.
struct Wanted {
  bool transformed = false;
  bool generated = false;
};

/// A library, the data, and the model made of both. All methods may be called from several threads
/// at once; where the library cannot bear that, they take turns.
class Instance {
 public:
  /// `data`: JSON, or "" for none; `seed`: of the random numbers in transformed data. Throws
  /// ParameterError with the key of the library where it is none, NoModel where Stan refuses the
  /// program or the data.
  Instance(const std::string& key, const std::string& path, const std::string& data, unsigned seed)
      : library_(load_interface(key, path)) {
    // What `print` says goes to the log of a run, its standard error. A library has one callback
    // for all its models, calls it by one thread at a time, and takes no exception from it.
    if (library_.set_print_callback != nullptr)
      library_.set_print_callback(
          [](const char* text, std::size_t size) { std::fwrite(text, 1, size, stderr); }, nullptr);
    char* error = nullptr;
    // Before it is known whether the library has threads nothing else may use one.
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

  /// What the library says of how it was made.
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

  /// The log density up to a constant, with that of the Jacobian, and, unless `gradient` is null,
  /// its gradient at theta (d numbers each). Returns Stan's message where it refuses the point.
  std::optional<std::string> log_density(const double* theta, double& value,
                                         double* gradient) const {
    return message_of([&](char** error) {
      return gradient == nullptr
                 ? library_.log_density(model_.get(), true, true, theta, &value, error)
                 : library_.log_density_gradient(model_.get(), true, true, theta, &value, gradient,
                                                 error);
    });
  }

  /// What the program computes at theta: size(wanted) numbers. `seed`: of the random numbers in
  /// generated quantities. Returns Stan's message where it fails.
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

  /// theta (d numbers) of size({}) numbers on the program's scale. Returns Stan's message where it
  /// fails.
  std::optional<std::string> unconstrain(const double* values, double* theta) const {
    return message_of([&](char** error) {
      return library_.param_unconstrain(model_.get(), values, theta, error);
    });
  }

 private:
  /// Stan's message where a call fails, which returns another code than 0.
  template <class Call>
  std::optional<std::string> message_of(const Call& call) const {
    const auto turn = turns_.take();
    char* error = nullptr;
    if (call(&error) == 0) return std::nullopt;
    return taken(error);
  }

  /// A message of the library without blanks at its ends, given back to it.
  std::string taken(char* error) const {
    const std::unique_ptr<char, void (*)(char*)> owner(error, library_.free_error_msg);
    const std::string_view text = error == nullptr ? "" : error;
    const std::size_t first = std::min(text.find_first_not_of(" \t\r\n"), text.size());
    const std::size_t last = text.find_last_not_of(" \t\r\n") + 1;  // npos + 1 = 0
    return first < last ? std::string(text.substr(first, last - first)) : "(no message)";
  }

  /// Stan's compiler puts a prefix before names that mean something in C++, such as `class`.
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
