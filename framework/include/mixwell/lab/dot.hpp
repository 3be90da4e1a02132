// A drawing of a kernel graph.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <mixwell/base/export.hpp>
#include <mixwell/graph/graph.hpp>

#include <string>

namespace mixwell {

/// Returns Graphviz text: operations are boxes, and values are ellipses. The label of an edge is
/// the role of the value as an input.
MIXWELL_EXPORT std::string to_dot(const KernelGraph& graph, const std::string& title);

}  // namespace mixwell
