// What elements of recorded arrays are called, by numbers or by labels, and which one a name means.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <mixwell/base/export.hpp>
#include <mixwell/base/types.hpp>
#include <mixwell/recorder.hpp>

#include <optional>
#include <string>
#include <vector>

namespace mixwell {

/// Of an element, last index fastest, from 0; none for a scalar.
MIXWELL_INTERNAL std::vector<Index> indices_of(const Column& column, Index element);

/// "[2,3]", or "" of none.
MIXWELL_INTERNAL std::string subscript(const std::vector<Index>& indices);

/// `beta[3]`, `b[2,3]`; only the name for a scalar. Last index fastest, from 0.
MIXWELL_INTERNAL std::string element_name(const Column& column, Index element);

/// The same with labels of dimensions instead of numbers, as far as they have any:
/// `beta[Ulm]`, `b[Ulm,3]`.
MIXWELL_INTERNAL std::string labelled_name(const Column& column, Index element,
                                           const std::vector<Labels>& labels);

/// Elements of one of several columns, ascending.
struct NamedElements {
  std::size_t column;
  std::vector<Index> elements;
};

/// Those that `text` names: a whole array ("b"), an element ("b[2,3]") or a slice ("b[0,:]"), with
/// numbers from 0 or, where there is no such element, labels ("b[Ulm,3]"). Nothing if it is about
/// none of the columns; throws InputError with the rule and the nearest label if the array has no
/// such elements. O(columns + labels).
MIXWELL_INTERNAL std::optional<NamedElements> elements_called(const std::vector<Column>& columns,
                                                              const std::string& text,
                                                              const std::vector<Labels>& labels);

}  // namespace mixwell
