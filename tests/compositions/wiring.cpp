// Manifests whose kernels are wired at random.
// SPDX-License-Identifier: Apache-2.0
#include "wiring.hpp"

#include "chance.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <vector>

namespace compositions {
namespace {

/// In the plane, with exact draws that cost little.
const std::vector<std::string> models = {
    "use = \"banana\"\n",
    "use = \"gaussian-mixture\"\nweights = [1, 2]\nmeans = [-1, 0.5, 1, 0]\nsd = [0.6, 1.2]\n",
    "use = \"gaussian\"\ndimension = 2\ncovariance = \"ones-plus\"\nc = 0.5\n",
    "use = \"student-t\"\ndimension = 2\ndegrees_of_freedom = 8.0\n"};

/// Sources that a right wiring may have come more often: only what is called right can be refuted.
const std::vector<std::string> sources = {
    "noise:a",    "noise:a", "noise:b", "noise:b",  "register:r", "register:r", "register:s",
    "register:s", "others",  "others",  "position", "start",      "outcome",    "proposed"};

class Writer {
 public:
  Writer(std::uint64_t seed, Lie lie, Wish wish) : chance_(seed), lie_(lie), wish_(wish) {}

  std::string manifest() {
    std::string text =
        "mixwell = 1\n\n[run]\nwarmup = 5\ndraws = 100\nallow = [\"biased\", "
        "\"none\"]\n\n[model.m]\n" +
        chance_.of(models);
    const std::string compositor = composed();
    for (const std::string& kernel : kernels_) text += kernel;
    return text + compositor;
  }

 private:
  /// "" half of the time: the key's default.
  std::string word(const std::string& key, const std::vector<std::string>& from) {
    return chance_.percent(55) ? "" : " " + key + "=" + chance_.of(from);
  }

  /// A gradient with a control variate around a number, on normals of its own or on shared ones.
  std::string around() {
    const std::string of = " around=" + chance_.of(sources);
    return chance_.percent(25) ? of + " batch=" + chance_.of({"a", "b"}) : of;
  }

  /// Those that the first kernel begins with.
  std::vector<std::string> wished() {
    switch (wish_) {
      case Wish::nothing:
        return {};
      case Wish::control_variate:
        return {chance_.of({"leap", "drift"}) + word("size", sources) + around()};
      case Wish::warmup:
        return {"keep register=learnt phase=warm-up of=" + chance_.of(sources),
                chance_.of({"walk size", "leap size", "flip centre"}) + "=register:learnt"};
    }
    return {};
  }

  std::string statement() {
    const std::string verb = chance_.of({"walk", "walk", "leap", "leap", "flip", "keep", "keep",
                                         chance_.percent(40) ? "drift" : "walk"});
    const std::vector<std::string> normals = {"a", "b"};
    std::string line = verb;
    if (verb == "keep") {
      line += " register=" + chance_.of({"r", "s"}) + " of=" + chance_.of(sources);
      if (chance_.percent(10)) line += " phase=warm-up";
    } else {
      line += word(verb == "flip" ? "centre" : "size", sources);
      if (verb != "flip" && chance_.percent(25)) line += " normals=" + chance_.of(normals);
      if (verb == "leap" && chance_.percent(30)) line += " momentum=kept";
      if ((verb == "leap" || verb == "drift") && chance_.percent(15)) line += around();
      if (verb != "drift" && chance_.percent(20)) {
        line += " chance=noise:" + chance_.of(normals);
      }
    }
    if (chance_.percent(15)) line += " if=" + chance_.of(sources);
    return line;
  }

  std::string kernel() {
    const std::string name = fmt::format("k{}", kernels_.size());
    std::vector<std::string> lines;
    if (kernels_.empty()) lines = wished();
    for (std::size_t n = 1 + chance_.below(4); n > 0; --n) lines.push_back(statement());
    std::string table = fmt::format("\n[kernel.{}]\nuse = \"wired-steps\"\nprogram = [\"{}\"]\n",
                                    name, fmt::join(lines, "\", \""));
    if (lie_ == Lie::ratio) table += "ratio_exponent = 0.6\n";
    if (lie_ == Lie::momentum) table += "momentum_sd = 1.3\n";
    kernels_.push_back(table);
    return name;
  }

  std::string companion() {
    if (chance_.percent(70)) return kernel();
    const std::string name = fmt::format("k{}", kernels_.size());
    kernels_.push_back(fmt::format("\n[kernel.{}]\nuse = \"{}\"\nstep_size = 0.4\n", name,
                                   chance_.of({"hamiltonian", "random-walk-metropolis"})));
    return name;
  }

  std::string composed() {
    const std::string use =
        chance_.of({"chain", "chain", "chain", "cycle", "cycle", "mixture", "ensemble-chain",
                    "ensemble-chain", "pilot-chain", "tempering"});
    std::string table = "\n[compositor.c]\nuse = \"" + use + "\"\n";
    if (use == "cycle" || use == "mixture") {
      const std::string first = kernel();
      return table + fmt::format("kernels = [\"{}\", \"{}\"]\n", first, companion());
    }
    table += "kernel = \"" + kernel() + "\"\n";
    if (use == "pilot-chain") table += "pilot = \"" + companion() + "\"\n";
    if (use == "tempering") table += "inverse_temperatures = [1.0, 0.5]\n";
    if (use == "ensemble-chain") {
      table += "slots = " + chance_.of({"2", "3"}) + "\nschedule = \"" +
               chance_.of({"sequential", "sequential", "two-groups"}) + "\"\n";
    }
    return table;
  }

  Chance chance_;
  Lie lie_;
  Wish wish_;
  std::vector<std::string> kernels_;
};

}  // namespace

std::string wired_manifest(std::uint64_t seed, Lie lie, Wish wish) {
  return Writer(seed, lie, wish).manifest();
}

}  // namespace compositions
