// Cases, wherever they come from: judged one by one, and what was found made small.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "judge.hpp"

#include <cstddef>
#include <functional>
#include <map>
#include <string>

namespace compositions {

/// A strategy: which cases there are. `blank` is the row of a case before it is judged: its id, and
/// what is known of it. `at` is called in the process of the case.
struct Source {
  std::size_t count = 0;
  std::function<Row(std::size_t)> blank;
  std::function<Case(std::size_t)> at;
};

struct SearchSettings {
  JudgeSettings judge;
  std::string file;            ///< of rows, in the folder of the judge
  int jobs = 2;                ///< processes
  double seconds = 0.0;        ///< after which no case is begun; 0 = no limit
  double case_seconds = 60.0;  ///< of the processor, after which a case is ended
  std::size_t shrink = 5;      ///< findings
};

/// Rows by the number of the case: those of the file that have the same key, and new ones.
std::map<std::size_t, Row> rows_of(const Source& source, const mixwell::Registry& registry,
                                   const SearchSettings& settings);

/// Prints every finding and writes it to ID.toml; of the first ones also the smallest manifest that
/// has the same outcome, to ID-smallest.toml. Returns how many there are.
std::size_t tell_findings(const std::map<std::size_t, Row>& rows, const Source& source,
                          const mixwell::Registry& registry, const SearchSettings& settings);

}  // namespace compositions
