// What a body asks of its block: random numbers, counts, events.
// SPDX-License-Identifier: Apache-2.0
#include "sampler/block.hpp"

#include <mixwell/random.hpp>

#include <cmath>

namespace mixwell {
namespace {

/// out = the sum over j < count of what draw(j, .) writes, over sqrt(count).
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

}  // namespace

void Block::normals(std::size_t k, Batch out, std::uint32_t draw) const {
  const Stream& stream = *inputs_[k].stream;
  add_up(noise_.sweeps, *scratch_, out, [&](std::uint32_t j, Batch z) {
    stream.normals({sweep_ * noise_.sweeps + j, draw, static_cast<std::uint64_t>(first_column_)},
                   z);
  });
}

void Block::step_normals(std::size_t k, Batch out, std::uint32_t draw) const {
  if (noise_.steps == 1) return normals(k, out, draw);
  const Stream& stream = *inputs_[k].stream;
  add_up(noise_.steps, *scratch_, out, [&](std::uint32_t j, Batch z) {
    stream.normals({sweep_, draw * noise_.steps + j, static_cast<std::uint64_t>(first_column_)}, z);
  });
}

void Block::uniforms(std::size_t k, Batch out, std::uint32_t draw) const {
  inputs_[k].stream->uniforms({sweep_, draw, static_cast<std::uint64_t>(first_column_)}, out);
}

void Block::count_gradients(std::size_t k, Index columns) const noexcept {
  const auto* law = static_cast<const Potential*>(inputs_[k].function);
  sinks_->gradients += static_cast<double>(columns) * law->gradient_cost();
}

void Block::report(const Event& event, ConstBatch theta) const {
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

}  // namespace mixwell
