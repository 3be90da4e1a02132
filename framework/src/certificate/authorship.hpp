// Whose word a trait is: that of a component of this installation, whose traits its tests hold to
// contracts, or that of an author outside.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <mixwell/graph.hpp>

namespace mixwell {

/// Whether the operation's body, or without one what it writes, is code of libmixwell or of the
/// folder of plugins beside it. Kernels of graphs that were made by hand, as in tests, are not.
bool is_built_in(const KernelGraph& graph, const OperationInfo& operation);

}  // namespace mixwell
