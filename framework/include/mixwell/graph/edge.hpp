// Types for the inputs and outputs of operations. Each type states the meaning of an edge.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <mixwell/base/random.hpp>
#include <mixwell/graph/graph.hpp>

#include <cstddef>
#include <cstdint>
#include <type_traits>
#include <vector>

namespace mixwell {

/// An input of an operation. The body of the operation receives the value as a `Meaning`, usually a
/// type from mixwell::edge.
template <class Meaning>
struct Edge {
  Value value{};
};

/// An output of an operation. The body of the operation receives an edge::Out<Meaning>.
template <class Meaning>
struct Write {
  Output output;
};

/// Converts each value to an edge with the meaning `Meaning`.
template <class Meaning>
std::vector<Edge<Meaning>> edges(const std::vector<Value>& values) {
  std::vector<Edge<Meaning>> all;
  all.reserve(values.size());
  for (const Value v : values) all.push_back({v});
  return all;
}

/// Meanings of edges. A meaning determines the Role of an edge, and what a body may do with the
/// edge's numbers. All meanings are views, passed by value. w is the number of columns of a block.
namespace edge {

/// The index of an edge among the inputs or the outputs of a block.
struct Port {
  const ColumnBlock& block;
  std::size_t k;
};

/// The numbers of an edge: rows x w, or rows x 1 if all replicates share them.
template <Role r>
class Numbers : public ConstMatrixMap {
 public:
  static constexpr Role role = r;
  Numbers(Port at)  // NOLINT: implicit on purpose
      : ConstMatrixMap(at.block.in(at.k)), divided_rows_(at.block.divided_rows(at.k)) {}
  /// See ColumnBlock::divided_rows.
  const DividedRows* divided_rows() const noexcept { return divided_rows_; }

 private:
  const DividedRows* divided_rows_;
};

/// The numbers of an edge with one row: 1 x w.
template <Role r>
class OneRow : public ConstRowMap {
 public:
  static constexpr Role role = r;
  OneRow(Port at) : ConstRowMap(at.block.in_row(at.k)) {}  // NOLINT
};

/// A preconditioner H and its products with vectors.
template <Role r>
class Matrix : public Preconditioner {
 public:
  static constexpr Role role = r;
  Matrix(Port at)  // NOLINT
      : Preconditioner(at.block.preconditioner(at.k)), scratch_(&at.block.scratch()) {}
  /// Computes out = S z, where H = S S'. Copies z to out if H = I. out must not alias z.
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

/// These types distinguish two edges that would otherwise have the same meaning. `Here` means the
/// state, and `There` means the proposal.
struct Here;
struct There;
/// Marks an evaluation at the state after the transition. The transition itself writes this
/// evaluation.
struct Next;

/// theta before the transition.
struct Position : Numbers<Role::state> {};
/// p before the transition.
struct Momentum : Numbers<Role::state> {};
/// A variable of the transition other than theta and p, before the transition.
struct Auxiliary : Numbers<Role::state> {};
/// The numbers of a history, before the operation that replaces them.
struct History : Numbers<Role::state> {};
using Register [[deprecated("renamed to History")]] = History;
/// The numbers of a history, for an operation that only reads them.
struct Learnt : Numbers<Role::parameter> {};
/// A position, gradient or potential as a parameter of a fit, a law or a learner.
struct PointPosition : Numbers<Role::parameter> {};
struct PointGradient : Numbers<Role::parameter> {};
struct PointPotential : OneRow<Role::parameter> {};

/// A proposed value for a state: Proposed<Position> is theta*.
template <class State>
struct Proposed : Numbers<Role::proposed> {};

/// U of the transition's law, cached at theta or theta*.
template <class Where>
struct Potential : OneRow<Role::evaluation> {};
/// grad U of the transition's law, cached at theta or theta*.
template <class Where>
struct Gradient : Numbers<Role::evaluation> {};

/// An input gradient that the body only copies to an output made by Output::carried_gradient. If no
/// operation reads that output, this input may have no memory (data() is null). See Input::carried.
template <class Where>
struct CarriedGradient : Gradient<Where> {
  static constexpr bool carried = true;
};

/// The last points of the path to a proposal, path_rows x w.
struct Way : Numbers<Role::parameter> {};

/// The step size eps.
struct StepSize : OneRow<Role::parameter> {};
/// The number of steps, a whole number.
struct StepCount : OneRow<Role::parameter> {};
/// Acceptance probabilities.
struct Acceptance : OneRow<Role::parameter> {};

/// A preconditioner H.
struct Preconditioner : Matrix<Role::parameter> {};
using Curvature [[deprecated("renamed to Preconditioner")]] = Preconditioner;
/// A in theta' = A M^-1 p.
struct PositionCoupling : Matrix<Role::position_coupling> {};
/// A' in p' = -A' grad U.
struct MomentumCoupling : Matrix<Role::momentum_coupling> {};
/// The matrix in the drift of an overdamped step.
struct Drift : Matrix<Role::drift> {};
/// The matrix in the diffusion of an overdamped step.
struct Diffusion : Matrix<Role::diffusion> {};
/// Gamma.
struct DriftCorrection : Numbers<Role::drift_correction> {};
/// Declares that the step has friction. The body reads nothing from this edge.
struct Friction {
  static constexpr Role role = Role::friction;
  Friction(Port) {}  // NOLINT
};

template <Role r>
class LawAs : public mixwell::Law {
 public:
  static constexpr Role role = r;
  LawAs(Port at) : mixwell::Law(at.block.law(at.k)) {}  // NOLINT
};
/// The law exp(-U) that the transition leaves invariant.
struct Law : LawAs<Role::law> {};
/// The law of an auxiliary variable, computed from theta (Here) or from theta* (There).
template <class Where>
struct AuxiliaryLaw : LawAs<std::is_same_v<Where, Here> ? Role::law : Role::law_at_proposal> {};
/// The law that the stages of a proposal leave invariant. It enters the acceptance ratio of the
/// last stage.
struct StageLaw : LawAs<Role::stage_law> {};
/// Two laws that a body reads as parameters: the law whose gradients the steps follow, and the
/// exact law.
struct StepsLaw : LawAs<Role::parameter> {};
struct TargetLaw : LawAs<Role::parameter> {};

/// A law whose function has the class that the body expects.
template <class Class>
struct LawOf : LawAs<Role::law> {
  LawOf(Port at) : LawAs(at), function(at.block.function<Class>(at.k)) {}  // NOLINT
  const Class& function;
};

/// Random numbers for this operation only. `draw` distinguishes repeated uses within a sweep: equal
/// draw numbers give equal random numbers.
class Noise {
 public:
  static constexpr Role role = Role::noise;
  Noise(Port at) : block_(&at.block), k_(at.k) {}  // NOLINT

  void normals(Batch out, std::uint32_t draw = 0) const { block_->normals(k_, out, draw); }
  void uniforms(Batch out, std::uint32_t draw = 0) const { block_->uniforms(k_, out, draw); }
  /// Returns normals in the block's scratch memory.
  MatrixMap normals(Index rows, Index columns, std::uint32_t draw = 0) const {
    MatrixMap z = block_->scratch().matrix(rows, columns);
    normals(z, draw);
    return z;
  }

  /// Normals for an integrator. `draw` is the number of the integrator's step.
  class PerStep final : public NormalSource {
   public:
    PerStep(const ColumnBlock& block, std::size_t k) noexcept : block_(block), k_(k) {}
    void normals(Batch out, std::uint32_t draw) const override {
      block_.step_normals(k_, out, draw);
    }

   private:
    const ColumnBlock& block_;
    std::size_t k_;
  };
  PerStep per_step() const noexcept { return {*block_, k_}; }

  /// The stream and the address of the noise, for functions that need both, such as
  /// Generated::generate.
  const Stream& stream() const { return block_->stream(k_); }
  Address address() const noexcept {
    return {block_->sweep(), 0, static_cast<std::uint64_t>(block_->first_column())};
  }

 private:
  const ColumnBlock* block_;
  std::size_t k_;
};

/// A list of edges that all have the same meaning. Its length is fixed when the graph is built.
template <class Meaning>
class List {
 public:
  List(const ColumnBlock& block, std::size_t first, std::size_t size) noexcept
      : block_(&block), first_(first), size_(size) {}
  std::size_t size() const noexcept { return size_; }
  Meaning operator[](std::size_t k) const { return {Port{*block_, first_ + k}}; }

 private:
  const ColumnBlock* block_;
  std::size_t first_;
  std::size_t size_;
};

/// An output that a body writes: the next version of a state, a cached evaluation, or a derived
/// value.
template <class Meaning>
class Out : public MatrixMap {
 public:
  Out(Port at) : MatrixMap(at.block.out(at.k)) {}  // NOLINT
  using MatrixMap::operator=;
};
template <class Meaning>
requires std::is_base_of_v<ConstRowMap, Meaning>
class Out<Meaning> : public RowMap {
 public:
  Out(Port at) : RowMap(at.block.out_row(at.k)) {}  // NOLINT
  using RowMap::operator=;
};

using ProposedPosition = Out<Proposed<Position>>;

/// A list of outputs that all have the same meaning. Its length is fixed when the graph is built.
template <class Meaning>
using OutList = List<Out<Meaning>>;

/// Initialises the next version with the previous one. Copies the numbers unless both versions
/// share memory.
template <class Before, class Meaning>
void begin(const Before& before, Out<Meaning>& next) {
  if (next.data() != before.data()) next = before;
}

}  // namespace edge
}  // namespace mixwell
