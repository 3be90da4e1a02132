// exp(-W) of a frozen surrogate beside the posterior it was learnt from, in two dimensions.
// SPDX-License-Identifier: Apache-2.0
//
// surrogate-density [FILE.csv]: prints how far the two are apart, for growing numbers of nodes, and
// writes both densities on a grid: columns nodes (0: the posterior), x, y, density.
#include <mixwell/lab/distances.hpp>
#include <mixwell/lab/manifest.hpp>
#include <mixwell/lab/registry.hpp>
#include <mixwell/lab/sampler.hpp>

#include <Eigen/Dense>

#include <algorithm>
#include <array>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>

using namespace mixwell;

namespace {

/// Deaths from stomach cancer: x is the logit of their mean rate, y the log of its precision.
const std::string model_table =
    "[model.m]\nuse = \"beta-binomial\"\ndata = \"cancermortality/cancermortality.csv\"\n";
constexpr Index side = 121;
const Eigen::MatrixXd grid = diagnostics::grid_points({{-7.9, -5.8, side}, {4.5, 15.5, side}});
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
  for (int seed = 1; seed <= seeds; ++seed) {
    const Learnt one = learnt(nodes, seed);
    forward.push_back(diagnostics::grid_relative_entropy(truth.u, one.W.u));
    backward.push_back(diagnostics::grid_relative_entropy(one.W.u, truth.u));
    score.push_back(diagnostics::score_distance(truth.g, one.W.g, p));
    acceptance.push_back(one.acceptance);
    if (seed == 1 && file != nullptr) write(file, nodes, one.W);
  }
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
  std::FILE* const file = count > 1 ? std::fopen(arguments[1], "w") : nullptr;
  if (count > 1 && file == nullptr) {
    std::fprintf(stderr, "surrogate-density: cannot write %s\n", arguments[1]);
    return 2;
  }
  const OnGrid truth = posterior();
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
