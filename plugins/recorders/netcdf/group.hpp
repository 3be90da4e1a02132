// One group of the file: the draws of one phase, with the coordinates that every group has.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "file.hpp"

#include <mixwell/plugin.hpp>

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

namespace mixwell::netcdf {

class NcGroup {
 public:
  /// Defines the group, with room for `room` draws (0 = any number). In a file that is read, finds
  /// the group and refuses the file if its chains, slots, warmup or thinning differ from the
  /// header.
  NcGroup(const NcFile& file, const RunHeader& header, std::string name, Index room);

  const std::string& name() const noexcept { return name_; }
  int id() const noexcept { return id_; }
  Index chains() const noexcept { return chains_; }
  int chain_dimension() const noexcept { return chain_dimension_; }
  int draw_dimension() const noexcept { return draw_dimension_; }
  /// Labels of the named dimensions.
  const std::vector<Labels>& labels() const noexcept { return *labels_; }

  /// Number of draws in the file, as tell_draws() wrote it before the file was closed.
  std::int64_t draws_in_file() const;
  void tell_draws(std::int64_t draws) const;
  /// Writes the coordinate `draw`.
  void number_draws(std::int64_t draws) const;
  /// Refuses a file that has more or fewer variables than `columns` and the coordinates together.
  void expect_columns(const std::vector<const Column*>& columns) const;

 private:
  /// A function that gives a number of a chain. Its arguments are the chain and the number of
  /// slots.
  using ChainNumber = std::function<Index(Index, Index)>;

  void define(const RunHeader& header, Index room);
  void define_chains(const RunHeader& header, const char* name, const ChainNumber& number) const;
  void define_attributes(const RunHeader& header) const;
  void find(const RunHeader& header);
  void expect_integer(const char* name, std::int64_t wanted) const;
  void check(int status) const;
  void need(int status, const std::string& what) const;

  const NcFile* file_;
  const std::vector<Labels>* labels_;  ///< belongs to the header, which outlives this object
  std::string name_;
  Index chains_;
  int id_ = -1;
  int chain_dimension_ = -1;
  int draw_dimension_ = -1;
  int draw_variable_ = -1;
};

}  // namespace mixwell::netcdf
