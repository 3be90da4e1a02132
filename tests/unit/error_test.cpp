// Error messages, and suggestions for misspelt names.
// SPDX-License-Identifier: Apache-2.0
#include <mixwell/base/error.hpp>

#include <catch2/catch.hpp>

#include <vector>

using namespace mixwell;

namespace {
const std::vector<std::string> kernels = {"hamiltonian", "langevin", "random-walk"};
}

TEST_CASE("The nearest word is found through insertions, deletions, changes and swaps") {
  CHECK(nearest("hamiltonain", kernels) == "hamiltonian");
  CHECK(nearest("hamltonian", kernels) == "hamiltonian");
  CHECK(nearest("langevinn", kernels) == "langevin");
  CHECK(nearest("random_walk", kernels) == "random-walk");
}

TEST_CASE("The nearer of two near words wins") {
  const std::vector<std::string> keys = {"steps", "step_size", "step"};
  CHECK(nearest("stepz", keys) == "steps");
  CHECK(nearest("step_siz", keys) == "step_size");
}

TEST_CASE("A word that resembles nothing has no nearest") {
  CHECK(nearest("metropolis", kernels).empty());
  CHECK(nearest("ab", std::vector<std::string>{"xy"}).empty());
  CHECK(nearest("", kernels).empty());
  CHECK(nearest("word", {}).empty());
}

TEST_CASE("A suggestion asks about the nearest word or lists all") {
  CHECK(suggestion("hamiltonain", kernels) == " (did you mean \"hamiltonian\"?)");
  CHECK(suggestion("metropolis", kernels) == " (known: hamiltonian, langevin, random-walk)");
  CHECK(suggestion("metropolis", {}) == " (there are none)");
}

TEST_CASE("A location is written as editors read it") {
  CHECK(to_string(Location{"m.toml", 3, 7}) == "m.toml:3:7");
  CHECK(to_string(Location{"t.csv", 2, 0}) == "t.csv:2");  // a whole row
  CHECK(to_string(Location{"--set run.seed=1", 0, 0}) == "--set run.seed=1");
  CHECK(to_string(Location{}).empty());
  CHECK(std::string(InputError({"m.toml", 3, 7}, "no").what()) == "m.toml:3:7: no");
  CHECK(std::string(InputError(Location{}, "no").what()) == "no");
}

TEST_CASE("Every error knows the exit code it ends in") {
  CHECK(InputError("x").code() == ExitCode::bad_input);
  CHECK(ParameterError("key", "rule").code() == ExitCode::bad_input);
  CHECK(RunError("x").code() == ExitCode::failed);
  CHECK(Refused("x").code() == ExitCode::refused);
}

TEST_CASE("A parameter error keeps its key and its rule apart") {
  const ParameterError error("steps", "must be even");
  CHECK(error.key() == "steps");
  CHECK(error.rule() == "must be even");
  CHECK(std::string(error.what()) == "steps: must be even");
}

TEST_CASE("Long words are no slips of the keyboard, and long texts are shortened in messages") {
  const std::string word(10000000, 'x');
  CHECK(nearest(word, kernels).empty());
  CHECK(nearest("hamiltonia", std::vector<std::string>{word, "hamiltonian"}) == "hamiltonian");
  const std::vector<std::string> many(1000, "name");
  CHECK(suggestion("metropolis", many).size() < 1000);
  CHECK(suggestion("metropolis", many).ends_with(" and 900 more)"));
  const std::string said = InputError("begin " + word + " end").what();
  CHECK(said.size() < 7000);
  CHECK(said.starts_with("begin xxx"));
  CHECK(said.ends_with("xxx end"));
  const std::string longest(6000, 'x');
  CHECK(InputError(longest).what() == longest);
}

TEST_CASE("What is quoted in a message gives no orders to the screen, and is UTF-8") {
  CHECK(std::string(InputError("a\x1b[2J\x07\x7f b").what()) == "a\\x1b[2J\\x07\\x7f b");
  CHECK(std::string(InputError("caf\xe9, \xc2\x9b").what()) == "caf\\xe9, \\xc2\\x9b");
  CHECK(std::string(InputError("\xc3").what()) == "\\xc3");
  const std::string kept = "café θ*\n\tin [model.x]";
  CHECK(InputError(kept).what() == kept);
}
