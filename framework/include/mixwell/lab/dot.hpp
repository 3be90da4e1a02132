// A kernel graph as a picture.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <mixwell/base/export.hpp>
#include <mixwell/graph/graph.hpp>

#include <string>

namespace mixwell {

/// Graphviz text: operations as boxes, values as ellipses, roles on the edges.
MIXWELL_EXPORT std::string to_dot(const KernelGraph& graph, const std::string& title);

}  // namespace mixwell
