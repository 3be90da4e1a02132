// The C function of a manifest: from a library by its symbol, or at an address of this process.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "../library/open.hpp"

#include <mixwell/callback.h>
#include <mixwell/plugin.hpp>

#include <dlfcn.h>

#include <charconv>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <optional>
#include <string>
#include <string_view>

namespace mixwell::callback {

/// The keys that say which function it is.
struct Source {
  std::optional<std::string> library;
  std::optional<std::string> symbol;
  std::optional<std::string> address;
  std::optional<std::string> function;
  std::optional<std::string> version;
  std::optional<std::string> user_data;

  void declare(Fields& fields) {
    fields.text("library", library).file().help("the shared library that has the function");
    fields.text("symbol", symbol).help("the function's name in `library`");
    fields.text("address", address)
        .instead_of("library")
        .help(
            "the function's address in this process, 0x... or decimal, for programs that embed "
            "Mixwell");
    fields.text("function", function)
        .instead_of("library")
        .help("the name under which a program that embeds Mixwell offers a function of its own");
    fields.text("version", version)
        .help("of `function`: another one is refused, as where a run goes on");
    fields.text("user_data", user_data)
        .help("an address that the function receives as its last argument; by default null");
  }

  /// The key that says where the code is, for messages.
  const char* key() const noexcept {
    if (function) return "function";
    return address ? "address" : "library";
  }
  /// It is code of the program that embeds Mixwell.
  bool is_embedded() const noexcept { return function || address; }

  /// The other ways to say what a function is. Throws ParameterError.
  void check_alone() const {
    if (!library && !address && !function)
      throw ParameterError("library", "give a library, or an address in its place, or a function");
    if (int(library.has_value()) + int(address.has_value()) + int(function.has_value()) > 1)
      throw ParameterError(key(), "give one of `library`, `address` and `function`");
    if (!library && symbol)
      throw ParameterError("symbol",
                           "goes with `library`; an address is as it is, and so is a function");
    if (library && !symbol)
      throw ParameterError("symbol", "give the name of the function in the library");
    if (!function && version) throw ParameterError("version", "goes with `function` alone");
    if (function && user_data)
      throw ParameterError("user_data", "is given where the function is offered");
  }
};

namespace detail {

/// An address in a text. Throws ParameterError.
inline std::uintptr_t address_in(const std::string& key, std::string_view text) {
  const bool is_hex = text.starts_with("0x") || text.starts_with("0X");
  const std::string_view digits = is_hex ? text.substr(2) : text;
  std::uintptr_t value = 0;
  const auto [end, error] =
      std::from_chars(digits.data(), digits.data() + digits.size(), value, is_hex ? 16 : 10);
  if (digits.empty() || error != std::errc() || end != digits.data() + digits.size() || value == 0)
    throw ParameterError(key, "must be an address, a number above 0 such as \"0x7f0012345678\"");
  return value;
}

/// Whether memory there may be run, as /proc/self/maps has it.
inline bool is_code(std::uintptr_t address) {
  std::ifstream maps("/proc/self/maps");
  for (std::string line; std::getline(maps, line);) {
    std::uintptr_t first = 0;
    std::uintptr_t last = 0;
    const char* const end = line.data() + line.size();
    const auto low = std::from_chars(line.data(), end, first, 16);
    const auto high = std::from_chars(low.ptr + 1, end, last, 16);
    if (first <= address && address < last)
      return std::string_view(high.ptr, end).substr(0, 4).find('x') != std::string_view::npos;
  }
  return false;
}

inline void* code_at(const std::string& text) {
  const std::uintptr_t address = address_in("address", text);
  if (!is_code(address))
    throw ParameterError("address",
                         "is no code of this process: an address means something in the program "
                         "that gives it alone; name `library` and `symbol` instead");
  return reinterpret_cast<void*>(address);  // NOLINT(performance-no-int-to-ptr)
}

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
    if (source.user_data) user_data_ = pointer_in("user_data", *source.user_data);
    code_ = reinterpret_cast<mixwell_callback>(
        source.address
            ? detail::code_at(*source.address)
            : detail::code_in(std::filesystem::absolute(*source.library).string(), *source.symbol));
    words_ = source.address ? "the function at " + *source.address
                            : "`" + *source.symbol + "` of " + *source.library;
  }

  /// theta d x R -> u (R numbers) and, unless it is null, gradient (d x R). Returns the function's
  /// own code: 0 = well.
  int operator()(ConstBatch theta, double* u, double* gradient) const {
    return code_(static_cast<std::size_t>(theta.rows()), static_cast<std::size_t>(theta.cols()),
                 theta.data(), u, gradient, user_data_);
  }
  const std::string& words() const noexcept { return words_; }

 private:
  static void* pointer_in(const char* key, const std::string& text) {
    return reinterpret_cast<void*>(  // NOLINT(performance-no-int-to-ptr)
        detail::address_in(key, text));
  }

  static std::string words_of(const std::optional<std::string>& version) {
    return version ? "version \"" + *version + "\"" : "no version";
  }

  /// What the program offers under the name, of the version that the manifest means.
  void find(const Source& source) {
    const char* offered = nullptr;
    if (mixwell_find_function(source.function->c_str(), &offered, &code_, &user_data_) != 0)
      throw ParameterError("function",
                           "no function of that name is offered in this process: the "
                           "program that has it offers it (mixwell_offer_function) "
                           "before the manifest is read");
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
