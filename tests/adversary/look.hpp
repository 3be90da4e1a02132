// What a composition's draws say about what its certificate claims.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <mixwell/lab/certificate.hpp>
#include <mixwell/lab/manifest.hpp>

#include <cstdint>
#include <optional>
#include <string>

namespace adversary {

/// How what a verdict claims can be refuted.
enum class Claim {
  none,     ///< it claims nothing that a finite run could refute
  exact,    ///< started from its law it stays there
  in_limit  ///< the same up to an error that a small step makes small
};
Claim claim_of(const mixwell::Verdict& verdict);

/// One statistic of one look.
struct Sight {
  std::string statistic;
  double z = 0.0;
  double p = 1.0;  ///< of this look, after the number of its statistics
  std::int64_t sweeps = 0;
};

/// A first look: after 1, 3, 12 and 48 sweeps, each from exact draws of its own law; what was
/// farthest off. It decides what is looked at again, and refutes nothing.
Sight first_look(const mixwell::Composition& composition);

/// Statistics after so many sweeps against independent exact draws, of other seeds than the first
/// look. p holds for every number of replicates: see docs/adversary.md. Nothing where there is no
/// such bound: slots whose law is not the model's own, or that is not known by exact draws, are
/// compared by ranks alone.
Sight second_look(const mixwell::Composition& composition, Claim claim, std::int64_t sweeps,
                  std::int64_t replicates);

}  // namespace adversary
