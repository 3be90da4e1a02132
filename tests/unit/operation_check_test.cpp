// Tests of single operations: right ones pass, and each kind of mistake is found at its operation.
// SPDX-License-Identifier: Apache-2.0
#include "composing.hpp"
#include "verify/operations.hpp"

#include <catch2/catch.hpp>

#include <algorithm>
#include <set>
#include <string>
#include <vector>

using namespace mixwell;

namespace {

const std::string quartic = "[model.m]\nuse = \"quartic\"\ndimension = 2\n";

std::vector<VerifiedOperation> checked(const std::string& manifest) {
  return check_operations(composing::compose(manifest), 0, 1e-6).found;
}

std::set<std::string> traits_of(const std::vector<VerifiedOperation>& all, bool failed) {
  std::set<std::string> traits;
  for (const VerifiedOperation& o : all) {
    if (o.failed || !failed) traits.insert(o.trait);
  }
  return traits;
}

using Names = std::set<std::string>;
const Names all_traits = {"keeps_law", "a(r) = r a(1/r)", "involution", "volume"};

}  // namespace

TEST_CASE("the operations of right kernels pass by themselves") {
  const struct {
    const char* kernel;
    Names tested;
  } cases[] = {
      {"use = \"hamiltonian\"\nstep_size = 0.3\nsteps = 4\n", all_traits},
      {"use = \"hamiltonian\"\nstep_size = 0.3\nsteps = 1\npersistence = 0.8\n", all_traits},
      {"use = \"random-walk-metropolis\"\nstep_size = 0.5\n",
       {"a(r) = r a(1/r)", "involution", "volume"}},
      {"use = \"metropolis-gaussian\"\nstep_size = 0.5\n", {"keeps_law", "a(r) = r a(1/r)"}},
      {"use = \"wrong-accept\"\nmistake = \"barker\"\n",
       {"a(r) = r a(1/r)", "involution", "volume"}},
      // Nobody follows the gradient of the density of their proposals.
      {"use = \"mala\"\nstep_size = 0.3\n", {"keeps_law", "a(r) = r a(1/r)"}},
      {"use = \"barker\"\nstep_size = 0.3\n", {"keeps_law", "a(r) = r a(1/r)"}},
      // The stages keep the target itself, and all that they propose is taken.
      {"use = \"delayed-acceptance\"\noracle = \"o\"\nkernels = [\"stage\"]\n[oracle.o]\nuse = "
       "\"exact\"\n[kernel.stage]\n"
       "use = \"random-walk-metropolis\"\nstep_size = 0.5\n"
       "[compositor.c]\nuse = \"chain\"\nkernel = \"k\"\n",
       {"a(r) = r a(1/r)", "involution", "volume"}},
      // A stage with a momentum: its accept reads a copy of the slot.
      {"use = \"delayed-acceptance\"\noracle = \"o\"\nkernels = [\"stage\"]\n[oracle.o]\nuse = "
       "\"exact\"\n[kernel.stage]\n"
       "use = \"hamiltonian\"\nstep_size = 0.3\nsteps = 4\n"
       "[compositor.c]\nuse = \"chain\"\nkernel = \"k\"\n",
       all_traits},
  };
  for (const auto& c : cases) {
    INFO(c.kernel);
    const auto found = checked(quartic + "[kernel.k]\n" + c.kernel);
    CHECK(traits_of(found, false) == c.tested);
    CHECK(traits_of(found, true).empty());
  }
}

TEST_CASE(
    "what an operation does with numbers that another one drew is left to the test as a whole") {
  const struct {
    const char* statement;
    Names tested;
  } cases[] = {
      {"walk", {"a(r) = r a(1/r)", "involution", "volume"}},
      {"walk chance=noise:a", {"involution", "volume"}},
      {"walk normals=a", {"a(r) = r a(1/r)", "volume"}},
      {"leap", all_traits},
      {"leap momentum=kept normals=a", {"a(r) = r a(1/r)", "involution", "volume"}},
  };
  for (const auto& c : cases) {
    INFO(c.statement);
    const auto found = checked(quartic + "[kernel.k]\nuse = \"wired-steps\"\nprogram = [\"" +
                               c.statement + "\"]\n");
    CHECK(traits_of(found, false) == c.tested);
    CHECK(traits_of(found, true).empty());
  }
}

TEST_CASE("nobody asks a trajectory on a noisy gradient to come back") {
  const auto found = checked(quartic +
                             "[oracle.o]\nuse = \"noisy\"\n"
                             "[estimator.identity]\nuse = \"identity\"\n[kernel.k]\nuse = "
                             "\"hamiltonian\"\nratio = \"target\"\n"
                             "step_size = 0.3\nsteps = 4\n");
  CHECK(traits_of(found, false) == Names{"keeps_law", "a(r) = r a(1/r)", "volume"});
  CHECK(traits_of(found, true).empty());
}

TEST_CASE("nobody asks a move without Metropolis to come back") {
  const auto found = checked(quartic +
                             "[estimator.identity]\nuse = \"identity\"\n[kernel.other]\nuse = "
                             "\"slice\"\n[kernel.k]\nuse = \"hamiltonian\"\n"
                             "metropolis = false\nstep_size = 0.3\nsteps = 1\n"
                             "[compositor.c]\nuse = \"blocks\"\n"
                             "[[compositor.c.update]]\nparameters = [\"x[0]\"]\nkernel = "
                             "\"other\"\n"
                             "[[compositor.c.update]]\nparameters = [\"x[1:]\"]\nkernel = \"k\"\n");
  CHECK(traits_of(found, false) == Names{"keeps_law"});
  CHECK(traits_of(found, true).empty());
}

TEST_CASE("a refresh that never renews the momentum is left to the test as a whole") {
  const auto found = checked(quartic +
                             "[estimator.identity]\nuse = \"identity\"\n[kernel.k]\nuse = "
                             "\"hamiltonian\"\nstep_size = 0.3\nsteps = 4\n"
                             "persistence = 1.0\n");
  CHECK(traits_of(found, false) == Names{"a(r) = r a(1/r)", "involution", "volume"});
  CHECK(traits_of(found, true).empty());
}

TEST_CASE("an accept is judged where proposals are so narrow that a copy is far from its state") {
  const auto found =
      checked(quartic + "[kernel.k]\nuse = \"metropolis-gaussian\"\nstep_size = 1e-12\n");
  CHECK(traits_of(found, false) == Names{"keeps_law", "a(r) = r a(1/r)"});
  CHECK(traits_of(found, true).empty());
}

TEST_CASE("a refresh that runs in a few columns alone is left to the test as a whole", "[slow]") {
  const auto found = checked(quartic +
                             "[kernel.often]\nuse = \"random-walk-metropolis\"\nstep_size = 0.5\n"
                             "[estimator.identity]\nuse = \"identity\"\n[kernel.seldom]\nuse = "
                             "\"hamiltonian\"\nstep_size = 0.3\n"
                             "steps = 4\n"
                             "[compositor.c]\nuse = \"mixture\"\n"
                             "kernels = [\"often\", \"seldom\"]\nweights = [700, 1]\n");
  const bool ran = std::any_of(found.begin(), found.end(), [](const VerifiedOperation& o) {
    return o.operation.find("seldom") != std::string::npos;
  });
  CHECK(ran);
  CHECK(traits_of(found, true).empty());
}

TEST_CASE("a metric that depends on the position is seen in every column") {
  const auto found = checked(
      "[model.m]\nuse = \"banana\"\n[kernel.k]\nuse = \"riemannian\"\nstep_size = 0.1\nsteps = "
      "3\n");
  CHECK(traits_of(found, false) == all_traits);
  CHECK(traits_of(found, true).empty());
}

TEST_CASE("a trajectory too chaotic for differences is not taken for one that loses volume") {
  const auto found = checked(quartic +
                             "[estimator.identity]\nuse = \"identity\"\n[kernel.k]\nuse = "
                             "\"hamiltonian\"\nstep_size = 0.2\nsteps = 10\n"
                             "target_acceptance = 0.8\nfreeze = false\n");
  CHECK(traits_of(found, false).count("volume") == 1);
  CHECK(traits_of(found, true).empty());
}

TEST_CASE("an operation that does not what its trait says fails by itself") {
  const struct {
    const char* kernel;
    const char* trait;
  } cases[] = {
      {"use = \"wrong-hamiltonian\"\nmistake = \"wide-momentum\"\n", "keeps_law"},
      {"use = \"wrong-accept\"\nmistake = \"flattened\"\n", "a(r) = r a(1/r)"},
      {"use = \"wrong-accept\"\nmistake = \"not-negated\"\n", "involution"},
      {"use = \"hamiltonian\"\nstep_size = 0.3\nsteps = 4\n"
       "[integrator.i]\nuse = \"wrong-leapfrog\"\nmistake = \"volume-lost\"\n",
       "volume"},
      {"use = \"hamiltonian\"\nstep_size = 0.3\nsteps = 4\n"
       "[integrator.i]\nuse = \"wrong-leapfrog\"\nmistake = \"half-step-forgotten\"\n",
       "involution"},
  };
  for (const auto& c : cases) {
    INFO(c.kernel);
    CHECK(traits_of(checked(quartic + "[kernel.k]\n" + c.kernel), true).count(c.trait) == 1);
  }
}
