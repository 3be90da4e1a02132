// bin/mixwell of an installation with several instruction sets: picks one and starts its program.
// Compiled for every x86-64 processor, and without the libraries of Mixwell.
// SPDX-License-Identifier: Apache-2.0
#include <unistd.h>

#include <array>
#include <cerrno>
#include <climits>
#include <cstdio>
#include <cstdlib>
#include <cstring>

namespace {

struct Set {
  const char* name;
  bool (*is_supported)();
};

/// In the order of preference. x86-64-v4 must be asked for, because it changes the last bits of
/// results, and because some processors lower their clock for its instructions.
constexpr std::array<Set, 3> sets = {
    {{"x86-64-v3", [] { return __builtin_cpu_supports("x86-64-v3") != 0; }},
     {"x86-64-v2", [] { return __builtin_cpu_supports("x86-64-v2") != 0; }},
     {"x86-64-v4", [] { return __builtin_cpu_supports("x86-64-v4") != 0; }}}};

using PathText = std::array<char, PATH_MAX>;

/// The folder of this file. "" if it cannot be read.
PathText own_folder() {
  PathText path{};
  const ssize_t length = ::readlink("/proc/self/exe", path.data(), path.size() - 1);
  if (length > 0) *std::strrchr(path.data(), '/') = '\0';
  return path;
}

/// MIXWELL_SETS is the path from bin/ to the folder of the sets.
PathText program_of(const char* folder, const Set& set) {
  PathText path{};
  const int length = std::snprintf(path.data(), path.size(), "%s/" MIXWELL_SETS "/%s/bin/mixwell",
                                   folder, set.name);
  return length < static_cast<int>(path.size()) ? path : PathText{};
}

[[noreturn]] void fail(const char* before, const char* name, const char* after) {
  std::fprintf(stderr, "mixwell: error: %s%s%s\n", before, name, after);
  std::exit(2);
}

/// The program for the set that MIXWELL_ISA names, or else for the first set that is installed and
/// that this processor has.
PathText chosen(const char* folder) {
  const char* const asked = std::getenv("MIXWELL_ISA");
  const bool is_asked = asked != nullptr && *asked != '\0';
  for (const Set& set : sets) {
    if (is_asked && std::strcmp(asked, set.name) != 0) continue;
    const PathText program = program_of(folder, set);
    const bool is_installed = ::access(program.data(), X_OK) == 0;
    if (is_installed && set.is_supported()) return program;
    if (!is_asked) continue;
    if (is_installed)
      fail("this processor does not have the instruction set ", set.name,
           ". Use a processor that has it, or start again with a set that this processor has "
           "(results then differ in their last bits)");
    fail("the instruction set ", set.name,
         " is not installed. Unset MIXWELL_ISA, or install a package of Mixwell that has this set");
  }
  if (is_asked)
    fail("MIXWELL_ISA must be x86-64-v2, x86-64-v3 or x86-64-v4, but is \"", asked, "\"");
  fail("this processor has none of the installed instruction sets", "",
       ". Mixwell needs x86-64-v2, which processors have had since 2009");
}

}  // namespace

int main(int, char** words) {
  __builtin_cpu_init();
  const PathText program = chosen(own_folder().data());
  ::execv(program.data(), words);
  fail(program.data(), ": cannot be started: ", std::strerror(errno));
}
