// The model `matrix-factorisation`: potential, folds, predictions and refusals.
// SPDX-License-Identifier: Apache-2.0
#include "../../models/matrix-factorisation/ratings.hpp"
#include "block_of_model.hpp"
#include "support.hpp"

#include <mixwell/contracts/model.hpp>
#include <mixwell/law/constrained_model.hpp>

#include <Eigen/LU>

#include <cmath>
#include <set>
#include <string>
#include <utility>

namespace {

using Eigen::Index;
using Eigen::MatrixXd;
using Eigen::VectorXd;
using mixwell::Model;
using support::contains;
using support::evaluate;
using support::make_model;
using support::refusal;
namespace factorisation = mixwell::factorisation;

const std::string use = "use = \"matrix-factorisation\"\n";

/// Users 3, 7, 10 and items 2, 5, on 5 of their 6 pairs.
const std::string small = "7::5::4\n3::2::5\n3::5::1.5\n10::2::2::978300760\n10::5::3\n";

class Fixture {
 public:
  std::string file(const std::string& text, const std::string& name = "ratings.dat") const {
    return folder_.file(name, text);
  }
  std::string body(const std::string& text, const std::string& rest = "") const {
    return use + "data = \"" + file(text) + "\"\n" + rest;
  }

 private:
  support::TemporaryFolder folder_;
};

/// Ratings of `items` items by `users` users, on about two thirds of the pairs.
std::string many(int users, int items) {
  std::string text;
  for (int i = 0; i < users; ++i)
    for (int j = 0; j < items; ++j)
      if ((i * 7 + j * 5) % 3 != 0)
        text += std::to_string(i) + "::" + std::to_string(j) +
                "::" + std::to_string(1 + (i * 3 + j * 11) % 5) + "\n";
  return text;
}

VectorXd position(const Model& model) {
  VectorXd theta(model.dimension());
  for (Index i = 0; i < theta.size(); ++i)
    theta[i] = 0.7 * std::sin(1.0 + 2.3 * static_cast<double>(i));
  return theta;
}

/// log |det| of the map of coordinates of a triangle to the different elements of C C', by
/// differences.
double log_jacobian(const VectorXd& h, Index k) {
  const auto elements = [k](const VectorXd& at) {
    MatrixXd C = MatrixXd::Zero(k, k);
    Index next = 0;
    for (Index i = 0; i < k; ++i)
      for (Index j = 0; j <= i; ++j, ++next) C(i, j) = i == j ? std::exp(at[next]) : at[next];
    const MatrixXd P = C * C.transpose();
    VectorXd out(at.size());
    next = 0;
    for (Index i = 0; i < k; ++i)
      for (Index j = 0; j <= i; ++j) out[next++] = P(i, j);
    return out;
  };
  MatrixXd J(h.size(), h.size());
  for (Index i = 0; i < h.size(); ++i) {
    const double step = 1e-5;
    VectorXd up = h;
    VectorXd down = h;
    up[i] += step;
    down[i] -= step;
    J.col(i) = (elements(up) - elements(down)) / (2 * step);
  }
  return std::log(std::abs(J.determinant()));
}

/// -log of N(x; m, P^-1) of every column, but for a constant.
double normal_potential(const MatrixXd& x, const VectorXd& m, const MatrixXd& P) {
  const MatrixXd off = x.colwise() - m;
  return 0.5 * (off.transpose() * P * off).trace() -
         0.5 * static_cast<double>(x.cols()) * std::log(P.determinant());
}

}  // namespace

// Data drawn with parameters of the prior: wide tails, were shapes small.
TEST_CASE("a factorisation satisfies the contract of a model", "[factorisation][slow]") {
  const Fixture fixture;
  const std::string rest =
      GENERATE(std::string("rank = 2\nshape = 6\nrate = 6\nnoise_precision = 1\n"),
               std::string("rank = 2\nprior = \"normal-wishart\"\ndegrees = 9\nshape = 6\nrate = "
                           "6\nnoise_precision = 0.5\n"),
               std::string("rank = 3\nbiases = false\nshape = 6\nrate = 6\nfolds = 4\n"));
  const auto findings =
      mixwell::contracts::check_model(*make_model(fixture.body(many(4, 3), rest)));
  INFO(rest << mixwell::contracts::report(findings));
  CHECK(mixwell::contracts::all_hold(findings));
}

TEST_CASE("U of a factorisation is that of its definition with gamma priors", "[factorisation]") {
  const Fixture fixture;
  const auto model = make_model(
      fixture.body(small, "rank = 2\noffset = 3\nnoise_precision = 4\nshape = 1.5\nrate = 2.5\n"));
  REQUIRE(model->dimension() == 2 * 5 + 5 + 4);
  const auto expected = [](const VectorXd& t) {
    const Eigen::Map<const MatrixXd> u(t.data(), 2, 3);
    const Eigen::Map<const MatrixXd> v(t.data() + 6, 2, 2);
    const VectorXd a = t.segment(10, 3);
    const VectorXd b = t.segment(13, 2);
    const std::tuple<int, int, double> ratings[] = {
        {1, 1, 4}, {0, 0, 5}, {0, 1, 1.5}, {2, 0, 2}, {2, 1, 3}};
    double sum = 0;
    for (const auto& [i, j, y] : ratings)
      sum += 2 * std::pow(y - 3 - u.col(i).dot(v.col(j)) - a[i] - b[j], 2);
    const std::pair<double, int> blocks[] = {
        {u.squaredNorm(), 6}, {v.squaredNorm(), 4}, {a.squaredNorm(), 3}, {b.squaredNorm(), 2}};
    for (int k = 0; k < 4; ++k) {
      const double l = std::exp(t[15 + k]);
      sum += 0.5 * l * blocks[k].first - 0.5 * blocks[k].second * std::log(l);  // normal
      sum += 2.5 * l - 0.5 * std::log(l);                                       // gamma
      sum -= std::log(l);                                                       // dl = l dlog l
    }
    return sum;
  };
  const VectorXd one = position(*model);
  const VectorXd other = 0.3 * one.reverse();
  CHECK(evaluate(*model, one).u[0] - evaluate(*model, other).u[0] ==
        Approx(expected(one) - expected(other)).epsilon(1e-12));
}

TEST_CASE("U of a factorisation is that of its definition with normal-Wishart priors",
          "[factorisation]") {
  const Fixture fixture;
  const auto model = make_model(fixture.body(
      small,
      "rank = 2\nbiases = false\noffset = 3\nprior = \"normal-wishart\"\nstrength = 0.7\ndegrees = "
      "3.5\n"));
  REQUIRE(model->dimension() == 10 + 2 * (2 + 3));
  const auto expected = [](const VectorXd& t) {
    const Eigen::Map<const MatrixXd> u(t.data(), 2, 3);
    const Eigen::Map<const MatrixXd> v(t.data() + 6, 2, 2);
    const std::tuple<int, int, double> ratings[] = {
        {1, 1, 4}, {0, 0, 5}, {0, 1, 1.5}, {2, 0, 2}, {2, 1, 3}};
    double sum = 0;
    for (const auto& [i, j, y] : ratings) sum += std::pow(y - 3 - u.col(i).dot(v.col(j)), 2);
    for (int side = 0; side < 2; ++side) {
      const VectorXd m = t.segment(10 + 5 * side, 2);
      const VectorXd h = t.segment(12 + 5 * side, 3);
      const MatrixXd C{{std::exp(h[0]), 0}, {h[1], std::exp(h[2])}};
      const MatrixXd P = C * C.transpose();
      sum += side == 0 ? normal_potential(u, m, P) : normal_potential(v, m, P);
      sum += normal_potential(m, VectorXd::Zero(2), 0.7 * P);
      sum += 0.5 * P.trace() - 0.5 * (3.5 - 2 - 1) * std::log(P.determinant());  // Wishart
      sum -= log_jacobian(h, 2);
    }
    return sum;
  };
  const VectorXd one = position(*model);
  const VectorXd other = 0.3 * one.reverse();
  CHECK(evaluate(*model, one).u[0] - evaluate(*model, other).u[0] ==
        Approx(expected(one) - expected(other)).epsilon(1e-8));
}

TEST_CASE("folds part the ratings, each rating into one", "[factorisation]") {
  const Fixture fixture;
  const auto lines = factorisation::read_ratings(fixture.file(many(9, 7)));
  const auto all = factorisation::ratings_of(lines, factorisation::ids_of(lines));
  const auto pairs = [](const factorisation::Ratings& some) {
    std::set<std::pair<Index, Index>> set;
    for (std::size_t n = 0; n < some.users.size(); ++n) set.emplace(some.users[n], some.items[n]);
    return set;
  };
  std::set<std::pair<Index, Index>> seen;
  Index largest = 0;
  for (std::int64_t k = 0; k < 5; ++k) {
    const auto parts = factorisation::split(all, {.folds = 5, .fold = k, .seed = 3});
    CHECK(parts.training.size() + parts.test.size() == all.size());
    largest = std::max(largest, parts.test.size());
    CHECK(parts.test.size() >= all.size() / 5);
    for (const auto& one : pairs(parts.test)) CHECK(seen.insert(one).second);
    for (const auto& one : pairs(parts.training)) CHECK(!pairs(parts.test).contains(one));
  }
  CHECK(largest <= all.size() / 5 + 1);
  CHECK(seen == pairs(all));
  const auto first = [&all](std::int64_t seed) {
    return factorisation::split(all, {.folds = 5, .fold = 0, .seed = seed}).test.users;
  };
  CHECK(first(3) == first(3));
  CHECK(first(3) != first(4));
}

TEST_CASE("ratings that were held out are predicted by factors, biases and offset",
          "[factorisation]") {
  const Fixture fixture;
  const std::string test = fixture.file("3::5::2\n7::2::4\n", "test.dat");
  const std::string rest = "rank = 1\noffset = 3\ntest = \"" + test + "\"\n";
  VectorXd theta = VectorXd::Zero(14);
  theta.head(10) << 1, 2, 3, 0.5, -1, 0.1, 0.2, 0.3, -0.4, 0.6;  // u, v, a, b
  MatrixXd out(2, 1);
  const auto model = make_model(fixture.body(small, rest));
  const mixwell::Prediction* held_out = model->offers<mixwell::Prediction>();
  REQUIRE(held_out != nullptr);
  REQUIRE(held_out->predicted() == 2);
  CHECK(held_out->measure() == "root mean square error");
  held_out->predict(theta, out);
  CHECK(out(0, 0) == Approx(3 + 1 * -1 + 0.1 + 0.6));
  CHECK(out(1, 0) == Approx(3 + 2 * 0.5 + 0.2 - 0.4));
  CHECK(held_out->error(VectorXd{{5, 8}}) == Approx(std::sqrt((9 + 16) / 2.0)));
  const auto clipped = make_model(fixture.body(small, rest + "clip = [2.9, 3.5]\n"));
  clipped->offers<mixwell::Prediction>()->predict(theta, out);
  CHECK(out(0, 0) == 2.9);
  CHECK(out(1, 0) == 3.5);
  CHECK(make_model(fixture.body(small))->offers<mixwell::Prediction>() == nullptr);
}

TEST_CASE("who has no rating left to train on is named in a remark", "[factorisation]") {
  const Fixture fixture;
  // Item 9 has one rating: it is held out in one fold of three.
  Index named = 0;
  for (int fold = 0; fold < 3; ++fold) {
    const auto model =
        make_model(fixture.body("1::8::3\n1::9::4\n2::8::1\n3::8::2\n1::7::3\n2::7::3\n3::7::5\n",
                                "folds = 3\nfold_seed = 2\nfold = " + std::to_string(fold) + "\n"));
    for (const std::string& remark : model->remarks())
      named += contains(remark, "1 of 3 items have no rating outside the held-out fold") &&
               contains(remark, "(9)");
  }
  CHECK(named == 1);
  CHECK(make_model(fixture.body(small))->remarks().empty());
}

TEST_CASE("ratings are read as MovieLens has them: colons, tabs, or a CSV file",
          "[factorisation]") {
  const Fixture fixture;
  const VectorXd theta = position(*make_model(fixture.body("1::7::3\n2::7::4.5::99\n")));
  const auto u = [&](const std::string& text) {
    return support::evaluate(*make_model(fixture.body(text)), theta).u[0];
  };
  const double expected = u("1::7::3\n2::7::4.5::99\n");
  CHECK(u("1\t7\t3\t881250949\n2\t7\t4.5\t99\n") == expected);
  CHECK(u("userId,movieId,rating,timestamp\r\n1,7,3.0,964982703\r\n2,7,4.5,99\r\n") == expected);
  CHECK(u("1,7,3\n2,7,4.5\n") == expected);
  CHECK(u("\xEF\xBB\xBF"
          "1::7::3\n2::7::4.5\n") == expected);
  const auto said = [&](const std::string& text) { return refusal(fixture.body(text)); };
  CHECK(contains(said("userId,movieId,rating,timestamp\n"), "no ratings"));
  CHECK(contains(said("user,item,stars\n1,7,3\n"),
                 "ratings.dat:1: \"user,item,stars\" is not a rating"));
  CHECK(contains(said("1,7,3\n2::7::4.5\n"), "ratings.dat:2"));
}

TEST_CASE("bad ratings are refused with their line and rule", "[factorisation]") {
  const Fixture fixture;
  const auto said = [&](const std::string& text, const std::string& rest = "") {
    return refusal(fixture.body(text, rest));
  };
  CHECK(said(small) == "accepted");
  for (const char* line : {"1::2", "1:2:3", "a::2::3", "1::2.5::3", "1::2::nan", "1::2::3::4::5",
                           "1::2::", "", "1::2::3x"}) {
    const std::string message = said("1::1::3\n" + std::string(line) + "\n1::4::3\n");
    INFO(line);
    CHECK(contains(message, "ratings.dat:2"));
    CHECK(contains(message, "is not a rating"));
  }
  CHECK(contains(said("1::1::3\n2::1::3\n1::1::4\n"),
                 "ratings.dat:3: user 1 has already rated item 1, at"));
  CHECK(contains(said(""), "lines user::item::rating"));
  const std::string test = fixture.file("3::2::1\n4::2::1\n", "test.dat");
  CHECK(contains(said(small, "test = \"" + test + "\"\n"),
                 "test.dat:2: user 4 has no rating in the training data"));
  const std::string items = fixture.file("3::6::1\n", "items.dat");
  CHECK(contains(said(small, "test = \"" + items + "\"\n"), "item 6 has no rating"));
  CHECK(contains(said(small, "folds = 3\nfold = 3\n"), "must be below `folds` (3)"));
  CHECK(contains(said(small, "folds = 3\ntest = \"" + test + "\"\n"), "one fold is the test set"));
  CHECK(contains(said("1::1::3\n", "folds = 2\n"), "must leave at least one rating to train on"));
  CHECK(contains(said(small, "degrees = 4\n"), "needs prior"));
  CHECK(contains(said(small, "rank = 4\nprior = \"normal-wishart\"\ndegrees = 3\n"),
                 "must be above rank - 1 = 3"));
}

TEST_CASE("factors of some users and items have the U that they have in the whole") {
  const Fixture fixture;
  for (const char* keys :
       {"rank = 3\n", "rank = 3\nbiases = false\n", "rank = 3\nprior = \"normal-wishart\"\n"}) {
    INFO(keys);
    const auto model = make_model(fixture.body(many(9, 8), keys));
    CHECK(support::off_the_whole(*model, {"user_factors[2]"}) < 1e-13);
    CHECK(support::off_the_whole(*model, {"user_factors[1:4,::2]"}) < 1e-13);
    CHECK(support::off_the_whole(*model, {"item_factors[7]", "item_factors[0,1]"}) < 1e-13);
    CHECK(support::off_the_whole(*model, {"user_factors[8]", "item_factors[3]"}) < 1e-13);
    CHECK_FALSE(support::block_of(*model, {"user_factors"}));
    CHECK_FALSE(support::block_of(*model, {"user_factors[0]", model->parameters().back().name}));
  }
  const auto model = make_model(fixture.body(many(9, 8), "rank = 2\n"));
  CHECK(support::off_the_whole(*model, {"user_bias[4]"}) < 1e-13);
  CHECK(support::off_the_whole(*model, {"user_bias[4]", "item_bias[1]", "user_factors[3]"}) <
        1e-13);
}
