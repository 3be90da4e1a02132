// What both displays of progress are made of.
// SPDX-License-Identifier: Apache-2.0
#include "app/display.hpp"

#include <fmt/format.h>

#include <cstdint>
#include <cstdio>

namespace mixwell::app {
namespace {

constexpr const char* wipe_line = "\r\033[K";

}  // namespace

Display::~Display() {
  if (style_ == Style::line && last_) std::fputs(wipe_line, stderr);
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

void Display::print(const std::string& text) const {
  if (style_ == Style::line) {
    fmt::print(stderr, "{}{}", wipe_line, text);
  } else {
    fmt::print("{}\n", text);
  }
  std::fflush(style_ == Style::line ? stderr : stdout);
}

void Display::remark(const std::string& text) const {
  fmt::print(stderr, "{}{}\n", style_ == Style::line ? wipe_line : "", text);
}

std::string time_left(double seconds) {
  if (seconds < 100) return fmt::format("{:.0f} s left", seconds);
  const auto minutes = static_cast<std::int64_t>(seconds / 60);
  return minutes < 100 ? fmt::format("{} min left", minutes)
                       : fmt::format("{:.1f} h left", seconds / 3600);
}

}  // namespace mixwell::app
