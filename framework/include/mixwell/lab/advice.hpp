// What to do where a composition is not exact, or where the draws of a run are not good.
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

struct Cure {
  std::string change;                    ///< as `--set` takes it: compositor.c.memory = "others"
  std::string label;                     ///< Certificate::label after it
  Evidence evidence = Evidence::proved;  ///< behind that label

  /// "exact", "exact, declared": the label, and that it rests on somebody's word where it does.
  MIXWELL_EXPORT std::string in_words() const;
};

/// Changes of one key, to another of its words or from false to true and back, after which the
/// certificate is of a better class; only the best class, at most three. Each is made to the
/// manifest as it was given, so that defaults follow it as they do for a user who makes it, and is
/// composed and certified on the model that is there. A change that makes no
/// other sampler, but lets a component declare more, is no cure: after it the certificate rests on
/// a word for a whole update that it did not rest on before, or the graph is the same and an
/// outside author declares more. A millisecond or two for each word, and two sweeps for each that
/// is better; none where it is exact.
MIXWELL_EXPORT std::vector<Cure> cures(const Composition& composition,
                                       const Certificate& certificate, const Registry& registry);

/// What is wrong with the draws and what to do about it, causes before symptoms, in sentences that
/// name keys of the run's kernels (Composition::effective_manifest, or manifest.toml in its
/// folder).
MIXWELL_EXPORT std::vector<std::string> warnings(const Summary& summary,
                                                 const std::string& effective_manifest);

}  // namespace mixwell
