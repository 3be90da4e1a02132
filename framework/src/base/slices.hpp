// Elements of an array as texts name them: by numbers, slices and labels.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <mixwell/base/export.hpp>
#include <mixwell/base/types.hpp>

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace mixwell {

/// An array as far as texts name its elements.
struct NamedArray {
  std::string name;
  std::vector<Index> shape;
  /// Of each dimension what its elements are called, or null; no entries where none has labels.
  std::vector<const std::vector<std::string>*> labels{};
};

/// The labels of the dimension of that name, or null; a dimension without a name has none. Each of
/// `labels` has a name, `dim`, and what the elements are called, `labels`.
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

/// Positions along one dimension: first, first + step, ... below end.
struct Slice {
  Index first = 0;
  Index end = 0;
  Index step = 1;
  bool is_label = false;  ///< the text has a label instead of the number
};

/// What stands between the brackets of `text`, if it is `name` with brackets behind it.
MIXWELL_INTERNAL std::optional<std::string_view> between_brackets(std::string_view name,
                                                                  std::string_view text);

/// One slice for each dimension, from what stands between the brackets of `text`: for each an
/// index ("3", from the end where negative: "-1"), a slice as in Python ("0:10", "::2", ":") or
/// where it is neither of the array's, a label; dimensions that are left out are taken whole.
/// Labels may have commas: what begins like one and goes on otherwise is tried as another. Throws
/// InputError with the rule that it breaks, and the nearest label. O(labels) a dimension.
MIXWELL_INTERNAL std::vector<Slice> read_slices(const NamedArray& array, std::string_view inside,
                                                const std::string& text);

/// Flat indices of what the slices take of an array, last dimension fastest, ascending.
MIXWELL_INTERNAL std::vector<Index> flat_indices(const std::vector<Index>& shape,
                                                 const std::vector<Slice>& slices);

/// The same slices only by numbers: "w[2,0:4:2]".
MIXWELL_INTERNAL std::string text_by_numbers(const std::string& name,
                                             const std::vector<Slice>& slices);

}  // namespace mixwell
