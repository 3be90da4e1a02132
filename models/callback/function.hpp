// The C function of a manifest: from a library by its symbol, or one that this process offers.
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

/// The keys that say which function it is.
struct Source {
  std::optional<std::string> library;
  std::optional<std::string> symbol;
  std::optional<std::string> function;
  std::optional<std::string> version;

  void declare(Fields& fields) {
    fields.text("library", library).file().help("the shared library that has the function");
    fields.text("symbol", symbol).only_with("library").help("the function's name in `library`");
    fields.text("function", function)
        .instead_of("library")
        .help("the name under which a program that embeds Mixwell offers a function of its own");
    fields.text("version", version)
        .only_with("function")
        .help("of `function`: another one is refused, as where a run goes on");
  }

  /// The key that says where the code is, for messages.
  const char* key() const noexcept { return function ? "function" : "library"; }

  /// The other ways to say what a function is. Throws ParameterError.
  void check_alone() const {
    if (!library && !function) throw ParameterError("library", "give a library, or a function");
    if (library && !symbol)
      throw ParameterError("symbol", "give the name of the function in the library");
  }
};

namespace detail {

inline void* code_in(const std::string& path, const std::string& symbol) {
  void* const handle =
      library::open("library", path, "`cc -shared -fPIC -o x.so x.c` makes one for this machine");
  void* const found = ::dlsym(handle, symbol.c_str());
  if (found == nullptr)
    throw ParameterError("symbol", "is no function of " + path +
                                       "; `nm -D` lists what that has, and in C++ the function "
                                       "must be declared extern \"C\"");
  return found;
}

}  // namespace detail

/// A function that is there, with what it is told beside the points.
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

  /// theta d x R -> u (R numbers) and, unless it is null, gradient (d x R). Returns the function's
  /// own code: 0 = well.
  int operator()(ConstBatch theta, double* u, double* gradient) const {
    return code_(static_cast<std::size_t>(theta.rows()), static_cast<std::size_t>(theta.cols()),
                 theta.data(), u, gradient, user_data_);
  }
  const std::string& words() const noexcept { return words_; }

 private:
  static std::string words_of(const std::optional<std::string>& version) {
    return version ? "version \"" + *version + "\"" : "no version";
  }

  /// What the program offers under the name, of the version that the manifest means.
  void find(const Source& source) {
    const char* offered = nullptr;
    if (mixwell_find_function(source.function->c_str(), &offered, &code_, &user_data_) != 0)
      throw ParameterError("function",
                           "no function of that name is offered in this process: the program that "
                           "has it offers it (mixwell_offer_function) before the manifest is read");
    std::optional<std::string> now;
    if (offered != nullptr) now = offered;
    if (now != source.version)
      throw ParameterError("version", "`" + *source.function + "` is offered with " +
                                          words_of(now) + ", and the manifest has " +
                                          words_of(source.version));
    words_ = "the function `" + *source.function + "` of this program";
  }

  void* user_data_ = nullptr;
  mixwell_callback code_ = nullptr;
  std::string words_;
};

}  // namespace mixwell::callback
