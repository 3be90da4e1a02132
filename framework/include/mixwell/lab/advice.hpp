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

/// A change of one key, and the certificate of the changed composition.
struct Cure {
  std::string change;                    ///< in the form of `--set`: compositor.c.memory = "others"
  std::string label;                     ///< Certificate::label after the change
  Evidence evidence = Evidence::proved;  ///< evidence for that label

  /// Returns the label. Adds ", declared" if the label relies on an author's declaration.
  MIXWELL_EXPORT std::string in_words() const;
};

/// Finds changes of a single key that improve the class of the certificate. A change sets the key
/// to another of its permitted values, or swaps false and true. Returns at most three changes, and
/// only those that lead to the best class. Each change is applied to Composition::given, which does
/// not contain defaults. Defaults that depend on the key therefore change too. The changed manifest
/// is composed and certified with the model that is already loaded. A change does not count if the
/// class improves only because of additional declarations. This is the case if the new certificate
/// relies on a new declaration (Verdict::declared), and either this declaration is about a whole
/// update or the graph stays the same. Cost: one or two milliseconds for each possible change, and
/// two sweeps for each improvement. Returns an empty list if the composition is exact.
MIXWELL_EXPORT std::vector<Cure> cures(const Composition& composition,
                                       const Certificate& certificate, const Registry& registry);

/// Returns sentences that describe problems with the draws and how to fix them. Causes come before
/// symptoms. The sentences name keys of the run's kernels, which are read from `effective_manifest`
/// (Composition::effective_manifest, or manifest.toml in the run's folder).
MIXWELL_EXPORT std::vector<std::string> warnings(const Summary& summary,
                                                 const std::string& effective_manifest);

}  // namespace mixwell
