// Warm-up or sampling: the groups of it, posterior and what else there is.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "file.hpp"
#include "group.hpp"
#include "variable.hpp"

#include <mixwell/plugin.hpp>

#include <cstddef>
#include <cstdint>
#include <map>
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

}  // namespace mixwell::netcdf
