// A draws.nc that is being written, or a part of it, and its phases.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "file.hpp"
#include "group.hpp"
#include "variable.hpp"

#include <mixwell/plugin.hpp>

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <vector>

namespace mixwell::netcdf {

/// How many draws a file may hold.
struct PhaseLength {
  Index expected = 0;  ///< 0 = unknown
  Index room = 0;      ///< 0 = any number
};

class PhaseGroups {
 public:
  /// `prefix` of the groups' names; `first` draw that the file holds. File and header outlive it.
  PhaseGroups(const NcFile& file, const RunHeader& header, const std::string& prefix,
              const PhaseLength& length, std::int64_t first);
  PhaseGroups(const PhaseGroups&) = delete;
  PhaseGroups& operator=(const PhaseGroups&) = delete;

  /// Throws RunError unless the chunk begins where the last one ended.
  void append(const Chunk& chunk);
  /// Takes all draws of the same phase in another file, which begins where this one ends.
  void append(const PhaseGroups& from);
  /// The draw after the last one.
  std::int64_t end() const noexcept { return end_; }
  /// All draws are in the file and none in memory.
  void flush();
  /// Throws RunError unless the draws up to the last one are as many.
  void expect(std::int64_t draws) const;
  void number_draws() const;
  void tell_draws() const;

  std::vector<const NcGroup*> groups() const;

 private:
  struct Placed {
    NcVariable variable;
    std::size_t column;  ///< its number in the header
  };

  const std::string& name() const { return groups_.at(RecordGroup::posterior).name(); }

  std::map<RecordGroup, NcGroup> groups_;
  std::vector<Placed> variables_;
  std::int64_t first_;
  std::int64_t end_;
};

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
