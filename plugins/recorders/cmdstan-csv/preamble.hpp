// The comments before the first row, which tell a reader how the draws were made.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <mixwell/plugin.hpp>

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace mixwell::cmdstan_csv {

/// The name under which kernels record, once, the inverse of the mass matrix they learnt.
inline constexpr std::string_view inv_metric = "inv_metric";

/// What the header does not know.
struct Settings {
  int digits = 8;
  std::int64_t max_depth = 10;
};

/// Comments of CmdStan 2.36 as far as they are true of the run, what Mixwell adds, and the row of
/// `names`. num_samples and num_warmup have room for any count.
std::string preamble(const RunHeader& header, Index chain, const Settings& settings,
                     const std::string& names);

/// A count as it stands in a preamble, and where: to be written over when it is known.
std::string count_text(std::int64_t count);
std::size_t place_of(const std::string& preamble, std::string_view key);

/// "" if two preambles are of the same run, else the lines that differ. Time, version and counts
/// may.
std::string difference(const std::string& found, const std::string& wanted);

}  // namespace mixwell::cmdstan_csv
