// A preconditioner that every accepted step updates for ever: QNHMC as it is printed.
// SPDX-License-Identifier: Apache-2.0
#include "composing.hpp"
#include "support.hpp"

#include <mixwell/base/random.hpp>
#include <mixwell/kernel/learner.hpp>
#include <mixwell/lab/sampler.hpp>

#include <Eigen/Core>

#include <algorithm>
#include <memory>
#include <string>
#include <vector>

using namespace mixwell;
using support::contains;

namespace {

constexpr Index d = 4;

std::shared_ptr<const FittedPreconditioner> bfgs() {
  const auto blueprint = support::registry().find(Kind::estimator, "bfgs").blueprint();
  const auto target = [&](const char* key) { return blueprint->fields().find(key)->target(); };
  *std::get<std::optional<double>*>(target("gamma")) = 1.5;
  *std::get<bool*>(target("sort")) = false;
  return std::dynamic_pointer_cast<const FittedPreconditioner>(
      std::shared_ptr<const Component>(blueprint->make()));
}

/// Points of U = theta' A theta / 2, A = diag(1, 2, 3, 4), with the gradients there.
class Way {
 public:
  explicit Way(std::uint64_t seed, Index points) : theta_(d, points), g_(d, points) {
    Stream(seed, "test/recursive").normals({0, 0, 0}, theta_);
    for (Index i = 0; i < d; ++i) g_.row(i) = static_cast<double>(i + 1) * theta_.row(i);
  }

  /// The points from first to last.
  std::vector<const double*> pointers(Index first, Index last) const {
    std::vector<const double*> from;
    for (Index k = first; k <= last; ++k) from.push_back(theta_.col(k).data());
    for (Index k = first; k <= last; ++k) from.push_back(g_.col(k).data());
    return from;
  }
  Index points() const { return theta_.cols(); }
  Eigen::VectorXd s(Index k) const { return theta_.col(k + 1) - theta_.col(k); }
  Eigen::VectorXd y(Index k) const { return g_.col(k + 1) - g_.col(k); }

 private:
  Eigen::MatrixXd theta_;
  Eigen::MatrixXd g_;
};

template <class Use>
void with_memory(const std::vector<const double*>& from, const Use& use) {
  const std::span<const double* const> all(from);
  use(Memory(d, 1, all.first(all.size() / 2), all.last(all.size() / 2)));
}

Eigen::MatrixXd updated(const FittedPreconditioner& by, Eigen::MatrixXd numbers, const Way& way,
                        Index first, Index last) {
  Workspace scratch;
  with_memory(way.pointers(first, last), [&](const Memory& memory) {
    dynamic_cast<const RecursivePreconditioner&>(by).update(memory, numbers, scratch);
  });
  return numbers;
}

Eigen::MatrixXd start(const FittedPreconditioner& by) {
  return dynamic_cast<const RecursivePreconditioner&>(by).initial(d);
}

Eigen::MatrixXd product(const FittedPreconditioner& by, const Eigen::MatrixXd& numbers,
                        const Eigen::MatrixXd& v,
                        void (Representation::*which)(const Numbers&, ConstBatch, Batch, Workspace&)
                            const) {
  Workspace scratch;
  Eigen::MatrixXd out(v.rows(), v.cols());
  ((*by.representation()).*which)(ConstMatrixMap(numbers.data(), numbers.rows(), 1), v, out,
                                  scratch);
  return out;
}

double distance(const Eigen::MatrixXd& a, const Eigen::MatrixXd& b) {
  return (a - b).norm() / b.norm();
}

const std::string model = "[model.m]\nuse = \"quartic\"\ndimension = 2\n";
const std::string dense = "[estimator.e]\nuse = \"bfgs\"\nsort = false\n";
const std::string limited = "[estimator.e]\nuse = \"lbfgs\"\nsort = false\n";

std::string rest(const std::string& kernel, const std::string& compositor = "") {
  return "[kernel.k]\nuse = \"hamiltonian\"\nsteps = 5\ncoupling = \"symmetric\"\n" + kernel +
         "[compositor.c]\nuse = \"ensemble-chain\"\nslots = 1\nmemory = \"published\"\n" +
         compositor;
}

/// The contents of a history after this many sweeps of 8 replicates.
Eigen::MatrixXd held(const std::string& body, const std::string& name, std::int64_t sweeps) {
  const Composition c =
      composing::compose("[run]\nreplicates = 8\nseed = 4\ninit = \"exact\"\n" + model + body);
  Sampler sampler(c.compositor, c.run, compose(*c.compositor));
  sampler.initialise();
  sampler.advance(PhaseKind::sampling, sweeps);
  return sampler.variable(name);
}

}  // namespace

TEST_CASE("pairs one by one give the matrix that the same pairs give at once") {
  const auto by = bfgs();
  const Way way(1, 7);
  Eigen::MatrixXd at_once(by->rows(d, way.points()), 1);
  Workspace scratch;
  with_memory(way.pointers(0, 6), [&](const Memory& memory) { by->fit(memory, at_once, scratch); });
  const Eigen::MatrixXd whole = updated(*by, start(*by), way, 0, 6);
  CHECK(distance(whole, at_once) <= 1e-12);
  const Eigen::MatrixXd parts = updated(*by, updated(*by, start(*by), way, 0, 3), way, 3, 6);
  CHECK(distance(parts, at_once) <= 1e-12);
  // The order of the pairs tells.
  const Eigen::MatrixXd swapped = updated(*by, updated(*by, start(*by), way, 3, 6), way, 0, 3);
  CHECK(distance(swapped, at_once) > 1e-3);
}

TEST_CASE("after a hundred thousand updates the factors are still those of H") {
  const auto by = bfgs();
  Eigen::MatrixXd numbers = start(*by);
  for (std::uint64_t k = 0; k < 100; ++k) numbers = updated(*by, numbers, Way(k, 1001), 0, 1000);
  const Way last(99, 1001);
  CHECK(distance(product(*by, numbers, last.y(999), &Representation::H), last.s(999)) <= 1e-10);
  const Eigen::MatrixXd I = Eigen::MatrixXd::Identity(d, d);
  const Eigen::MatrixXd H = product(*by, numbers, I, &Representation::H);
  const Eigen::MatrixXd S = product(*by, numbers, I, &Representation::S);
  const Eigen::MatrixXd C = product(*by, numbers, I, &Representation::C);
  CHECK(distance(S * S.transpose(), H) <= 1e-6);
  CHECK(distance(C * S.transpose(), I) <= 1e-6);
}

TEST_CASE("every step of an accepted trajectory updates the matrix, and a rejected one none") {
  const Eigen::VectorXd initial =
      std::dynamic_pointer_cast<const RecursivePreconditioner>(bfgs())->initial(2);
  const auto moved_from_start = [&](const std::string& eps) {
    const Eigen::MatrixXd now = held(dense + rest("step_size = " + eps + "\n"), "x0/k/matrix", 1);
    // gamma is 1 here: H = I.
    return (now.topRows(4).colwise() - Eigen::Vector4d(1, 0, 0, 1)).colwise().norm().eval();
  };
  CHECK(initial(0) == 1.5);
  CHECK((moved_from_start("0.01").array() > 1e-3).all());
  // So far that U is beyond all bounds at the end.
  CHECK((moved_from_start("50").array() == 0.0).all());
}

TEST_CASE("a limited form remembers the positions that were accepted, and no others of the way") {
  const auto history = [&](const std::string& memory, std::int64_t sweeps,
                           const std::string& steps = "steps = 5") {
    return held(limited + "[kernel.k]\nuse = \"hamiltonian\"\n" + steps +
                    "\ncoupling = \"symmetric\"\nstep_size = 0.01\n[compositor.c]\nuse = "
                    "\"ensemble-chain\"\nslots = 1\nhistory = 3\nmemory = \"" +
                    memory + "\"\n",
                "x0/k/history", sweeps);
  };
  // A header, then for each of 3 points U, theta and grad U.
  const auto point = [](const Eigen::MatrixXd& all, Index k) {
    return all.middleRows(2 + 5 * k, 2);
  };
  const Eigen::MatrixXd second = history("published", 2);
  const Eigen::MatrixXd third = history("published", 3);
  CHECK(point(third, 1) == point(second, 2));
  CHECK(point(history("own-history", 3), 1) != point(history("own-history", 2), 2));
  // Ways of different lengths: where they ended.
  for (const std::string memory : {"published", "own-history"}) {
    const Eigen::MatrixXd before = history(memory, 2, "steps_jitter = [2, 5]");
    CHECK(point(history(memory, 3, "steps_jitter = [2, 5]"), 1) == point(before, 2));
    CHECK(point(before, 1) != point(before, 2));
  }
}

TEST_CASE("settings without a meaning for pairs that come for ever are refused") {
  const auto refusal = [](const std::string& estimator, const std::string& kernel) {
    return composing::refusal(model + estimator + kernel);
  };
  const std::string good = rest("step_size = 0.1\n");
  CHECK(refusal(dense, good) == "accepted");
  CHECK(contains(refusal("[estimator.e]\nuse = \"bfgs\"\n", good),
                 "`sort = true` sorts them by U. Set sort = false"));
  CHECK(contains(refusal(dense + "eigenvalues = [0.1, 10]\n", good), "Leave out `eigenvalues`"));
  CHECK(contains(refusal(dense, rest("step_size = 0.1\nsteps_jitter = [2, 5]\n")), "steps"));
  CHECK(contains(refusal(dense,
                         "[kernel.k]\nuse = \"langevin\"\nstep_size = 0.1\n"
                         "[compositor.c]\nuse = \"ensemble-chain\"\nslots = 1\nmemory = "
                         "\"published\"\n"),
                 "kernel `x0/k` must follow trajectories with a fixed number of steps"));
}

TEST_CASE("a matrix that is updated for ever is biased, and once it is frozen exact") {
  const auto found = [&](const std::string& estimator, const std::string& compositor) {
    return composing::verdict(model + estimator + rest("step_size = 0.1\n", compositor));
  };
  CHECK(found(dense, "").label() == "biased");
  CHECK(found(dense, "").rule == Rule::learning);
  CHECK(found(dense, "").proved);
  CHECK(found(limited, "").label() == "biased");
  CHECK(found(limited, "").rule == Rule::own_value);
  CHECK(found(dense, "freeze_after_warmup = true\n").label() == "exact");
  CHECK(found(limited, "freeze_after_warmup = true\n").label() == "exact");
}
