// Fuzz target: checkpoints. The first line of an input says what the rest is: "raw", a whole file;
// "sealed", what stands below the seal of one; "state", the state in a checkpoint that is right but
// for it, and from which a run goes on.
// SPDX-License-Identifier: Apache-2.0
#include "files/sha256.hpp"
#include "fuzzing.hpp"

#include <mixwell/files/files.hpp>
#include <mixwell/lab/run.hpp>

#include <atomic>
#include <filesystem>
#include <fstream>
#include <iterator>

namespace {

namespace fs = std::filesystem;

constexpr std::string_view title = "mixwell checkpoint 2\n";
constexpr const char* manifest =
    "mixwell = 1\n[run]\nwarmup = 4\ndraws = 4\nreplicates = 1\n[model.g]\nuse = \"gaussian\"\n"
    "dimension = 1\n[estimator.identity]\nuse = \"identity\"\n[kernel.k]\nuse = "
    "\"hamiltonian\"\nsteps = 1\ntarget_acceptance = 0.8\n";

const mixwell::Registry& registry() {
  static const mixwell::Registry own =
      mixwell::Registry::load({mixwell::Registry::default_folders().front()});
  return own;
}

std::string read(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

std::string sealed(std::string_view content) {
  return std::string(title) + mixwell::sha256(content) + "\n" + std::string(content);
}

/// Ends after two stretches of sweeps, whatever the state says of those that are done.
void run_a_little(const std::string& folder, bool resume) {
  mixwell::StopRequest stop;
  int stretches = 0;
  mixwell::RunOptions options;
  options.folder = folder;
  options.threads = 1;
  options.resume = resume;
  options.stop = &stop;
  options.progress = [&](const mixwell::Progress&) {
    if (++stretches >= 2) stop.make();
  };
  const auto composition = resume ? mixwell::load_interrupted(folder, registry())
                                  : mixwell::parse_manifest(manifest, "m.toml", registry());
  mixwell::run(composition, options);
}

/// The folder of a run that was interrupted.
const std::string& interrupted() {
  static const std::string path = [] {
    mixwell::write_durably(false);
    const std::string made = fuzzing::folder().path() + "/interrupted";
    run_a_little(made, false);
    return made;
  }();
  return path;
}

/// What stands above the state, the end of its line included.
const std::string& header() {
  static const std::string of_checkpoint = [] {
    const std::string text = read(interrupted() + "/resume/checkpoint");
    const std::size_t begin = text.find('\n', title.size()) + 1;
    return text.substr(begin, text.find('\n', begin) + 1 - begin);
  }();
  return of_checkpoint;
}

void go_on_from(std::string_view state) {
  const std::string folder = fuzzing::folder().path() + "/resumed";
  fs::remove_all(folder);
  fs::copy(interrupted(), folder, fs::copy_options::recursive);
  fuzzing::folder().file("resumed/resume/checkpoint", sealed(header() + std::string(state)));
  run_a_little(folder, true);
}

void load(const std::string& checkpoint) {
  fuzzing::folder().file("read/resume/checkpoint", checkpoint);
  mixwell::load_interrupted(fuzzing::folder().path() + "/read", registry());
}

}  // namespace

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const auto [kind, rest] = fuzzing::split(fuzzing::text_of(data, size), "\n");
  fuzzing::accepts([&, what = kind, bytes = rest] {
    if (what == "state")
      go_on_from(bytes);
    else
      load(what == "sealed" ? sealed(bytes) : std::string(bytes));
  });
  return 0;
}
