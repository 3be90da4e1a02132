// Parses texts such as b[2,3], which select array elements by index, slice or label.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <mixwell/base/export.hpp>
#include <mixwell/base/types.hpp>

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace mixwell {

/// An array whose elements a text can select.
struct NamedArray {
  std::string name;
  std::vector<Index> shape;
  /// The names of the elements for each dimension, or null. Empty if no dimension has labels.
  std::vector<const std::vector<std::string>*> labels{};
};

/// The labels of the dimension with the name `dim`, or null. A dimension without a name has no
/// labels. Each of `labels` has the name of a dimension, `dim`, and the names of its elements,
/// `labels`.
template <class Labels>
const std::vector<std::string>* labels_of(const std::string& dim,
                                          const std::vector<Labels>& labels) {
  for (const Labels& one : labels)
    if (!dim.empty() && one.dim == dim) return &one.labels;
  return nullptr;
}

/// An array (a parameter, a column of results) with name, shape and names of dimensions, `dims`.
template <class Array, class Labels>
NamedArray named_array(const Array& array, const std::vector<Labels>& labels) {
  NamedArray named{array.name, array.shape};
  for (const std::string& dim : array.dims) named.labels.push_back(labels_of(dim, labels));
  return named;
}

/// Indices along one dimension: first, first + step, ... up to, but not including, end.
struct Slice {
  Index first = 0;
  Index end = 0;
  Index step = 1;
  bool is_label = false;  ///< whether the text has a label instead of an index
};

/// The text between the brackets of `text`, if `text` is `name` followed by brackets.
MIXWELL_INTERNAL std::optional<std::string_view> between_brackets(std::string_view name,
                                                                  std::string_view text);

/// Reads one slice for each dimension from the text between the brackets of `text`. Each part is an
/// index ("3", or "-1" from the end), a slice as in Python ("0:10", "::2", ":"), or a label if the
/// part is neither an index nor a slice of the array. A dimension that is left out is taken whole.
/// Labels may contain commas: if the text begins like a label but continues differently, other
/// labels are tried. Throws InputError with the rule that the text breaks, and the nearest label.
/// O(labels) for each dimension.
MIXWELL_INTERNAL std::vector<Slice> read_slices(const NamedArray& array, std::string_view inside,
                                                const std::string& text);

/// Flat indices of the elements in the slices, ascending, with the last dimension fastest.
MIXWELL_INTERNAL std::vector<Index> flat_indices(const std::vector<Index>& shape,
                                                 const std::vector<Slice>& slices);

/// The text of slices, with indices instead of labels: "w[2,0:4:2]".
MIXWELL_INTERNAL std::string text_by_numbers(const std::string& name,
                                             const std::vector<Slice>& slices);

}  // namespace mixwell
