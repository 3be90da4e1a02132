// A composition made in code around a model of the program's own, run, and run again from its file.
// SPDX-License-Identifier: Apache-2.0
#include <mixwell/lab.hpp>

#include <atomic>
#include <iostream>

using namespace mixwell;

/// U(x) = |x - centre|^2 / 2.
class Bowl final : public Model {
 public:
  struct Params {
    double centre = 0.0;
    void declare(Fields& fields) { fields.number("centre", centre).help("mean of every x"); }
  };
  explicit Bowl(const Params& params) : centre_(params.centre) {}
  std::vector<Parameter> parameters() const override { return {{.name = "x", .shape = {3}}}; }

 private:
  void do_evaluate(ConstBatch theta, const Evaluation& out) const override {
    Batch gradient = out.gradient;
    gradient = (theta.array() - centre_).matrix();
    if (out.wants_potential()) out.u() = 0.5 * gradient.colwise().squaredNorm();
  }
  double centre_;
};

int main() try {
  Registry registry = Registry::load(Registry::default_folders());
  registry.add<Bowl>({.id = "bowl", .summary = "independent normals around a centre"});
  // registry.add_library("build/model-tilted.so");  // a plugin in none of those folders

  Composer composer("bowl");
  composer.run().set("seed", 20).set("draws", 2000);
  composer.add(Kind::model, "bowl").set("centre", 2.5);
  composer.add(Kind::estimator, "dense", "metric");  // a name of its own, where one is wanted
  composer.add(Kind::integrator, "leapfrog");
  composer.add(Kind::kernel, "hamiltonian", "hmc")
      .set("target_acceptance", 0.8)
      .set("steps_jitter", {5, 15})
      .set("estimator", "metric");
  composer.add(Kind::compositor, "chain");

  std::atomic<bool> stop = false;  // set it from any thread: the run ends with what it has
  RunOptions options{.folder = "out/bowl", .force = true, .stop = &stop};
  options.progress = [&](const Progress& now) { stop = now.seconds > 60.0; };
  const RunResult result = run(composer.compose(registry), options);

  std::cout << result.certificate.in_words() << "\n";
  for (const SummaryRow& row : result.summary.variables)
    std::cout << row.name << ": " << row.standard.mean << " +- " << row.standard.mcse_mean << "\n";
  const DrawsFile draws(result.folder);
  const Eigen::MatrixXd x0 = draws.read(draws.columns().front(), 0);  // draws x chains
  std::cout << x0.rows() << " draws of " << x0.cols() << " chains\n";

  const Composition same = load_manifest("out/bowl/manifest.toml", registry);
  options.folder = "out/again";
  run(same, options);
  const bool equal = read_run("out/again").draws_sha256 == result.record.draws_sha256;
  std::cout << "from the manifest: " << (equal ? "the same draws" : "other draws") << "\n";
  return equal ? 0 : 1;
} catch (const Error& error) {
  std::cerr << error.what() << "\n";  // key, value, rule and the nearest valid choice
  return static_cast<int>(error.code());
}
