// mixwell verify: tests the certificate of a composition by sampling.
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
        fmt::format("Targets on which to test the composition (default: all): {}",
                    fmt::join(verify_target_names, ", ")),
        {.words = {verify_target_names.begin(), verify_target_names.end()}, .takes_many = true}},
       {"--budget",
        &given->settings.budget,
        "Number of gradient evaluations to spend, over all targets",
        {.shows_default = true, .is_positive = true}},
       {"--alpha",
        &given->settings.alpha,
        "Upper bound on the probability that a correct composition is called biased",
        {.shows_default = true, .range = {{1e-300, 0.5}}}},
       {"--max-seconds", &given->settings.max_seconds,
        "Time limit in seconds; if the limit is reached, the outcome is inconclusive"},
       {"--threads",
        &given->threads,
        "Number of threads, at most eight per core (0 = all cores); does not change the outcome",
        {.shows_default = true}},
       {"--json", &given->json, "Print the result as JSON"}});
  return {.name = "verify",
          .purpose = "Test the certificate of a composition by sampling",
          .arguments = std::move(arguments),
          .example = "mixwell verify manifest.toml --target quartic --target banana",
          .notes =
              "Without --target, the command saves a conclusive outcome in the folder\n"
              "$XDG_STATE_HOME/mixwell/verified (~/.local/state/mixwell/verified). Certificates\n"
              "of the same composition then show this outcome in the field `tested`.",
          .json = &given->json,
          .action = [given] {
            return from_module<decltype(mixwell_verify_command)>("verify",
                                                                 "mixwell_verify_command")(*given);
          }};
}

}  // namespace mixwell::app
