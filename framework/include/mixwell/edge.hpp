// What operations read and write, each by a type of its own.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <mixwell/graph.hpp>
#include <mixwell/random.hpp>

#include <cstddef>
#include <cstdint>
#include <type_traits>
#include <vector>

namespace mixwell {

/// What an operation reads: a value of the graph that its body sees as a `Meaning`, one of
/// mixwell::edge or a type like those.
template <class Meaning>
struct Edge {
  Value value{};
};

/// What an operation writes, seen by its body as an edge::Out<Meaning>.
template <class Meaning>
struct Write {
  Output output;
};

/// Edges of one meaning.
template <class Meaning>
std::vector<Edge<Meaning>> edges(const std::vector<Value>& values) {
  std::vector<Edge<Meaning>> all;
  all.reserve(values.size());
  for (const Value v : values) all.push_back({v});
  return all;
}

/// Meanings: the Role that an edge has in the graph, and what a body may do with its numbers. All
/// are views, passed by value; a block has w columns.
namespace edge {

/// d x w or rows x w; rows x 1 where all replicates share them.
template <Role r>
class Numbers : public ConstMatrixMap {
 public:
  static constexpr Role role = r;
  Numbers(const Block& block, std::size_t k)
      : ConstMatrixMap(block.in(k)), divided_rows_(block.divided_rows(k)) {}
  /// As Block::divided_rows.
  const DividedRows* divided_rows() const noexcept { return divided_rows_; }

 private:
  const DividedRows* divided_rows_;
};

/// 1 x w.
template <Role r>
class OneRow : public ConstRowMap {
 public:
  static constexpr Role role = r;
  OneRow(const Block& block, std::size_t k) : ConstRowMap(block.in_row(k)) {}
};

/// H with its products.
template <Role r>
class Matrix : public Curvature {
 public:
  static constexpr Role role = r;
  Matrix(const Block& block, std::size_t k)
      : Curvature(block.curvature(k)), scratch_(&block.scratch()) {}
  /// out = S z, z itself where H = I; out must not alias z.
  void scale(ConstBatch z, Batch out) const {
    if (is_identity()) {
      flat(out) = flat(z);
    } else {
      S(z, out, *scratch_);
    }
  }

 private:
  Workspace* scratch_;
};

/// Where an edge belongs that a body has twice: to the state, or to what is proposed.
struct Here;
struct There;
/// The state after the transition, where it writes what it knows of it.
struct Next;

/// theta, as it is before the transition.
struct Position : Numbers<Role::state> {
  using Numbers::Numbers;
};
/// p, as it is before the transition.
struct Momentum : Numbers<Role::state> {
  using Numbers::Numbers;
};
/// Another variable of the transition, as it is before it.
struct Auxiliary : Numbers<Role::state> {
  using Numbers::Numbers;
};
/// A history's numbers before the operation that replaces them.
struct Register : Numbers<Role::state> {
  using Numbers::Numbers;
};
/// The same, where they are only read.
struct Learnt : Numbers<Role::parameter> {
  using Numbers::Numbers;
};
/// A position that is a parameter: of a fit, a law, a learner.
struct PointPosition : Numbers<Role::parameter> {
  using Numbers::Numbers;
};
struct PointGradient : Numbers<Role::parameter> {
  using Numbers::Numbers;
};
struct PointPotential : OneRow<Role::parameter> {
  using OneRow::OneRow;
};

/// What a state may become: Proposed<Position> is theta*.
template <class State>
struct Proposed : Numbers<Role::proposed> {
  using Numbers::Numbers;
};

/// U of the transition's law, cached at theta or theta*.
template <class Where>
struct Potential : OneRow<Role::evaluation> {
  using OneRow::OneRow;
};
/// grad U there.
template <class Where>
struct Gradient : Numbers<Role::evaluation> {
  using Numbers::Numbers;
};

/// A gradient that the body copies to a carried one that it writes, and reads for nothing else:
/// without memory (data() is null) where nobody reads it, see Input::carried.
template <class Where>
struct CarriedGradient : Gradient<Where> {
  static constexpr bool carried = true;
  using Gradient<Where>::Gradient;
};

/// The last points of the way to a proposal: path_rows a column.
struct Way : Numbers<Role::parameter> {
  using Numbers::Numbers;
};

struct StepSize : OneRow<Role::parameter> {
  using OneRow::OneRow;
};
/// Whole numbers.
struct StepCount : OneRow<Role::parameter> {
  using OneRow::OneRow;
};
struct Acceptance : OneRow<Role::parameter> {
  using OneRow::OneRow;
};

struct Curvature : Matrix<Role::parameter> {
  using Matrix::Matrix;
};
/// A of theta' = A M^-1 p.
struct PositionCoupling : Matrix<Role::position_coupling> {
  using Matrix::Matrix;
};
/// A' of p' = -A' grad U.
struct MomentumCoupling : Matrix<Role::momentum_coupling> {
  using Matrix::Matrix;
};
struct Drift : Matrix<Role::drift> {
  using Matrix::Matrix;
};
struct Diffusion : Matrix<Role::diffusion> {
  using Matrix::Matrix;
};
/// Gamma.
struct DriftCorrection : Numbers<Role::drift_correction> {
  using Numbers::Numbers;
};
/// That there is friction; no numbers.
struct Friction {
  static constexpr Role role = Role::friction;
  Friction(const Block&, std::size_t) {}
};

template <Role r>
class LawAs : public mixwell::Law {
 public:
  static constexpr Role role = r;
  LawAs(const Block& block, std::size_t k) : mixwell::Law(block.law(k)) {}
};
/// exp(-U), what the transition keeps.
struct Law : LawAs<Role::law> {
  using LawAs::LawAs;
};
/// The law of an auxiliary variable: given theta (Here), or made anew at theta* (There).
template <class Where>
struct AuxiliaryLaw : LawAs<std::is_same_v<Where, Here> ? Role::law : Role::law_at_proposal> {
  using AuxiliaryLaw::LawAs::LawAs;
};
/// What the stages of a proposal keep, in the ratio of the last stage.
struct StageLaw : LawAs<Role::stage_law> {
  using LawAs::LawAs;
};
/// Laws that are parameters: the one whose gradients the steps follow, and the exact one.
struct StepsLaw : LawAs<Role::parameter> {
  using LawAs::LawAs;
};
struct TargetLaw : LawAs<Role::parameter> {
  using LawAs::LawAs;
};

/// A law as the class that the body was written for.
template <class Class>
struct LawOf : LawAs<Role::law> {
  LawOf(const Block& block, std::size_t k) : LawAs(block, k), function(block.function<Class>(k)) {}
  const Class& function;
};

/// Fresh randomness, only for this operation. `draw` tells repeated use within a sweep apart: the
/// same draw is the same numbers.
class Noise {
 public:
  static constexpr Role role = Role::noise;
  Noise(const Block& block, std::size_t k) : block_(&block), k_(k) {}

  void normals(Batch out, std::uint32_t draw = 0) const { block_->normals(k_, out, draw); }
  void uniforms(Batch out, std::uint32_t draw = 0) const { block_->uniforms(k_, out, draw); }
  /// Of the block's scratch memory.
  MatrixMap normals(Index rows, Index columns, std::uint32_t draw = 0) const {
    MatrixMap z = block_->scratch().matrix(rows, columns);
    normals(z, draw);
    return z;
  }

  /// Normals whose `draw` numbers the steps of an integrator.
  class PerStep final : public NormalSource {
   public:
    PerStep(const Block& block, std::size_t k) noexcept : block_(block), k_(k) {}
    void normals(Batch out, std::uint32_t draw) const override {
      block_.step_normals(k_, out, draw);
    }

   private:
    const Block& block_;
    std::size_t k_;
  };
  PerStep per_step() const noexcept { return {*block_, k_}; }

  /// For what takes a stream and a place in it, such as Generated.
  const Stream& stream() const { return block_->stream(k_); }
  Address address() const noexcept {
    return {block_->sweep(), 0, static_cast<std::uint64_t>(block_->first_column())};
  }

 private:
  const Block* block_;
  std::size_t k_;
};

/// Edges of one meaning whose number is known when a composition is made.
template <class Meaning>
class List {
 public:
  List(const Block& block, std::size_t first, std::size_t size) noexcept
      : block_(&block), first_(first), size_(size) {}
  std::size_t size() const noexcept { return size_; }
  Meaning operator[](std::size_t k) const { return {*block_, first_ + k}; }

 private:
  const Block* block_;
  std::size_t first_;
  std::size_t size_;
};

/// What a body writes: the next version of a state, a cached evaluation, or a derived value.
template <class Meaning>
class Out : public MatrixMap {
 public:
  Out(const Block& block, std::size_t k) : MatrixMap(block.out(k)) {}
  using MatrixMap::operator=;
};
template <class Meaning>
requires std::is_base_of_v<ConstRowMap, Meaning>
class Out<Meaning> : public RowMap {
 public:
  Out(const Block& block, std::size_t k) : RowMap(block.out_row(k)) {}
  using RowMap::operator=;
};

using ProposedPosition = Out<Proposed<Position>>;

/// Several outputs of one meaning, whose number is known when a composition is made.
template <class Meaning>
using OutList = List<Out<Meaning>>;

/// The next version starts as the one before: a copy, unless they share their memory.
template <class Before, class Meaning>
void begin(const Before& before, Out<Meaning>& next) {
  if (next.data() != before.data()) next = before;
}

}  // namespace edge
}  // namespace mixwell
