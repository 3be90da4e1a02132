// exp(-W) of a frozen surrogate beside the posterior it was learnt from, in two dimensions.
// SPDX-License-Identifier: Apache-2.0
//
// surrogate-density [FILE.csv]: prints how far the two are apart, for growing numbers of nodes, and
// writes both densities on a grid: columns nodes (0: the posterior), x, y, density; of five seeds
// the one whose relative entropy is the median. Exit codes: 1 the grid cuts the posterior; 2
// FILE.csv.
#include <mixwell/lab/distances.hpp>
#include <mixwell/lab/manifest.hpp>
#include <mixwell/lab/registry.hpp>
#include <mixwell/lab/sampler.hpp>

#include <Eigen/Dense>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <utility>
#include <vector>

using namespace mixwell;

namespace {

/// Deaths from stomach cancer: x is the logit of their mean rate, y the log of its precision.
const std::string model_table =
    "[model.m]\nuse = \"beta-binomial\"\ndata = \"cancermortality/cancermortality.csv\"\n";
constexpr Index side = 161;
const Eigen::MatrixXd grid = diagnostics::grid_points({{-8.5, -3.5, side}, {1.5, 19.5, side}});
/// Of the density at the grid's border to its maximum: beyond it nothing counts.
constexpr double most_at_border = 1e-4;
constexpr std::array<int, 6> node_counts{4, 8, 16, 32, 64, 128};
constexpr int seeds = 5;
constexpr int warmup_sweeps = 2000;  ///< mu = 1 - exp(-10) at its end

Composition composed(int nodes, int seed) {
  static const Registry registry = Registry::load(Registry::default_folders());
  return parse_manifest(
      "mixwell = 1\n[run]\nseed = " + std::to_string(seed) +
          "\nreplicates = 1\ninit = { value = [-6.8, 8] }\nwarmup = " +
          std::to_string(warmup_sweeps) + "\n" + model_table +
          "[estimator.e]\nuse = \"elm-surrogate\"\nnodes = " + std::to_string(nodes) +
          "\nseed = " + std::to_string(seed) +
          "\n[oracle.o]\nuse = \"surrogate\"\ntransition = 200\n[kernel.k]\nuse = \"hamiltonian\"\n"
          "step_size = 0.25\nstep_size_jitter = [0.8, 1.2]\nsteps = 8\n",
      "bench.toml", registry);
}

/// A potential and its gradient on the grid.
struct OnGrid {
  Eigen::RowVectorXd u = Eigen::RowVectorXd(side * side);
  Eigen::MatrixXd g = Eigen::MatrixXd(2, side* side);

  /// The largest density at the border, over the maximum.
  double at_border() const {
    double most = 0.0;
    for (Index k = 0; k < u.size(); ++k) {
      const bool inside = k % side > 0 && k % side < side - 1 && k >= side && k < u.size() - side;
      if (!inside) most = std::max(most, std::exp(u.minCoeff() - u[k]));
    }
    return most;
  }
  /// exp(-U), of sum 1.
  Eigen::ArrayXd density() const {
    const Eigen::ArrayXd e = (u.minCoeff() - u.array()).exp();
    return e / e.sum();
  }
};

OnGrid posterior() {
  OnGrid all;
  Workspace scratch;
  composed(1, 1).model()->evaluate(grid, {all.u.data(), all.g, scratch});
  return all;
}

OnGrid surrogate(Sampler& sampler) {
  const auto& values = sampler.graph(PhaseKind::sampling).values();
  const auto view = std::find_if(values.begin(), values.end(),
                                 [](const auto& v) { return v.name == "k/oracle/view"; });
  const MatrixMap numbers = sampler.variable("k/oracle/register");
  OnGrid all;
  Workspace scratch;
  dynamic_cast<const Potential&>(*view->function)
      .evaluate(ConstMatrixMap(numbers.data(), numbers.rows(), 1), grid,
                {all.u.data(), all.g, scratch});
  return all;
}

struct Learnt {
  OnGrid W;
  double acceptance;
};

/// W as it is when warm-up ends.
Learnt learnt(int nodes, int seed) {
  const Composition composition = composed(nodes, seed);
  Sampler sampler(composition.compositor, composition.run, compose(*composition.compositor));
  sampler.initialise();
  Index moves = 0;
  for (int k = 0; k < warmup_sweeps; ++k) {
    const Eigen::MatrixXd before = sampler.variable("theta");
    sampler.advance(PhaseKind::warmup, 1);
    moves += before == sampler.variable("theta") ? 0 : 1;
  }
  return {surrogate(sampler), static_cast<double>(moves) / warmup_sweeps};
}

double median(std::vector<double> x) {
  std::sort(x.begin(), x.end());
  return x[x.size() / 2];
}

std::size_t place_of_median(const std::vector<double>& x) {
  return static_cast<std::size_t>(std::find(x.begin(), x.end(), median(x)) - x.begin());
}

void write(std::FILE* file, int nodes, const OnGrid& of) {
  const Eigen::ArrayXd p = of.density();
  for (Index k = 0; k < p.size(); ++k) {
    std::fprintf(file, "%d,%.6g,%.6g,%.6g\n", nodes, grid(0, k), grid(1, k), p[k]);
  }
}

/// One row of the table: medians over the seeds of nodes and chains, and the worst.
void compare(int nodes, const OnGrid& truth, std::FILE* file) {
  const Eigen::RowVectorXd p = truth.density().matrix().transpose();
  std::vector<double> forward;
  std::vector<double> backward;
  std::vector<double> score;
  std::vector<double> acceptance;
  std::vector<OnGrid> all;
  for (int seed = 1; seed <= seeds; ++seed) {
    Learnt one = learnt(nodes, seed);
    forward.push_back(diagnostics::grid_relative_entropy(truth.u, one.W.u));
    backward.push_back(diagnostics::grid_relative_entropy(one.W.u, truth.u));
    score.push_back(diagnostics::score_distance(truth.g, one.W.g, p));
    acceptance.push_back(one.acceptance);
    all.push_back(std::move(one.W));
  }
  if (file != nullptr) write(file, nodes, all[place_of_median(forward)]);
  std::printf("| %d | %.2f | %.2g | %.2g | %.2g | %.2g |\n", nodes, median(acceptance),
              median(forward), *std::max_element(forward.begin(), forward.end()), median(backward),
              median(score));
}

}  // namespace

int main(int count, char** arguments) {
  if (std::getenv("MIXWELL_DATA") == nullptr) {
    std::printf("left out; MIXWELL_DATA must name the folders of data sets\n");
    return 0;
  }
  const OnGrid truth = posterior();
  if (truth.at_border() > most_at_border) {
    std::fprintf(stderr,
                 "surrogate-density: the grid cuts the posterior, of which %.2g of the maximum is "
                 "at its border\n",
                 truth.at_border());
    return 1;
  }
  std::FILE* const file = count > 1 ? std::fopen(arguments[1], "w") : nullptr;
  if (count > 1 && file == nullptr) {
    std::fprintf(stderr, "surrogate-density: cannot write %s\n", arguments[1]);
    return 2;
  }
  if (file != nullptr) {
    std::fprintf(file, "nodes,x,y,density\n");
    write(file, 0, truth);
  }
  std::printf(
      "| s | accepted | KL(p, q) | worst | KL(q, p) | score distance "
      "|\n|---|---|---|---|---|---|\n");
  for (const int nodes : node_counts) compare(nodes, truth, file);
  if (file != nullptr) std::fclose(file);
}
