// The mutants of tests/wrong/mutants.toml, and what is said of each and of its right version.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <mixwell/lab/manifest.hpp>
#include <mixwell/lab/verify.hpp>

#include <cstdint>
#include <limits>
#include <string>
#include <vector>

namespace mutants {

/// The composition that mutants are made from: a manifest with MISTAKE and SEED in it.
struct Base {
  std::string name;
  std::string certificate;  ///< label of right and wrong alike, unless that tells them apart
  std::string manifest;
  std::vector<std::string> targets;  ///< VerifySettings::targets: fewer where they take long
};

struct Mutant {
  Base base;
  std::string mistake;
  std::string part;     ///< kind of the component that has the mistake
  std::string wrong;    ///< in words
  std::string check;    ///< "verify", "certificate", or what tells a mutant that neither can tell
  std::string escapes;  ///< why nothing tells it, or empty

  std::string name() const { return base.name + ": " + mistake; }
};

/// In the order of the file. Throws InputError.
std::vector<Mutant> read();
/// Each base once.
std::vector<Base> bases(const std::vector<Mutant>& mutants);

mixwell::Composition compose(const Base& base, const std::string& mistake, std::int64_t seed = 1);

/// What a check says of a composition.
struct Outcome {
  bool wrong = false;    ///< something contradicts the certificate
  std::string verdict;   ///< in a word or two
  std::string by;        ///< the statistic that was farthest off, and its target
  double seconds = 0.0;  ///< processor time, of all threads
  /// Verification::adjusted_p; NaN of other checks.
  double adjusted_p = std::numeric_limits<double>::quiet_NaN();
};

/// By the check of that name, of the base's composition with or without a mistake. Throws
/// InputError where the certificate is not the base's and it is not what is looked at.
Outcome check(const std::string& name, const Base& base, const std::string& mistake,
              const mixwell::VerifySettings& settings = {}, std::int64_t seed = 1);

}  // namespace mutants
