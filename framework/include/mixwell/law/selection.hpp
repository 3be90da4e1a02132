// Parts of a model's parameters by name and slice.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <mixwell/base/export.hpp>
#include <mixwell/base/types.hpp>
#include <mixwell/model.hpp>

#include <string>
#include <vector>

namespace mixwell {

/// Coordinates of a position that `text` names, ascending: a parameter ("beta"), elements of one
/// ("z[3]", "w[3,2]") or slices ("z[0:10]", "w[3,:]", "z[::2]", "z[-1]"), as in Python: counted
/// from 0, from the end where negative, without the end of a range; dimensions that are left out
/// are taken whole. Throws InputError with the rule that it breaks: a name that no parameter has,
/// more indices than dimensions, an index or an end of a range beyond the array (which Python
/// would cut off), a step that is not positive, a slice of nothing, a part of what is constrained
/// as a whole (a simplex, ordered numbers, ...).
MIXWELL_EXPORT std::vector<Index> select_coordinates(const std::vector<Parameter>& parameters,
                                                     const std::string& text);
/// Those of all names and slices of a list, ascending.
MIXWELL_EXPORT std::vector<Index> select_coordinates(const std::vector<Parameter>& parameters,
                                                     const std::vector<std::string>& texts);

/// Of a table of positions: for each coordinate of the model the place of its column among
/// `columns`, which name each coordinate once, in any order, as coordinate_names() or
/// select_coordinates() do, or by the model's labels ("town[Ulm]"). Throws InputError for a column
/// that names none or several, and for a coordinate that none or two of them name.
MIXWELL_EXPORT std::vector<Index> columns_of_coordinates(const Model& model,
                                                         const std::vector<std::string>& columns);

}  // namespace mixwell
