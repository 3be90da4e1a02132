// A mutant: an operation whose edges have no types, so that two may be exchanged.
// SPDX-License-Identifier: Apache-2.0
#include <mixwell/plugin.hpp>

namespace {

using namespace mixwell;

template <class... Given>
void add_operation(KernelGraph&, const char*, OperationKind, const Traits&, int, const Given&...) {}

void wire(KernelGraph& graph, Value theta, Value p) {
  add_operation(graph, "untyped", OperationKind::move, {}, 0, theta, p);
}

}  // namespace
