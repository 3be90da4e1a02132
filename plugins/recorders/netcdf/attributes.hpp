// Attributes of a file, of a group, or of one of its variables.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "file.hpp"

#include <netcdf.h>

#include <cstdint>
#include <string>
#include <vector>

namespace mixwell::netcdf {

class Attributes {
 public:
  explicit Attributes(const NcFile& file) : Attributes(file, file.id()) {}
  Attributes(const NcFile& file, int group, int variable = NC_GLOBAL)
      : file_(file), group_(group), variable_(variable) {}

  void text(const char* name, const std::string& value) const;
  void texts(const char* name, std::vector<const char*> values) const;
  /// Nothing for NaN.
  void number(const char* name, double value) const;
  void integer(const char* name, std::int64_t value) const;

  /// Of a resumed file; its InputError where there is none of this name and type.
  std::string text_in_file(const char* name) const;
  std::int64_t integer_in_file(const char* name) const;

 private:
  void check(int status, const char* name) const;
  void find(int status, const char* name) const;

  const NcFile& file_;
  int group_;
  int variable_;
};

}  // namespace mixwell::netcdf
