// An effective sample size as a person reads it.
// SPDX-License-Identifier: Apache-2.0
#include "app/ess_text.hpp"

#include <fmt/format.h>

#include <cmath>

namespace mixwell::app {

std::string ess_text(double ess, double mcse) {
  constexpr double widest = 3.0;
  if (!std::isfinite(ess)) return "-";
  if (!std::isfinite(mcse)) return fmt::format("{:.0f}", ess);
  const double factor = std::exp(1.96 * mcse / ess);
  if (!(factor <= widest)) return fmt::format("{:.0f} (rough)", ess);
  return fmt::format("{:.0f} ({:.0f} to {:.0f})", ess, ess / factor, ess * factor);
}

}  // namespace mixwell::app
