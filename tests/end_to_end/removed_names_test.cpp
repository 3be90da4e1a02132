// What earlier versions had is refused with what to write instead, wherever it is written.
// SPDX-License-Identifier: Apache-2.0
#include "base/removed_names.hpp"

#include "program.hpp"

using namespace end_to_end;

namespace {

/// The manifest that has a removed component or key.
std::string manifest_with(const std::string& name) {
  const std::size_t slash = name.find('/');
  const std::size_t point = name.find('.');
  const std::string key = point == name.npos ? "" : name.substr(point + 1) + " = 1\n";
  if (slash == name.npos) return gaussian_manifest(key);
  const std::string id = name.substr(slash + 1, point == name.npos ? point : point - slash - 1);
  return "mixwell = 1\n[" + name.substr(0, slash) + ".removed]\nuse = \"" + id + "\"\n" + key;
}

}  // namespace

TEST_CASE("Every removed name is refused with what to write instead") {
  for (const mixwell::RemovedName& removed : mixwell::removed_names()) {
    const std::string name(removed.name);
    CAPTURE(name);
    const Workplace place;
    std::string words = "check m.toml";
    if (name.starts_with("mixwell "))
      words = name.substr(8);
    else
      place.write("m.toml", manifest_with(name));
    const Outcome outcome = place.mixwell(words);
    CHECK(outcome.code == 2);
    contains(outcome.err, "It was removed. " + std::string(removed.cure));
  }
}

TEST_CASE("A component that comes with a paper is refused with its paper and how to build it") {
  for (const mixwell::GuestName& guest : mixwell::guest_names()) {
    const std::string name(guest.name);
    CAPTURE(name);
    const Workplace place;
    place.write("m.toml", manifest_with(name));
    const Outcome outcome = place.mixwell("check m.toml");
    CHECK(outcome.code == 2);
    contains(outcome.err, "This component is in the folder papers/" + std::string(guest.paper) +
                              ". Build it with ");
  }
}

TEST_CASE("A removed recorder is refused at its place in the manifest, by its name too") {
  const Workplace place;
  place.write("m.toml", gaussian_manifest() + "[recorder.csv]\nuse = \"cmdstan-csv\"\n");
  contains(place.mixwell("run m.toml").err,
           "m.toml:14:7: no recorder \"cmdstan-csv\". It was removed.");
  contains(place.mixwell("plugins show recorder/cmdstan-csv").err,
           "`mixwell export RUN --format cmdstan-csv`");
}
