// Positions that several slots hold together: the law of one slot given the rest, and the whole.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <mixwell/export.hpp>
#include <mixwell/graph.hpp>
#include <mixwell/kernel.hpp>
#include <mixwell/model.hpp>

#include <memory>
#include <string>
#include <vector>

namespace mixwell {

class Oracle;

/// exp(-U) of a law of the whole position as the law of the coordinates that `slot` holds (b x w),
/// given `rest`: versions of the slots that hold the others, or those of them that the law reads. U
/// is that of the whole position, constants included. An evaluation is one of the whole law, and 2
/// (d + b) copies a column.
[[gnu::cold]] MIXWELL_EXPORT Value conditional_law(KernelGraph& graph, std::string name, Value law,
                                                   Variable slot, const std::vector<Value>& rest);

/// The law that a kernel with that oracle moves a site's slot by: that of the whole position as the
/// oracle gives it, given the rest.
[[gnu::cold]] MIXWELL_EXPORT Value law_for_part(KernelGraph& graph, const Site& site,
                                                const Oracle& oracle);

/// The newest versions of all slots of a position as one value, d x w.
[[gnu::cold]] MIXWELL_EXPORT Value whole_position(KernelGraph& graph, const std::string& position);

/// U of a law of the whole position at a value of it, 1 x w: an evaluation of U alone.
[[gnu::cold]] MIXWELL_EXPORT Value potential_at(KernelGraph& graph, const std::string& name,
                                                Value law, Value position);

/// As record_slot, of a position that several slots hold. `u`: U of `law` at their newest versions,
/// where it is known; else it is evaluated for the draws that are recorded.
[[gnu::cold]] MIXWELL_EXPORT void record_position(KernelGraph& graph, const std::string& position,
                                                  Index number, std::shared_ptr<const Model> model,
                                                  Value law, Value u = {});

}  // namespace mixwell
