// The model `stan` with libraries made by hand: values, records, threads, and what is refused.
// SPDX-License-Identifier: Apache-2.0
#include "support.hpp"

#include <mixwell/contracts/model.hpp>
#include <mixwell/lab/cmdstan_csv.hpp>
#include <mixwell/lab/draws.hpp>
#include <mixwell/lab/generate.hpp>
#include <mixwell/lab/gradient_check.hpp>
#include <mixwell/lab/run.hpp>
#include <mixwell/lab/stop_request.hpp>

#include <dlfcn.h>

#include <cmath>
#include <limits>
#include <string>
#include <vector>

namespace {

using Eigen::MatrixXd;
using mixwell::Index;
using support::contains;
using support::evaluate;

std::string library(const std::string& stem) {
  return std::string(MIXWELL_BUILD_DIR) + "/tests/stan/" + stem + ".so";
}

/// Keys of a model with data in its own folder.
class Keys {
 public:
  explicit Keys(const std::string& data = "{\"m\": 2}") {
    std::ofstream(folder_.path() + "/x.data.json") << data;
  }
  std::string of(const std::string& stem, const std::string& more = "") const {
    return "use = \"stan\"\nlibrary = \"" + library(stem) + "\"\ndata = \"" + folder_.path() +
           "/x.data.json\"\n" + more;
  }
  std::string without_data(const std::string& stem) const {
    return "use = \"stan\"\nlibrary = \"" + library(stem) + "\"\n";
  }
  const std::string& folder() const { return folder_.path(); }

 private:
  support::TemporaryFolder folder_;
};

/// Starting points of chains, from files in their own folder.
class Starts {
 public:
  /// Its name as a value of a manifest.
  std::string file(const std::string& name, const std::string& text) const {
    std::ofstream(keys_.folder() + "/" + name) << text;
    return "\"" + keys_.folder() + "/" + name + "\"";
  }
  /// d x replicates; `files`: "" for none.
  MatrixXd at(const std::string& files, int replicates) const;

 private:
  Keys keys_;
};

int number_of(const std::string& stem, const char* function) {
  void* const handle = ::dlopen(library(stem).c_str(), RTLD_NOW | RTLD_LOCAL);
  REQUIRE(handle != nullptr);
  return reinterpret_cast<int (*)()>(::dlsym(handle, function))();
}

std::vector<std::string> names(const std::vector<mixwell::Parameter>& parameters) {
  return mixwell::coordinate_names(parameters);
}

mixwell::Composition composed(
    const std::string& keys, const std::string& run = "",
    const std::string& lengths = "replicates = 16\nwarmup = 20\ndraws = 500\n") {
  return mixwell::parse_manifest(
      "mixwell = 1\n[run]\n" + lengths + run + "[model.target]\n" + keys +
          "[kernel.hmc]\nuse = \"hamiltonian\"\nstep_size = 0.5\nsteps = 4\n",
      "stan.toml", support::registry());
}

mixwell::RunResult run_in(const std::string& folder, const mixwell::Composition& composition,
                          int threads) {
  mixwell::RunOptions options;
  options.folder = folder;
  options.threads = threads;
  return run(composition, options);
}

MatrixXd Starts::at(const std::string& files, int replicates) const {
  const auto composition =
      composed(keys_.of("right"), files.empty() ? "" : "init = { file = " + files + " }\n",
               "replicates = " + std::to_string(replicates) + "\nwarmup = 0\ndraws = 1\n");
  mixwell::Sampler sampler(composition.compositor, composition.run,
                           compose(*composition.compositor));
  sampler.initialise();
  for (const auto& variable : sampler.graph(mixwell::PhaseKind::sampling).variables())
    if (variable.kind == mixwell::VariableKind::slot)
      return MatrixXd(sampler.variable(variable.name));
  return {};
}

/// draws x (elements chains).
MatrixXd read(const mixwell::DrawsFile& file, const std::string& name) {
  for (const mixwell::Column& column : file.columns())
    if (column.group == mixwell::RecordGroup::posterior && column.name == name)
      return file.read(column, 0, column.size());
  FAIL("no variable " << name);
  return {};
}

}  // namespace

TEST_CASE("a Stan library satisfies the contract of a model", "[stan][slow]") {
  const Keys keys;
  const auto findings = mixwell::contracts::check_model(*support::make_model(keys.of("right")));
  INFO(mixwell::contracts::report(findings));
  CHECK(mixwell::contracts::all_hold(findings));
}

TEST_CASE("U and gradient are those of the library, with the sign turned", "[stan]") {
  const Keys keys;
  const auto model = support::make_model(keys.of("right"));
  const auto at = evaluate(*model, MatrixXd{{3, 2}, {0.5, 0}, {0, 0}});
  CHECK(at.u[0] == Approx(0.5 + std::exp(0.5) - 0.5 - 2 * std::log(0.5)).epsilon(1e-14));
  CHECK(at.g(0, 0) == 1);
  CHECK(at.g(1, 0) == Approx(std::exp(0.5) - 1).epsilon(1e-14));
  CHECK(at.u[1] == Approx(1 - 2 * std::log(0.5)).epsilon(1e-14));
  CHECK(names(model->parameters()) ==
        std::vector<std::string>{"unconstrained_mu", "unconstrained_sigma", "unconstrained_p[0]"});
}

TEST_CASE("a rejected point has an infinite U, of its column alone, and is counted", "[stan]") {
  const Keys keys;
  const auto model = support::make_model(keys.of("right"));
  CHECK(model->remarks().empty());
  const auto at = evaluate(*model, MatrixXd{{9, 2, 10, -9}, {0, 0, 0, 0}, {0, 0, 0, 0}});
  CHECK(at.u[0] == std::numeric_limits<double>::infinity());
  CHECK(std::isfinite(at.u[1]));
  CHECK(at.g.col(1).allFinite());
  CHECK(at.u[2] == std::numeric_limits<double>::infinity());
  CHECK(std::isnan(at.u[3]));
  CHECK(model->remarks() ==
        std::vector<std::string>{"Stan rejected a point 2 times; its first message is: "
                                 "Rejecting initial value: mu is too large"});
}

TEST_CASE("the seed of transformed data reaches the library", "[stan]") {
  const Keys keys;
  const MatrixXd theta = MatrixXd::Zero(3, 1);
  CHECK(evaluate(*support::make_model(keys.of("right")), theta).g(0, 0) == -2);
  CHECK(evaluate(*support::make_model(keys.of("right", "seed = 7\n")), theta).g(0, 0) == -102);
}

TEST_CASE("constrained values are recorded under their names and shapes", "[stan]") {
  const Keys keys;
  const auto composition = composed(keys.of("right"));
  run_in(keys.folder() + "/out", composition, 1);
  const mixwell::DrawsFile file(keys.folder() + "/out");
  std::vector<std::string> found;
  for (const mixwell::Column& c : file.columns()) {
    if (c.group != mixwell::RecordGroup::posterior) continue;
    found.push_back(c.name);
    for (const Index length : c.shape) found.back() += " " + std::to_string(length);
  }
  CHECK(found == std::vector<std::string>{"mu", "sigma", "p 2", "M 2 3", "y", "t:1 2", "t:2 2"});
  const MatrixXd mu = read(file, "mu");
  const MatrixXd M = read(file, "M");
  for (Index i = 0; i < 2; ++i)
    for (Index j = 0; j < 3; ++j)
      CHECK(M.middleCols((3 * i + j) * 16, 16) ==
            MatrixXd(static_cast<double>(10 * (i + 1) + j + 1) * mu));
  const MatrixXd p = read(file, "p");
  CHECK((p.leftCols(16) + p.rightCols(16) - MatrixXd::Ones(500, 16)).cwiseAbs().maxCoeff() < 1e-15);
  // Elements of an array of tuples: y = 0 + u, t.1:1 = 1 + u, t.1:2 = 2 + u, ...
  const auto all_within = [&](const MatrixXd& x, double low) {
    return x.minCoeff() >= low && x.maxCoeff() < low + 1;
  };
  CHECK(all_within(read(file, "y"), 0));
  CHECK(all_within(read(file, "t:1").leftCols(16), 1));
  CHECK(all_within(read(file, "t:1").rightCols(16), 3));
  CHECK(all_within(read(file, "t:2").leftCols(16), 2));
  CHECK(all_within(read(file, "t:2").rightCols(16), 4));
  CHECK(std::abs(support::z_score(read(file, "y").reshaped(), 0.5)) < 5);
  const MatrixXd y = read(file, "y");
  CHECK((y.topRows(499).array() != y.bottomRows(499).array()).all());
}

TEST_CASE("what is recorded can be chosen", "[stan]") {
  const Keys keys;
  const auto recorded = [&](const std::string& more) {
    const auto model = support::make_model(keys.of("right", more));
    auto all = names(model->offers<mixwell::Derived>()->quantities());
    if (!model->offers<mixwell::Derived>()->replaces_parameters())
      all.insert(all.begin(), "unconstrained");
    if (model->offers<mixwell::Generated>() != nullptr) all.push_back("generated");
    return all;
  };
  CHECK(recorded("transformed = false\n") ==
        std::vector<std::string>{"mu", "sigma", "p[0]", "p[1]", "generated"});
  CHECK(recorded("transformed = false\ngenerated = false\nunconstrained = true\n") ==
        std::vector<std::string>{"unconstrained", "mu", "sigma", "p[0]", "p[1]"});
  const auto with = support::make_model(keys.of("right"));
  const auto without = support::make_model(keys.of("right", "transformed = false\n"));
  const MatrixXd theta = MatrixXd::Random(3, 4);
  MatrixXd a(5, 4);
  MatrixXd b(5, 4);
  with->offers<mixwell::Generated>()->generate(theta, mixwell::Stream(1, "x"), {}, a);
  without->offers<mixwell::Generated>()->generate(theta, mixwell::Stream(1, "x"), {}, b);
  CHECK(a == b);
}

TEST_CASE("draws of a Stan library have the same bits for any number of threads", "[stan]") {
  const Keys keys;
  const auto composition = composed(keys.of("right"), "block_width = 8\n");
  const auto one = run_in(keys.folder() + "/one", composition, 1);
  const auto two = run_in(keys.folder() + "/two", composition, 2);
  CHECK(one.record.draws_sha256 == two.record.draws_sha256);
  CHECK(number_of("right", "stub_most_at_once") > 1);
}

TEST_CASE("a library without threads is used by one at a time, and says so", "[stan]") {
  const Keys keys;
  const auto composition = composed(keys.of("unthreaded"), "block_width = 8\n");
  REQUIRE(composition.remarks.size() == 1);
  CHECK(contains(composition.remarks[0],
                 "model.target: the library was compiled without STAN_THREADS"));
  run_in(keys.folder() + "/two", composition, 4);
  CHECK(number_of("unthreaded", "stub_most_at_once") == 1);
}

TEST_CASE("libraries with and without threads do not mix in one process", "[stan]") {
  const Keys keys;
  const auto model = support::make_model(keys.of("unthreaded"));
  CHECK(contains(support::refusal(keys.of("right")),
                 "this library was compiled with STAN_THREADS, but another library in this process "
                 "was compiled with the opposite setting"));
}

TEST_CASE("all that a library makes is given back to it", "[stan]") {
  const Keys keys;
  {
    const auto model = support::make_model(keys.of("right"));
    evaluate(*model, MatrixXd{{9, -9}, {0, 0}, {0, 0}});
    MatrixXd out(5, 2);
    model->offers<mixwell::Generated>()->generate(MatrixXd{{-7, 1}, {0, 0}, {0, 0}},
                                                  mixwell::Stream(1, "x"), {}, out);
    CHECK(number_of("right", "stub_alive") == 1);
  }
  CHECK(contains(support::refusal(keys.without_data("right")), "Stan rejects these data"));
  CHECK(number_of("right", "stub_alive") == 0);
}

TEST_CASE("generated quantities that fail are NaN in their own column, and are counted", "[stan]") {
  const Keys keys;
  const auto model = support::make_model(keys.of("right"));
  MatrixXd out(5, 2);
  model->offers<mixwell::Generated>()->generate(MatrixXd{{-7, 1}, {0, 0}, {0, 0}},
                                                mixwell::Stream(1, "x"), {}, out);
  CHECK(out.col(0).array().isNaN().all());
  CHECK(out.col(1).allFinite());
  REQUIRE(model->remarks().size() == 1);
  CHECK(contains(model->remarks()[0], "1 time; its first message is: normal_rng: Scale"));
}

TEST_CASE("a point to start from is drawn anew where the density is none", "[stan]") {
  const Keys keys;
  const auto model = support::make_model(keys.of("rejecting"));
  MatrixXd theta(3, 2);
  CHECK_THROWS_WITH(
      model->initial(mixwell::Stream(1, "x"), {0, 0, 5}, theta),
      Catch::Contains("replicate 5 has no starting point. Mixwell tried 100 random points, but no "
                      "chain can start at any of them. Each unconstrained coordinate was uniform "
                      "on (-r, r), where r = `init_radius` = 2. At the first "
                      "point: Stan says: Rejecting initial value: mu is too large"));
  const auto right = support::make_model(keys.of("right"));
  right->initial(mixwell::Stream(1, "x"), {0, 0, 5}, theta);
  MatrixXd expected(3, 2);
  mixwell::Stream(1, "x").uniforms({0, 0, 5}, expected);
  CHECK(theta == (4 * expected.array() - 2).matrix());
  const auto near = support::make_model(keys.of("right", "init_radius = 0.5\n"));
  near->initial(mixwell::Stream(1, "x"), {0, 0, 5}, theta);
  CHECK(theta == (expected.array() - 0.5).matrix());
  const auto zero = support::make_model(keys.of("right", "init_radius = 0\n"));
  zero->initial(mixwell::Stream(1, "x"), {0, 0, 5}, theta);
  CHECK(theta == MatrixXd::Zero(3, 2));
}

TEST_CASE("chains start from JSON files of constrained parameters", "[stan]") {
  const Starts starts;
  const std::string one = starts.file("1.json", R"({"mu": 1, "sigma": 1, "p": [0.5, 0.5]})");
  const std::string two = starts.file("2.json", R"({"mu": 2, "sigma": 1, "p": [0.5, 0.5]})");
  CHECK(starts.at(one, 3) == MatrixXd{{1, 1, 1}, {0, 0, 0}, {0, 0, 0}});
  CHECK(starts.at("[" + one + ", " + two + "]", 2).row(0) == Eigen::RowVector2d(1, 2));
  CHECK_THROWS_WITH(
      starts.at("[" + one + ", " + two + "]", 3),
      Catch::Contains("1.json: [run] init gives 2 files. Give 1 file for all chains, or 3 files"));
  const auto said = [&](const std::string& text, const std::string& part) {
    INFO(text);
    CHECK_THROWS_WITH(starts.at(starts.file("x.json", text), 1), Catch::Contains(part));
  };
  said(R"({"nu": 1})", "x.json:1:8: `nu` is not a parameter of the program (did you mean \"mu\"?)");
  said(R"({"mu": 1, "p[1]": 0.5})",
       "x.json:1:19: `p[1]` is an element of the parameter `p`. Give "
       "the whole parameter: \"p\": [VALUE, ...].");
  said(R"({"mu": NaN})",
       "x.json:1:8: `mu` is not finite, so no chain can start from this value. Give finite");
  said(R"({"p": [0.5, "Inf"]})", "`p` is not finite");
  said(R"({"mu": [1]})",
       "`mu` is an array of 1, but the parameter is a number. Write the number "
       "without brackets.");
  said(R"({"p": [[0.5, 0.5]]})",
       "`p` is an array of 1 x 2, but the parameter is an array of 2. "
       "Write one list of numbers without nested lists.");
  said(R"({"p": [0.2, 0.3, 0.5]})", "`p` is an array of 3, but the parameter is an array of 2.");
  said(R"({"p": {"1": 0.5, "2": 0.5}})",
       "the value of `p` does not have the type of the parameter. The part `p`, an array of 2,");
  said(R"({"mu": 1, "p": [0.4, 0.4]})",
       "x.json:1:16: `p[1]` is 0.4, but the map to unconstrained coordinates and back changes this "
       "value to 0.6. A chain can start only from values that strictly satisfy their constraints. "
       "Give such values, or leave `p` out so that Mixwell draws it.");
  said(R"({"p": [0, 1]})",
       "x.json:1:7: `p` violates its constraint or is on the boundary. A chain");
  CHECK_THROWS_WITH(starts.at(starts.file("no.json", R"({"mu": true})"), 1),
                    Catch::Contains("no.json:1:8: `mu` is true"));
  CHECK_THROWS_WITH(
      starts.at(starts.file("below.json", R"({"mu": 1, "sigma": -1, "p": [0.5, 0.5]})"), 1),
      Catch::Contains("below.json: Stan rejects these values of the program's parameters. "
                      "Correct the values. Stan says: sigma is below"));
}

TEST_CASE("parameters that a JSON file leaves out are drawn as without a file", "[stan]") {
  const Starts starts;
  const auto is_drawn = [](const MatrixXd& theta, Index row) {
    const auto x = theta.row(row).array();
    return x.abs().maxCoeff() < 2 && x.abs().maxCoeff() > 1.5 && x.minCoeff() < -1;
  };
  const MatrixXd mu = starts.at(starts.file("mu.json", R"({ "mu" : 1 })"), 32);
  CHECK(mu.row(0) == Eigen::RowVectorXd::Ones(32));
  CHECK(is_drawn(mu, 1));
  CHECK(is_drawn(mu, 2));
  const MatrixXd p =
      starts.at(starts.file("p.json", R"({"p": [0.5, 0.5], "M": [1, 2], "none": []} )"), 32);
  CHECK(p.row(2) == Eigen::RowVectorXd::Zero(32));
  CHECK(is_drawn(p, 0));
  CHECK(is_drawn(p, 1));
  CHECK_THROWS_WITH(starts.at(starts.file("empty.json", "{}"), 1),
                    Catch::Contains("the file has none of the program's parameters"));
  CHECK_THROWS_WITH(
      starts.at(starts.file("far.json", R"({"mu": 9})"), 1),
      Catch::Contains("at the starting point of replicate 0 (theta: unconstrained_mu = 9,"));
  CHECK_THROWS_WITH(
      starts.at(starts.file("bad.json", R"({"sigma": -1})"), 1),
      Catch::Contains("bad.json: Stan rejects these values of the program's parameters. "
                      "Correct the values. Stan says: sigma is below its lower bound 0"));
}

TEST_CASE("what a program without parameters generates is drawn anew each draw", "[stan]") {
  const Keys keys;
  const auto composition = composed(keys.of("without-parameters"));
  REQUIRE(composition.remarks.size() == 1);
  CHECK(contains(composition.remarks[0], "the program has no parameters"));
  run_in(keys.folder() + "/out", composition, 2);
  const mixwell::DrawsFile file(keys.folder() + "/out");
  CHECK(read(file, "M").leftCols(16) == MatrixXd::Constant(500, 16, 11));
  const MatrixXd y = read(file, "y");
  CHECK(std::abs(support::z_score(y.reshaped(), 0.5)) < 5);
  const Eigen::ArrayXXd centred = y.array() - 0.5;
  const Eigen::ArrayXXd lag = centred.topRows(499) * centred.bottomRows(499);
  CHECK(std::abs(support::z_score(lag.reshaped(), 0)) < 5);
  const auto findings =
      mixwell::contracts::check_model(*support::make_model(keys.of("without-parameters")));
  INFO(mixwell::contracts::report(findings));
  CHECK(mixwell::contracts::all_hold(findings));
}

TEST_CASE("log-likelihoods, predictive draws and the data have groups of their own", "[stan]") {
  const Keys keys("{\"m\": 2, \"y\": 0.25, \"k\": [[1, 2], [3, NaN]], \"t\": {\"1\": 2}}");
  const auto composition = composed(keys.of("right",
                                            "log_likelihood = [\"M\"]\n"
                                            "posterior_predictive = [\"y\", \"t:1\"]\n"
                                            "observed_data = [\"y\", \"k\"]\n"));
  const auto observed = composition.model()->observed_data();
  REQUIRE(observed.size() == 2);
  CHECK(observed[0] == mixwell::NamedValues{"y", {}, {0.25}});
  CHECK(observed[1].shape == std::vector<Index>{2, 2});
  CHECK(observed[1].values[2] == 3);
  CHECK(std::isnan(observed[1].values[3]));
  run_in(keys.folder() + "/out", composition, 1);
  const mixwell::DrawsFile file(keys.folder() + "/out");
  const auto has = [&](mixwell::RecordGroup group, const char* name) {
    return file.has(group, name) && (group == mixwell::RecordGroup::posterior ||
                                     !file.has(mixwell::RecordGroup::posterior, name));
  };
  CHECK(has(mixwell::RecordGroup::posterior, "mu"));
  CHECK(has(mixwell::RecordGroup::posterior, "t:2"));
  CHECK(has(mixwell::RecordGroup::log_likelihood, "M"));
  CHECK(has(mixwell::RecordGroup::posterior_predictive, "y"));
  CHECK(has(mixwell::RecordGroup::posterior_predictive, "t:1"));
  mixwell::export_cmdstan_csv(keys.folder() + "/out");
  std::ifstream csv(keys.folder() + "/out/draws_1.csv");
  std::string line;
  while (std::getline(csv, line) && line.front() == '#') continue;
  CHECK(contains(line, ",M.1.1,M.2.1,"));
  CHECK(contains(line, ",y,"));
}

TEST_CASE("data are observed by default where their shape is that of what repeats them", "[stan]") {
  const auto observed = [](const std::string& data, const std::string& more) {
    const Keys keys(data);
    return support::make_model(keys.of("repeating", more))->observed_data().size();
  };
  CHECK(observed("{\"m\": 2, \"z\": 1}", "posterior_predictive = [\"z_rep\"]\n") == 1);
  CHECK(observed("{\"m\": 2, \"z\": [1]}", "posterior_predictive = [\"z_rep\"]\n") == 0);
  CHECK(observed("{\"m\": 2, \"z\": 1}", "") == 0);
}

TEST_CASE("names for groups that are not there are refused with the nearest", "[stan]") {
  const Keys keys;
  const auto said = [&](const std::string& more) {
    return support::refusal(keys.of("right", more));
  };
  CHECK(contains(said("log_likelihood = [\"mu\"]\n"),
                 "`mu` is not a recorded transformed parameter or generated quantity"));
  CHECK(contains(said("log_likelihood = [\"MM\"]\n"), "did you mean \"M\"?"));
  CHECK(contains(said("posterior_predictive = [\"y\"]\ngenerated = false\n"),
                 "`y` is not a recorded"));
  CHECK(contains(said("observed_data = [\"n\"]\n"), "`n` is not a numeric variable of the data"));
}

TEST_CASE("what is no Stan library is refused with the reason and the cure", "[stan]") {
  const Keys keys;
  const auto said = [&](const std::string& stem, const std::string& part) {
    const std::string text = support::refusal(keys.of(stem));
    INFO(text);
    return contains(text, part) && contains(text, "test.toml:4:11: model.target.library");
  };
  CHECK(
      said("version-3", "has version 3 of BridgeStan's C interface, but Mixwell needs version 2"));
  CHECK(said("version-1",
             "has version 1.0 of BridgeStan's C interface, but Mixwell needs version 2"));
  CHECK(said("incomplete", "the library has no symbol bs_log_density_gradient"));
  CHECK(said("misnamed",
             "the values of the program cannot be recorded: the names that the library lists do "
             "not form complete arrays"));
  CHECK(said("ragged",
             "the values of the program cannot be recorded: the names that the library lists do "
             "not form complete arrays"));
  CHECK(said(
      "miscounted",
      "the values of the program cannot be recorded: the library lists 10 names for 11 values"));
  CHECK(said("reserved", "the name `draw` is reserved for draws.nc. Rename it"));
  CHECK(said(
      "empty",
      "the program has no parameters and no generated quantities, so there is nothing to sample"));
  CHECK(said("absent", "no such file"));
  std::ofstream(keys.folder() + "/text.so") << "no library";
  CHECK(contains(support::refusal("use = \"stan\"\nlibrary = \"" + keys.folder() + "/text.so\"\n"),
                 "the library cannot be loaded: " + keys.folder() + "/text.so: file too short"));
  const std::string other = std::string(MIXWELL_BUILD_DIR) + "/lib/mixwell/plugins/model-gamma.so";
  CHECK(contains(support::refusal("use = \"stan\"\nlibrary = \"" + other + "\"\n"),
                 "the library has no symbol bs_major_version"));
}

TEST_CASE("data that Stan refuses are told in its words", "[stan]") {
  CHECK(contains(support::refusal(Keys("{\"n\": 2}").of("right")),
                 "Stan rejects these data. Correct the data. Stan says: variable does not exist; "
                 "variable name=m; base type=real (in "
                 "'stub.stan', line 2)"));
  CHECK(contains(support::refusal(Keys("{\"m\": [1, true]}").of("right")),
                 "x.data.json:1:11: `m[1]` is true"));
  CHECK(contains(support::refusal(Keys().without_data("right")), "model.target.data"));
}

TEST_CASE("a library in a folder with a blank in its name is loaded", "[stan]") {
  const Keys keys;
  const std::string folder = keys.folder() + "/with a blank";
  std::filesystem::create_directory(folder);
  std::filesystem::copy(library("right"), folder + "/x y.so");
  CHECK(support::refusal("use = \"stan\"\nlibrary = \"" + folder + "/x y.so\"\ndata = \"" +
                         keys.folder() + "/x.data.json\"\n") == "accepted");
}

TEST_CASE("a position is made of parameters by name", "[stan]") {
  const Keys keys;
  const auto model = support::make_model(keys.of("right"));
  const auto* const positions = model->offers<mixwell::NamedPositions>();
  REQUIRE(positions != nullptr);
  CHECK(names(positions->named()) == std::vector<std::string>{"mu", "sigma", "p[0]", "p[1]"});
  MatrixXd theta(3, 1);
  positions->position({{"mu", {}, {1.5}}, {"sigma", {}, {1}}, {"p", {2}, {0.5, 0.5}}}, theta);
  CHECK(theta == MatrixXd{{1.5}, {0}, {0}});
  CHECK_THROWS_WITH(positions->position({{"sigma", {}, {1}}}, theta),
                    Catch::Contains("a position must have 4 numbers (got 1)"));
  CHECK(support::make_model(keys.of("without-parameters"))->offers<mixwell::NamedPositions>() ==
        nullptr);
}

TEST_CASE("generated quantities are drawn at the draws that a run has kept", "[stan]") {
  const Keys keys;
  const auto composition = composed(keys.of("right", "posterior_predictive = [\"y\"]\n"));
  run_in(keys.folder() + "/run", composition, 2);
  const auto generated = [&](const std::string& folder) {
    mixwell::generate_from(keys.folder() + "/run", composition, keys.folder() + "/" + folder);
    return mixwell::DrawsFile(keys.folder() + "/" + folder);
  };
  const mixwell::DrawsFile one = generated("one");
  CHECK(one.chains() == 16);
  CHECK(one.draws() == 500);
  CHECK(one.has(mixwell::RecordGroup::posterior, "t:1"));
  CHECK(one.has(mixwell::RecordGroup::posterior_predictive, "y"));
  CHECK_FALSE(one.has(mixwell::RecordGroup::posterior, "mu"));
  CHECK(std::abs(support::z_score(read(one, "t:2").leftCols(16).reshaped(), 2.5)) < 5);
  CHECK(one.sha256() == generated("two").sha256());
  CHECK_THROWS_WITH(generated("two"), Catch::Contains("this folder is not empty"));
  const auto other = composed("use = \"gaussian\"\ndimension = 2\n");
  run_in(keys.folder() + "/other", other, 1);
  CHECK_THROWS_WITH(
      mixwell::generate_from(keys.folder() + "/other", composition, keys.folder() + "/three"),
      Catch::Contains(
          "the run has no variable `mu`, but the model has a parameter with this name"));
  CHECK_THROWS_WITH(mixwell::generate_from(keys.folder() + "/run", other, keys.folder() + "/three"),
                    Catch::Contains("model `target` has no generated quantities"));
  mixwell::StopRequest stop;
  stop.make();
  CHECK_THROWS_AS(
      mixwell::generate_from(keys.folder() + "/run", composition, keys.folder() + "/three", &stop),
      mixwell::Stopped);
  CHECK_FALSE(std::filesystem::exists(keys.folder() + "/three"));
}
