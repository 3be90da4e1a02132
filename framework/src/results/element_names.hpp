// Converts elements of recorded arrays to names such as x[3] or x[Ulm], and names to elements.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <mixwell/base/export.hpp>
#include <mixwell/base/types.hpp>
#include <mixwell/recorder.hpp>

#include <optional>
#include <string>
#include <vector>

namespace mixwell {

/// The indices of an element, counted from 0, last index fastest. A scalar has no indices.
MIXWELL_INTERNAL std::vector<Index> indices_of(const Column& column, Index element);

/// "[2,3]", or "" for no indices.
MIXWELL_INTERNAL std::string subscript(const std::vector<Index>& indices);

/// The name of an element: `beta[3]`, `b[2,3]`, or only the name of a scalar. Indices count from 0,
/// and the last index is the fastest.
MIXWELL_INTERNAL std::string element_name(const Column& column, Index element);

/// Like element_name(), but with labels instead of numbers for dimensions that have labels:
/// `beta[Ulm]`, `b[Ulm,3]`.
MIXWELL_INTERNAL std::string labelled_name(const Column& column, Index element,
                                           const std::vector<Labels>& labels);

/// Elements of one column, ascending.
struct NamedElements {
  std::size_t column;
  std::vector<Index> elements;
};

/// The elements that `text` names: a whole array ("b"), an element ("b[2,3]") or a slice
/// ("b[0,:]"), with numbers from 0 or, if there is no such element, labels ("b[Ulm,3]"). Nothing if
/// `text` names none of the columns. Throws InputError with the rule and the nearest label if the
/// array has no such elements. O(columns + labels).
MIXWELL_INTERNAL std::optional<NamedElements> elements_called(const std::vector<Column>& columns,
                                                              const std::string& text,
                                                              const std::vector<Labels>& labels);

}  // namespace mixwell
