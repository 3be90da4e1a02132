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
  std::optional<std::string> user_data;

  void declare(Fields& fields) {
    fields.text("library", library).file().help("the shared library that has the function");
    fields.text("symbol", symbol).help("the function's name in `library`");
    fields.text("address", address)
        .instead_of("library")
        .help(
            "the function's address in this process, 0x... or decimal, for programs that embed "
            "Mixwell");
    fields.text("user_data", user_data)
        .help("an address that the function receives as its last argument; by default null");
  }

  /// The key that says where the code is, for messages.
  const char* key() const noexcept { return address ? "address" : "library"; }
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
  explicit ForeignFunction(const Source& source)
      : user_data_(source.user_data ? reinterpret_cast<void*>(  // NOLINT(performance-no-int-to-ptr)
                                          detail::address_in("user_data", *source.user_data))
                                    : nullptr) {
    if (!source.library && !source.address)
      throw ParameterError("library", "give a library, or an address in its place");
    if (source.address && source.symbol)
      throw ParameterError("symbol", "goes with `library`; an address is as it is");
    if (source.library && !source.symbol)
      throw ParameterError("symbol", "give the name of the function in the library");
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
  void* user_data_;
  mixwell_callback code_ = nullptr;
  std::string words_;
};

}  // namespace mixwell::callback
