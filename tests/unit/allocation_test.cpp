// No transition allocates memory: sweeps after the first one do not call malloc.
// SPDX-License-Identifier: Apache-2.0
#include "composing.hpp"

#include <mixwell/base/random.hpp>
#include <mixwell/estimator.hpp>
#include <mixwell/lab/sampler.hpp>

#include <catch2/catch.hpp>

#include <atomic>
#include <cstdlib>
#include <optional>
#include <span>
#include <string>
#include <vector>

#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)

extern "C" void* __libc_malloc(std::size_t size);

namespace {

std::atomic<long> calls{0};

}  // namespace

/// Replaces the library's malloc in this program. operator new and Eigen also call it.
extern "C" void* malloc(std::size_t size) {
  calls.fetch_add(1, std::memory_order_relaxed);
  return __libc_malloc(size);
}

namespace {

using namespace mixwell;

/// Calls of malloc in 200 sweeps beyond those in 100.
long extra_calls(const std::string& body) {
  const Composition composition = composing::compose(body);
  long extra = 0;
  with_threads(1, [&] {
    Sampler sampler(composition.compositor, composition.run, compose(*composition.compositor));
    sampler.initialise();
    DrawBuffers buffers;
    const auto calls_in = [&](PhaseKind phase, std::int64_t sweeps) {
      const long before = calls.load();
      sampler.advance(phase, sweeps, &buffers);
      return calls.load() - before;
    };
    for (const PhaseKind phase : {PhaseKind::warmup, PhaseKind::sampling}) {
      calls_in(phase, 1000);  // grows the buffers; steps that were tried first may diverge
      const long small = calls_in(phase, 100);
      extra += std::abs(calls_in(phase, 200) - small);
    }
  });
  return extra;
}

}  // namespace

TEST_CASE("the counter of allocations counts") {
  const long before = calls.load();
  void* volatile plain = std::malloc(1);
  std::vector<double>* volatile vector = new std::vector<double>(100);
  std::free(plain);
  delete vector;
  CHECK(calls.load() >= before + 3);
}

TEST_CASE("a density of constrained values is differentiated without allocating") {
  const std::string model = "[model.m]\nuse = \"poisson-hierarchy\"\ndata = \"" MIXWELL_SOURCE_DIR
                            "/examples/outside/poisson-hierarchy.csv\"\n";
  CHECK(extra_calls("[run]\nreplicates = 8\n" + model +
                    "[kernel.k]\nuse = \"hamiltonian\"\nstep_size = 0.001\nsteps = 3\n"
                    "[estimator.identity]\nuse = \"identity\"\n") == 0);
}

TEST_CASE("a transition does not allocate") {
  // Divergences are kept with their positions: no transition here may diverge.
  const char* run = "[run]\nreplicates = 20\ninit = \"exact\"\n";
  const char* quartic = "[model.m]\nuse = \"quartic\"\ndimension = 5\n";
  const char* gaussian =
      "[model.m]\nuse = \"gaussian\"\ndimension = 6\ncovariance = \"ones-plus\"\nc = 2.0\n";
  for (const char* model : {quartic, gaussian}) {
    for (const char* estimator : {"diagonal", "dense"}) {
      INFO(model << estimator);
      CHECK(extra_calls(run + std::string(model) + "[estimator.e]\nuse = \"" + estimator +
                        "\"\n[kernel.k]\nuse = \"nuts\"\ntarget_acceptance = 0.99\n") == 0);
    }
    CHECK(extra_calls(run + std::string(model) +
                      "[kernel.k]\nuse = \"random-walk-metropolis\"\n[estimator.identity]\nuse = "
                      "\"identity\"\n[kernel.n]\nuse = "
                      "\"nuts\"\nlearn_step_size = false\n[compositor.c]\nuse = \"mixture\"\n") ==
          0);
    for (const char* kernel : {"steps = 10\nstep_size = 0.1\n",
                               "steps = 10\nstep_size = 0.02\ntarget_acceptance = 0.97\n",
                               "steps_jitter = [1, 9]\nstep_size_jitter = [0.5, 1]\n",
                               "steps = 10\nstep_size = 0.1\nmetropolis = false\n"}) {
      INFO(model << kernel);
      CHECK(extra_calls(run + std::string(model) +
                        "[estimator.identity]\nuse = \"identity\"\n[kernel.k]\nuse = "
                        "\"hamiltonian\"\n" +
                        kernel) == 0);
    }
  }
}

TEST_CASE("Gaussian proposals from a preconditioner do not allocate") {
  const std::string run = "[run]\nreplicates = 20\n[model.m]\nuse = \"quartic\"\ndimension = 5\n";
  const std::string kernel = "[kernel.k]\nuse = \"metropolis-gaussian\"\n";
  for (const char* estimator : {"bfgs", "lbfgs", "product-form"}) {
    for (const char* own : {"own = true\n", "own = false\n"}) {
      INFO(estimator << own);
      CHECK(extra_calls(run + "[estimator.e]\nuse = \"" + estimator + "\"\n" + kernel + own +
                        "[compositor.c]\nuse = \"ensemble-chain\"\nslots = 4\n") == 0);
    }
  }
  CHECK(extra_calls(run + "[estimator.e]\nuse = \"dense\"\n" + kernel +
                    "target_acceptance = 0.6\n") == 0);
}

TEST_CASE("steps without Metropolis do not allocate") {
  const std::string run =
      "[run]\nreplicates = 9\nallow = [\"biased\"]\n[model.m]\nuse = \"linear-gaussian\"\n"
      "dimension = 3\ncases = 40\n[oracle.o]\nuse = \"minibatch\"\nsize = 10\n";
  const std::string langevin = "[kernel.k]\nuse = \"langevin\"\nstep_size = 0.01\n";
  CHECK(extra_calls(run + langevin) == 0);
  for (const char* gamma : {"none", "stationary"}) {
    INFO(gamma);
    CHECK(extra_calls(run + "[estimator.e]\nuse = \"rms-diagonal\"\nlambda = 0.1\ngamma = \"" +
                      gamma + "\"\n" + langevin) == 0);
  }
  CHECK(extra_calls("[model.m]\nuse = \"banana\"\n[estimator.e]\nuse = \"expected-fisher\"\n" +
                    langevin) == 0);
  for (const char* dynamics : {"sghmc", "sgnht"}) {
    INFO(dynamics);
    CHECK(extra_calls(run + "[kernel.k]\nuse = \"recipe\"\nstep_size = 0.01\ndynamics = \"" +
                      dynamics + "\"\n") == 0);
  }
  CHECK(extra_calls("[model.m]\nuse = \"banana\"\n[kernel.k]\nuse = \"recipe\"\nstep_size = "
                    "0.01\ndynamics = \"sgrld\"\n") == 0);
  for (const char* memory : {"displacements", "cross"}) {
    INFO(memory);
    CHECK(extra_calls(run + "[estimator.e]\nuse = \"lbfgs\"\n" + langevin +
                      "[compositor.c]\nuse = \"lagged\"\nmemory = \"" + memory + "\"\n") == 0);
  }
  CHECK(extra_calls(
            run + "[integrator.i]\nuse = \"euler-maruyama-friction\"\n[kernel.k]\nuse = "
                  "\"hamiltonian\"\nsteps = 10\nmetropolis = false\nrefresh_every = 3\nstep_size = "
                  "0.01\n") == 0);
  CHECK(extra_calls(run + "[estimator.identity]\nuse = \"identity\"\n[kernel.k]\nuse = "
                          "\"hamiltonian\"\nsteps = 10\nratio = \"target\"\nstep_size = "
                          "0.01\n") == 0);
}

TEST_CASE("a surrogate that learns, and one that is frozen, do not allocate") {
  const std::string run =
      "[run]\nreplicates = 9\ninit = \"exact\"\n[model.m]\nuse = \"double-well\"\na = 0.5\nb = "
      "0.25\ndimension = 3\n[estimator.identity]\nuse = \"identity\"\n[kernel.k]\nuse = "
      "\"hamiltonian\"\nsteps = 10\nstep_size = 0.1\nratio = "
      "\"target\"\n[oracle.o]\nuse = \"surrogate\"\n";
  for (const char* activation : {"softplus", "tanh", "rbf"}) {
    const std::string network =
        "[estimator.e]\nuse = \"elm-surrogate\"\nnodes = 70\nactivation = \"" +
        std::string(activation) + "\"\n";
    for (const char* pool : {"true", "false"}) {
      INFO(activation << ", pool = " << pool);
      CHECK(extra_calls(run + "pool = " + pool + "\n" + network) == 0);
    }
  }
  CHECK(extra_calls(run + "fit_to = \"memory\"\n[estimator.e]\nuse = \"elm-surrogate\"\nnodes = "
                          "20\n[compositor.c]\nuse = \"ensemble-chain\"\nslots = 5\n") == 0);
}

TEST_CASE("an ensemble that fits its preconditioner does not allocate") {
  const std::string run =
      "[run]\nreplicates = 9\ninit = \"exact\"\n[model.m]\nuse = \"gaussian\"\ndimension = 6\n"
      "covariance = \"ones-plus\"\nc = 2.0\n";
  for (const char* estimator : {"bfgs", "lbfgs", "product-form"}) {
    for (const char* limits : {"", "eigenvalues = [0.1, 10]\n"}) {
      for (const char* kernel : {"use = \"hamiltonian\"\nstep_size = 0.3\nsteps_jitter = [1, 5]\n",
                                 "use = \"hamiltonian\"\nstep_size = 0.3\ncoupling = \"factor\"\n",
                                 "use = \"nuts\"\nlearn_step_size = false\nstep_size = 0.3\n"}) {
        INFO(estimator << "\n" << limits << kernel);
        CHECK(extra_calls(run + "[estimator.e]\nuse = \"" + estimator + "\"\n" + limits +
                          "[kernel.k]\n" + kernel +
                          "[compositor.c]\nuse = \"ensemble-chain\"\nslots = 5\n") == 0);
      }
    }
  }
}

namespace {

/// Points with gradients and potentials of U = |theta|_4^4 / 4, one column.
class Points {
 public:
  Points(Index d, Index count) : theta_(d, count) {
    Stream(1, "test/points").normals({}, theta_);
    g_ = theta_.array().cube();
    u_ = 0.25 * theta_.array().pow(4).colwise().sum();
    for (Index k = 0; k < count; ++k) from_.push_back(theta_.col(k).data());
    for (Index k = 0; k < count; ++k) from_.push_back(g_.col(k).data());
    for (Index k = 0; k < count; ++k) from_.push_back(&u_(k));
  }
  Memory view() const {
    const std::span<const double* const> all(from_);
    const std::size_t n = all.size() / 3;
    return {theta_.rows(), 1, all.first(n), all.subspan(n, n), all.last(n)};
  }

 private:
  Eigen::MatrixXd theta_;
  Eigen::MatrixXd g_;
  Eigen::RowVectorXd u_;
  std::vector<const double*> from_;
};

}  // namespace

TEST_CASE("a fit whose eigenvalues have limits does not allocate however many pairs it has") {
  // From 181 pairs on a Cholesky factorisation of Eigen would take its blocks from the heap.
  for (const auto& [id, pairs] : {std::pair("bfgs", 20), std::pair("lbfgs", 20),
                                  std::pair("product-form", 20), std::pair("lbfgs", 200)}) {
    const auto blueprint = composing::registry().find(Kind::estimator, id).blueprint();
    *std::get<std::optional<Interval>*>(blueprint->fields().find("eigenvalues")->target()) =
        Interval(1e-6, 1e6);
    const auto estimator = std::dynamic_pointer_cast<const FittedPreconditioner>(
        std::shared_ptr<const Component>(blueprint->make()));
    const Points points(420, pairs + 1);
    Eigen::MatrixXd numbers(estimator->rows(420, pairs + 1), 1);
    Workspace scratch;
    estimator->fit(points.view(), numbers, scratch);
    const long before = calls.load();
    estimator->fit(points.view(), numbers, scratch);
    const long extra = calls.load() - before;
    INFO(id << " with " << pairs << " pairs");
    CHECK(extra == 0);
  }
}

TEST_CASE("models of difficult shapes do not allocate") {
  const char* run = "[run]\nreplicates = 20\ninit = \"exact\"\n";
  for (const char* model :
       {"use = \"banana\"\n", "use = \"funnel\"\n", "use = \"student-t\"\ndimension = 3\n",
        "use = \"gaussian-mixture\"\n"}) {
    INFO(model);
    // Steps so small that no transition diverges.
    CHECK(extra_calls(run + std::string("[model.m]\n") + model +
                      "[estimator.identity]\nuse = \"identity\"\n[kernel.k]\nuse = "
                      "\"hamiltonian\"\nsteps = 10\nstep_size = 1e-4\n") == 0);
  }
}

TEST_CASE("a logistic regression in narrow blocks does not allocate") {
  const std::string data = std::string(MIXWELL_SOURCE_DIR) + "/examples/challenger/challenger.csv";
  CHECK(extra_calls("[run]\nreplicates = 3\n[model.m]\nuse = \"logistic-regression\"\ndata = \"" +
                    data +
                    "\"\nresponse = \"distress\"\ninputs = [\"temperature\"]\n"
                    "[estimator.identity]\nuse = \"identity\"\n[kernel.k]\nuse = "
                    "\"hamiltonian\"\nsteps = 10\ntarget_acceptance = 0.8\n") == 0);
}

TEST_CASE("terms of a sum do not allocate once warm") {
  const std::string data = std::string(MIXWELL_SOURCE_DIR) + "/examples/challenger/challenger.csv";
  for (const std::string& model :
       {"use = \"logistic-regression\"\ndata = \"" + data +
            "\"\nresponse = \"distress\"\ninputs = [\"temperature\"]\n",
        std::string("use = \"probit-regression\"\ncases = 300\ndimension = 5\n"),
        std::string("use = \"linear-gaussian\"\ncases = 300\ndimension = 5\n")}) {
    INFO(model);
    const Composition composition =
        composing::compose("[model.m]\n" + model +
                           "[estimator.identity]\nuse = \"identity\"\n[kernel.k]\nuse = "
                           "\"hamiltonian\"\nsteps = 10\n");
    const SumOfTerms& sum = *composition.model()->offers<SumOfTerms>();
    const Index d = composition.model()->dimension();
    const Eigen::MatrixXd theta = Eigen::MatrixXd::Constant(d, 3, 0.1);
    const Eigen::MatrixXd indices = Eigen::MatrixXd::Constant(200, 3, 7.0);
    Eigen::MatrixXd g(d, 3);
    Eigen::MatrixXd singly(d, 200);
    Eigen::RowVectorXd u(3);
    Workspace scratch;
    const auto calls_of_all = [&] {
      const long before = calls.load();
      sum.evaluate_rest(theta, {u.data(), g, scratch});
      sum.evaluate_terms(theta, indices, {u.data(), g, scratch});
      sum.gradients_of_terms(theta.leftCols(1), indices.leftCols(1), singly, scratch);
      return calls.load() - before;
    };
    calls_of_all();
    CHECK(calls_of_all() == 0);
  }
}

TEST_CASE("a metric as the mass does not allocate") {
  const std::string data = std::string(MIXWELL_SOURCE_DIR) + "/examples/challenger/challenger.csv";
  for (const std::string& model :
       {std::string("use = \"quartic\"\ndimension = 5\n"), std::string("use = \"banana\"\n"),
        "use = \"logistic-regression\"\ndata = \"" + data +
            "\"\nresponse = \"distress\"\ninputs = [\"temperature\"]\nprior_variance = 1\n"}) {
    INFO(model);
    // Steps so small that no transition diverges.
    CHECK(extra_calls("[run]\nreplicates = 20\n[model.m]\n" + model +
                      "[kernel.k]\nuse = \"riemannian\"\nsteps_jitter = [1, 3]\nstep_size = "
                      "0.02\n") == 0);
  }
}

TEST_CASE("minibatches and estimates of their noise do not allocate") {
  for (const char* oracle : {"minibatch", "control-variate"}) {
    for (const char* noise_from : {"fixed", "empirical-diagonal", "empirical-full"}) {
      INFO(oracle << ", " << noise_from);
      CHECK(extra_calls(std::string("[run]\nreplicates = 20\n[model.m]\nuse = "
                                    "\"linear-gaussian\"\ncases = 100\ndimension = 5\n"
                                    "[oracle.o]\nsize = 20\nuse = \"") +
                        oracle +
                        "\"\n[integrator.i]\nuse = \"euler-maruyama-friction\"\nfriction = 20\n"
                        "noise_from = \"" +
                        noise_from +
                        "\"\n[kernel.k]\nuse = \"hamiltonian\"\nmetropolis = false\n"
                        "persistence = 1\nstep_size = 0.01\nsteps_jitter = [1, 3]\n") == 0);
    }
  }
}

#endif
