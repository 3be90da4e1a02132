// Saved state is restored completely, or not at all.
// SPDX-License-Identifier: Apache-2.0
#include <mixwell/base/error.hpp>
#include <mixwell/base/state.hpp>
#include <mixwell/base/workspace.hpp>

#include <catch2/catch.hpp>

#include <cstring>
#include <limits>

using namespace mixwell;

TEST_CASE("numbers and counts come back bit by bit") {
  Eigen::MatrixXd x = Eigen::MatrixXd::Random(3, 4);
  x(1, 1) = std::numeric_limits<double>::quiet_NaN();
  std::uint64_t n = 0xfedcba9876543210ULL;
  StateWriter writer;
  writer.numbers("x", x);
  writer.count("n", n);
  Eigen::MatrixXd y(3, 4);
  std::uint64_t m = 0;
  StateReader reader(writer.bytes());
  reader.numbers("x", y);
  reader.count("n", m);
  CHECK(std::memcmp(x.data(), y.data(), sizeof(double) * 12) == 0);
  CHECK(m == n);
}

TEST_CASE("state of another shape, another name, or cut short is refused by name") {
  Eigen::MatrixXd x = Eigen::MatrixXd::Zero(3, 4);
  StateWriter writer;
  writer.numbers("x", x);
  Eigen::MatrixXd other(4, 3);
  CHECK_THROWS_WITH(
      StateReader(writer.bytes()).numbers("x", other),
      Catch::Contains("the run needs `x` (4 x 3), but the saved state has `x` (3 x 4)"));
  CHECK_THROWS_WITH(StateReader(writer.bytes()).numbers("y", x),
                    Catch::Contains("the run needs `y` (3 x 4), but "));
  auto cut = writer.bytes();
  cut.resize(cut.size() - 1);
  CHECK_THROWS_AS(StateReader(cut).numbers("x", x), InputError);
  CHECK_THROWS_AS(StateReader(std::vector<char>{}).numbers("x", x), InputError);
}

TEST_CASE("A saved text that is not UTF-8 is refused") {
  StateWriter writer;
  std::string text =
      "a\xaa"
      "b";
  writer.text("quantity", text);
  CHECK_THROWS_WITH(StateReader(writer.bytes()).text("quantity", text),
                    Catch::Contains("its text `quantity` is not UTF-8"));
}

TEST_CASE("workspace frames give memory back, in any order of sizes") {
  Workspace w;
  double* first = nullptr;
  for (int pass = 0; pass < 3; ++pass) {
    const Workspace::Frame frame(w);
    MatrixMap a = w.matrix(3, 5);
    a.setConstant(1.0);
    {
      const Workspace::Frame inner(w);
      w.matrix(1000, 100).setConstant(2.0);
    }
    MatrixMap b = w.matrix(7, 7);
    b.setConstant(3.0);
    CHECK(a.isConstant(1.0));
    CHECK(reinterpret_cast<std::uintptr_t>(b.data()) % 64 == 0);
    if (pass == 0) first = a.data();
    CHECK(a.data() == first);
  }
}
