// The files with the draws of a run: finished files, and the file that is being written.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "draft.hpp"

#include <mixwell/plugin.hpp>

#include <cstdint>
#include <memory>
#include <string>

namespace mixwell::netcdf {

/// HDF5 leaves a file that was not closed in an undefined state. So a file that a saved state needs
/// is closed and never opened for writing again. A run without saved states has one part, which
/// becomes draws.nc. Otherwise all parts are copied, which costs O(draws) more time and disk. If a
/// run with many variables and one part ends early, this part is copied too, because its dimension
/// `draw` has a fixed length.
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
  /// Reads the parts one after another and calls `use` with each. Returns the index after the last
  /// draw.
  template <class Use>
  DrawCounts read(std::uint64_t parts, const Use& use) const;
  void remove_from(std::uint64_t part) const;

  RunHeader header_;
  std::uint64_t closed_ = 0;  ///< number of closed parts
  std::uint64_t saved_ = 0;   ///< number of parts that a saved state needs
  DrawCounts end_;            ///< index of the next draw to write
  DrawCounts last_;           ///< start of the growing part, or of the one before it
  DrawCounts room_;           ///< room of the growing part
  RunHeader part_header_;
  std::unique_ptr<DraftFile> draft_;
};

}  // namespace mixwell::netcdf
