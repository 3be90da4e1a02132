// Names from earlier versions, and what to write or build instead.
// SPDX-License-Identifier: Apache-2.0
#include "base/removed_names.hpp"

#include <mixwell/base/error.hpp>

#include <array>

namespace mixwell {
namespace {

constexpr std::string_view project_before =
    "The model no longer computes powers and projections. Compute these columns before the run, "
    "and name them in `inputs`";
constexpr std::string_view has_no_case_numbers =
    "Use the model `probit-regression`, which has offsets and weights";
constexpr std::string_view reads_csv =
    "The model reads only CSV files. Write the cases to a CSV file";

constexpr std::array removed = {
    RemovedName{
        "kernel/riemannian.fixed_point_iterations",
        "Leave the key out. The limit is now fixed: an implicit step fails if it does not converge "
        "within 100 iterations"},
    RemovedName{
        "model/callback.address",
        "Offer the function to this process with mixwell_offer_function, and give its name in "
        "`function`"},
    RemovedName{"model/callback.user_data",
                "Pass the address of your data to mixwell_offer_function together with the "
                "function, and name the function in `function`"},
    RemovedName{"model/probit-latent.format", reads_csv},
    RemovedName{"model/probit-latent.labels", reads_csv},
    RemovedName{"model/probit-latent.offset", has_no_case_numbers},
    RemovedName{"model/probit-latent.weights", has_no_case_numbers},
    RemovedName{"model/probit-latent.powers", project_before},
    RemovedName{"model/probit-latent.projection", project_before},
    RemovedName{"model/probit-latent.projection_seed", project_before},
    RemovedName{"model/probit-regression.powers", project_before},
    RemovedName{"model/probit-regression.projection", project_before},
    RemovedName{"model/probit-regression.projection_seed", project_before},
    RemovedName{"model/stan.stanc_flags",
                "Leave the key out. If you need other flags, compile the program with BridgeStan, "
                "and give the path of the library in `library`"},
    RemovedName{"recorder/cmdstan-csv",
                "Remove the table of this recorder from the manifest. After the run, write the CSV "
                "files with `mixwell export RUN --format cmdstan-csv`"}};

constexpr std::array guests = {
    GuestName{"estimator/natural-gradient", "vhmc"},
    GuestName{"kernel/fisher-scoring", "sghmc"},
    GuestName{"kernel/fixed-form-vb", "vhmc"},
    GuestName{"model/bayesian-neural-network", "sghmc"},
    GuestName{"model/ica", "vhmc"},
    GuestName{"model/linear-chain-crf", "hmc-bfgs"},
    GuestName{"model/stable-factorisation", "hamcmc"},
};

std::string advice_on(const GuestName& guest) {
  return ". This component is in the folder papers/" + std::string(guest.paper) +
         ". Build it with `cmake -S papers -B build/papers && cmake --build build/papers`, and add "
         "build/papers to MIXWELL_PLUGIN_PATH";
}

}  // namespace

std::span<const RemovedName> removed_names() noexcept { return removed; }

std::span<const GuestName> guest_names() noexcept { return guests; }

std::string suggestion_for(std::string_view name, std::string_view word,
                           std::span<const std::string> known) {
  for (const RemovedName& one : removed)
    if (one.name == name) return ". It was removed. " + std::string(one.cure);
  for (const GuestName& one : guests)
    if (one.name == name) return advice_on(one);
  return suggestion(word, known);
}

}  // namespace mixwell
