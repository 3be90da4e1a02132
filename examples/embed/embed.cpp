// Builds a composition in code, runs it, and runs it again from its manifest.
// SPDX-License-Identifier: Apache-2.0
#include <mixwell/lab.hpp>

#include <iostream>

using namespace mixwell;

int main() try {
  const Registry registry = Registry::load(Registry::default_folders());
  Composer composer("bowl");
  composer.run().set("seed", 20).set("draws", 2000);
  composer.add(Kind::model, "gaussian").set("dimension", 3).set("mean", {2.5});
  composer.add(Kind::estimator, "dense", "metric");  // the third argument, a name, is optional
  composer.add(Kind::kernel, "hamiltonian", "hmc")
      .set("target_acceptance", 0.8)
      .set("steps_jitter", {5, 15})
      .set("estimator", "metric");

  StopRequest stop;  // may be set from any thread: the run ends and keeps its draws so far
  RunOptions options{.folder = "out/bowl", .force = true, .stop = &stop};
  options.progress = [&](const Progress& now) {
    if (now.seconds > 60.0) stop.make();
  };
  const RunResult result = run(composer.compose(registry), options);

  std::cout << result.certificate.in_words() << "\n";
  if (!result.summary) return 1;  // stopped early: summarise(result.folder) computes it
  for (const SummaryRow& row : result.summary->variables)
    std::cout << row.name << ": " << row.standard.mean << " +- " << row.standard.mcse_mean << "\n";
  const DrawsFile draws(result.folder);
  const Eigen::MatrixXd x0 = draws.read(draws.columns().front(), 0);  // draws x chains
  std::cout << x0.rows() << " draws of " << x0.cols() << " chains\n";

  options.folder = "out/again";
  const RunResult again = run(load_manifest("out/bowl/manifest.toml", registry), options);
  const bool equal = again.record.draws_sha256 == result.record.draws_sha256;
  std::cout << "from the manifest: " << (equal ? "the same draws" : "other draws") << "\n";
  return equal ? 0 : 1;
} catch (const Error& error) {
  std::cerr << error.what() << "\n";  // key, value, rule and the nearest valid choice
  return static_cast<int>(error.code());
}
