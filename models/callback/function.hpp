// The C function that a manifest names: from a shared library, or offered by this process.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "../library/open.hpp"

#include <mixwell/callback.h>
#include <mixwell/plugin.hpp>

#include <dlfcn.h>

#include <filesystem>
#include <optional>
#include <string>

namespace mixwell::callback {

/// The manifest keys that choose the function.
struct Source {
  std::optional<std::string> library;
  std::optional<std::string> symbol;
  std::optional<std::string> function;
  std::optional<std::string> version;

  void declare(Fields& fields) {
    fields.text("library", library).file().help("shared library that contains the function");
    fields.text("symbol", symbol).only_with("library").help("name of the function in `library`");
    fields.text("function", function)
        .instead_of("library")
        .help("name of a function that the embedding program offers");
    fields.text("version", version)
        .only_with("function")
        .help(
            "version of `function`; any other version is refused, for example when a run resumes");
  }

  /// The key that says where the code is, for messages.
  const char* key() const noexcept { return function ? "function" : "library"; }

  /// Throws ParameterError if the keys do not determine one function.
  void check_alone() const {
    if (!library && !function)
      throw ParameterError("library",
                           "this key is missing. Give a library, or give `function` instead.");
    if (library && !symbol)
      throw ParameterError("symbol",
                           "this key is missing. Give the name of the function in the library.");
  }
};

namespace detail {

inline void* code_in(const std::string& path, const std::string& symbol) {
  void* const handle = library::open(
      "library", path,
      "Compile it for this machine, for example with `cc -shared -fPIC -o x.so x.c`.");
  void* const found = ::dlsym(handle, symbol.c_str());
  if (found == nullptr)
    throw ParameterError("symbol", "this function is not in " + path +
                                       ". `nm -D` lists the functions of a library. In C++, "
                                       "declare the function extern \"C\".");
  return found;
}

}  // namespace detail

/// A function that was found, with the user data that it receives besides the points.
class ForeignFunction {
 public:
  /// Throws ParameterError.
  explicit ForeignFunction(const Source& source) {
    source.check_alone();
    if (source.function) {
      find(source);
      return;
    }
    code_ = reinterpret_cast<mixwell_callback>(
        detail::code_in(std::filesystem::absolute(*source.library).string(), *source.symbol));
    words_ = "`" + *source.symbol + "` of " + *source.library;
  }

  /// Computes u (R numbers) and, unless it is null, gradient (d x R) at theta (d x R). Returns the
  /// result of the function: 0 = success.
  int operator()(ConstBatch theta, double* u, double* gradient) const {
    return code_(static_cast<std::size_t>(theta.rows()), static_cast<std::size_t>(theta.cols()),
                 theta.data(), u, gradient, user_data_);
  }
  const std::string& words() const noexcept { return words_; }

 private:
  static std::string words_of(const std::optional<std::string>& version) {
    return version ? "version \"" + *version + "\"" : "no version";
  }

  /// Finds the function that the program offers under this name, in the version that the manifest
  /// gives.
  void find(const Source& source) {
    const char* offered = nullptr;
    if (mixwell_find_function(source.function->c_str(), &offered, &code_, &user_data_) != 0)
      throw ParameterError(
          "function",
          "this process offers no function with this name. The embedding program must offer the "
          "function (mixwell_offer_function) before the manifest is read.");
    std::optional<std::string> now;
    if (offered != nullptr) now = offered;
    if (now != source.version)
      throw ParameterError("version", "`" + *source.function + "` is offered with " +
                                          words_of(now) + ", but the manifest has " +
                                          words_of(source.version) +
                                          ". Make the two versions agree.");
    words_ = "the function `" + *source.function + "` of this program";
  }

  void* user_data_ = nullptr;
  mixwell_callback code_ = nullptr;
  std::string words_;
};

}  // namespace mixwell::callback
