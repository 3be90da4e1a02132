// The memory limit of this process, and errors for data that would exceed it.
// SPDX-License-Identifier: Apache-2.0
#include "base/memory_limit.hpp"

#include "system/system.hpp"

#include <mixwell/base/error.hpp>

#include <fmt/format.h>
#include <sys/resource.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <cstdlib>
#include <optional>
#include <string_view>
#include <utility>

namespace mixwell {
namespace {

constexpr const char* variable = "MIXWELL_MEMORY";
constexpr const char* units = "KMGT";
constexpr double smallest_limit = 16.0 * 1048576.0;  ///< about the memory of the program itself
/// The share of the free memory that this process may use. The rest is left for other programs and
/// the system's caches.
constexpr double share = 0.9;
constexpr const char* free_in_machine = "nine tenths of the free memory of this machine";
constexpr const char* free_in_group = "nine tenths of the free memory of the control group";

/// 1024, 2^20, 2^30 or 2^40.
double unit_of(char letter) {
  return std::ldexp(1.0, 10 * (static_cast<int>(std::string_view(units).find(letter)) + 1));
}

std::string text_of(double bytes) {
  std::size_t unit = 0;
  double number = bytes / 1024;
  for (; number >= 1024 && unit < 3; ++unit) number /= 1024;
  return fmt::format("{:.3g} {}iB", number, units[unit]);
}

[[noreturn]] void refuse_setting(std::string_view text) {
  throw InputError(
      fmt::format("{} = {:.60}: the value must be a size of at least 16M. Use, for example, 4G",
                  variable, text.empty() ? "\"\"" : text));
}

double bytes_in(std::string_view text) {
  const std::string_view whole = text;
  if (text.ends_with("iB")) text.remove_suffix(2);
  double unit = 1;
  if (!text.empty() && std::string_view(units).find(text.back()) != std::string_view::npos) {
    unit = unit_of(text.back());
    text.remove_suffix(1);
  }
  double number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  const bool read = error == std::errc() && end == text.data() + text.size();
  if (!read || !std::isfinite(number) || number * unit < smallest_limit) refuse_setting(whole);
  return number * unit;
}

MemoryLimit free_now() {
  const FreeMemory now = free_memory();
  return {share * now.bytes, now.in_group ? free_in_group : free_in_machine};
}

std::optional<MemoryLimit>& choice() {
  static std::optional<MemoryLimit> made;
  return made;
}

MemoryLimit chosen() {
  if (choice()) return *choice();
  const char* const text = std::getenv(variable);
  if (text != nullptr) return {bytes_in(text), fmt::format("{} = {}", variable, text)};
  static const MemoryLimit at_first = free_now();
  return at_first;
}

std::string with_source(const MemoryLimit& limit) {
  return fmt::format("{} ({})", text_of(limit.bytes), limit.source);
}

constexpr const char* cure = "Set MIXWELL_MEMORY to a higher limit, such as 4G";

}  // namespace

MemoryLimit memory_limit() {
  MemoryLimit limit = chosen();
  constexpr std::array<std::pair<decltype(RLIMIT_AS), const char*>, 2> resources = {
      {{RLIMIT_AS, "RLIMIT_AS, ulimit -v"}, {RLIMIT_DATA, "RLIMIT_DATA, ulimit -d"}}};
  for (const auto& [resource, name] : resources) {
    rlimit set = {};
    if (::getrlimit(resource, &set) != 0 || set.rlim_cur == RLIM_INFINITY) continue;
    const auto bytes = static_cast<double>(set.rlim_cur);
    if (bytes < std::floor(limit.bytes)) limit = {bytes, name};
  }
  return limit;
}

void choose_memory_limit(const MemoryLimit& limit) { choice() = limit; }

std::string broken_memory_rule(double bytes) {
  const MemoryLimit limit = memory_limit();
  if (bytes <= limit.bytes) return {};
  return fmt::format("needs {} of memory, but this process may use at most {}", text_of(bytes),
                     with_source(limit));
}

void require_memory(double bytes, const std::string& what) {
  const std::string rule = broken_memory_rule(bytes);
  if (!rule.empty()) throw InputError(fmt::format("{} {}. {}", what, rule, cure));
}

void check_memory(const std::string& key, double bytes) {
  const std::string rule = broken_memory_rule(bytes);
  if (!rule.empty()) throw ParameterError(key, fmt::format("{}. {}", rule, cure));
}

std::string out_of_memory() {
  return fmt::format("the memory is exhausted: this process may use at most {}. {}",
                     with_source(memory_limit()), cure);
}

void hold_memory_limit() {
#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
  rlimit set = {};
  const auto bytes = static_cast<rlim_t>(std::min(memory_limit().bytes, 0x1p62));
  if (::getrlimit(RLIMIT_DATA, &set) != 0 || set.rlim_cur <= bytes) return;
  set.rlim_cur = bytes;
  ::setrlimit(RLIMIT_DATA, &set);
#endif
}

}  // namespace mixwell
