// What quasi-Newton curvatures cost: products and fits against d and K, and a dense BFGS update.
// SPDX-License-Identifier: Apache-2.0
#include "../estimators/quasi-newton/update.hpp"

#include "ratio.hpp"

#include <mixwell/random.hpp>
#include <mixwell/registry.hpp>

#include <algorithm>
#include <cmath>
#include <memory>
#include <span>
#include <vector>

using namespace mixwell;

namespace {

/// One column of n points of U = sum i theta_i^2 / 2d with what an estimator makes of it.
class Case {
 public:
  Case(const char* id, Index d, Index points)
      : theta_(d, points), numbers_(0, 0), v_(d, 1), out_(d, 1) {
    static const Registry registry = Registry::load(Registry::default_folders());
    estimator_ = std::dynamic_pointer_cast<const Estimator>(
        std::shared_ptr<const Component>(registry.find(Kind::estimator, id).blueprint()->make()));
    Stream(1, "bench/points").normals({}, theta_);
    Stream(1, "bench/v").normals({}, v_);
    const Eigen::VectorXd scales = Eigen::VectorXd::LinSpaced(d, 1.0, 2.0);
    g_ = scales.asDiagonal() * theta_;
    u_ = 0.5 * theta_.cwiseProduct(g_).colwise().sum();
    for (Index k = 0; k < points; ++k) from_.push_back(theta_.col(k).data());
    for (Index k = 0; k < points; ++k) from_.push_back(g_.col(k).data());
    for (Index k = 0; k < points; ++k) from_.push_back(&u_(k));
    numbers_.resize(estimator_->rows(d, points), 1);
    fit();
  }

  void fit() {
    const std::span<const double* const> all(from_);
    const std::size_t n = all.size() / 3;
    estimator_->fit({v_.rows(), 1, all.first(n), all.subspan(n, n), all.last(n)}, numbers_,
                    scratch_);
  }
  void H() { how().H(numbers(), v_, out_, scratch_); }
  void S() { how().S(numbers(), v_, out_, scratch_); }

 private:
  const Representation& how() const { return *estimator_->representation(); }
  Numbers numbers() const { return ConstMatrixMap(numbers_.data(), numbers_.rows(), 1); }

  std::shared_ptr<const Estimator> estimator_;
  Eigen::MatrixXd theta_;
  Eigen::MatrixXd g_;
  Eigen::RowVectorXd u_;
  std::vector<const double*> from_;
  Eigen::MatrixXd numbers_;
  Eigen::MatrixXd v_;
  Eigen::MatrixXd out_;
  Workspace scratch_;
};

struct Task {
  const char* name;
  void (Case::*run)();
  double power_of_K;  ///< expected growth with the number of pairs
};
constexpr Task kTasks[] = {{"H v", &Case::H, 1}, {"S z", &Case::S, 1}, {"fit", &Case::fit, 2}};

/// Calls that fill some milliseconds.
template <class F>
auto repeated(F body, Index work) {
  return [body, times = 1 + 2'000'000 / work]() mutable {
    for (Index k = 0; k < times; ++k) body();
  };
}

/// Seconds of one call, the least of some rounds.
double cost(const char* id, const Task& task, Index d, Index points) {
  Case data(id, d, points);
  const auto body = [&] { (data.*task.run)(); };
  const Index work = d * points;
  const Index times = 1 + 2'000'000 / work;
  body();
  double least = INFINITY;
  for (int round = 0; round < 7; ++round) {
    least = std::min(least, bench::seconds(repeated(body, work), bench::Clock::thread));
  }
  return least / static_cast<double>(times);
}

/// The slope of log(seconds) in log(d) at 5 pairs, from 10^2 to 10^6. It lies above 1 by as much as
/// memory is slower than the caches that hold the pairs up to about d = 10^4.
void against_dimension(const char* id, const Task& task) {
  std::printf("%-12s %s, 5 pairs, ns per coordinate at d = 10^2 ... 10^6:", id, task.name);
  double x = 0, y = 0, xx = 0, xy = 0;
  constexpr int sizes = 5;
  for (int e = 2; e < 2 + sizes; ++e) {
    const double d = std::pow(10.0, e);
    const double t = cost(id, task, static_cast<Index>(d), 6);
    std::printf(" %.2f", 1e9 * t / d);
    x += e;
    y += std::log10(t);
    xx += e * e;
    xy += e * std::log10(t);
  }
  std::printf("; slope %.3f\n", (sizes * xy - x * y) / (sizes * xx - x * x));
}

/// The slope of log(seconds) in log(K) between 4 and 16 pairs.
void against_pairs(const char* id, const Task& task) {
  const double slope =
      std::log(cost(id, task, 10'000, 17) / cost(id, task, 10'000, 5)) / std::log(4.0);
  std::printf("%-12s %s, d = 10^4, slope in the number of pairs from 4 to 16: %.3f (expected %g)\n",
              id, task.name, slope, task.power_of_K);
}

bool dense_update() {
  constexpr Index d = 100;
  Eigen::MatrixXd H = Eigen::MatrixXd::Identity(d, d);
  Eigen::MatrixXd plain = H;
  Eigen::MatrixXd z(d, 1);
  Stream(1, "bench/update").normals({}, z);
  const Eigen::VectorXd s = z;
  const Eigen::VectorXd y = Eigen::VectorXd::LinSpaced(d, 1.0, 2.0).asDiagonal() * s;
  Eigen::VectorXd w(d);
  const double sy = s.dot(y);
  const auto update = [&] { quasi_newton::update_inverse(MatrixMap(H.data(), d, d), s, y, sy, w); };
  const auto two_ranks = [&] {
    plain.selfadjointView<Eigen::Lower>().rankUpdate(s, 1e-6);
    plain.selfadjointView<Eigen::Lower>().rankUpdate(y, -1e-6);
  };
  const auto r = bench::ratio(repeated(update, 10 * d), repeated(two_ranks, 10 * d), 41);
  return bench::print("BFGS update of H, d = 100 / two rank-one updates of Eigen", r, "< 3",
                      r.median < 3.0);
}

}  // namespace

int main() {
  for (const char* id : {"lbfgs", "product-form"}) {
    for (const Task& task : kTasks) {
      against_dimension(id, task);
      against_pairs(id, task);
    }
  }
  return dense_update() ? 0 : 1;
}
