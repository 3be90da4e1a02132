// Warm-up or sampling: the groups posterior and sample_stats of it.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "file.hpp"
#include "group.hpp"
#include "variable.hpp"

#include <mixwell/recorder.hpp>
#include <mixwell/state.hpp>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace mixwell::netcdf {

class Phase {
 public:
  /// `prefix` of the groups' names; `expected` draws, 0 = unknown. File and header outlive it.
  Phase(const File& file, const RunHeader& header, const std::string& prefix, Index expected);
  Phase(const Phase&) = delete;
  Phase& operator=(const Phase&) = delete;

  /// Throws RunError unless the chunk begins where the last one ended.
  void append(const Chunk& chunk);
  /// All draws are in the file and none in memory.
  void flush();
  /// The number of draws. Reading it sets where writing goes on; the file is refused if it has
  /// fewer draws.
  void visit_state(StateVisitor& visitor);

  /// Flushes; throws RunError if there are not as many draws as `draws`.
  void end(std::int64_t draws);
  /// The file holds draws that were written after the point from which it was continued.
  bool has_leftovers() const;
  /// Takes all draws of the same phase in another file; this one has none yet.
  void copy(const Phase& from);
  void number_draws() const;

  std::vector<const Group*> groups() const;

 private:
  struct Placed {
    Variable variable;
    std::size_t column;  ///< its number in the header
  };

  void move_to(std::uint64_t draw);

  Group posterior_;
  std::unique_ptr<Group> stats_;
  std::vector<Placed> variables_;
  std::int64_t draws_ = 0;
};

}  // namespace mixwell::netcdf
