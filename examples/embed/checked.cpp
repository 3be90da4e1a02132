// Shows before a run what a composition is guaranteed to sample, and how to improve it.
// SPDX-License-Identifier: Apache-2.0
#include <mixwell/lab.hpp>

#include <iostream>

using namespace mixwell;

int main() try {
  const Registry registry = Registry::load(Registry::default_folders());
  Composer composer("unadjusted");
  composer.add(Kind::model, "quartic").set("dimension", 2);
  composer.add(Kind::kernel, "hamiltonian", "hmc").set("step_size", 0.1).set("metropolis", false);

  const Checked found =
      check(composer.compose(registry), registry, {.gradient = true, .worlds = worlds_report});
  std::cout << found.label() << "\n";
  for (const Cure& cure : found.cures)
    std::cout << "cure: " << cure.change << " (" << cure.in_words() << ")\n";
  std::cout << text_of(found.gradient.value()) << "\n";
  if (found.fault) throw *found.fault;  // for example, a model with a wrong gradient
} catch (const Error& error) {
  std::cerr << error.what() << "\n";
  return static_cast<int>(error.code());
}
