// The whole draws.nc while it is being written: its phases, and what stands at its root.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "file.hpp"
#include "phase.hpp"

#include <mixwell/recorder.hpp>
#include <mixwell/state.hpp>

#include <memory>

namespace mixwell::netcdf {

class Draft {
 public:
  /// The header outlives it. A resumed file that differs from the header is refused.
  Draft(const RunHeader& header, File::Mode mode);

  void append(const Chunk& chunk);
  /// All draws are on the disk when the visitor sees their numbers.
  void visit_state(StateVisitor& visitor);
  /// All draws are in the file, which stays under its temporary name.
  void suspend();
  /// All draws are in the file, as many as the footer says; throws RunError if they are not.
  void end(const RunFooter& footer);
  bool has_leftovers() const;
  /// Takes all draws of another draft with the same header; this one has none yet.
  void copy(const Draft& from);
  /// Numbers the draws, writes what the footer says and gives the file its name.
  void publish(const RunFooter& footer);

  /// When the file was begun.
  std::string created_at() const;

 private:
  void define_root(const RunHeader& header) const;
  void check_root(const RunHeader& header) const;
  void flush();

  File file_;
  Phase sampling_;
  std::unique_ptr<Phase> warmup_;
};

}  // namespace mixwell::netcdf
