// Fuzz target: programs in the Stan language, and data against what they declare. The input is a
// program, a line of ---, and JSON.
// SPDX-License-Identifier: Apache-2.0
#include "../../models/stan/shapes.hpp"
#include "../../models/stan/statements.hpp"
#include "fuzzing.hpp"

#include <cstddef>
#include <string>
#include <vector>

namespace {

using namespace mixwell::stan;

void require(bool holds) {
  if (!holds) std::abort();
}

/// The statements of a block are all of its tokens, and what is left without one is as long.
void take_apart(const ProgramText& program) {
  const Tokens block = program.block("generated quantities");
  const auto statements = statements_in(program, block);
  std::size_t count = 0;
  for (const Statement& one : statements) count += one.tokens.size();
  require(count == block.size());
  std::vector<bool> dropped(statements.size(), false);
  if (!statements.empty()) drop(statements, 0, dropped);
  require(program.without({block}).size() == program.text().size());
  require(program.only({"data"}).size() == program.text().size());
}

void read(std::string_view program, std::string_view json) {
  const Program source{.path = "x.stan", .text = std::string(program), .include_paths = {}};
  const ProgramText text(source);
  require(text.text().size() == program.size());
  take_apart(text);
  const Declarations declared = declarations_in(text, "data");
  std::set<std::string> wanted;
  for (const Declared& one : declared.variables) add_names(one.type, &Type::sizes, wanted);
  check_data(source, declared, read_data("x.json", json, wanted), "x.json");
}

}  // namespace

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const auto parts = fuzzing::split(fuzzing::text_of(data, size), "\n---\n");
  fuzzing::accepts([&] { read(parts.first, parts.second); });
  return 0;
}
