// What both displays of progress are made of.
// SPDX-License-Identifier: Apache-2.0
#include "app/display.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string_view>

namespace mixwell::app {
namespace {

constexpr const char* wipe_line = "\r\033[K";

}  // namespace

Display::~Display() {
  if (style_ == Style::line && last_) std::fputs(wipe_line, stderr);
}

Display::Style Display::line_or_none() {
  const char* const terminal = std::getenv("TERM");
  const bool can_rewrite = terminal != nullptr && std::string_view(terminal) != "dumb";
  return can_rewrite && ::isatty(STDERR_FILENO) == 1 ? Style::line : Style::none;
}

bool Display::is_due() {
  using namespace std::chrono_literals;
  if (style_ == Style::none) return false;
  const auto interval = style_ == Style::line ? 100ms : 1000ms;
  const auto now = Clock::now();
  if (last_ && now - *last_ < interval) return false;
  last_ = now;
  return true;
}

/// A run does not end because its progress cannot be written.
void Display::print(const std::string& text) const {
  std::FILE* const to = style_ == Style::line ? stderr : stdout;
  std::fputs((style_ == Style::line ? wipe_line + text : text + "\n").c_str(), to);
  std::fflush(to);
}

void Display::remark(const std::string& text) const {
  std::fputs(((style_ == Style::line ? wipe_line : "") + text + "\n").c_str(), stderr);
}

std::string time_left(double seconds) {
  if (seconds < 100) return fmt::format("{:.0f} s left", seconds);
  const auto minutes = static_cast<std::int64_t>(seconds / 60);
  return minutes < 100 ? fmt::format("{} min left", minutes)
                       : fmt::format("{:.1f} h left", seconds / 3600);
}

}  // namespace mixwell::app
