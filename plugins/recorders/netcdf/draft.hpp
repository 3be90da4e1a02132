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
struct DrawCounts {
  std::int64_t warmup = 0;
  std::int64_t sampling = 0;
  friend bool operator==(const DrawCounts&, const DrawCounts&) = default;
};

/// That a run records, if it records them.
Index warmup_draws(const RunHeader& header);

class DraftFile {
 public:
  /// A file that holds draws from `first` on, at most `room`, 0 = any number. The header outlives
  /// it. A file that is read is refused where it differs from the header.
  DraftFile(const RunHeader& header, std::string name, NcFile::Mode mode, const DrawCounts& first,
            const DrawCounts& room);

  void append(const Chunk& chunk);
  /// Takes all draws of another draft with the same header, which begins where this one ends.
  void append(const DraftFile& from);
  /// The draw to write next, or the one after the last that a file that is read holds.
  DrawCounts end() const;
  /// All draws are on the disk, in a file that is not whole but stays.
  void close();
  /// Numbers the draws, writes what the footer says and gives the file its name. Throws RunError if
  /// it holds more or fewer draws than the footer says.
  void publish(const RunFooter& footer, const std::string& name);

 private:
  void define_root(const RunHeader& header) const;
  void check_root(const RunHeader& header) const;
  void flush();

  NcFile file_;
  PhaseGroups sampling_;
  std::unique_ptr<PhaseGroups> warmup_;
};

}  // namespace mixwell::netcdf
