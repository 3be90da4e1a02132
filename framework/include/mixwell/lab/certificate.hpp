// What a composition is guaranteed to sample.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <mixwell/export.hpp>
#include <mixwell/graph.hpp>

#include <string>
#include <vector>

namespace mixwell {

enum class Accuracy { exact, asymptotic, none };

/// A verdict is a product: accuracy x density x time x evidence.
struct MIXWELL_EXPORT Verdict {
  Accuracy accuracy = Accuracy::exact;
  int order = 0;  ///< of an asymptotic verdict
  std::string density = "pi";
  bool adaptive = false;
  bool optimiser = false;  ///< seeks a mode and does not sample; accuracy is none
  bool proved = true;      ///< false: rests on a trait nobody declared
  std::string rule;        ///< of kernel-graph rules: "1", "5", ...
  std::string reason;      ///< one sentence
  std::vector<std::string> nodes;
  std::vector<std::string> path;
  /// Variables along which what is updated comes back to it, where that is the trouble.
  std::vector<std::string> feedback;
  std::string citation;              ///< theorem or counter-example
  std::vector<std::string> assumes;  ///< declared traits relied on
  std::vector<std::string> notes;    ///< on reachability, which a certificate does not speak about

  /// exact | asymptotic | adaptive | approximate | biased | none
  std::string label() const;
};

struct MIXWELL_EXPORT Certificate {
  Verdict now;                ///< of the sampling phase
  Verdict warmup;             ///< of the warm-up phase
  Verdict frozen;             ///< of the sampling phase without any learning
  bool after_warmup = false;  ///< the verdict holds only once warm-up has ended

  /// certificate.json and `check --json`.
  std::string to_json() const;
  /// For people.
  std::string to_text() const;
};

/// The verdict of one phase's graph.
MIXWELL_EXPORT Verdict certify(const KernelGraph& graph);
MIXWELL_EXPORT Certificate certify(const KernelGraph& warmup, const KernelGraph& sampling);

}  // namespace mixwell
