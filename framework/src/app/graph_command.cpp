// mixwell graph: the kernel graph of a composition, as Graphviz text or as a picture.
// SPDX-License-Identifier: Apache-2.0
#include "app/command.hpp"

#include <mixwell/lab/dot.hpp>
#include <mixwell/lab/sampler.hpp>

#include <fmt/format.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <memory>
#include <sstream>

namespace mixwell::app {
namespace {

struct Arguments {
  ManifestArguments manifest;
  std::string format = "dot";
  std::string phase = "sampling";
};

bool is_on_path(const std::string& program) {
  const char* const list = std::getenv("PATH");
  std::istringstream in(list == nullptr ? "" : list);
  for (std::string folder; std::getline(in, folder, ':');) {
    if (access((folder + "/" + program).c_str(), X_OK) == 0) return true;
  }
  return false;
}

/// Graphviz writes to our own standard output.
void draw(const std::string& dot) {
  if (!is_on_path("dot")) {
    throw RunError(
        "--format svg needs Graphviz, whose program `dot` is not on PATH; install it "
        "(apt-get install graphviz) or use --format dot");
  }
  std::fflush(stdout);
  FILE* const pipe = popen("dot -Tsvg", "w");
  if (pipe == nullptr) throw RunError("Graphviz's `dot` cannot be started");
  const bool written = std::fwrite(dot.data(), 1, dot.size(), pipe) == dot.size();
  if (pclose(pipe) != 0 || !written) throw RunError("Graphviz's `dot` failed on the graph");
}

ExitCode graph(const Arguments& arguments) {
  const Composition composition = load(arguments.manifest, load_registry());
  const Program program = compose(*composition.compositor);
  const bool warmup = arguments.phase == "warmup";
  const std::string dot =
      to_dot(warmup ? program.warmup : program.sampling, composition.name + ", " + arguments.phase);
  if (arguments.format == "svg") {
    draw(dot);
  } else {
    fmt::print("{}", dot);
  }
  return ExitCode::ok;
}

}  // namespace

void add_graph(CLI::App& program, Invocation& invocation) {
  const auto arguments = std::make_shared<Arguments>();
  CLI::App* const command =
      program.add_subcommand("graph", "Print the kernel graph of a manifest's composition");
  add_manifest_arguments(*command, arguments->manifest);
  command->add_option("--format", arguments->format, "dot or svg (svg needs Graphviz)")
      ->check(CLI::IsMember({"dot", "svg"}))
      ->capture_default_str();
  command->add_option("--phase", arguments->phase, "warmup or sampling")
      ->check(CLI::IsMember({"warmup", "sampling"}))
      ->capture_default_str();
  command->footer(footer("mixwell graph manifest.toml --format svg > graph.svg"));
  command->callback(
      [&invocation, arguments] { invocation.action = [arguments] { return graph(*arguments); }; });
}

}  // namespace mixwell::app
