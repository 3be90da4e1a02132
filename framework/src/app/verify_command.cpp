// mixwell verify: puts a composition's certificate to the test.
// SPDX-License-Identifier: Apache-2.0
#include "app/command.hpp"
#include "app/module.hpp"
#include "app/modules/verify.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <memory>

namespace mixwell::app {

Command verify_command() {
  const auto given = std::make_shared<VerifyArguments>();
  std::vector<Argument> arguments =
      manifest_and(given->manifest,
                   {{.name = "--target",
                     .value = &given->settings.targets,
                     .help = fmt::format("Only these targets, in the place of the model: {}",
                                         fmt::join(verify_target_names, ", ")),
                     .type = "NAME",
                     .words = {verify_target_names.begin(), verify_target_names.end()},
                     .takes_many = true},
                    {.name = "--budget",
                     .value = &given->settings.budget,
                     .help = "Gradients to spend over all targets",
                     .shows_default = true,
                     .is_positive = true},
                    {.name = "--alpha",
                     .value = &given->settings.alpha,
                     .help = "Chance that a right composition is called biased",
                     .shows_default = true,
                     .range = {{1e-300, 0.5}}},
                    {.name = "--max-seconds",
                     .value = &given->settings.max_seconds,
                     .help = "Stop after so long; the outcome is then inconclusive"},
                    {.name = "--threads",
                     .value = &given->threads,
                     .help = "Threads, at most eight for each core; 0 = all cores. The outcome "
                             "does not depend on it",
                     .shows_default = true},
                    {.name = "--json", .value = &given->json, .help = "Print the result as JSON"}});
  return {
      .name = "verify",
      .purpose = "Test whether a composition keeps the targets that its certificate says it keeps",
      .arguments = std::move(arguments),
      .example = "mixwell verify manifest.toml --target quartic --target banana",
      .notes =
          "The outcome over all targets is kept, and told as `tested` by the "
          "certificate of this very composition,\nin $XDG_STATE_HOME/mixwell/verified "
          "(~/.local/state/mixwell/verified).",
      .json = &given->json,
      .action = [given] {
        return from_module<decltype(mixwell_verify_command)>("verify",
                                                             "mixwell_verify_command")(*given);
      }};
}

}  // namespace mixwell::app
