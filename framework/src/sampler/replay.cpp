// Calls one operation of a sampler on copies of its inputs.
// SPDX-License-Identifier: Apache-2.0
#include "sampler/replay.hpp"

#include <mixwell/lab/stop_request.hpp>

#include <algorithm>
#include <stdexcept>
#include <utility>

namespace mixwell {

Replay::Replay(const ColumnBlock& block, const Body& body, std::function<bool()> late)
    : body_(&body),
      late_(std::move(late)),
      wiring_(block.wiring_),
      columns_(block.columns_),
      sweep_(block.sweep_),
      warmup_(block.warmup_),
      inputs_(block.inputs_.begin(), block.inputs_.end()),
      outputs_(block.outputs_.begin(), block.outputs_.end()),
      sinks_(std::make_shared<ColumnBlock::Sinks>()) {
  std::map<const double*, std::size_t> known;
  for (const ColumnBlock::Port& port : inputs_)
    input_memory_.push_back(remember(port, block, known));
  known.clear();  // outputs never share memory with inputs here
  for (const ColumnBlock::Port& port : outputs_)
    output_memory_.push_back(remember(port, block, known));
}

std::size_t Replay::remember(const ColumnBlock::Port& port, const ColumnBlock& block,
                             std::map<const double*, std::size_t>& known) {
  if (port.data == nullptr) return nothing;
  const auto [at, is_new] = known.emplace(port.data, memory_.size());
  if (!is_new) return at->second;
  const Index cols = block.width(port);
  const double* const from = block.pointer(port);
  memory_.push_back({port.rows, cols, std::vector<double>(from, from + port.rows * cols)});
  return at->second;
}

MatrixMap Replay::numbers(std::size_t memory) {
  if (memory == nothing)
    throw std::logic_error("this input or output of the operation has no stored values to read");
  Copy& held = memory_[memory];
  return {held.numbers.data(), held.rows, held.cols};
}

MatrixMap Replay::input(std::size_t k) { return numbers(input_memory_[k]); }
MatrixMap Replay::output(std::size_t k) { return numbers(output_memory_[k]); }

Law Replay::law(std::size_t k) {
  const Potential& potential = *inputs_[k].potential;
  if (!has_numbers(k)) return {potential, ConstMatrixMap(nullptr, 0, columns_)};
  const auto held = input(k);
  return {potential, ConstMatrixMap(held.data(), held.rows(), held.cols())};
}

std::vector<ColumnBlock::Port> Replay::ports(const std::vector<ColumnBlock::Port>& like,
                                             const std::vector<std::size_t>& memory) {
  std::vector<ColumnBlock::Port> found = like;
  for (std::size_t k = 0; k < found.size(); ++k) {
    if (memory[k] != nothing) found[k].data = memory_[memory[k]].numbers.data();
  }
  return found;
}

void Replay::run(std::uint64_t sweep, bool negate_normals) {
  if (late_ && late_()) throw Stopped("the test of an operation");
  const std::vector<ColumnBlock::Port> in = ports(inputs_, input_memory_);
  const std::vector<ColumnBlock::Port> out = ports(outputs_, output_memory_);
  const Workspace::Frame frame(sinks_->scratch);
  ColumnBlock block;
  block.columns_ = columns_;
  block.sweep_ = sweep;
  block.warmup_ = warmup_;
  block.negates_normals_ = negate_normals;
  block.scratch_ = &sinks_->scratch;
  block.inputs_ = in;
  block.outputs_ = out;
  block.wiring_ = wiring_;
  block.sinks_ = sinks_.get();
  block.spent_ = &sinks_->evaluations;
  body_->run(block);
}

/// Copies the block before the operation runs, because the operation replaces some values in place.
class Replays::Watch final : public Body {
 public:
  Watch(Replays& all, std::size_t operation, std::shared_ptr<const Body> body)
      : all_(all), operation_(operation), body_(std::move(body)) {}

  void run(ColumnBlock& block) const override {
    take(block);
    body_->run(block);
  }

 private:
  void take(const ColumnBlock& block) const {
    const std::scoped_lock lock(all_.mutex_);
    std::unique_ptr<Replay>& seen = all_.seen_[operation_];
    if (seen && seen->sweep() == block.sweep() && seen->columns() >= block.columns()) return;
    seen = std::make_unique<Replay>(block, *body_, all_.late_);
  }

  Replays& all_;
  std::size_t operation_;
  std::shared_ptr<const Body> body_;
};

Replays::Replays(std::shared_ptr<const Compositor> compositor, RunSettings settings,
                 std::int64_t sweeps, std::function<bool()> late)
    : late_(std::move(late)) {
  settings.block_width = settings.replicates;
  Program program = compose(*compositor);
  const auto& operations = program.sampling.operations();
  seen_.resize(operations.size());
  for (std::size_t k = 0; k < operations.size(); ++k) {
    const auto body = operations[k].body;
    if (body) program.sampling.instrument(k, std::make_shared<Watch>(*this, k, body));
  }
  sampler_ = std::make_unique<Sampler>(std::move(compositor), settings, std::move(program));
  if (late_) sampler_->stop_when(late_);
  sampler_->initialise();
  if (settings.warmup > 0) sampler_->advance(PhaseKind::warmup, settings.warmup);
  sampler_->advance(PhaseKind::sampling, sweeps);
  for (auto& seen : seen_) {
    if (seen) all_.push_back(std::move(*seen));
  }
}

Replays::~Replays() = default;

}  // namespace mixwell
