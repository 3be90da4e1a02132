// All states of a move as one vector a column, and small steps from it within their spaces.
// SPDX-License-Identifier: Apache-2.0
#include "verify/move_states.hpp"

#include "verify/operation_check.hpp"

#include <Eigen/QR>

#include <cmath>

namespace mixwell {
namespace {

Index freedom_of(Space space, Index rows) {
  if (space == Space::whole_numbers) return 0;
  return space == Space::sphere ? rows - 1 : rows;
}

/// rows x freedom: an orthonormal basis of the directions in which v can be moved.
Eigen::MatrixXd basis(Space space, const Eigen::VectorXd& v) {
  const Eigen::MatrixXd all = Eigen::MatrixXd::Identity(v.size(), v.size());
  if (space != Space::sphere) return all.leftCols(freedom_of(space, v.size()));
  const Eigen::MatrixXd rotated = Eigen::HouseholderQR<Eigen::MatrixXd>(v).householderQ() * all;
  return rotated.rightCols(v.size() - 1);
}

}  // namespace

template <class Visit>
void MoveStates::each(const Visit& visit) {
  Index first = 0;
  for (const MoveEnd& end : ends_.all) {
    visit(end, first);
    first += rows_of(end);
  }
}

Index MoveStates::rows() {
  Index sum = 0;
  for (const MoveEnd& end : ends_.all) sum += rows_of(end);
  return sum;
}

Eigen::MatrixXd MoveStates::start() {
  Eigen::MatrixXd all(rows(), replay_.columns());
  each([&](const MoveEnd& end, Index first) {
    all.middleRows(first, rows_of(end)) = replay_.input(end.input);
  });
  return all;
}

Eigen::MatrixXd MoveStates::end() {
  Eigen::MatrixXd all(rows(), replay_.columns());
  each([&](const MoveEnd& end, Index first) {
    all.middleRows(first, rows_of(end)) = replay_.output(end.output);
  });
  return all;
}

void MoveStates::put(const Eigen::MatrixXd& all) {
  each([&](const MoveEnd& end, Index first) {
    replay_.input(end.input) = all.middleRows(first, rows_of(end));
  });
  evaluate_states(replay_);
}

Eigen::MatrixXd MoveStates::moved(const Eigen::MatrixXd& from, bool negate_normals) {
  put(from);
  replay_.run(replay_.sweep(), negate_normals);
  return end();
}

void MoveStates::flip(Eigen::MatrixXd& all) const {
  Index first = 0;
  for (const MoveEnd& end : ends_.all) {
    const Index size = replay_.input(end.input).rows();
    if (end.flipped) all.middleRows(first, size) *= -1.0;
    first += size;
  }
}

Index MoveStates::freedom() {
  Index sum = 0;
  for (const MoveEnd& end : ends_.all) sum += freedom_of(end.space, rows_of(end));
  return sum;
}

Eigen::MatrixXd MoveStates::directions(const Eigen::MatrixXd& at, Index j) {
  Eigen::MatrixXd all = Eigen::MatrixXd::Zero(at.rows(), freedom());
  Index next = 0;
  each([&](const MoveEnd& end, Index first) {
    const Index size = rows_of(end);
    const Index free = freedom_of(end.space, size);
    all.block(first, next, size, free) = basis(end.space, at.col(j).segment(first, size));
    next += free;
  });
  return all;
}

Eigen::MatrixXd MoveStates::stepped(const Eigen::MatrixXd& at, const Eigen::MatrixXd& step) {
  Eigen::MatrixXd all = at + step;
  each([&](const MoveEnd& end, Index first) {
    auto part = all.middleRows(first, rows_of(end));
    if (end.space == Space::sphere) part.colwise().normalize();
    if (end.space == Space::whole_numbers) part = at.middleRows(first, rows_of(end));
  });
  return all;
}

Eigen::ArrayXd MoveStates::distance_from_space(const Eigen::MatrixXd& at) {
  Eigen::ArrayXd farthest = Eigen::ArrayXd::Zero(at.cols());
  each([&](const MoveEnd& end, Index first) {
    const Eigen::MatrixXd part = at.middleRows(first, rows_of(end));
    Eigen::ArrayXd off = Eigen::ArrayXd::Zero(at.cols());
    if (end.space == Space::sphere) off = (part.colwise().norm().array() - 1.0).abs().transpose();
    if (end.space == Space::whole_numbers) {
      off = (part.array() - part.array().round()).abs().colwise().maxCoeff().transpose();
    }
    farthest = farthest.max(off);
  });
  return farthest;
}

}  // namespace mixwell
