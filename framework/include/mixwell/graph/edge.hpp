// What operations read and write, each by a type of its own.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <mixwell/base/random.hpp>
#include <mixwell/graph/graph.hpp>

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

/// Where an operation finds an edge: among the inputs or the outputs of a block.
struct Place {
  const Block& block;
  std::size_t k;
};

/// d x w or rows x w; rows x 1 where all replicates share them.
template <Role r>
class Numbers : public ConstMatrixMap {
 public:
  static constexpr Role role = r;
  Numbers(Place at)  // NOLINT: what an edge is made from
      : ConstMatrixMap(at.block.in(at.k)), divided_rows_(at.block.divided_rows(at.k)) {}
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
  OneRow(Place at) : ConstRowMap(at.block.in_row(at.k)) {}  // NOLINT
};

/// H with its products.
template <Role r>
class Matrix : public Curvature {
 public:
  static constexpr Role role = r;
  Matrix(Place at)  // NOLINT
      : Curvature(at.block.curvature(at.k)), scratch_(&at.block.scratch()) {}
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
struct Position : Numbers<Role::state> {};
/// p, as it is before the transition.
struct Momentum : Numbers<Role::state> {};
/// Another variable of the transition, as it is before it.
struct Auxiliary : Numbers<Role::state> {};
/// A history's numbers before the operation that replaces them.
struct Register : Numbers<Role::state> {};
/// The same, where they are only read.
struct Learnt : Numbers<Role::parameter> {};
/// A position that is a parameter: of a fit, a law, a learner.
struct PointPosition : Numbers<Role::parameter> {};
struct PointGradient : Numbers<Role::parameter> {};
struct PointPotential : OneRow<Role::parameter> {};

/// What a state may become: Proposed<Position> is theta*.
template <class State>
struct Proposed : Numbers<Role::proposed> {};

/// U of the transition's law, cached at theta or theta*.
template <class Where>
struct Potential : OneRow<Role::evaluation> {};
/// grad U there.
template <class Where>
struct Gradient : Numbers<Role::evaluation> {};

/// A gradient that the body copies to a carried one that it writes, and reads for nothing else:
/// without memory (data() is null) where nobody reads it, see Input::carried.
template <class Where>
struct CarriedGradient : Gradient<Where> {
  static constexpr bool carried = true;
};

/// The last points of the way to a proposal: path_rows a column.
struct Way : Numbers<Role::parameter> {};

struct StepSize : OneRow<Role::parameter> {};
/// Whole numbers.
struct StepCount : OneRow<Role::parameter> {};
struct Acceptance : OneRow<Role::parameter> {};

struct Curvature : Matrix<Role::parameter> {};
/// A of theta' = A M^-1 p.
struct PositionCoupling : Matrix<Role::position_coupling> {};
/// A' of p' = -A' grad U.
struct MomentumCoupling : Matrix<Role::momentum_coupling> {};
struct Drift : Matrix<Role::drift> {};
struct Diffusion : Matrix<Role::diffusion> {};
/// Gamma.
struct DriftCorrection : Numbers<Role::drift_correction> {};
/// That there is friction; no numbers.
struct Friction {
  static constexpr Role role = Role::friction;
  Friction(Place) {}  // NOLINT
};

template <Role r>
class LawAs : public mixwell::Law {
 public:
  static constexpr Role role = r;
  LawAs(Place at) : mixwell::Law(at.block.law(at.k)) {}  // NOLINT
};
/// exp(-U), what the transition keeps.
struct Law : LawAs<Role::law> {};
/// The law of an auxiliary variable: given theta (Here), or made anew at theta* (There).
template <class Where>
struct AuxiliaryLaw : LawAs<std::is_same_v<Where, Here> ? Role::law : Role::law_at_proposal> {};
/// What the stages of a proposal keep, in the ratio of the last stage.
struct StageLaw : LawAs<Role::stage_law> {};
/// Laws that are parameters: the one whose gradients the steps follow, and the exact one.
struct StepsLaw : LawAs<Role::parameter> {};
struct TargetLaw : LawAs<Role::parameter> {};

/// A law as the class that the body was written for.
template <class Class>
struct LawOf : LawAs<Role::law> {
  LawOf(Place at) : LawAs(at), function(at.block.function<Class>(at.k)) {}  // NOLINT
  const Class& function;
};

/// Fresh randomness, only for this operation. `draw` tells repeated use within a sweep apart: the
/// same draw is the same numbers.
class Noise {
 public:
  static constexpr Role role = Role::noise;
  Noise(Place at) : block_(&at.block), k_(at.k) {}  // NOLINT

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
  Meaning operator[](std::size_t k) const { return {Place{*block_, first_ + k}}; }

 private:
  const Block* block_;
  std::size_t first_;
  std::size_t size_;
};

/// What a body writes: the next version of a state, a cached evaluation, or a derived value.
template <class Meaning>
class Out : public MatrixMap {
 public:
  Out(Place at) : MatrixMap(at.block.out(at.k)) {}  // NOLINT
  using MatrixMap::operator=;
};
template <class Meaning>
requires std::is_base_of_v<ConstRowMap, Meaning>
class Out<Meaning> : public RowMap {
 public:
  Out(Place at) : RowMap(at.block.out_row(at.k)) {}  // NOLINT
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
