// The draws of a run that goes on: files that are closed for good, and the one that grows.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "draft.hpp"

#include <mixwell/plugin.hpp>

#include <cstdint>
#include <memory>
#include <string>

namespace mixwell::netcdf {

/// HDF5 leaves a file that was not closed in no certain state, so a file that a saved state needs
/// is closed and never opened for writing again. A run without saved states has one part, which
/// becomes draws.nc; else all parts are copied: O(draws) more time and disk. So is the one part of
/// a run of many variables that ends early: the dimension `draw` of such a file has a fixed length.
class Parts {
 public:
  explicit Parts(RunHeader header);
  Parts(const Parts&) = delete;
  Parts& operator=(const Parts&) = delete;
  ~Parts();

  void append(const Chunk& chunk);
  void visit_state(StateVisitor& visitor);
  void publish(const RunFooter& footer);

 private:
  std::string name(std::uint64_t part) const;
  DrawCounts room_for(const DrawCounts& least) const;
  bool fits(const Chunk& chunk) const;
  bool is_full(const DrawCounts& draws) const;
  void begin_part(const DrawCounts& least);
  void end_part();
  void go_back(std::uint64_t parts, const DrawCounts& draws);
  /// Reads part after part; `use` is called with each. Returns the draw after the last one.
  template <class Use>
  DrawCounts read(std::uint64_t parts, const Use& use) const;
  void remove_from(std::uint64_t part) const;

  RunHeader header_;
  std::uint64_t closed_ = 0;  ///< parts
  std::uint64_t saved_ = 0;   ///< parts that a saved state needs
  DrawCounts end_;            ///< the draw to write next
  DrawCounts last_;           ///< where the part that grows began, or the one before it
  DrawCounts room_;           ///< of the part that grows
  RunHeader part_header_;
  std::unique_ptr<DraftFile> draft_;
};

}  // namespace mixwell::netcdf
