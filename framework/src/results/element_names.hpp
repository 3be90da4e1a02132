// What elements of recorded arrays are called, by numbers or by labels, and which one a name means.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <mixwell/export.hpp>
#include <mixwell/recorder.hpp>
#include <mixwell/types.hpp>

#include <optional>
#include <string>
#include <vector>

namespace mixwell {

/// `beta[3]`, `b[2,3]`; the name alone for a scalar. Last index fastest, from 0.
MIXWELL_INTERNAL std::string element_name(const Column& column, Index element);

/// The same with labels of dimensions in the place of numbers, as far as they have any:
/// `beta[Ulm]`, `b[Ulm,3]`.
MIXWELL_INTERNAL std::string labelled_name(const Column& column, Index element,
                                           const std::vector<Labels>& labels);

/// The element of `column` that has this name, each of its indices being a number from 0 or, where
/// it is none of the array's, a label: `b[2,3]`, `b[Ulm,3]`. Nothing if none has. O(labels).
MIXWELL_INTERNAL std::optional<Index> element_called(const Column& column, const std::string& name,
                                                     const std::vector<Labels>& labels);

/// The labels of dimension k, or null.
const std::vector<std::string>* labels_of(const Column& column, std::size_t k,
                                          const std::vector<Labels>& labels);

}  // namespace mixwell
