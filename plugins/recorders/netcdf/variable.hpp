// A variable of the file, and its draws that wait to be written. Some variables have no draws.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "file.hpp"
#include "group.hpp"

#include <mixwell/plugin.hpp>

#include <cstdint>
#include <string>
#include <vector>

namespace mixwell::netcdf {

class NcVariable {
 public:
  /// Defines the variable. In a file that is read, finds the variable, and refuses the file if the
  /// type or shape differs. `share` is the number of bytes of RAM that the variable may use.
  /// `expected` is the expected number of draws (0 = unknown). The column and the group must
  /// outlive the variable.
  NcVariable(const NcFile& file, const Column& column, const NcGroup& group, Index share,
             Index expected);

  /// `data`: draws x chains x elements; for a column that is written `once`, chains x elements.
  void append(const double* data, std::int64_t draws);
  /// Writes the pending draws.
  void flush();
  /// Frees the memory of pending draws. Call it after flush().
  void release() { pending_ = {}; }
  /// Appends all `draws` draws of the same variable in another file. `from_start` says whether that
  /// file begins with draw 0. Reads as many draws at once as fit into a chunk of the file.
  void append(const NcVariable& from, bool from_start, std::int64_t draws);

 private:
  /// A box of numbers in the file: its first indices and its lengths.
  struct NcBox {
    std::vector<std::size_t> start;
    std::vector<std::size_t> count;
  };
  /// The box of draws [first, first + count); for a variable without draws, all its values.
  NcBox slab(std::int64_t first, std::int64_t count) const;

  /// Number of dimensions before those of the shape.
  std::size_t leading() const noexcept { return column_->once ? 1 : 2; }
  std::string label() const;
  void check(int status, const char* verb) const;
  void choose_depth(Index share);
  void define();
  Index fitting(Index all, Index numbers) const;
  Index most_elements() const;
  Index most_chains(Index numbers) const;
  std::vector<std::size_t> chunk_shape() const;
  void define_fill() const;
  void define_attributes() const;
  void find();
  void check_shape() const;
  void find_chunks();
  void put(const NcBox& to, const double* numbers) const;
  void get(const NcBox& from, double* numbers) const;
  void set_chunks();
  void set_cache(const std::vector<std::size_t>& chunks) const;
  void append_draw(const double* data);
  void check_type(const double* data) const;

  const NcFile* file_;
  const Column* column_;
  const NcGroup* group_;
  Index chains_;
  Index size_;
  Index expected_;   ///< total number of draws, 0 = unknown
  Index depth_ = 1;  ///< draws in a chunk of the file
  int id_ = -1;
  std::vector<double> pending_;  ///< chains x depth x elements
  Index filled_ = 0;             ///< number of pending draws
  std::int64_t written_ = 0;     ///< number of draws in the file
};

}  // namespace mixwell::netcdf
