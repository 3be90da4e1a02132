// The columns of one block between guards: whether a body writes where it may.
// SPDX-License-Identifier: Apache-2.0
#include "sampler/guarded_ports.hpp"

#include <mixwell/error.hpp>

#include <algorithm>

namespace mixwell {

GuardedPorts::GuardedPorts(std::span<const Block::Port> inputs,
                           std::span<const Block::Port> outputs, Index first_column,
                           Index columns) {
  for (const Block::Port& port : outputs)
    outputs_.push_back(guarded(port, first_column, columns, true));
  for (const Block::Port& port : inputs)
    inputs_.push_back(guarded(port, first_column, columns, false));
}

/// Ports of the same memory, as values that are replaced in place have, get the same copy.
Block::Port GuardedPorts::guarded(const Block::Port& port, Index first_column, Index columns,
                                  bool is_written) {
  if (port.data == nullptr || port.rows == 0) return port;
  const Index offset = port.stride * first_column;
  double* const of = port.data + offset;
  const auto same = [of](const GuardedCopy& one) { return one.of == of; };
  auto copy = std::find_if(copies_.begin(), copies_.end(), same);
  if (copy == copies_.end()) {
    const Index count = port.stride == 0 ? port.rows : port.rows * columns;
    copies_.push_back({of, GuardedColumns(of, count), is_written});
    copy = copies_.end() - 1;
  }
  Block::Port shown = port;
  shown.data = copy->columns.data() - offset;
  return shown;
}

void GuardedPorts::settle() const {
  for (const GuardedCopy& copy : copies_) {
    if (!copy.columns.is_intact())
      throw RunError("its body wrote outside of the columns of its block");
    if (!copy.is_written && !copy.columns.equals(copy.of))
      throw RunError("its body changed an input, which is const");
  }
  for (const GuardedCopy& copy : copies_) {
    if (copy.is_written) copy.columns.copy_to(copy.of);
  }
}

}  // namespace mixwell
