// The programs of examples/stan with real engines. Skipped if there are none.
// SPDX-License-Identifier: Apache-2.0
#include "../stan/engines.hpp"
#include "../unit/support.hpp"

#include <mixwell/contracts/model.hpp>
#include <mixwell/lab/draws.hpp>
#include <mixwell/lab/generate.hpp>
#include <mixwell/lab/gradient_check.hpp>
#include <mixwell/lab/run.hpp>

#include <Eigen/QR>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <string>
#include <vector>

namespace {

using Eigen::MatrixXd;
using mixwell::Index;

const std::string examples = MIXWELL_SOURCE_DIR "/examples/stan/";

using engines::need_compiler;
using engines::need_stanli;

std::string keys_at(const std::string& path, const std::string& engine) {
  return "use = \"stan\"\nprogram = \"" + path + ".stan\"\ndata = \"" + path +
         ".data.json\"\nengine = \"" + engine + "\"\n";
}

std::string keys(const std::string& stem, const std::string& engine) {
  return keys_at(examples + stem, engine);
}

/// Paths without ".stan": the examples, and programs of many kinds.
std::vector<std::string> all_programs() {
  std::vector<std::string> all;
  for (const std::string& folder :
       {examples, std::string(MIXWELL_SOURCE_DIR "/tests/stan/programs/")})
    for (const auto& entry : std::filesystem::directory_iterator(folder))
      if (entry.path().extension() == ".stan")
        all.push_back(entry.path().parent_path() / entry.path().stem());
  std::sort(all.begin(), all.end());
  return all;
}

/// Of parameters and transformed parameters at theta.
MatrixXd derived(const mixwell::Model& model, const MatrixXd& theta) {
  const auto names = mixwell::coordinate_names(model.offers<mixwell::Derived>()->quantities());
  MatrixXd out(static_cast<Index>(names.size()), theta.cols());
  model.offers<mixwell::Derived>()->derive(theta, out);
  return out;
}

/// The first rows of derived() are the parameters: the values of a position.
std::vector<mixwell::NamedValues> position_of(const mixwell::Model& model, const MatrixXd& values) {
  std::vector<mixwell::NamedValues> all;
  Index at = 0;
  for (const mixwell::Parameter& one : model.offers<mixwell::NamedPositions>()->named()) {
    const Index size = one.size();
    const Eigen::VectorXd rows = values.col(0).segment(at, size);
    all.push_back({one.name, one.shape, {rows.begin(), rows.end()}});
    at += size;
  }
  return all;
}

/// The column of theta at which `model` has these parameters.
MatrixXd coordinates_at(const mixwell::Model& model,
                        const std::vector<mixwell::NamedValues>& values) {
  MatrixXd theta(model.dimension(), 1);
  model.offers<mixwell::NamedPositions>()->position(values, theta);
  return theta;
}

/// -log density as a function of the parameters x: U(theta) + log |dx/dtheta|, with the volume
/// |J| = sqrt(det J'J), by central differences. It does not depend on how an engine maps theta to
/// x.
double potential_of_values(const mixwell::Model& model, const MatrixXd& theta) {
  constexpr double h = 1e-5;
  const Index d = theta.rows();
  MatrixXd around = theta.col(0).replicate(1, 2 * d);
  for (Index k = 0; k < d; ++k) {
    around(k, 2 * k) += h;
    around(k, 2 * k + 1) -= h;
  }
  const MatrixXd x = derived(model, around);
  MatrixXd J(x.rows(), d);
  for (Index k = 0; k < d; ++k) J.col(k) = (x.col(2 * k) - x.col(2 * k + 1)) / (2 * h);
  const MatrixXd R = Eigen::HouseholderQR<MatrixXd>(J).matrixQR();
  return support::evaluate(model, theta).u[0] + R.diagonal().cwiseAbs().array().log().sum();
}

bool are_close(const MatrixXd& one, const MatrixXd& other) {
  return (one - other).cwiseAbs().maxCoeff() <= 1e-8 * (1 + other.cwiseAbs().maxCoeff());
}

/// Potentials may differ by a constant.
void compare_at_coordinates(const mixwell::Model& a, const mixwell::Model& b,
                            const MatrixXd& theta) {
  const auto at_a = support::evaluate(a, theta);
  const auto at_b = support::evaluate(b, theta);
  for (Index j = 0; j < theta.cols(); ++j)
    CHECK((at_a.g.col(j) - at_b.g.col(j)).cwiseAbs().maxCoeff() <=
          1e-8 * at_b.g.col(j).cwiseAbs().maxCoeff());
  const auto apart = (at_a.u - at_b.u).array() - (at_a.u[0] - at_b.u[0]);
  CHECK((apart.abs() / (1 + at_b.u.array().abs())).maxCoeff() <= 1e-8);
}

void compare_at_parameters(const mixwell::Model& a, const mixwell::Model& b,
                           const MatrixXd& theta) {
  std::vector<double> apart;
  for (Index j = 0; j < theta.cols(); ++j) {
    const MatrixXd at_b = theta.col(j);
    const MatrixXd x = derived(b, at_b);
    const MatrixXd at_a = coordinates_at(a, position_of(b, x));
    CHECK(are_close(derived(a, at_a), x));
    const double u = potential_of_values(b, at_b);
    apart.push_back(potential_of_values(a, at_a) - u);
    CHECK(std::abs(apart.back() - apart.front()) <= 1e-6 * (1 + std::abs(u)));
  }
}

std::vector<std::string> generated_names(const mixwell::Model& model) {
  if (model.offers<mixwell::Generated>() == nullptr) return {};
  return mixwell::coordinate_names(model.offers<mixwell::Generated>()->generated());
}

void check_example(const std::string& stem, const std::string& engine) {
  const auto model = support::make_model(keys(stem, engine));
  const auto findings = mixwell::contracts::check_model(*model);
  INFO(stem << "\n" << mixwell::contracts::report(findings));
  CHECK(mixwell::contracts::all_hold(findings));
}

mixwell::Composition simplex(const std::string& engine) {
  return mixwell::parse_manifest(
      "mixwell = 1\n[run]\nreplicates = 16\nwarmup = 500\ndraws = 500\nblock_width = 8\n"
      "[model.target]\n" +
          keys("simplex", engine) +
          "[estimator.metric]\nuse = \"diagonal\"\n[kernel.nuts]\nuse = \"nuts\"\nestimator = "
          "\"metric\"\n",
      "simplex.toml", support::registry());
}

/// draws x (elements chains).
MatrixXd variable(const std::string& folder, const std::string& name) {
  const mixwell::DrawsFile file(folder);
  for (const mixwell::Column& column : file.columns())
    if (column.name == name) return file.read(column, 0, column.size());
  FAIL("no variable " << name);
  return {};
}

/// Whole numbers from 0 to 23 with the mean 23 * 15 / 27.
void check_seen_again(const mixwell::DrawsFile& file) {
  for (const mixwell::Column& column : file.columns()) {
    if (column.name != "seen_again") continue;
    const Eigen::ArrayXd seen = file.read(column, 0).reshaped();
    CHECK((seen == seen.floor()).all());
    CHECK(seen.minCoeff() >= 0);
    CHECK(seen.maxCoeff() <= 23);
    CHECK(seen.mean() == Approx(23 * 15 / 27.0).epsilon(0.02));
    return;
  }
  FAIL("nothing was generated");
}

/// The posterior is the Dirichlet distribution of 4, 15, 2, 6.
void check_simplex(const std::string& engine) {
  const support::TemporaryFolder folder;
  const auto composition = simplex(engine);
  std::string hash;
  for (const int threads : {1, 2}) {
    mixwell::RunOptions options;
    options.folder = folder.path() + "/" + std::to_string(threads);
    options.threads = threads;
    const auto result = mixwell::run(composition, options);
    if (hash.empty()) hash = result.record.draws_sha256;
    CHECK(result.record.draws_sha256 == hash);
    for (const auto& v : result.summary.value().variables) {
      if (v.name.find("share[") == std::string::npos) continue;
      const double expected[] = {4 / 27.0, 15 / 27.0, 2 / 27.0, 6 / 27.0};
      const double mean = expected[v.name[6] - '0'];
      INFO(v.name << " " << v.standard.mean << " " << v.standard.mcse_mean);
      CHECK(std::abs(v.standard.mean - mean) < 5 * v.standard.mcse_mean);
      CHECK(v.standard.sd == Approx(std::sqrt(mean * (1 - mean) / 28)).epsilon(0.1));
    }
  }
  check_seen_again(mixwell::DrawsFile(folder.path() + "/1"));
}

}  // namespace

TEST_CASE("the examples of Stan satisfy the contract of a model when interpreted", "[stan]") {
  need_stanli();
  for (const char* const stem : {"eight-schools", "gaussian-process", "regression", "simplex"})
    check_example(stem, "interpret");
}

TEST_CASE("the examples of Stan satisfy the contract of a model when compiled", "[stan][nightly]") {
  need_compiler();
  for (const char* const stem : {"eight-schools", "gaussian-process", "regression", "simplex"})
    check_example(stem, "compile");
}

TEST_CASE("an interpreted simplex has the law that it must have", "[stan]") {
  need_stanli();
  check_simplex("interpret");
}

TEST_CASE("a compiled simplex has the law that it must have", "[stan][nightly]") {
  need_compiler();
  check_simplex("compile");
}

TEST_CASE("another program generates from the draws of a run", "[stan]") {
  need_stanli();
  const support::TemporaryFolder folder;
  mixwell::RunOptions options;
  options.folder = folder.path() + "/run";
  mixwell::run(simplex("interpret"), options);
  const auto generate = [&](const std::string& program) {
    std::ofstream(folder.path() + "/other.stan") << program;
    const auto other = mixwell::parse_manifest(
        "mixwell = 1\n[model.target]\nuse = \"stan\"\nengine = \"interpret\"\nprogram = "
        "\"other.stan\"\n[kernel.nuts]\nuse = \"nuts\"\n",
        folder.path() + "/other.toml", support::registry());
    mixwell::generate_from(options.folder, other, folder.path() + "/made");
  };
  const std::string same = "generated quantities { vector[4] same = share; }\n";
  CHECK_THROWS_WITH(
      generate("parameters { simplex[3] share; }\n"
               "generated quantities { real one = 1; }\n"),
      Catch::Contains("`share` in the run is an array of 4, but the parameter `share` "
                      "of the model is an array of 3. Use a model with the same"));
  CHECK_THROWS_WITH(generate("parameters { vector<upper=0>[4] share; }\n" + same),
                    Catch::Contains("/run: the model cannot use draw 0 of chain 0 (both counted "
                                    "from 0): `share[0]` is ") &&
                        Catch::Contains("): its values must be below 0. Declare the"));
  CHECK_FALSE(std::filesystem::exists(folder.path() + "/made"));
  generate("parameters { simplex[4] share; }\n" + same);
  CHECK((variable(folder.path() + "/made", "same") - variable(options.folder, "share"))
            .cwiseAbs()
            .maxCoeff() < 1e-12);
}

// Engines may map coordinates to a simplex differently: Stan 2.37 changed that map. Programs with
// one map are compared at the same coordinates, the others at the same parameters.
TEST_CASE("both engines have one density of the parameters, and one list of names",
          "[stan][nightly]") {
  need_stanli();
  need_compiler();
  const auto programs = all_programs();
  CHECK(programs.size() == 14);
  std::size_t with_one_map = 0;
  for (const std::string& program : programs) {
    INFO(program);
    const auto a = support::make_model(keys_at(program, "interpret"));
    const auto b = support::make_model(keys_at(program, "compile"));
    REQUIRE(a->dimension() == b->dimension());
    MatrixXd theta(a->dimension(), 5);
    b->initial(mixwell::Stream(1, "engines"), {}, theta);
    CHECK(mixwell::gradient_error(*a, theta).relative < 1e-5);
    CHECK(mixwell::gradient_error(*b, theta).relative < 1e-5);
    CHECK(mixwell::coordinate_names(a->offers<mixwell::Derived>()->quantities()) ==
          mixwell::coordinate_names(b->offers<mixwell::Derived>()->quantities()));
    CHECK(generated_names(*a) == generated_names(*b));
    if (are_close(derived(*a, theta), derived(*b, theta))) {
      ++with_one_map;
      compare_at_coordinates(*a, *b, theta);
    } else {
      compare_at_parameters(*a, *b, theta);
    }
  }
  CHECK(with_one_map >= 11);
}
