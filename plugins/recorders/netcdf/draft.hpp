// A draft of draws.nc: a file with all draws of a run, or some of them, grouped by phase.
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

/// Number of draws of one phase in a file.
struct PhaseLength {
  Index expected = 0;  ///< expected number; 0 = unknown
  Index room = 0;      ///< largest number; 0 = any number
};

class PhaseGroups {
 public:
  /// `prefix` begins the names of the groups; `first` is the first draw in the file. The file and
  /// the header must outlive this object.
  PhaseGroups(const NcFile& file, const RunHeader& header, const std::string& prefix,
              const PhaseLength& length, std::int64_t first);
  PhaseGroups(const PhaseGroups&) = delete;
  PhaseGroups& operator=(const PhaseGroups&) = delete;

  /// Throws RunError unless the chunk begins right after the last draw.
  void append(const Chunk& chunk);
  /// Appends all draws of the same phase from another file, which begins where this one ends.
  void append(const PhaseGroups& from);
  /// The index after the last draw.
  std::int64_t end() const noexcept { return end_; }
  /// Writes all pending draws to the file and frees their memory.
  void flush();
  /// Throws RunError unless the last draw is number `draws` - 1.
  void expect(std::int64_t draws) const;
  void number_draws() const;
  void tell_draws() const;

  std::vector<const NcGroup*> groups() const;

 private:
  struct Placed {
    NcVariable variable;
    std::size_t column;  ///< index of the column in the header
  };

  const std::string& name() const { return groups_.at(RecordGroup::posterior).name(); }

  std::map<RecordGroup, NcGroup> groups_;
  std::vector<Placed> variables_;
  std::int64_t first_;
  std::int64_t end_;
};

/// Number of draws of each phase.
struct DrawCounts {
  std::int64_t warmup = 0;
  std::int64_t sampling = 0;
  friend bool operator==(const DrawCounts&, const DrawCounts&) = default;
};

/// Number of warmup draws that a run records, if it records them.
Index warmup_draws(const RunHeader& header);

class DraftFile {
 public:
  /// A file with draws from `first` on and room for at most `room` draws (0 = any number). The
  /// header must outlive this object. A file that is read is refused if it differs from the header.
  DraftFile(const RunHeader& header, std::string name, NcFile::Mode mode, const DrawCounts& first,
            const DrawCounts& room);

  void append(const Chunk& chunk);
  /// Appends all draws of another draft with the same header, which begins where this one ends.
  void append(const DraftFile& from);
  /// The index of the next draw to write; for a file that is read, the index after its last draw.
  DrawCounts end() const;
  /// Writes all draws to disk and keeps the unfinished file.
  void close();
  /// Numbers the draws, writes the values of the footer and renames the file. Throws RunError if
  /// the file has more or fewer draws than the footer says.
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
