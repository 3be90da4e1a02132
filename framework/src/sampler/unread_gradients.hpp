// Cached gradients that nobody reads.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <mixwell/graph.hpp>

#include <vector>

namespace mixwell {

/// By value id: the gradient of an evaluation that is only carried on from version to version, as
/// that of a random walk is. It needs no memory, and only U is evaluated. O(V + E) a round, one
/// round for each operation that carries a gradient at most.
std::vector<bool> unread_gradients(const KernelGraph& graph);

}  // namespace mixwell
