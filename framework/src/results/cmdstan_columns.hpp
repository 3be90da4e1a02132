// Which column of a CSV file of CmdStan holds which number of a draw.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <mixwell/recorder.hpp>

#include <cstddef>
#include <string>
#include <vector>

namespace mixwell {

struct CsvColumn {
  std::size_t variable;  ///< its place among the variables
  Index element;         ///< last index fastest
  std::string name;      ///< `b.2.3`: numbered from 1
};

/// Stan's statistics in Stan's order as far as they are there, then parameters, then other
/// statistics as NAME__; elements with the first index fastest. Throws InputError, with `where`,
/// for a name that a CSV file cannot have or that two columns would have.
std::vector<CsvColumn> cmdstan_columns(const std::vector<Column>& variables,
                                       const std::string& where);

}  // namespace mixwell
