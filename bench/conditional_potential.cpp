// What U of a block given the rest saves: a trajectory on the block with its cache, and with as
// many evaluations of the whole U.
// SPDX-License-Identifier: Apache-2.0
#include "../tests/guests.hpp"
#include "ratio.hpp"

#include <mixwell/base/random.hpp>
#include <mixwell/lab/manifest.hpp>
#include <mixwell/lab/registry.hpp>
#include <mixwell/law/conditional_potential.hpp>
#include <mixwell/law/selection.hpp>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <functional>
#include <memory>
#include <string>
#include <vector>

using namespace mixwell;

namespace {

const Registry& registry() {
  static const Registry all = Registry::load(guests::with_default_folders());
  return all;
}

std::shared_ptr<const Model> model_of(const std::string& lines) {
  return parse_manifest("mixwell = 1\n[model.m]\n" + lines, "bench.toml", registry()).model();
}

std::string written(const std::string& name, const std::function<void(std::ostream&)>& write) {
  const auto path = (std::filesystem::temp_directory_path() / name).string();
  std::ofstream out(path);
  write(out);
  return path;
}

/// Groups whose means are known by a number each.
std::shared_ptr<const Model> groups(int count) {
  std::string values;
  std::string sds;
  for (int j = 0; j < count; ++j) {
    values += (j == 0 ? "" : ", ") + std::to_string(10.0 * std::sin(1.7 * j));
    sds += (j == 0 ? "" : ", ") + std::to_string(2.0 + std::cos(0.9 * j));
  }
  return model_of("use = \"normal-groups\"\nvalues = [" + values + "]\nsds = [" + sds + "]\n");
}

/// 1000 cases of 20 inputs, 3 classes, 20 hidden units.
std::shared_ptr<const Model> network() {
  const std::string path = written("mixwell-bench-network.csv", [](std::ostream& out) {
    for (int i = 0; i < 20; ++i) out << 'x' << i << ',';
    out << "y\n";
    for (int n = 0; n < 1000; ++n) {
      for (int i = 0; i < 20; ++i) out << std::sin(1.0 + 0.37 * n + 2.1 * i) << ',';
      out << n % 3 << '\n';
    }
  });
  return model_of("use = \"bayesian-neural-network\"\ndata = \"" + path +
                  "\"\nresponse = \"y\"\nhidden = 20\n");
}

/// 10000 ratings of 200 items by 100 users, 10 factors.
std::shared_ptr<const Model> ratings() {
  const std::string path = written("mixwell-bench-ratings.dat", [](std::ostream& out) {
    for (int i = 0; i < 100; ++i)
      for (int j = i % 2; j < 200; j += 2)
        out << i << "::" << j << "::" << 1 + (3 * i + 11 * j) % 5 << '\n';
  });
  return model_of("use = \"matrix-factorisation\"\ndata = \"" + path + "\"\nrank = 10\n");
}

/// Ten steps: eleven evaluations, of which the first and the last ask for U.
constexpr int evaluations = 11;
bool wants_potential(int k) { return k == 0 || k == evaluations - 1; }

/// Both kinds of trajectory, at a fixed point.
class Trajectories {
 public:
  Trajectories(std::shared_ptr<const Model> model, const std::vector<std::string>& names)
      : model_(std::move(model)),
        own_(select_coordinates(model_->parameters(), names)),
        block_(model_->conditional_potential(own_)),
        theta_(model_->dimension(), 1),
        g_(model_->dimension(), 1) {
    Stream(1, "bench/block").normals({}, theta_);
    theta_ *= 0.1;
    x_ = theta_(own_, Eigen::all);
    g_x_ = x_;
    cache_.resize(block_->cache_rows(), 1);
  }

  void of_the_whole() {
    double u = 0.0;
    for (int k = 0; k < evaluations; ++k)
      model_->evaluate(theta_, {wants_potential(k) ? &u : nullptr, g_, scratch_});
  }
  void of_the_block() {
    double u = 0.0;
    block_->prepare(theta_, cache_, scratch_);
    const ConditionalCaches caches(Numbers(ConstMatrixMap(cache_.data(), cache_.rows(), 1)), 0);
    for (int k = 0; k < evaluations; ++k)
      block_->evaluate(caches, x_, {wants_potential(k) ? &u : nullptr, g_x_, scratch_});
  }

 private:
  std::shared_ptr<const Model> model_;
  std::vector<Index> own_;
  std::shared_ptr<const ConditionalPotential> block_;
  Eigen::MatrixXd theta_;
  Eigen::MatrixXd x_;
  Eigen::MatrixXd g_;
  Eigen::MatrixXd g_x_;
  Eigen::MatrixXd cache_;
  Workspace scratch_;
};

/// Repeats both until they take about a millisecond.
bool gain(const char* what, std::shared_ptr<const Model> model,
          const std::vector<std::string>& names, double least) {
  Trajectories run(std::move(model), names);
  const double once = bench::seconds([&] { run.of_the_whole(); }, bench::Clock::thread);
  const int times = std::max(1, static_cast<int>(1e-3 / once));
  const auto repeated = [&](auto&& body) {
    return [&, body] {
      for (int k = 0; k < times; ++k) body();
    };
  };
  const auto r = bench::ratio(repeated([&] { run.of_the_whole(); }),
                              repeated([&] { run.of_the_block(); }), 101);
  char goal[16];
  std::snprintf(goal, sizeof goal, ">= %g", least);
  return bench::print(what, r, goal, r.median >= least);
}

}  // namespace

int main() {
  bool met = true;
  met =
      gain("normal-groups, J = 8: whole / mu and tau given theta", groups(8), {"mu", "tau"}, 1.5) &&
      met;
  met = gain("normal-groups, J = 1000: whole / mu and tau given theta", groups(1000), {"mu", "tau"},
             4) &&
        met;
  met = gain("normal-groups, J = 1000: whole / 100 theta given all else", groups(1000),
             {"theta[:100]"}, 6) &&
        met;
  met = gain("network, N = 1000, 20 - 20 - 3: whole / output given all else", network(),
             {"output_weights", "output_bias"}, 1.8) &&
        met;
  met = gain("factorisation, N = 10000, K = 10: whole / a user given all else", ratings(),
             {"user_factors[3]", "user_bias[3]"}, 8) &&
        met;
  return met ? 0 : 1;
}
