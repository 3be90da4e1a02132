// Reductions over columns, in the dimensions that have their own code and in others.
// SPDX-License-Identifier: Apache-2.0
#include "composing.hpp"

#include <mixwell/base/columns.hpp>
#include <mixwell/base/random.hpp>

#include <catch2/catch.hpp>

#include <string>

using namespace mixwell;

TEST_CASE("column_dots equals the sum of products in every dimension") {
  for (const Index d : {1, 2, 3, 4, 5, 8, 33}) {
    for (const Index columns : {1, 7, 32}) {
      Eigen::MatrixXd a(d, columns);
      Eigen::MatrixXd b(d, columns);
      const Stream stream(5, "test/columns");
      stream.normals({0, 0, 0}, a);
      stream.normals({0, 1, 0}, b);
      Eigen::RowVectorXd out(columns);
      column_dots(a, b, out);
      const Eigen::RowVectorXd wanted = a.cwiseProduct(b).colwise().sum();
      INFO(d << " x " << columns);
      CHECK((out - wanted).cwiseAbs().maxCoeff() <= 1e-13 * static_cast<double>(d));
    }
  }
}

TEST_CASE("the default block width follows from dimension and replicates, and can be set") {
  const auto width = [](int dimension, int replicates, const std::string& more) {
    return composing::compose(
               "[run]\nreplicates = " + std::to_string(replicates) + "\n" + more +
               "[model.q]\nuse = \"quartic\"\ndimension = " + std::to_string(dimension) +
               "\n[estimator.identity]\nuse = \"identity\"\n[kernel.k]\nuse = \"hamiltonian\"\n")
        .run.block_width;
  };
  CHECK(width(2, 4, "") == 8);
  CHECK(width(2, 256, "") == 32);    // at least 8 blocks
  CHECK(width(2, 4096, "") == 64);   // at most 64 columns
  CHECK(width(25, 4096, "") == 16);  // about 512 numbers
  CHECK(width(784, 4096, "") == 8);
  CHECK(width(2, 256, "block_width = 16\n") == 16);
}
