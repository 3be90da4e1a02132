// The kernel `metropolis-gaussian`: its acceptance ratio against whole matrices, and its errors.
// SPDX-License-Identifier: Apache-2.0
#include "support.hpp"

#include <mixwell/kernel.hpp>
#include <mixwell/lab/sampler.hpp>

#include <Eigen/LU>

#include <algorithm>
#include <string>
#include <vector>

using namespace mixwell;
using Eigen::MatrixXd;
using Eigen::VectorXd;

namespace {

constexpr Index replicate_count = 16;
constexpr double step_size = 0.7;

Composition composed(const std::string& kernel, const std::string& rest = "") {
  return parse_manifest(
      "mixwell = 1\n[run]\nreplicates = 16\ninit = \"exact\"\n"
      "[model.q]\nuse = \"quartic\"\ndimension = 2\n"
      "[kernel.k]\nuse = \"metropolis-gaussian\"\nstep_size = 0.7\n" +
          kernel + rest,
      "test.toml", support::registry());
}

Composition ensemble(const std::string& kernel) {
  return composed(kernel,
                  "[estimator.e]\nuse = \"product-form\"\n"
                  "[compositor.c]\nuse = \"ensemble-chain\"\nslots = 3\n");
}

double U(const VectorXd& x) { return 0.25 * x.array().pow(4).sum(); }
VectorXd gradient(const VectorXd& x) { return x.array().cube(); }

/// BFGS in the order of descending U from gamma I, with the gamma of the newest pair. Every pair of
/// the convex U counts.
MatrixXd bfgs(std::vector<VectorXd> points) {
  std::sort(points.begin(), points.end(),
            [](const VectorXd& a, const VectorXd& b) { return U(a) > U(b); });
  const auto pair = [&](std::size_t k) {
    return std::pair<VectorXd, VectorXd>(points[k] - points[k - 1],
                                         gradient(points[k]) - gradient(points[k - 1]));
  };
  const auto [last_s, last_y] = pair(points.size() - 1);
  const MatrixXd I = MatrixXd::Identity(last_s.size(), last_s.size());
  MatrixXd H = last_s.dot(last_y) / last_y.squaredNorm() * I;
  for (std::size_t k = 1; k < points.size(); ++k) {
    const auto [s, y] = pair(k);
    const MatrixXd V = I - y * s.transpose() / s.dot(y);
    H = V.transpose() * H * V + s * s.transpose() / s.dot(y);
  }
  return H;
}

/// The values of the manifest, repeated here.
struct Case {
  const char* keys;
  bool own;
  double factor;  ///< a of m = centre - a H g
  bool at_slot;   ///< the centre is the last point of the memory
};

/// -log q(y | x) for a memory of two points.
double negative_log(const Case& c, const VectorXd& y, const VectorXd& x,
                    const std::vector<VectorXd>& memory) {
  std::vector<VectorXd> points = memory;
  if (c.own) points.push_back(x);
  const MatrixXd H = bfgs(points);
  const VectorXd mean = (c.at_slot ? memory.back() : x) - c.factor * H * gradient(x);
  const MatrixXd covariance = step_size * step_size * H;
  return 0.5 * (y - mean).dot(covariance.inverse() * (y - mean)) +
         0.5 * std::log(covariance.determinant());
}

std::size_t record_of(const Sampler& sampler, const std::string& name) {
  const auto& records = sampler.graph(PhaseKind::sampling).records();
  const auto found = std::find_if(records.begin(), records.end(),
                                  [&](const Record& r) { return r.name == name && r.slot == 0; });
  return static_cast<std::size_t>(found - records.begin());
}

/// The message with which the composition is refused, or "accepted".
std::string refusal(const std::string& kernel, const std::string& rest = "") {
  try {
    const Composition composition = composed(kernel, rest);
    compose(*composition.compositor);
    return "accepted";
  } catch (const InputError& error) {
    return error.what();
  }
}

}  // namespace

TEST_CASE("the acceptance probability of a Gaussian proposal equals that of whole matrices") {
  const double langevin = 0.5 * step_size * step_size;
  for (const Case& c :
       {Case{"", true, langevin, false}, Case{"own = false\n", false, langevin, false},
        Case{"newton_factor = 0.3\n", true, 0.3, false},
        Case{"mean = \"current\"\n", true, 0.0, false},
        Case{"mean = \"slot\"\n", true, 0.0, true}}) {
    INFO(c.keys);
    const Composition composition = ensemble(c.keys);
    Sampler sampler(composition.compositor, composition.run, compose(*composition.compositor));
    sampler.initialise();
    const MatrixXd x = sampler.variable("x0");
    const MatrixXd first = sampler.variable("x1");
    const MatrixXd second = sampler.variable("x2");
    DrawBuffers buffers;
    sampler.advance(PhaseKind::sampling, 1, &buffers);
    const auto& acceptance = buffers.data[record_of(sampler, "acceptance_rate")];
    const MatrixXd y = sampler.variable("x0/k/proposal");
    const MatrixXd next = sampler.variable("x0");
    Index partly = 0;
    for (Index j = 0; j < replicate_count; ++j) {
      const std::vector<VectorXd> memory = {first.col(j), second.col(j)};
      const double error = U(y.col(j)) + negative_log(c, x.col(j), y.col(j), memory) - U(x.col(j)) -
                           negative_log(c, y.col(j), x.col(j), memory);
      const double expected = std::min(1.0, std::exp(-error));
      CHECK(acceptance[static_cast<std::size_t>(j)] ==
            Approx(expected).epsilon(1e-9).margin(1e-12));
      CHECK((next.col(j) == x.col(j) || next.col(j) == y.col(j)));
      partly += expected > 0.01 && expected < 0.99;
    }
    CHECK(partly >= 4);
  }
}

TEST_CASE("a mean and a factor of a Gaussian proposal that contradict one another are refused") {
  CHECK_THAT(
      refusal("mean = \"current\"\nnewton_factor = 1\n"),
      Catch::Contains("newton_factor") &&
          Catch::Contains("has no effect because mean = \"current\". It needs mean = \"newton\""));
}

TEST_CASE("a Gaussian proposal around a slot of a memory without points is refused") {
  CHECK_THAT(refusal("mean = \"slot\"\n"),
             Catch::Contains("the compositor provides no positions of other slots"));
}

TEST_CASE("a Gaussian proposal fitted to its own point and a history is refused") {
  const auto blueprint = support::registry().find(Kind::kernel, "metropolis-gaussian").blueprint();
  const auto give = [&](const char* key, Kind kind, const char* id) {
    std::get<ComponentReference>(blueprint->fields().find(key)->target())
        .bind(support::registry().find(kind, id).blueprint()->make());
  };
  give("oracle", Kind::oracle, "exact");
  give("estimator", Kind::estimator, "lbfgs");
  const std::shared_ptr<const Component> kernel = blueprint->make();
  KernelGraph graph;
  Site site;
  site.path = "k";
  site.slot = graph.slot("theta", 2);
  site.target = target_law(graph, "q", support::make_model("use = \"quartic\"\ndimension = 2\n"));
  site.fit_to = FitTo::history;
  CHECK_THROWS_WITH(dynamic_cast<const Kernel&>(*kernel).describe(graph, site),
                    Catch::Contains("Set own = false"));
}
