// Whose word a trait is: that of a component of this installation, whose traits its tests hold to
// contracts, or that of an author outside.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <mixwell/graph.hpp>

namespace mixwell {

/// Whether the operation's body, the component that it acts for and the functions that it writes
/// are code of libmixwell or of the folder of plugins beside it. Kernels of graphs that were made
/// by hand, as in tests, are not.
bool is_built_in(const KernelGraph& graph, const OperationInfo& operation);

/// The same of a function of the graph and of what makes its numbers; of a model's own law, of the
/// model.
bool is_built_in(const KernelGraph& graph, Value function);

}  // namespace mixwell
