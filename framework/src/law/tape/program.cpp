// Records the operations of densities as programs. Cases with equal operations share a program.
// SPDX-License-Identifier: Apache-2.0
#include "law/tape/program.hpp"

#include <mixwell/base/error.hpp>

#include <algorithm>
#include <cstring>
#include <utility>

namespace mixwell {
namespace {

/// The text into which this thread records operations, or null.
thread_local TapeText* open_text = nullptr;

TapeText& text_here() {
  if (open_text == nullptr)
    throw RunError(
        "a TapeNumber is computed outside the density that it belongs to. Compute it only inside "
        "that density");
  return *open_text;
}

bool same_bits(const std::vector<double>& a, const std::vector<double>& b) {
  if (a.size() != b.size()) return false;
  return a.empty() || std::memcmp(a.data(), b.data(), a.size() * sizeof(double)) == 0;
}

}  // namespace

std::int32_t detail::write_operation(TapeOperation operation, const TapeNumber& a,
                                     const TapeNumber& b, const TapeNumber& c) {
  TapeText& text = text_here();
  const bool is_ternary = operation == TapeOperation::select;
  const bool is_binary =
      is_ternary || (operation >= TapeOperation::add && operation <= TapeOperation::less_equal);
  const std::int32_t first = text.node_of(a);
  const std::int32_t second = is_binary ? text.node_of(b) : -1;
  return text.add(operation, first, second, is_ternary ? text.node_of(c) : -1);
}

std::int32_t detail::write_value(Index row) {
  return text_here().value_of_row(static_cast<std::int32_t>(row));
}

std::int32_t detail::write_dot(const Eigen::VectorXd& constants, Index row) {
  TapeText& text = text_here();
  text.constants.insert(text.constants.end(), constants.begin(), constants.end());
  text.rows.push_back(static_cast<std::int32_t>(row));
  return text.add(TapeOperation::dot, static_cast<std::int32_t>(constants.size()), -1, -1);
}

void TapeText::clear() {
  nodes.clear();
  constants.clear();
  rows.clear();
  known_.clear();
}

std::int32_t TapeText::node_of(const TapeNumber& number) {
  if (!number.is_constant()) return number.node();
  constants.push_back(number.number());
  return add(TapeOperation::constant, -1, -1, -1);
}

std::int32_t TapeText::value_of_row(std::int32_t row) {
  const auto [known, is_new] = known_.try_emplace(row, static_cast<std::int32_t>(nodes.size()));
  if (!is_new) return known->second;
  rows.push_back(row);
  return add(TapeOperation::value, -1, -1, -1);
}

std::int32_t TapeText::add(TapeOperation operation, std::int32_t a, std::int32_t b,
                           std::int32_t c) {
  nodes.push_back({operation, a, b, c});
  return static_cast<std::int32_t>(nodes.size()) - 1;
}

std::string TapeText::signature() const {
  return {reinterpret_cast<const char*>(nodes.data()), nodes.size() * sizeof(TapeNode)};
}

void TapeTiles::add(const std::vector<double>& constants) {
  if (cases_ == 0) set_constants(std::ssize(constants));
  const Index tile = width_ * constants_;
  if (cases_ % width_ == 0) {
    if (cases_ % (width_ * in_block_) == 0) begin_block();
    blocks_.back().resize(blocks_.back().size() + static_cast<std::size_t>(tile));
  }
  double* const to = lane(cases_++);
  for (Index k = 0; k < constants_; ++k) to[k * width_] = constants[static_cast<std::size_t>(k)];
}

void TapeTiles::set_constants(Index count) {
  constants_ = count;
  const Index tile_bytes = width_ * std::max<Index>(1, count) * Index{sizeof(double)};
  in_block_ = std::max<Index>(1, block_bytes / tile_bytes);
}

/// The first block grows as needed, because most tapes are small.
void TapeTiles::begin_block() {
  blocks_.emplace_back();
  if (cases_ > 0) blocks_.back().reserve(static_cast<std::size_t>(in_block_ * width_ * constants_));
}

void TapeTiles::copy_case(Index from, Index to) {
  for (Index k = 0; k < constants_; ++k) lane(to)[k * width_] = lane(from)[k * width_];
}

void TapeTiles::settle() {
  const Index width = lanes_for(cases_);
  if (width < width_) {
    TapeTiles narrower;
    narrower.width_ = width;
    for (Index n = 0; n < cases_; ++n) {
      std::vector<double> constants;
      for (Index k = 0; k < constants_; ++k) constants.push_back(lane(n)[k * width_]);
      narrower.add(constants);
    }
    *this = std::move(narrower);
  }
  for (Index n = cases_; n % width_ != 0; ++n) copy_case(cases_ - 1, n);
}

void TapeRows::add(const std::vector<std::int32_t>& rows) {
  if (cases_ == 0) {
    first_ = rows;
    own_.resize(rows.size());
  }
  for (std::size_t k = 0; k < rows.size(); ++k) {
    if (own_[k].empty() && rows[k] != first_[k]) own_[k].assign(cases_, first_[k]);
    if (!own_[k].empty()) own_[k].push_back(rows[k]);
  }
  ++cases_;
}

void TapeProgram::add(const TapeText& text) {
  if (tiles.cases() == 0) nodes = text.nodes;
  tiles.add(text.constants);
  rows.add(text.rows);
}

void TapeProgram::settle() {
  tiles.settle();
  std::int32_t constant = 0;
  std::int32_t row = 0;
  for (const TapeNode& node : nodes) {
    first_constant.push_back(constant);
    first_row.push_back(row);
    if (node.operation == TapeOperation::constant) ++constant;
    if (node.operation == TapeOperation::dot) constant += node.a;
    if (node.operation == TapeOperation::value || node.operation == TapeOperation::dot) ++row;
  }
}

TapeMaker::TapeMaker(Eigen::MatrixXd points)
    : points_(std::move(points)),
      texts_{std::make_unique<TapeText>(), std::make_unique<TapeText>()},
      programs_(std::make_unique<Tape::Programs>()) {}
TapeMaker::~TapeMaker() = default;

void TapeMaker::write(const Density& density, Index point, TapeText& text) {
  text.clear();
  const Workspace::Frame frame(scratch_);
  struct Writing {
    explicit Writing(TapeText& text) : before(std::exchange(open_text, &text)) {}
    ~Writing() { open_text = before; }
    TapeText* before;
  } const writing(text);
  const TapeNumber result = density({points_.col(point).data(), 0, scratch_});
  const std::int32_t node = text.node_of(result);
  // The result is the last node.
  if (node + 1 != static_cast<std::int32_t>(text.nodes.size()))
    text.add(TapeOperation::add, node, text.node_of(0.0), -1);
}

void TapeMaker::add(const Density& density, const std::function<std::string()>& name) {
  TapeText& here = *texts_[0];
  TapeText& there = *texts_[1];
  write(density, 0, here);
  write(density, 1, there);
  if (here.nodes != there.nodes || here.rows != there.rows ||
      !same_bits(here.constants, there.constants))
    throw RunError(
        name() +
        " computes its density with different operations at different values of the parameters, "
        "but a tape needs the same operations everywhere. Write select(condition, a, b) instead of "
        "an `if` on value_of() or values(). If this is not possible, let Mixwell use forward-mode "
        "differentiation (`static constexpr bool differentiates_forward = true;`)");
  const auto [place, is_new] = places_.try_emplace(here.signature(), programs_->all.size());
  if (is_new) programs_->all.emplace_back();
  TapeProgram& program = programs_->all[place->second];
  programs_->places.push_back(
      {static_cast<std::int32_t>(place->second), static_cast<std::int32_t>(program.tiles.cases())});
  program.add(here);
}

Tape TapeMaker::finish() {
  for (TapeProgram& program : programs_->all) program.settle();
  return Tape(std::move(programs_));
}

Tape::Tape(std::unique_ptr<const Programs> programs) : programs_(std::move(programs)) {}
Tape::Tape(Tape&&) noexcept = default;
Tape::~Tape() = default;

}  // namespace mixwell
