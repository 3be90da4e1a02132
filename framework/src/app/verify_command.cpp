// mixwell verify: puts a composition's certificate to the test.
// SPDX-License-Identifier: Apache-2.0
#include "app/command.hpp"
#include "app/modules.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <memory>

namespace mixwell::app {

Command verify_command() {
  const auto given = std::make_shared<VerifyArguments>();
  std::vector<Argument> arguments = manifest_and(
      given->manifest,
      {{"--target NAME",
        &given->settings.targets,
        fmt::format("Only these targets, in the place of the model: {}",
                    fmt::join(verify_target_names, ", ")),
        {.words = {verify_target_names.begin(), verify_target_names.end()}, .takes_many = true}},
       {"--budget",
        &given->settings.budget,
        "Gradients to spend over all targets",
        {.shows_default = true, .is_positive = true}},
       {"--alpha",
        &given->settings.alpha,
        "Chance that a right composition is called biased",
        {.shows_default = true, .range = {{1e-300, 0.5}}}},
       {"--max-seconds", &given->settings.max_seconds,
        "Stop after so long; the outcome is then inconclusive"},
       {"--threads",
        &given->threads,
        "Threads, at most eight for each core; 0 = all cores. The outcome does not depend on it",
        {.shows_default = true}},
       {"--json", &given->json, "Print the result as JSON"}});
  return {
      .name = "verify",
      .purpose = "Test whether a composition keeps the targets that its certificate says it keeps",
      .arguments = std::move(arguments),
      .example = "mixwell verify manifest.toml --target quartic --target banana",
      .notes =
          "The outcome over all targets is kept, and told as `tested` by the certificate of this "
          "very composition,\nin $XDG_STATE_HOME/mixwell/verified "
          "(~/.local/state/mixwell/verified).",
      .json = &given->json,
      .action = [given] {
        return from_module<decltype(mixwell_verify_command)>("verify",
                                                             "mixwell_verify_command")(*given);
      }};
}

}  // namespace mixwell::app
