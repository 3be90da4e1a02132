// The memory limit of this process, and errors for data that would exceed it.
// SPDX-License-Identifier: Apache-2.0
#include "base/memory_limit.hpp"

#include <mixwell/base/error.hpp>

#include <fmt/format.h>
#include <sys/resource.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <cstdlib>
#include <fstream>
#include <limits>
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
constexpr const char* free_memory = "nine tenths of the free memory of this machine";
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

/// The number after `key` in a file of the Linux kernel, or its first number if `key` is empty.
std::optional<double> number_in(const std::string& file, std::string_view key = {}) {
  std::ifstream in(file);
  for (std::string word; !key.empty() && word != key && in >> word;) continue;
  double number = 0;
  return in >> number ? std::optional(number) : std::nullopt;
}

/// The free memory of a control group. Cached files count as free, because the system drops them
/// when memory is needed.
std::optional<double> room_in(const std::string& folder, const char* limit, const char* used,
                              const char* files) {
  const auto most = number_in(folder + limit);
  const auto now = number_in(folder + used);
  if (!most || !now) return std::nullopt;
  return *most - *now + number_in(folder + "/memory.stat", files).value_or(0);
}

/// For one line of /proc/self/cgroup, "4:memory:/a/b": the least free memory of this group and of
/// all groups that contain it.
double room_in_groups(const std::string& line) {
  const std::size_t first = line.find(':');
  const std::size_t second = line.find(':', first + 1);
  if (second == std::string::npos) return std::numeric_limits<double>::infinity();
  const std::string controllers = line.substr(first + 1, second - first - 1);
  const bool unified = controllers.empty();
  double least = std::numeric_limits<double>::infinity();
  if (!unified && controllers != "memory") return least;
  const std::string root = unified ? "/sys/fs/cgroup" : "/sys/fs/cgroup/memory";
  for (std::string group = line.substr(second + 1);; group.resize(group.rfind('/'))) {
    while (group.ends_with('/')) group.pop_back();
    const auto room = unified ? room_in(root + group, "/memory.max", "/memory.current", "file")
                              : room_in(root + group, "/memory.limit_in_bytes",
                                        "/memory.usage_in_bytes", "total_cache");
    least = std::min(least, room.value_or(least));
    if (group.empty()) return least;
  }
}

MemoryLimit free_now() {
  constexpr double kibibyte = 1024;
  const auto available = number_in("/proc/meminfo", "MemAvailable:");
  MemoryLimit limit{available ? *available * kibibyte : std::numeric_limits<double>::infinity(),
                    free_memory};
  std::ifstream in("/proc/self/cgroup");
  for (std::string line; std::getline(in, line);) {
    const double room = room_in_groups(line);
    if (room < limit.bytes) limit = {std::max(room, 0.0), free_in_group};
  }
  limit.bytes *= share;
  return limit;
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
