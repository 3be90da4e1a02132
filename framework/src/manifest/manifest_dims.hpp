// The keys `dims` and `coords` of a model's table, which every model has beside its own.
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
  /// Their targets are members of this.
  std::vector<Field> fields();

  /// Throws InputError at the key that does not fit what is recorded: a variable that there is none
  /// of, another number of dims than it has, a dimension that nothing has, another number of labels
  /// than it is long, a label that is there twice. `arrays`, `labels`: the model's own; `path`: of
  /// its table.
  void check(std::vector<Parameter> arrays, const std::vector<Labels>& labels,
             const toml::table& table, const std::string& path, const ManifestText& manifest) const;

  /// A text that selects coordinates of `model`, with numbers instead of labels: what the
  /// components are given. Throws InputError with the rule that it breaks.
  std::string by_numbers(const Model& model, const std::string& text) const;

  bool empty() const noexcept { return given_.dims.empty() && given_.coords.empty(); }
  const RecordedDims& given() const noexcept { return given_; }

 private:
  RecordedDims given_;
};

}  // namespace mixwell
