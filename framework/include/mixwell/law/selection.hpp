// Selection of a model's coordinates by name and slice.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <mixwell/base/export.hpp>
#include <mixwell/base/types.hpp>
#include <mixwell/model.hpp>

#include <string>
#include <vector>

namespace mixwell {

/// Returns the coordinates of a position that `text` selects, ascending. It selects a parameter
/// ("beta"), elements ("z[3]", "w[3,2]") or slices ("z[0:10]", "w[3,:]", "z[::2]", "z[-1]"), as in
/// Python. Indices count from 0, or from the end if negative. The end of a range is excluded.
/// Dimensions that are left out are selected whole. Throws an InputError with the broken rule: no
/// parameter has this name; there are more indices than dimensions; an index or an end of a range
/// is outside of the array (Python would cut off the range); a step is not positive; a slice is
/// empty; or the text selects only a part of values that are constrained together (a simplex,
/// ordered numbers, ...).
MIXWELL_EXPORT std::vector<Index> select_coordinates(const std::vector<Parameter>& parameters,
                                                     const std::string& text);
/// Returns the coordinates that any text of a list selects, ascending.
MIXWELL_EXPORT std::vector<Index> select_coordinates(const std::vector<Parameter>& parameters,
                                                     const std::vector<std::string>& texts);

/// Finds the columns of a table of positions: returns for each coordinate of the model the index of
/// its column in `columns`. The columns must name each coordinate once, in any order, as
/// coordinate_names() or select_coordinates() do, or by the model's labels ("town[Ulm]"). Throws
/// InputError if a column names no coordinate or several, or if no column or more than one names a
/// coordinate.
MIXWELL_EXPORT std::vector<Index> columns_of_coordinates(const Model& model,
                                                         const std::vector<std::string>& columns);

}  // namespace mixwell
