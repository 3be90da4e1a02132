// Replays the programs of a tape, with cases or columns as lanes.
// SPDX-License-Identifier: Apache-2.0
#include "law/tape/replay.hpp"

#include <mixwell/detail/tape/tape.hpp>

#include <algorithm>

namespace mixwell {
namespace {

using tape::Replay;
using tape::ReplayedCases;
using tape::ReplayedColumns;

constexpr Index single = 1;
constexpr Index narrow = 4;
constexpr Index wide = 16;

template <Index W, bool of_cases, bool second>
void replay(const TapeProgram& program, const ReplayedCases& cases, const ReplayedColumns& columns,
            Workspace& scratch) {
  const Workspace::Frame frame(scratch);
  Replay<W, of_cases, second>(program, cases, columns, scratch).run();
}

template <bool second>
void replay_program(const TapeProgram& program, const ReplayedCases& cases,
                    const ReplayedColumns& columns, Workspace& scratch) {
  if (cases.count >= columns.x.cols()) {
    const Index width = lanes_for(cases.count);
    if (width == single)
      replay<single, true, second>(program, cases, columns, scratch);
    else if (width == narrow)
      replay<narrow, true, second>(program, cases, columns, scratch);
    else
      replay<wide, true, second>(program, cases, columns, scratch);
  } else if (columns.x.cols() <= 2 * narrow) {
    replay<narrow, false, second>(program, cases, columns, scratch);
  } else {
    replay<wide, false, second>(program, cases, columns, scratch);
  }
}

void clear(const Evaluation& out) {
  Batch gradient = out.gradient;
  gradient.setZero();
  if (out.wants_potential()) out.u().setZero();
}

/// Columns j, ..., j + count - 1.
ReplayedColumns columns_from(Index j, Index count, ConstBatch x, const Evaluation& out) {
  Batch gradient = out.gradient;
  return {{x.data() + j * x.rows(), x.rows(), count},
          {gradient.data() + j * x.rows(), x.rows(), count},
          {nullptr, 0, 0},
          {nullptr, 0, 0},
          out.wants_potential() ? out.potential + j : nullptr};
}

/// Groups the cases by program, unless they are grouped already. The result does not depend on
/// their previous order.
void group(TapePlace* first, TapePlace* last) {
  const auto by_program = [](const TapePlace& a, const TapePlace& b) {
    return a.program < b.program;
  };
  if (!std::is_sorted(first, last, by_program)) std::sort(first, last);
}

}  // namespace

void Tape::evaluate(ConstBatch x, const Evaluation& out) const {
  clear(out);
  const ReplayedColumns columns = columns_from(0, x.cols(), x, out);
  for (const TapeProgram& program : programs_->all)
    replay_program<false>(program, {nullptr, program.tiles.cases()}, columns, out.scratch);
}

void Tape::evaluate_case(ConstBatch x, Index n, const Evaluation& out) const {
  clear(out);
  const TapePlace& place = programs_->places[static_cast<std::size_t>(n)];
  replay_program<false>(programs_->all[static_cast<std::size_t>(place.program)], {&place, 1},
                        columns_from(0, x.cols(), x, out), out.scratch);
}

void Tape::evaluate_cases(ConstBatch x, ConstBatch cases, Index before,
                          const Evaluation& out) const {
  clear(out);
  const Workspace::Frame frame(out.scratch);
  auto* const places = out.scratch.objects<TapePlace>(cases.rows());
  auto* const end = places + cases.rows();
  for (Index j = 0; j < x.cols(); ++j) {
    for (Index k = 0; k < cases.rows(); ++k)
      places[k] =
          programs_->places[static_cast<std::size_t>(before + static_cast<Index>(cases(k, j)))];
    group(places, end);
    for (const TapePlace* first = places; first != end;) {
      const auto is_other = [&](const TapePlace& one) { return one.program != first->program; };
      const TapePlace* const last =
          std::find_if(first, static_cast<const TapePlace*>(end), is_other);
      replay_program<false>(programs_->all[static_cast<std::size_t>(first->program)],
                            {first, last - first}, columns_from(j, 1, x, out), out.scratch);
      first = last;
    }
  }
}

void Tape::multiply_hessian(ConstBatch x, ConstBatch v, Batch gradient, Batch product,
                            Workspace& scratch) const {
  gradient.setZero();
  product.setZero();
  const ReplayedColumns columns{{x.data(), x.rows(), x.cols()},
                                {gradient.data(), x.rows(), x.cols()},
                                {v.data(), x.rows(), x.cols()},
                                {product.data(), x.rows(), x.cols()},
                                nullptr};
  for (const TapeProgram& program : programs_->all)
    replay_program<true>(program, {nullptr, program.tiles.cases()}, columns, scratch);
}

}  // namespace mixwell
