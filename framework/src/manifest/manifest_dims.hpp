// The keys `dims` and `coords`, which are allowed in the table of every model.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "manifest/text.hpp"

#include <mixwell/lab/manifest.hpp>
#include <mixwell/model.hpp>

#include <string>
#include <vector>

namespace mixwell {

class ManifestDims {
 public:
  /// The fields write to members of this object.
  std::vector<Field> fields();

  /// Throws InputError at the first key that does not fit the recorded arrays: an unknown variable,
  /// a wrong number of dims, an unknown dimension, a wrong number of labels, or a repeated label.
  /// `arrays` and `labels` belong to the model, and `path` is the path of the model's table.
  void check(std::vector<Parameter> arrays, const std::vector<Labels>& labels,
             const toml::table& table, const std::string& path, const ManifestText& manifest) const;

  /// Replaces the labels in a selection of coordinates of `model` with indices, because components
  /// read only indices. Throws InputError with the rule that the selection breaks.
  std::string by_numbers(const Model& model, const std::string& text) const;

  bool empty() const noexcept { return given_.dims.empty() && given_.coords.empty(); }
  const RecordedDims& given() const noexcept { return given_; }

 private:
  RecordedDims given_;
};

}  // namespace mixwell
