// The instruction set that Mixwell was compiled for. The last bits of results depend on it.
// SPDX-License-Identifier: Apache-2.0
#include "files/instruction_set.hpp"

#include "files/own_files.hpp"

#include <fmt/format.h>

#include <filesystem>
#include <utility>

namespace mixwell {

OtherInstructionSet::OtherInstructionSet(std::string isa, const std::string& what)
    : InputError(fmt::format(
          "{0} the instruction set {1}, but this process uses {2}. The program `mixwell` changes "
          "to an installed set itself. In Python, under MPI, or with a manifest from a pipe, set "
          "MIXWELL_ISA={1} before the start. If you build Mixwell yourself, configure another "
          "build with -DMIXWELL_ISA={1}.",
          what, isa, own_instruction_set())),
      isa_(std::move(isa)) {}

OtherInstructionSet::~OtherInstructionSet() = default;

void require_instruction_set(const std::string& isa, const std::string& what) {
  if (!isa.empty() && isa != own_instruction_set()) throw OtherInstructionSet(isa, what);
}

/// The library of the usual set is in a folder `lib`, and its program is in lib/mixwell/SET/bin.
/// The library of another set is in lib/mixwell/SET itself.
std::string program_for(const std::string& isa) {
  namespace fs = std::filesystem;
  const fs::path below = fs::path("mixwell") / isa / "bin/mixwell";
  const fs::path libraries = fs::path(own_library()).parent_path();
  for (const fs::path& folder : {libraries, libraries.parent_path().parent_path()})
    if (fs::exists(folder / below)) return (folder / below).string();
  return {};
}

std::string own_program() {
  const std::string of_set = program_for(own_instruction_set());
  return of_set.empty() ? beside_program("mixwell").string() : of_set;
}

}  // namespace mixwell
