// A draws.nc that is being written, or a part of it, from its first attribute to its name.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "file.hpp"
#include "phase.hpp"

#include <mixwell/plugin.hpp>

#include <memory>
#include <string>

namespace mixwell::netcdf {

/// Draws of each phase.
struct Draws {
  std::int64_t warmup = 0;
  std::int64_t sampling = 0;
  friend bool operator==(const Draws&, const Draws&) = default;
};

class Draft {
 public:
  /// A file that holds draws from `first` on. The header outlives it. A file that is read is
  /// refused where it differs from the header.
  Draft(const RunHeader& header, std::string name, File::Mode mode, const Draws& first);

  void append(const Chunk& chunk);
  /// Takes all draws of another draft with the same header, which begins where this one ends.
  void append(const Draft& from);
  /// The draw to write next, or the one after the last that a file that is read holds.
  Draws end() const;
  /// All draws are on the disk, in a file that is not whole but stays.
  void close();
  /// Numbers the draws, writes what the footer says and gives the file its name. Throws RunError if
  /// it holds more or fewer draws than the footer says.
  void publish(const RunFooter& footer, const std::string& name);

 private:
  void define_root(const RunHeader& header) const;
  void check_root(const RunHeader& header) const;
  void flush();

  File file_;
  Phase sampling_;
  std::unique_ptr<Phase> warmup_;
};

}  // namespace mixwell::netcdf
