// Uses a model that the program itself defines, in a composition built in code.
// SPDX-License-Identifier: Apache-2.0
#include <mixwell/lab.hpp>

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
  registry.add<Bowl>({.id = "bowl", .summary = "Independent normals around a centre"});
  // registry.add_library("build/model-tilted.so");  // a plugin outside these folders
  Composer composer("own-bowl");
  composer.add(Kind::model, "bowl").set("centre", 2.5);
  const RunResult result =
      run(composer.compose(registry), {.folder = "out/own-bowl", .force = true});
  std::cout << result.certificate.in_words() << "\n";
  for (const SummaryRow& row : result.summary.value().variables)
    std::cout << row.name << ": " << row.standard.mean << " +- " << row.standard.mcse_mean << "\n";
} catch (const Error& error) {
  std::cerr << error.what() << "\n";
  return static_cast<int>(error.code());
}
