// Selection of a model's coordinates by name and slice.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <mixwell/base/export.hpp>
#include <mixwell/base/types.hpp>
#include <mixwell/model.hpp>

#include <string>
#include <vector>

namespace mixwell {

/// Returns the indices of the selected coordinates, in ascending order. `text` names a parameter
/// ("beta"), elements ("z[3]", "w[3,2]") or slices ("z[0:10]", "w[3,:]", "z[::2]", "z[-1]"), as in
/// Python. Indices count from 0, or from the end if negative. The end of a range is excluded. If
/// `text` omits a dimension, all of it is selected. Throws an InputError if no parameter has this
/// name, if there are more indices than dimensions, if an index is outside the array, if a step is
/// not positive, or if a slice is empty. Unlike Python, also throws if an end of a range is outside
/// the array. `text` must not select a part of a parameter whose values constrain each other (a
/// simplex, ordered numbers, ...).
MIXWELL_EXPORT std::vector<Index> select_coordinates(const std::vector<Parameter>& parameters,
                                                     const std::string& text);
/// Returns the indices that the texts select, in ascending order. An index that two texts select
/// occurs twice.
MIXWELL_EXPORT std::vector<Index> select_coordinates(const std::vector<Parameter>& parameters,
                                                     const std::vector<std::string>& texts);

/// Returns the index of each coordinate's column in a table of positions. `columns` contains the
/// names of the columns, in any order. A name has the form that coordinate_names() returns or that
/// select_coordinates() accepts, or uses the model's labels ("town[Ulm]"). Throws InputError if a
/// column does not name exactly one coordinate, or if a coordinate does not have exactly one
/// column.
MIXWELL_EXPORT std::vector<Index> columns_of_coordinates(const Model& model,
                                                         const std::vector<std::string>& columns);

}  // namespace mixwell
