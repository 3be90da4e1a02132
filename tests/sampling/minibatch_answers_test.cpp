// Schemes without Metropolis on minibatches of a linear regression, where everything is known. The
// gradient is linear in theta, so the covariance V(theta) of its noise is quadratic, and the second
// moments of the scheme solve a discrete Lyapunov equation that contains E V. A right case has all
// |z| <= 5. Each mistake in a noise must give |z| > 8 on the same figures.
// SPDX-License-Identifier: Apache-2.0
#include "temporary_folder.hpp"
#include "testing.hpp"

#include <mixwell/lab/sampler.hpp>

#include <Eigen/Dense>

#include <cmath>
#include <functional>
#include <string>
#include <vector>

using namespace mixwell;
using Eigen::MatrixXd;
using Eigen::VectorXd;

namespace {

constexpr Index case_count = 60;
const std::string model_table =
    "[model.m]\nuse = \"linear-gaussian\"\ncases = 60\ndimension = 2\ncorrelation = 0.6\n";

std::string text(double x) { return std::to_string(x); }

struct Minibatch {
  Index size;
  bool replacement;

  std::string oracle(const std::string& use = "minibatch") const {
    return "[oracle.o]\nuse = \"" + use + "\"\nsize = " + std::to_string(size) +
           "\nreplacement = " + (replacement ? "true\n" : "false\n");
  }
  /// V = factor times the sum over all cases of centred squares.
  double factor() const {
    const auto N = static_cast<double>(case_count);
    const auto n = static_cast<double>(size);
    return replacement ? N / n : N * N / n * (1.0 - n / N) / (N - 1.0);
  }
};

/// grad u_n(theta) = v_n + M_n (theta - mean), and the posterior N(mean, precision^-1).
class Regression {
 public:
  Regression() {
    const Composition c =
        composing::compose(model_table +
                           "[estimator.identity]\nuse = \"identity\"\n[kernel.k]\nuse = "
                           "\"hamiltonian\"\nsteps = 10\n");
    const Model& model = *c.model();
    const Index d = model.dimension();
    MatrixXd G(d * d, 1);
    MatrixXd g(d, 1);
    Workspace scratch;
    model.offers<Metric>()->metric(VectorXd::Zero(d), G, scratch);
    precision = G.reshaped(d, d);
    model.evaluate(VectorXd::Zero(d), {nullptr, g, scratch});
    mean = -precision.ldlt().solve(g.col(0));
    v = terms(model, mean);
    for (Index i = 0; i < d; ++i) {
      slopes.emplace_back(terms(model, mean + VectorXd::Unit(d, i)) - v);
    }
    centre(v);
    for (MatrixXd& slope : slopes) centre(slope);
  }

  Index dimension() const { return mean.size(); }
  /// E V(theta) for theta of this covariance around the mean.
  MatrixXd mean_noise(const MatrixXd& covariance, const Minibatch& batch) const {
    MatrixXd sum = v * v.transpose();
    for (Index i = 0; i < dimension(); ++i) {
      for (Index j = 0; j < dimension(); ++j) {
        sum += covariance(i, j) * slopes[static_cast<std::size_t>(i)] *
               slopes[static_cast<std::size_t>(j)].transpose();
      }
    }
    return batch.factor() * sum;
  }

  MatrixXd precision;
  VectorXd mean;
  MatrixXd v;                    ///< d x N, minus its mean over the cases
  std::vector<MatrixXd> slopes;  ///< [i] = its derivative along coordinate i

 private:
  static MatrixXd terms(const Model& model, const VectorXd& theta) {
    MatrixXd out(theta.size(), case_count);
    Workspace scratch;
    const VectorXd all = VectorXd::LinSpaced(case_count, 0, static_cast<double>(case_count - 1));
    model.offers<SumOfTerms>()->gradients_of_terms(theta, all, out, scratch);
    return out;
  }
  static void centre(MatrixXd& all) { all.colwise() -= VectorXd(all.rowwise().mean()); }
};

/// P = A P A' + Q(covariance of theta in P), by iteration; theta's is the first d x d block.
MatrixXd stationary(const MatrixXd& A, Index d, const std::function<MatrixXd(const MatrixXd&)>& Q) {
  MatrixXd P = MatrixXd::Zero(A.rows(), A.rows());
  for (int k = 0; k < 200000; ++k) {
    const MatrixXd next = A * P * A.transpose() + Q(P.topLeftCorner(d, d));
    const bool done = (next - P).norm() < 1e-14 * next.norm();
    P = next;
    if (done) break;
  }
  return P.topLeftCorner(d, d);
}

/// Largest |z| of E (theta - mean)(theta - mean)' = wanted, over replicates and sweeps.
double largest_z(const Regression& regression, const MatrixXd& wanted, const std::string& rest,
                 std::int64_t sweeps) {
  constexpr std::int64_t replicates = 4000;
  const Composition c = composing::compose(model_table + rest);
  RunSettings settings = c.run;
  settings.seed = 11;
  settings.replicates = replicates;
  settings.init.how = Init::How::exact;
  Sampler sampler(c.compositor, settings, compose(*c.compositor));
  sampler.initialise();
  sampler.advance(PhaseKind::sampling, 60);
  const Index d = regression.dimension();
  Eigen::ArrayXXd sum = Eigen::ArrayXXd::Zero(d * d, replicates);
  for (std::int64_t k = 0; k < sweeps; ++k) {
    sampler.advance(PhaseKind::sampling, 1);
    const MatrixXd all =
        sampler.variable(c.compositor->slots().front()).colwise() - regression.mean;
    for (Index i = 0; i < d; ++i) {
      for (Index j = 0; j < d; ++j) sum.row(i * d + j) += (all.row(i).array() * all.row(j).array());
    }
  }
  sum /= static_cast<double>(sweeps);
  const Eigen::ArrayXd mean = sum.rowwise().mean();
  const Eigen::ArrayXd error = ((sum.colwise() - mean).square().rowwise().sum() /
                                static_cast<double>(replicates * (replicates - 1)))
                                   .sqrt();
  return ((mean - wanted.reshaped().array()) / error).abs().maxCoeff();
}

/// theta+ - mean = (I - eps gamma P)(theta - mean) - eps gamma noise + sqrt(2 eps gamma) z.
MatrixXd langevin(const Regression& r, double eps, double gamma, const Minibatch& batch) {
  const MatrixXd I = MatrixXd::Identity(r.dimension(), r.dimension());
  return stationary(I - eps * gamma * r.precision, r.dimension(), [&](const MatrixXd& P) {
    return MatrixXd(2.0 * eps * gamma * I + eps * eps * gamma * gamma * r.mean_noise(P, batch));
  });
}

/// The scheme with friction, A = H: theta+ = theta + eps H p, p+ = p - eps H (P theta+ + noise) -
/// eps F p + N(0, 2 eps F I - eps^2 known(V)).
MatrixXd friction(const Regression& r, double eps, double F, const Minibatch& batch,
                  const MatrixXd& H, const std::function<MatrixXd(const MatrixXd&)>& known) {
  const Index d = r.dimension();
  const MatrixXd I = MatrixXd::Identity(d, d);
  MatrixXd A(2 * d, 2 * d);
  A << I, eps * H, -eps * H * r.precision, (1.0 - eps * F) * I - eps * eps * H * r.precision * H;
  return stationary(A, d, [&](const MatrixXd& P) {
    const MatrixXd V = r.mean_noise(P, batch);
    MatrixXd Q = MatrixXd::Zero(2 * d, 2 * d);
    Q.bottomRightCorner(d, d) = 2.0 * eps * F * I + eps * eps * (H * V * H - known(V));
    return Q;
  });
}

const std::vector<Minibatch>& batches() {
  static const std::vector<Minibatch> all = {{12, false}, {12, true}};
  return all;
}

std::string langevin_kernel(double eps, const std::string& integrator = "") {
  return integrator + "[kernel.k]\nuse = \"langevin\"\nstep_size = " + text(eps) + "\n";
}

/// Two identical points make no pair, so that H is gamma I.
std::string preconditioned(double gamma) {
  return "[estimator.e]\nuse = \"lbfgs\"\ngamma = " + text(gamma) +
         "\n[compositor.c]\nuse = \"ensemble-chain\"\nslots = 1\nmemory = \"own-history\"\n"
         "freeze_after_warmup = true\n";
}

std::string friction_kernel(double eps, const std::string& more = "") {
  return "[kernel.k]\nuse = \"hamiltonian\"\nmetropolis = false\npersistence = 1\nsteps = 5\n"
         "step_size = " +
         text(eps) + "\n" + more;
}

std::string friction_integrator(double F, const std::string& noise_from) {
  return "[integrator.i]\nuse = \"euler-maruyama-friction\"\nfriction = " + text(F) +
         "\nnoise_from = \"" + noise_from + "\"\n";
}

std::string wrong(const std::string& id, const std::string& mistake, const std::string& more = "") {
  return "[integrator.i]\nuse = \"" + id + "\"\nmistake = \"" + mistake + "\"\n" + more;
}

void check_right(double z, const std::string& what) {
  INFO(what << ": |z| <= " << z);
  CHECK(z <= 5.0);
}

void check_caught(double z, const std::string& what) {
  INFO(what << ": |z| up to " << z);
  CHECK(z > 8.0);
}

constexpr double usual_eps = 0.08;
constexpr double usual_scale = 1.7;
constexpr double usual_friction = 5.0;
const MatrixXd no_noise = MatrixXd::Zero(2, 2);

/// A preconditioner H that is neither diagonal nor a multiple of I, from a file.
class PreconditionerFile {
 public:
  static MatrixXd H() { return MatrixXd{{1.2, 0.5}, {0.5, 0.7}}; }
  std::string estimator() const {
    return "[estimator.e]\nuse = \"curvature-file\"\nfile = \"" + file_ + "\"\n";
  }

 private:
  mixwell::testing::TemporaryFolder place_;
  std::string file_ = place_.file("H.csv", "1.2,0.5\n0.5,0.7\n");
};

}  // namespace

TEST_CASE("Langevin dynamics on minibatches has the covariance of its discretisation") {
  const Regression r;
  for (const Minibatch& batch : batches()) {
    const MatrixXd wanted = langevin(r, usual_eps, 1.0, batch);
    const MatrixXd exact = r.precision.inverse();
    INFO("trace " << wanted.trace() << ", of the posterior " << exact.trace());
    CHECK(wanted.trace() > 1.2 * exact.trace());
    const auto z = [&](const std::string& oracle, const std::string& integrator = "") {
      return largest_z(r, wanted, oracle + langevin_kernel(usual_eps, integrator), 40);
    };
    check_right(z(batch.oracle()), "as it is");
    check_right(z(batch.oracle(), wrong("wrong-langevin", "none")), "right version");
    check_right(z(batch.oracle("wrong-minibatch")), "right version of the oracle");
    for (const char* mistake : {"factor-2", "root"}) {
      check_caught(z(batch.oracle(), wrong("wrong-langevin", mistake)), mistake);
    }
    check_caught(z(batch.oracle("wrong-minibatch") + "mistake = \"N-over-n\"\n"), "N/n");
    const Minibatch other{batch.size, !batch.replacement};
    check_caught(z(other.oracle()), "the other way to draw a batch");
  }
}

TEST_CASE("preconditioned Langevin dynamics on minibatches has the covariance of its scheme") {
  const Regression r;
  for (const Minibatch& batch : batches()) {
    const double eps = usual_eps / usual_scale;
    const MatrixXd wanted = langevin(r, eps, usual_scale, batch);
    const auto z = [&](const std::string& integrator) {
      const std::string rest =
          batch.oracle() + preconditioned(usual_scale) + langevin_kernel(eps, integrator);
      return largest_z(r, wanted, rest, 40);
    };
    check_right(z(""), "as it is");
    check_right(z(wrong("wrong-langevin", "none")), "right version");
    check_caught(z(wrong("wrong-langevin", "preconditioner")), "noise without S");
  }
}

TEST_CASE("friction on minibatches has the covariance of its scheme, D fixed or estimated",
          "[nightly]") {
  const Regression r;
  const MatrixXd I = MatrixXd::Identity(2, 2);
  // The estimates of single batches have heavy tails: F is far above E D, below which none may be.
  struct Damped {
    Minibatch batch;
    double F;
  };
  for (const Damped& c : {Damped{{30, false}, 5.0}, Damped{{30, true}, 9.0}}) {
    const auto wanted = [&](const auto& known) {
      return friction(r, usual_eps, c.F, c.batch, I, known);
    };
    const MatrixXd without_D = wanted([](const MatrixXd&) { return no_noise; });
    const MatrixXd with_diagonal =
        wanted([](const MatrixXd& V) { return MatrixXd(V.diagonal().asDiagonal()); });
    const MatrixXd with_full = wanted([](const MatrixXd& V) { return V; });
    INFO("traces " << without_D.trace() << ", " << with_diagonal.trace() << ", "
                   << with_full.trace());
    const auto z = [&](const MatrixXd& answer, const std::string& integrator) {
      return largest_z(r, answer, c.batch.oracle() + integrator + friction_kernel(usual_eps), 120);
    };
    check_right(z(without_D, friction_integrator(c.F, "fixed")), "D = 0");
    check_right(z(with_diagonal, friction_integrator(c.F, "empirical-diagonal")), "diagonal");
    check_right(z(with_full, friction_integrator(c.F, "empirical-full")), "full");
    const auto mutant = [&](const char* mistake) {
      return wrong("wrong-friction", mistake, "friction = " + text(c.F) + "\n");
    };
    check_right(z(with_diagonal, mutant("none")), "right version");
    for (const char* mistake : {"factor-2", "root", "half-of-D", "sign-of-D"}) {
      check_caught(z(with_diagonal, mutant(mistake)), mistake);
    }
    check_caught(z(with_full, friction_integrator(c.F, "fixed")), "D = 0 for full");
  }
}

TEST_CASE("friction with a preconditioner estimates the noise of its force", "[nightly]") {
  const Regression r;
  const PreconditionerFile file;
  const MatrixXd H = PreconditionerFile::H();
  const Minibatch batch{30, false};
  const auto z = [&](const MatrixXd& answer, const char* noise_from) {
    return largest_z(r, answer,
                     batch.oracle() + file.estimator() +
                         friction_integrator(usual_friction, noise_from) +
                         friction_kernel(usual_eps, "coupling = \"symmetric\"\n"),
                     120);
  };
  const auto wanted = [&](const auto& known) {
    return friction(r, usual_eps, usual_friction, batch, H, known);
  };
  const MatrixXd with_full = wanted([&](const MatrixXd& V) { return MatrixXd(H * V * H); });
  const MatrixXd with_diagonal =
      wanted([&](const MatrixXd& V) { return MatrixXd(H * V.diagonal().asDiagonal() * H); });
  check_right(z(with_full, "empirical-full"), "full");
  check_right(z(with_diagonal, "empirical-diagonal"), "diagonal");
  check_caught(z(with_full, "fixed"), "D = 0 for full");
}
