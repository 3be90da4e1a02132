// What a model records in addition to or instead of its parameters: maps to other sizes, and draws.
// SPDX-License-Identifier: Apache-2.0
#include "support.hpp"

#include <mixwell/lab/draws.hpp>
#include <mixwell/lab/run.hpp>

#include <memory>
#include <string>
#include <vector>

using namespace mixwell;

namespace {

/// N(0, 1), recorded as x = (theta, theta^2, theta^3) and `near` ~ N(theta, 1).
class Powers final : public Model, public Derived, public Generated, public Prediction {
 public:
  struct Params {
    bool replaces = true;
    bool generates = true;
    bool predicts = false;
    std::string name = "x";
    std::string generated = "near";
    std::string made_of;
    std::shared_ptr<int> calls = std::make_shared<int>(0);
    void declare(Fields& fields) {
      fields.flag("replaces", replaces).help("record no parameters");
      fields.flag("generates", generates).help("draw what is near");
      fields.flag("predicts", predicts).help("offer a test set");
      fields.text("name", name).help("of the powers");
      fields.text("generated", generated).help("of what is near");
      fields.text("made_of", made_of).help("a file that it finds by itself");
    }
  };
  explicit Powers(const Params& params) : params_(params) {}

  std::vector<Parameter> parameters() const override { return {{.name = "x", .shape = {}}}; }
  std::vector<std::string> remarks() const override {
    return {"Asked " + std::to_string(++*params_.calls) + " times."};
  }
  std::vector<std::string> files() const override {
    return params_.made_of.empty() ? std::vector<std::string>() : std::vector{params_.made_of};
  }

  std::vector<Parameter> quantities() const override {
    return {{.name = params_.name, .shape = {3}}};
  }
  void derive(ConstBatch theta, Batch out) const override {
    out.row(0) = theta;
    out.row(1) = theta.array().square();
    out.row(2) = theta.array().cube();
  }
  bool replaces_parameters() const noexcept override { return params_.replaces; }

  std::vector<Parameter> generated() const override {
    return {{.name = params_.generated, .shape = {}}};
  }
  void generate(ConstBatch theta, const Stream& stream, Address at, Batch out) const override {
    stream.normals(at, out);
    out += theta;
  }

  Index cases() const override { return 1; }
  void predict(ConstBatch, Batch out) const override { out.setConstant(0.5); }
  double error(const Eigen::VectorXd&) const override { return 0; }

 private:
  void offer(Offer& offer) const noexcept override {
    offer.set<Generated>(params_.generates ? this : nullptr);
    offer.set<Prediction>(params_.predicts ? this : nullptr);
  }
  void do_evaluate(ConstBatch theta, const Evaluation& out) const override {
    Batch g = out.gradient;
    g = theta;
    if (out.wants_potential()) out.u() = 0.5 * theta.array().square().matrix();
  }

  Params params_;
};

Composition composed(const std::string& keys, const std::string& run = "") {
  static const Registry all = [] {
    Registry registry = Registry::load(Registry::default_folders());
    Entry entry;
    entry.kind = Kind::model;
    entry.description.id = "powers";
    entry.library = registry.find(Kind::model, "gaussian").library;
    entry.blueprint = [] { return std::make_unique<BlueprintOf<Powers>>(); };
    registry.add(std::move(entry));
    return registry;
  }();
  return parse_manifest("mixwell = 1\n[run]\nreplicates = 16\nwarmup = 10\ndraws = 500\n" + run +
                            "[model.target]\nuse = \"powers\"\n" + keys +
                            "[kernel.hmc]\nuse = \"hamiltonian\"\nstep_size = 1.0\nsteps = 1\n",
                        "powers.toml", all);
}

RunResult run_in(const std::string& folder, const Composition& composition, int threads = 1) {
  RunOptions options;
  options.folder = folder;
  options.threads = threads;
  return run(composition, options);
}

/// draws x (elements chains) of a variable of the posterior.
Eigen::MatrixXd read(const DrawsFile& file, const std::string& name) {
  for (const Column& column : file.columns())
    if (column.group == RecordGroup::posterior && column.name == name)
      return file.read(column, 0, column.size());
  FAIL("no variable " << name);
  return {};
}

std::vector<std::string> names_of(const DrawsFile& file) {
  std::vector<std::string> names;
  for (const Column& column : file.columns())
    if (column.group == RecordGroup::posterior) names.push_back(column.name);
  return names;
}

}  // namespace

TEST_CASE("derived quantities may have another size than the parameters they replace") {
  const support::TemporaryFolder folder;
  run_in(folder.path() + "/out", composed(""));
  const DrawsFile file(folder.path() + "/out");
  CHECK(names_of(file) == std::vector<std::string>{"x", "near"});
  const Eigen::MatrixXd x = read(file, "x");
  REQUIRE(x.cols() == 3 * 16);
  CHECK(x.middleCols(16, 16) == x.leftCols(16).array().square().matrix());
  CHECK(x.rightCols(16) == x.leftCols(16).array().cube().matrix());
}

TEST_CASE("beside the parameters, derived quantities need names of their own") {
  CHECK_THROWS_WITH(compose(*composed("replaces = false\n").compositor),
                    Catch::Contains("posterior/x of slot 0"));
  const support::TemporaryFolder folder;
  run_in(folder.path() + "/out", composed("replaces = false\nname = \"y\"\n"));
  CHECK(names_of(DrawsFile(folder.path() + "/out")) == std::vector<std::string>{"x", "y", "near"});
  CHECK_THROWS_WITH(compose(*composed("generated = \"x\"\n").compositor),
                    Catch::Contains("posterior/x of slot 0"));
}

TEST_CASE("what is generated is drawn anew each draw, and changes no other draw") {
  const support::TemporaryFolder folder;
  const RunResult with = run_in(folder.path() + "/with", composed(""));
  run_in(folder.path() + "/without", composed("generates = false\n"));
  const DrawsFile file(folder.path() + "/with");
  const Eigen::MatrixXd x = read(file, "x").leftCols(16);
  CHECK(x == read(DrawsFile(folder.path() + "/without"), "x").leftCols(16));
  const Eigen::ArrayXd noise = (read(file, "near") - x).reshaped();
  CHECK(std::abs(support::z_score(noise, 0)) < 5);
  CHECK(std::abs(support::z_score(noise.square(), 1)) < 5);
  CHECK(std::abs(support::z_score(noise * x.reshaped().array(), 0)) < 5);
  const auto lag = noise.head(noise.size() - 1) * noise.tail(noise.size() - 1);
  CHECK(std::abs(support::z_score(lag, 0)) < 5);
}

TEST_CASE("generated quantities have the same bits for every number of threads and block width") {
  const support::TemporaryFolder folder;
  std::string first;
  int k = 0;
  for (const int threads : {1, 2, 4}) {
    for (const std::string width : {"block_width = 8\n", "block_width = 16\n"}) {
      const RunResult result =
          run_in(folder.path() + "/" + std::to_string(k++), composed("", width), threads);
      if (first.empty()) first = result.record.draws_sha256;
      CHECK(result.record.draws_sha256 == first);
    }
  }
}

TEST_CASE("a model that offers predictions must record its parameters") {
  CHECK_THROWS_WITH(compose(*composed("predicts = true\n").compositor),
                    Catch::Contains("predictions need recorded parameters"));
  CHECK_NOTHROW(compose(*composed("predicts = true\nreplaces = false\nname = \"y\"\n").compositor));
}

TEST_CASE("a model is asked for remarks before a run and when it has ended") {
  const support::TemporaryFolder folder;
  const Composition composition = composed("");
  CHECK(composition.remarks == std::vector<std::string>{"model.target: Asked 1 times."});
  const RunResult result = run_in(folder.path() + "/out", composition);
  CHECK(result.record.remarks ==
        std::vector<std::string>{"model.target: Asked 1 times.", "model.target: Asked 2 times."});
}

TEST_CASE("files that a model finds by itself are among those of composition and run") {
  CHECK(composed("").files.empty());
  const support::TemporaryFolder folder;
  const std::string path = folder.path() + "/part";
  std::ofstream(path) << "abc";
  const Composition composition = composed("made_of = \"" + path + "\"\n");
  CHECK(composition.files == std::vector<std::string>{path});
  run_in(folder.path() + "/out", composition);
  const std::vector<UsedFile> used = read_run(folder.path() + "/out").files;
  REQUIRE(used.size() == 1);
  CHECK(used[0].file == path);
  CHECK(used[0].sha256 == "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
}
