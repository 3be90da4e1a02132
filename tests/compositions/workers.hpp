// Lines made by several processes, each in one of its own.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <functional>
#include <string>

namespace compositions {

struct Work {
  std::size_t count = 0;
  int jobs = 2;               ///< processes at a time
  double seconds = 0.0;       ///< after which no further number is begun; 0 = no limit
  double cpu_seconds = 60.0;  ///< after which a process is ended
  std::function<std::string(std::size_t)> line;  ///< of number k
  /// Of a number whose process ended without a line; the text says how.
  std::function<std::string(std::size_t, const std::string&)> line_of_dead;
};

/// Appends line(k), k = 0, 1, ... below count, to the file `path` in the order in which they get
/// ready; says on a terminal how far it is. Throws std::system_error.
void run(const Work& work, const std::string& path);

}  // namespace compositions
