// Implements a block of columns: random numbers, counters, events, and checks for invalid writes.
// SPDX-License-Identifier: Apache-2.0
#include "sampler/column_block.hpp"

#include "graph/row_runs.hpp"

#include <mixwell/base/error.hpp>
#include <mixwell/base/random.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <string>

namespace mixwell {
namespace {

/// out = the sum over j < count of the numbers that draw(j, .) writes, divided by sqrt(count).
template <class DrawNormals>
void add_up(std::uint32_t count, Workspace& scratch, Batch out, const DrawNormals& draw) {
  draw(0, out);
  if (count == 1) return;
  const Workspace::Frame frame(scratch);
  MatrixMap z = scratch.matrix(out.rows(), out.cols());
  for (std::uint32_t j = 1; j < count; ++j) {
    draw(j, z);
    out += z;
  }
  out /= std::sqrt(static_cast<double>(count));
}

/// Draws numbers for some rows of a position, the same numbers as if the whole position were drawn.
/// draw(row, z) writes the numbers of the rows from `row` on; `row` must be even.
template <class WriteRows>
void draw_rows(const RowRuns* rows, Workspace& scratch, Batch out, const WriteRows& draw) {
  if (rows == nullptr || out.rows() != rows->part_rows()) return draw(0, out);
  rows->each([&](Index in_whole, Index in_part, Index count) {
    if (in_whole % 2 == 0) return draw(in_whole, out.middleRows(in_part, count));
    const Workspace::Frame frame(scratch);
    MatrixMap z = scratch.matrix(count + 1, out.cols());
    draw(in_whole - 1, z);
    out.middleRows(in_part, count) = z.bottomRows(count);
  });
}

const char* kind_of(const ValueInfo& value) {
  if (value.kind == ValueKind::noise) return "a noise";
  return value.function ? "a function" : "numbers";
}

std::string described(const KernelGraph& graph, Value v) {
  const ValueInfo& value = graph[v];
  return fmt::format("`{}`, {} with {} rows", value.name, kind_of(value), value.rows);
}

[[noreturn]] void refuse(const ColumnBlock::Wiring& wiring, const char* which, std::size_t k,
                         const char* wanted, const std::string& found) {
  throw WiringError(
      fmt::format("kernel graph: the body of operation `{0}` uses {1} {2} as {3}, but this {1} "
                  "is {4}. Pass the edges to KernelGraph::add in the order of the indices "
                  "that the body uses.",
                  wiring.operation->name, which, k, wanted, found));
}

}  // namespace

void ColumnBlock::refuse_input(std::size_t k, const char* wanted) const {
  const auto& inputs = wiring_.operation->inputs;
  if (k >= inputs.size()) {
    refuse(wiring_, "input", k, wanted,
           fmt::format("missing: the number of inputs is only {}", inputs.size()));
  }
  refuse(wiring_, "input", k, wanted,
         fmt::format("{}, read as `{}`", described(*wiring_.graph, inputs[k].value),
                     to_string(inputs[k].role)));
}

void ColumnBlock::refuse_output(std::size_t k, const char* wanted) const {
  const auto& outputs = wiring_.operation->outputs;
  refuse(wiring_, "output", k, wanted,
         k >= outputs.size()
             ? fmt::format("missing: the number of outputs is only {}", outputs.size())
             : described(*wiring_.graph, outputs[k]));
}

void ColumnBlock::normals(std::size_t k, Batch out, std::uint32_t draw) const {
  const Stream& numbers = stream(k);
  add_up(noise_.sweeps, *scratch_, out, [&](std::uint32_t j, Batch z) {
    draw_rows(rows_, *scratch_, z, [&](Index row, Batch some) {
      numbers.normals({sweep_ * noise_.sweeps + j, draw, static_cast<std::uint64_t>(first_column_),
                       static_cast<std::uint64_t>(row)},
                      some);
    });
  });
  if (negates_normals_) [[unlikely]]
    out = -out;
}

void ColumnBlock::step_normals(std::size_t k, Batch out, std::uint32_t draw) const {
  if (noise_.steps == 1) return normals(k, out, draw);
  const Stream& numbers = stream(k);
  add_up(noise_.steps, *scratch_, out, [&](std::uint32_t j, Batch z) {
    draw_rows(rows_, *scratch_, z, [&](Index row, Batch some) {
      numbers.normals({sweep_, draw * noise_.steps + j, static_cast<std::uint64_t>(first_column_),
                       static_cast<std::uint64_t>(row)},
                      some);
    });
  });
}

void ColumnBlock::uniforms(std::size_t k, Batch out, std::uint32_t draw) const {
  const Stream& numbers = stream(k);
  draw_rows(rows_, *scratch_, out, [&](Index row, Batch some) {
    numbers.uniforms(
        {sweep_, draw, static_cast<std::uint64_t>(first_column_), static_cast<std::uint64_t>(row)},
        some);
  });
}

void Columns::report(const Event& event, ConstBatch theta) const {
  ++sinks_->divergences;
  if (sinks_->kept.size() >= sinks_->capacity) return;
  Divergence kept;
  kept.chain = first_column_ + event.column;
  kept.sweep = sweep_;
  kept.quantity = event.quantity;
  kept.coordinate = event.row;
  kept.value = event.value;
  const auto column = theta.col(event.column);
  kept.position.assign(column.data(), column.data() + column.size());
  sinks_->kept.push_back({std::move(kept), sinks_->operation});
}

GuardedPorts::GuardedPorts(std::span<const ColumnBlock::Port> inputs,
                           std::span<const ColumnBlock::Port> outputs, Index first_column,
                           Index columns) {
  for (const ColumnBlock::Port& port : outputs)
    outputs_.push_back(guarded(port, first_column, columns, true));
  for (const ColumnBlock::Port& port : inputs)
    inputs_.push_back(guarded(port, first_column, columns, false));
}

/// Ports of the same memory get the same copy, because values that are replaced in place share
/// memory.
ColumnBlock::Port GuardedPorts::guarded(const ColumnBlock::Port& port, Index first_column,
                                        Index columns, bool is_written) {
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
  ColumnBlock::Port shown = port;
  shown.data = copy->columns.data() - offset;
  return shown;
}

void GuardedPorts::settle() const {
  for (const GuardedCopy& copy : copies_) {
    if (!copy.columns.is_intact())
      throw RunError(
          "the body of this operation wrote outside the columns of its block. Write only to the "
          "rows and columns of the outputs.");
    if (!copy.is_written && !copy.columns.equals(copy.of))
      throw RunError(
          "the body of this operation changed an input, which is const. Write only to outputs.");
  }
  for (const GuardedCopy& copy : copies_) {
    if (copy.is_written) copy.columns.copy_to(copy.of);
  }
}

}  // namespace mixwell
