// mixwell graph: prints the kernel graph of a composition as Graphviz text or as a picture.
// SPDX-License-Identifier: Apache-2.0
#include "app/command.hpp"

#include <mixwell/lab/dot.hpp>
#include <mixwell/lab/sampler.hpp>

#include <fmt/format.h>

#include <cstdio>
#include <cstdlib>
#include <memory>

namespace mixwell::app {
namespace {

struct Arguments {
  ManifestArguments manifest;
  std::string format = "dot";
  std::string phase = "sampling";
};

/// Graphviz writes to the standard output of this process.
void draw(const std::string& dot) {
  if (std::system("command -v dot >/dev/null") != 0) {
    throw RunError(
        "--format svg needs the program `dot` of Graphviz, which is not on PATH. Install Graphviz "
        "(apt-get install graphviz), or use --format dot");
  }
  std::fflush(stdout);
  FILE* const pipe = popen("dot -Tsvg", "w");
  if (pipe == nullptr)
    throw RunError("Graphviz's `dot` cannot be started. Use --format dot, and run `dot` later");
  const bool written = std::fwrite(dot.data(), 1, dot.size(), pipe) == dot.size();
  if (pclose(pipe) != 0 || !written)
    throw RunError(
        "Graphviz's `dot` could not draw the graph. Use --format dot to print the graph");
}

ExitCode graph(const Arguments& arguments) {
  const Composition composition = load(arguments.manifest, load_registry());
  const Program program = compose(*composition.compositor, recorded_cases(composition.run));
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

Command graph_command() {
  const auto given = std::make_shared<Arguments>();
  std::vector<Argument> arguments =
      manifest_and(given->manifest, {{"--format",
                                      &given->format,
                                      "Output format (svg needs Graphviz)",
                                      {.shows_default = true, .choices = {"dot", "svg"}}},
                                     {"--phase",
                                      &given->phase,
                                      "Phase whose graph is printed",
                                      {.shows_default = true, .choices = {"warmup", "sampling"}}}});
  return {.name = "graph",
          .purpose = "Print the kernel graph of a manifest's composition",
          .arguments = std::move(arguments),
          .example = "mixwell graph manifest.toml --format svg > graph.svg",
          .action = [given] { return graph(*given); }};
}

}  // namespace mixwell::app
