// Errors while a composition is described name their place in the manifest.
// SPDX-License-Identifier: Apache-2.0
#include "composing.hpp"

#include <mixwell/lab/composer.hpp>

#include <catch2/catch.hpp>

#include <string>

using namespace mixwell;
using composing::refusal;

namespace {

// composing::refusal puts `mixwell = 1` in front, so that these are lines 2 to 4.
const std::string plane = "[model.m]\nuse = \"gaussian\"\ndimension = 2\n";
const std::string draw = "[kernel.draw]\nuse = \"conditional\"\n";
const std::string walk = "[kernel.walk]\nuse = \"random-walk-metropolis\"\n";

std::string update(const std::string& owner, const std::string& parameters,
                   const std::string& kernel) {
  return "[[" + owner + ".update]]\nparameters = [\"" + parameters + "\"]\nkernel = \"" + kernel +
         "\"\n";
}

void says(const std::string& message, const std::string& what) {
  INFO(message << "\nlacks: " << what);
  CHECK(message.find(what) != std::string::npos);
}

}  // namespace

TEST_CASE("a kernel that the model does not suit is told with its table") {
  const std::string message = refusal(plane + "[kernel.k]\nuse = \"pcn\"\nstep_size = 1\n");
  says(message, "has no Gaussian prior");
  says(message, "\n  while composing [kernel.k] (test.toml:5:1)");
  CHECK(message.find("compositor") == std::string::npos);
}

TEST_CASE("a kernel of an update is told with the key that names it, and with its own table") {
  const std::string message =
      refusal(plane + draw + walk + "[compositor.c]\nuse = \"blocks\"\n" +
              update("compositor.c", "x[0]", "walk") + update("compositor.c", "x[1]", "draw"));
  CHECK(message.starts_with("test.toml:16:10: compositor.c.update[1].kernel = \"draw\": "));
  says(message, "offers no exact draws given the other parameters");
  says(message, "[kernel.draw] (test.toml:5:1)");
}

TEST_CASE("so is one of kernel blocks within a cycle") {
  const std::string message =
      refusal(plane + draw + walk + "[kernel.parts]\nuse = \"blocks\"\n" +
              update("kernel.parts", "x[0]", "walk") + update("kernel.parts", "x[1]", "draw") +
              "[compositor.c]\nuse = \"cycle\"\nkernels = [\"walk\", \"parts\"]\n");
  CHECK(message.starts_with("test.toml:16:10: kernel.parts.update[1].kernel = \"draw\": "));
}

TEST_CASE("a kernel that an update leaves out has the place of the update") {
  const std::string message = refusal(
      "[model.m]\nuse = \"random-effects\"\nvalues = [1, 2]\nsds = [1, 1]\n[compositor.c]\nuse = "
      "\"blocks\"\n[[compositor.c.update]]\nparameters = [\"mu\"]\n");
  CHECK(message.starts_with("test.toml:8:1: compositor.c.update[0].kernel: "));
  says(message, "offers only an unbiased estimate");
  says(message, "[kernel.nuts] (test.toml)");
}

TEST_CASE("a kernel for real numbers that moves whole ones is told with its table") {
  const std::string message =
      refusal("[model.m]\nuse = \"changepoint\"\ncounts = [4, 5, 2, 1, 0]\n" + walk +
              "[compositor.c]\nuse = \"blocks\"\n" + update("compositor.c", "k", "walk") +
              update("compositor.c", "before", "walk") + update("compositor.c", "after", "walk"));
  says(message, "whose values are integers");
  says(message, "\n  while composing [kernel.walk] (test.toml:5:1)");
}

TEST_CASE("a kernel that is given on the command line has that as its place") {
  try {
    const Composition composition =
        parse_manifest("mixwell = 1\n" + plane, "test.toml", composing::registry(),
                       {{.key = "kernel.k.use", .value = "pcn"}});
    compose(*composition.compositor);
    FAIL("accepted");
  } catch (const InputError& fault) {
    says(fault.what(), "while composing [kernel.k]");
  }
}

TEST_CASE("a composition made in code is named in the place of a file") {
  Composer composer("mine");
  composer.add(Kind::model, "gaussian").set("dimension", std::int64_t{2});
  composer.add(Kind::kernel, "pcn").set("step_size", 1.0);
  try {
    compose(*composer.compose(composing::registry()).compositor);
    FAIL("accepted");
  } catch (const InputError& fault) {
    says(fault.what(), "while composing [kernel.pcn] (composition mine)");
  }
}
