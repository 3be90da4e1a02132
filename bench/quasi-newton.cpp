// What quasi-Newton preconditioners cost: products, fits and steps of HMC-BFGS against d and K, and
// a dense BFGS update.
// SPDX-License-Identifier: Apache-2.0
#include "../estimators/quasi-newton/update.hpp"
#include "ratio.hpp"

#include <mixwell/base/random.hpp>
#include <mixwell/integrator.hpp>
#include <mixwell/lab/registry.hpp>

#include <algorithm>
#include <cmath>
#include <memory>
#include <span>
#include <vector>

using namespace mixwell;

namespace {

/// The component with its defaults.
template <class T>
std::shared_ptr<const T> made(const char* id) {
  static const Registry registry = Registry::load(Registry::default_folders());
  return std::dynamic_pointer_cast<const T>(
      std::shared_ptr<const Component>(registry.find(T::kind, id).blueprint()->make()));
}

/// U = sum s_i theta_i^2 / 2 with s_i from 1 to 2: the cheapest gradient that varies.
class Bowl final : public Potential {
 public:
  explicit Bowl(Index d) : scales_(Eigen::VectorXd::LinSpaced(d, 1.0, 2.0)) {}
  const Eigen::VectorXd& scales() const noexcept { return scales_; }
  void evaluate(const Numbers&, ConstBatch theta, const Evaluation& out) const override {
    Batch g = out.gradient;
    g.col(0) = scales_.cwiseProduct(theta.col(0));
    if (out.wants_potential()) out.u()(0) = 0.5 * theta.col(0).dot(g.col(0));
  }

 private:
  Eigen::VectorXd scales_;
};

constexpr Index steps = 10;  ///< of a trajectory

/// One column of n points of Bowl with what an estimator makes of them, and a point of phase space.
class Case {
 public:
  Case(const char* id, Index d, Index points)
      : bowl_(d),
        estimator_(made<Estimator>(id)),
        integrator_(made<Integrator>("leapfrog")),
        theta_(d, points),
        v_(d, 1),
        out_(d, 1),
        eps_(Eigen::MatrixXd::Constant(d, 1, 0.1)) {
    Stream(1, "bench/points").normals({}, theta_);
    Stream(1, "bench/v").normals({}, v_);
    g_ = bowl_.scales().asDiagonal() * theta_;
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

  /// A trajectory of coupling mass: each step forms one product with H, goes along it, and kicks.
  void trajectory() {
    const Flow flow(Coupling::mass, Preconditioner(how(), numbers()));
    const Law law = this->law();
    const Motion motion{law, flow, ConstMatrixMap(eps_.data(), eps_.rows(), 1), scratch_};
    out_ = bowl_.scales().asDiagonal() * v_;
    position_ = v_;
    momentum_ = v_;
    integrator_->advance({position_, momentum_, out_}, steps, motion, nullptr);
  }
  /// What of a trajectory any sampler has to do: its gradients, and the start.
  void gradients() {
    const Law law = this->law();
    out_ = bowl_.scales().asDiagonal() * v_;
    position_ = v_;
    momentum_ = v_;
    for (Index k = 0; k < steps; ++k) law.evaluate(position_, {nullptr, out_, scratch_});
  }

 private:
  Law law() const { return {bowl_, ConstMatrixMap(eps_.data(), 0, 1)}; }
  const Representation& how() const { return *estimator_->representation(); }
  Numbers numbers() const { return ConstMatrixMap(numbers_.data(), numbers_.rows(), 1); }

  Bowl bowl_;
  std::shared_ptr<const FittedPreconditioner> estimator_;
  std::shared_ptr<const Integrator> integrator_;
  Eigen::MatrixXd theta_;
  Eigen::MatrixXd g_;
  Eigen::RowVectorXd u_;
  std::vector<const double*> from_;
  Eigen::MatrixXd numbers_;
  Eigen::MatrixXd v_;
  Eigen::MatrixXd out_;
  Eigen::MatrixXd eps_;
  Eigen::MatrixXd position_;
  Eigen::MatrixXd momentum_;
  Workspace scratch_;
};

/// The time of `run`, less that of `without` if there is one, over `parts`.
struct Task {
  const char* name;
  void (Case::*run)();
  double power_of_K;  ///< expected growth with the number of pairs
  void (Case::*without)() = nullptr;
  double parts = 1.0;
};
constexpr Task tasks[] = {
    {"H v", &Case::H, 1},
    {"S z", &Case::S, 1},
    {"fit", &Case::fit, 2},
    {"leapfrog step beyond its gradient", &Case::trajectory, 1, &Case::gradients, steps},
};

/// Calls that fill some milliseconds.
template <class F>
auto repeated(F body, Index work) {
  return [body, times = 1 + 2'000'000 / work]() mutable {
    for (Index k = 0; k < times; ++k) body();
  };
}

/// Seconds of one call, the least of some rounds.
template <class F>
double least_seconds(const F& body, Index work) {
  body();
  double least = INFINITY;
  for (int round = 0; round < 7; ++round) {
    least = std::min(least, bench::seconds(repeated(body, work), bench::Clock::thread));
  }
  return least / static_cast<double>(1 + 2'000'000 / work);
}

double cost(const char* id, const Task& task, Index d, Index pairs) {
  Case data(id, d, pairs + 1);
  const Index work = d * (pairs + 1) * static_cast<Index>(task.parts);
  const double whole = least_seconds([&] { (data.*task.run)(); }, work);
  if (task.without == nullptr) return whole / task.parts;
  return (whole - least_seconds([&] { (data.*task.without)(); }, work)) / task.parts;
}

/// Of y against x, both as logarithms, by least squares.
double slope(const std::vector<double>& x, const std::vector<double>& y) {
  const Eigen::ArrayXd a = Eigen::Map<const Eigen::ArrayXd>(x.data(), std::ssize(x)).log();
  const Eigen::ArrayXd b = Eigen::Map<const Eigen::ArrayXd>(y.data(), std::ssize(y)).log();
  return ((a - a.mean()) * (b - b.mean())).sum() / (a - a.mean()).square().sum();
}

/// From 10^2 to 10^6 coordinates, 5 pairs. The slope lies above 1 by as much as memory is slower
/// than the caches that hold the pairs up to about d = 10^4.
void against_dimension(const char* id, const Task& task) {
  std::printf("%-12s %s, 5 pairs, ns per coordinate at d = 10^2 ... 10^6:", id, task.name);
  std::vector<double> sizes;
  std::vector<double> times;
  for (const Index d : {100, 1'000, 10'000, 100'000, 1'000'000}) {
    sizes.push_back(static_cast<double>(d));
    times.push_back(cost(id, task, d, 5));
    std::printf(" %.2f", 1e9 * times.back() / sizes.back());
  }
  std::printf("; slope %.3f\n", slope(sizes, times));
}

/// From 2 to 32 pairs, 10^4 coordinates.
void against_pairs(const char* id, const Task& task) {
  std::printf("%-12s %s, d = 10^4, us at 2, 4, 8, 16, 32 pairs:", id, task.name);
  std::vector<double> pairs;
  std::vector<double> times;
  for (const Index k : {2, 4, 8, 16, 32}) {
    pairs.push_back(static_cast<double>(k));
    times.push_back(cost(id, task, 10'000, k));
    std::printf(" %.1f", 1e6 * times.back());
  }
  std::printf("; slope %.3f (expected %g)\n", slope(pairs, times), task.power_of_K);
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
    for (const Task& task : tasks) {
      against_dimension(id, task);
      against_pairs(id, task);
    }
  }
  return dense_update() ? 0 : 1;
}
