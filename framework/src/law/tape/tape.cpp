// Replays of a tape's programs: which lanes, and where their sums go.
// SPDX-License-Identifier: Apache-2.0
#include "law/tape/replay.hpp"

#include <mixwell/density/tape/tape.hpp>

namespace mixwell {
namespace {

using tape::Replay;
using tape::ReplayedColumns;

constexpr Index single = 1;
constexpr Index narrow = 4;
constexpr Index wide = 16;

template <Index W, bool of_cases, bool second>
void replay(const TapeProgram& program, const ReplayedColumns& columns, Workspace& scratch) {
  const Workspace::Frame frame(scratch);
  Replay<W, of_cases, second>(program, columns, scratch).run();
}

template <bool second>
void replay_program(const TapeProgram& program, const ReplayedColumns& columns,
                    Workspace& scratch) {
  if (program.cases >= columns.x.cols()) {
    if (program.width == single)
      replay<single, true, second>(program, columns, scratch);
    else if (program.width == narrow)
      replay<narrow, true, second>(program, columns, scratch);
    else
      replay<wide, true, second>(program, columns, scratch);
  } else if (columns.x.cols() <= 2 * narrow) {
    replay<narrow, false, second>(program, columns, scratch);
  } else {
    replay<wide, false, second>(program, columns, scratch);
  }
}

}  // namespace

void Tape::evaluate(ConstBatch x, const Evaluation& out) const {
  Batch gradient = out.gradient;
  gradient.setZero();
  if (out.wants_potential()) out.u().setZero();
  const ReplayedColumns columns{{x.data(), x.rows(), x.cols()},
                                {gradient.data(), x.rows(), x.cols()},
                                {nullptr, 0, 0},
                                {nullptr, 0, 0},
                                out.potential};
  for (const TapeProgram& program : programs_->all)
    replay_program<false>(program, columns, out.scratch);
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
  for (const TapeProgram& program : programs_->all) replay_program<true>(program, columns, scratch);
}

}  // namespace mixwell
