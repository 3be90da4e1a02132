// Maps the elements of a draw to the columns of a CmdStan CSV file.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <mixwell/recorder.hpp>

#include <cstddef>
#include <string>
#include <vector>

namespace mixwell {

struct CsvColumn {
  std::size_t variable;  ///< index of the variable
  Index element;         ///< element number, last index fastest
  std::string name;      ///< `b.2.3`, numbered from 1
};

/// The columns of the file: first the statistics of Stan that the draws have, in Stan's order, then
/// the parameters, and then other statistics as NAME__. Elements are ordered with the first index
/// fastest. Throws InputError, with `where`, for a name that is invalid in a CSV file or that two
/// columns would have.
std::vector<CsvColumn> cmdstan_columns(const std::vector<Column>& variables,
                                       const std::string& where);

}  // namespace mixwell
