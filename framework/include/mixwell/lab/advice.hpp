// Advice: what to change if a composition is not exact, or if the draws of a run are not good.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <mixwell/base/export.hpp>
#include <mixwell/lab/certificate.hpp>
#include <mixwell/lab/manifest.hpp>
#include <mixwell/lab/registry.hpp>
#include <mixwell/lab/summary.hpp>

#include <string>
#include <vector>

namespace mixwell {

/// A change of one key, and the certificate after it.
struct Cure {
  std::string change;                    ///< in the form of `--set`: compositor.c.memory = "others"
  std::string label;                     ///< Certificate::label after the change
  Evidence evidence = Evidence::proved;  ///< evidence for that label

  /// The label and, if it relies on an author's declaration, that fact: "exact", "exact, declared".
  MIXWELL_EXPORT std::string in_words() const;
};

/// Finds changes of a single key that improve the class of the certificate. A change sets another
/// word of the key, or swaps false and true. Returns only the changes with the best class, at most
/// three. Each change is applied to the manifest as given, so defaults adapt to the change as they
/// would for a user. The result is composed and certified with the current model. A change is not a
/// cure if the sampler stays the same and only more is declared. This is so if the certificate then
/// relies on a declaration for a whole update that it did not need before, or if the graph is the
/// same and an author outside of Mixwell declares more. Cost: one or two milliseconds for each
/// word, and two sweeps for each improvement. Returns nothing if the composition is exact.
MIXWELL_EXPORT std::vector<Cure> cures(const Composition& composition,
                                       const Certificate& certificate, const Registry& registry);

/// Returns what is wrong with the draws and what to do about it, causes before symptoms. The
/// sentences name keys of the run's kernels, which are read from `effective_manifest`
/// (Composition::effective_manifest, or manifest.toml in the run's folder).
MIXWELL_EXPORT std::vector<std::string> warnings(const Summary& summary,
                                                 const std::string& effective_manifest);

}  // namespace mixwell
