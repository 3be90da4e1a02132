// Plugins that write where they may not, or do not repeat themselves: found by check and by
// run --checked.
// SPDX-License-Identifier: Apache-2.0
#include "program.hpp"

#include <utility>
#include <vector>

using end_to_end::contains;
using end_to_end::draws_hash;
using end_to_end::Outcome;
using end_to_end::with_plugins;
using end_to_end::Workplace;

namespace {

const std::string head =
    "mixwell = 1\n[run]\nwarmup = 50\ndraws = 100\nreplicates = 11\nallow = [\"biased\"]\n";

}  // namespace

TEST_CASE("A model that writes where it may not or is another each time is found") {
  const Workplace place;
  const std::string before = with_plugins(place, {"tests/wrong/dishonest_model.so"});
  const std::vector<std::pair<std::string, const char*>> faults = {
      {"changes-theta", "the code changed theta"},
      {"after-gradient", "the code wrote outside the gradient"},
      {"before-gradient", "the code wrote outside the gradient"},
      {"after-u", "the code wrote outside the array U"},
      {"other-gradient", "a second evaluation at the same points gave a different gradient"},
      {"other-u", "a second evaluation at the same points gave a different U"}};
  const auto write = [&](const std::string& how) {
    place.write("m.toml", head + "[model.g]\nuse = \"dishonest\"\nhow = \"" + how +
                              "\"\n[estimator.identity]\nuse = \"identity\"\n[kernel.k]\nuse = "
                              "\"hamiltonian\"\nsteps = 10\nstep_size = 0.3\n");
  };
  for (const auto& [how, words] : faults) {
    write(how);
    for (const char* command : {"check m.toml", "run m.toml --checked --force"}) {
      INFO(command);
      const Outcome outcome = place.mixwell(command, before);
      CHECK(outcome.code == 1);
      contains(outcome.err, words);
      contains(outcome.err, "[model.g] (use = \"dishonest\", m.toml:7:1, ");
    }
  }
  write("none");
  CHECK(place.mixwell("check m.toml", before).code == 0);
  CHECK(place.mixwell("run m.toml --checked --force", before).code == 0);
}

TEST_CASE("Terms that write where they may not or are others each time are found") {
  const Workplace place;
  const std::string before = with_plugins(place, {"tests/wrong/dishonest_model.so"});
  const std::vector<std::pair<std::string, const char*>> faults = {
      {"terms-change-theta", "the code changed theta"},
      {"after-terms", "the code wrote outside the gradient, which has 3 rows and "},
      {"other-terms", "a second evaluation at the same points gave a different gradient"},
      {"other-rest", "a second evaluation at the same points gave a different gradient"},
      {"after-term-gradients", "the code wrote outside the gradient"},
      {"terms-throw", "no terms today"}};
  const auto write = [&](const std::string& how, const std::string& kernel) {
    place.write("m.toml", head + "[model.g]\nuse = \"dishonest\"\nhow = \"" + how +
                              "\"\n[oracle.o]\nuse = \"minibatch\"\nsize = 1\n" + kernel);
  };
  const std::string langevin = "[kernel.k]\nuse = \"langevin\"\nstep_size = 0.1\n";
  for (const auto& [how, words] : faults) {
    write(how, langevin);
    const bool is_used = how != "after-term-gradients";  // by this kernel
    for (const char* command : {"check m.toml", "run m.toml --checked --force"}) {
      if (!is_used && std::string(command).starts_with("run")) continue;
      INFO(how << ": " << command);
      const Outcome outcome = place.mixwell(command, before);
      CHECK(outcome.code == 1);
      contains(outcome.err, words);
      contains(outcome.err, "[model.g] (use = \"dishonest\", m.toml:7:1, ");
    }
  }
  write("none", langevin);
  CHECK(place.mixwell("check m.toml", before).code == 0);
  REQUIRE(place.mixwell("run m.toml --checked --force --out checked", before).code == 0);
  REQUIRE(place.mixwell("run m.toml --force --out plain", before).code == 0);
  CHECK(draws_hash(place, "plain") == draws_hash(place, "checked"));
}

TEST_CASE("A kernel that writes after its columns is found by a checked run") {
  const Workplace place;
  const std::string before = with_plugins(place, {"tests/wrong/careless_kernel.so"});
  place.write("m.toml", head +
                            "[model.g]\nuse = \"gaussian\"\ndimension = 3\n"
                            "[kernel.k]\nuse = \"careless\"\n");
  const Outcome outcome = place.mixwell("run m.toml --checked", before);
  CHECK(outcome.code == 1);
  contains(outcome.err, "the body of this operation wrote outside the columns of its block");
  contains(outcome.err, "the operation `k/step` of [kernel.k] (use = \"careless\", m.toml:10:1, ");
  CHECK(place.mixwell("run m.toml --checked --force --set kernel.k.oversteps=false", before).code ==
        0);
}

TEST_CASE("A checked run has the draws of one that is not") {
  const Workplace place;
  const std::vector<std::string> kernels = {"use = \"hamiltonian\"\nstep_size = 0.4\nsteps = 5\n",
                                            "use = \"nuts\"\n",
                                            "use = \"random-walk-metropolis\"\n"};
  for (const std::string& kernel : kernels) {
    INFO(kernel);
    place.write("m.toml",
                head + "[model.g]\nuse = \"gaussian\"\ndimension = 7\n[kernel.k]\n" + kernel);
    REQUIRE(place.mixwell("run m.toml --out plain --force").code == 0);
    REQUIRE(place.mixwell("run m.toml --out checked --checked --force").code == 0);
    CHECK(draws_hash(place, "plain") == draws_hash(place, "checked"));
  }
}
