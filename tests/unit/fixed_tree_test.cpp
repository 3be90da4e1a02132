// Sums in a fixed tree: the same bits whoever adds up which part of it.
// SPDX-License-Identifier: Apache-2.0
#include "base/fixed_tree.hpp"

#include <catch2/catch.hpp>

#include <cmath>
#include <random>
#include <vector>

using namespace mixwell;

namespace {

constexpr Index leaves = 64;

/// Many sizes and both signs, so that the order of additions shows in the last bits.
Eigen::MatrixXd awkward() {
  std::mt19937_64 random(3);
  std::normal_distribution<double> normal;
  Eigen::MatrixXd x(5, leaves);
  for (double& value : x.reshaped()) value = normal(random) * std::exp(3.0 * normal(random));
  return x;
}

/// What P ranks with neighbouring leaves each make of it.
Eigen::VectorXd by_ranks(Eigen::MatrixXd x, Index ranks) {
  std::vector<Subtree> done;
  for (Index k = 0; k < ranks; ++k) {
    for (const Subtree& tree :
         FixedTree(leaves).subtrees(k * leaves / ranks, (k + 1) * leaves / ranks)) {
      FixedTree::add_up(x, tree);
      done.push_back(tree);
    }
  }
  FixedTree::join(x, done);
  return x.col(0);
}

/// Wrong: each rank adds up its leaves one after another, and their sums are added in order.
Eigen::VectorXd in_rank_order(const Eigen::MatrixXd& x, Index ranks) {
  Eigen::VectorXd all = Eigen::VectorXd::Zero(x.rows());
  for (Index k = 0; k < ranks; ++k) {
    Eigen::VectorXd own = Eigen::VectorXd::Zero(x.rows());
    for (Index n = k * leaves / ranks; n < (k + 1) * leaves / ranks; ++n) own += x.col(n);
    all += own;
  }
  return all;
}

}  // namespace

TEST_CASE("a sum in the fixed tree has the same bits for any number of ranks") {
  const Eigen::MatrixXd x = awkward();
  const Eigen::VectorXd alone = by_ranks(x, 1);
  CHECK((alone - x.rowwise().sum()).norm() < 1e-13 * x.cwiseAbs().sum());
  for (Index ranks = 2; ranks <= leaves; ++ranks) CHECK(by_ranks(x, ranks) == alone);
}

TEST_CASE("a sum in the order of ranks has bits that depend on their number") {
  const Eigen::MatrixXd x = awkward();
  const Eigen::VectorXd alone = in_rank_order(x, 1);
  for (const Index ranks : {2, 3, 4}) CHECK(in_rank_order(x, ranks) != alone);
}

TEST_CASE("the largest subtrees cover the leaves of a rank in order, and are few") {
  for (Index first = 0; first < leaves; ++first) {
    for (Index end = first + 1; end <= leaves; ++end) {
      const std::vector<Subtree> found = FixedTree(leaves).subtrees(first, end);
      Index next = first;
      for (const Subtree& tree : found) {
        REQUIRE(tree.first == next);
        REQUIRE(tree.first % tree.size == 0);
        next += tree.size;
      }
      REQUIRE(next == end);
      REQUIRE(found.size() <= 12);
    }
  }
  const std::vector<Subtree> half = {{32, 32}};
  CHECK(FixedTree(leaves).subtrees(32, 64) == half);
}
