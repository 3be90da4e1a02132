// Certificates: what a composition is guaranteed to sample.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <mixwell/base/export.hpp>
#include <mixwell/graph/graph.hpp>

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace mixwell {

/// The rule behind a conclusion. docs/certificate.md has a row for each rule, generated from
/// rules().
enum class Rule {
  invariance,        ///< 1
  stale_value,       ///< 1s
  own_value,         ///< 2
  mirrored_law,      ///< 2a
  drift_correction,  ///< 2g
  past_of_others,    ///< 3
  learning,          ///< 4
  scheme,            ///< 5
  branch,            ///< 7
  proposal,          ///< A
  bound,             ///< B
  factor,            ///< C
  one_density,       ///< D
  growth,            ///< E
  still_register,    ///< F
  collapsed,         ///< G
  auxiliary,         ///< L
  estimate,          ///< M
  noise,             ///< N
  optimiser,         ///< O
  uninfluenced,      ///< P
  stages,            ///< R
  cycle,             ///< S
  unbiased           ///< U
};
inline constexpr std::size_t rule_count = static_cast<std::size_t>(Rule::unbiased) + 1;

/// Returns the id of the rule in certificate.json: "1", "1s", ...
MIXWELL_EXPORT std::string_view to_string(Rule rule) noexcept;
MIXWELL_EXPORT std::optional<Rule> rule_from(std::string_view id) noexcept;

/// The accuracy of the sampled density. `asymptotic`: the error vanishes with the step size.
enum class Accuracy { exact, asymptotic, none };

/// The class of a verdict. `adaptive`: exact except for parameters that are still adapted.
/// `approximate`: samples a different density. `none`: not a sampler.
enum class CertificateClass { exact, asymptotic, adaptive, approximate, biased, none };

/// Returns the class as in certificate.json: "exact", ...
MIXWELL_EXPORT std::string_view to_string(CertificateClass of) noexcept;
MIXWELL_EXPORT std::optional<CertificateClass> certificate_class_from(
    std::string_view word) noexcept;

/// The evidence for a verdict. `declared`: it relies on an author's declaration. `unproven`: it
/// would need a declaration that nobody made.
enum class Evidence { proved, declared, unproven };

/// Returns the evidence as in certificate.json: "proved", ...
MIXWELL_EXPORT std::string_view to_string(Evidence evidence) noexcept;

/// A declared trait that a verdict relies on.
struct MIXWELL_EXPORT Assumption {
  std::string operation{};     ///< "x/kernel/trajectory"
  std::string trait{};         ///< "involution", "order"
  std::optional<int> value{};  ///< the number, if the trait has one

  /// Returns "x/kernel/trajectory: involution" or "x/kernel/trajectory: order 2".
  std::string in_words() const;
  friend bool operator==(const Assumption&, const Assumption&) = default;
};

/// A value that an update reads, and its relation to the update.
struct MIXWELL_EXPORT Premise {
  std::string operation{};  ///< the operation that reads the value
  std::string role{};       ///< "parameter", "law", ...; "refreshed" for the draw of an auxiliary
  std::string value{};      ///< name of the value, such as "x1@2"; it may be a constant or noise
  /// How the value relates to the update. One of:
  ///   "constant", "noise"
  ///   "current": the newest version of a variable
  ///   "replaced": an older version that would be current in another order of the updates, or that
  ///     the update does not influence
  ///   "stale": an older version that would not be current in any order of the updates
  ///   "past": a history that an operation writes
  ///   "still": a history that no operation writes
  ///   "result": a proposal or a statistic of this sweep
  std::string standing{};
  bool feeds_back = false;  ///< the value and the update influence each other
  friend bool operator==(const Premise&, const Premise&) = default;
};

/// A verdict has four independent parts: accuracy, density, time and evidence.
struct MIXWELL_EXPORT Verdict {
  Accuracy accuracy = Accuracy::exact;
  int order = 0;  ///< order of accuracy of an asymptotic verdict
  std::string density = "pi";
  bool adaptive = false;
  bool optimiser = false;  ///< searches for a mode and does not sample; accuracy is none
  bool proved = true;      ///< false: the verdict relies on a trait that nobody declared
  Rule rule = Rule::invariance;
  std::string reason;  ///< one sentence
  std::vector<std::string> nodes;
  std::vector<std::string> path;
  /// The variables through which the updated variable influences itself, if this feedback is the
  /// reason for the verdict.
  std::vector<std::string> feedback;
  std::string citation;  ///< theorem or counterexample
  std::vector<Assumption> assumes;
  /// The traits in `assumes` whose only evidence is the author's declaration. These are the trait
  /// `invariant` of any component, and all traits of components that are not part of Mixwell.
  std::vector<Assumption> declared;
  /// True if slots share random numbers, so their joint distribution is not the product of their
  /// marginal distributions. Replicates are still independent.
  bool coupled = false;
  /// True if some update of a slot is accepted or rejected by an acceptance ratio. If `density` is
  /// "pi", the verdict then relies on this decision.
  bool metropolis = false;
  std::vector<std::string> notes;  ///< notes on reachability, which a certificate does not cover
  std::string about;               ///< in `parts`: the operation or variable that was judged
  std::vector<Premise> premises;   ///< the facts behind the verdict
  /// The conclusions behind this verdict, each from one rule. The worst one determines the class.
  std::vector<Verdict> parts;

  CertificateClass certificate_class() const noexcept;
  /// Returns the class as a word.
  std::string label() const;
  Evidence evidence() const noexcept;
};

/// The result of `verify` for this composition. This test improves neither the class nor the
/// evidence.
struct MIXWELL_EXPORT Tested {
  bool agrees = false;  ///< the draws agree with the certificate
  double alpha = 0.0;   ///< probability of a false alarm over all checks
  /// The test would detect a bias above this limit in any statistic on any target. The unit is the
  /// standard deviation of the statistic.
  double smallest_visible_bias = 0.0;
  std::string date = {};         ///< UTC, ISO 8601
  std::string composition = {};  ///< SHA-256 of manifest, libraries and data files

  /// Returns a text such as "agrees with the certificate, 2026-11-23: a bias above 0.1 sd would
  /// have been detected (significance level 0.001)".
  std::string in_words() const;
};

/// The publication of one component's method.
struct Publication {
  std::string component;  ///< "kernel nuts"
  std::string source;
  friend bool operator==(const Publication&, const Publication&) = default;
};

/// The verdicts on a composition, in warmup and in sampling.
struct MIXWELL_EXPORT Certificate {
  Verdict now;                ///< verdict on the sampling phase
  Verdict warmup;             ///< verdict on the warmup phase
  Verdict frozen;             ///< verdict on the sampling phase without any adaptation
  bool after_warmup = false;  ///< the verdict holds only after warmup has ended
  /// Quantities that warmup adapts and the sampling phase reads, such as "step size" and "metric".
  std::vector<std::string> learnt;
  /// The stored result of `verify`. `check` and `run` set it.
  std::optional<Tested> tested{};
  /// Publications of the methods in use that the verdict does not cite. `check` and `run` set them.
  std::vector<Publication> published{};

  /// Returns the class of the sampling phase, with " after warm-up" if it holds only then.
  std::string label() const;
  /// Returns the certificate as readable text.
  std::string to_text() const;
  /// Returns one line for the end of a run: the class, and a sentence that describes the draws.
  std::string in_words() const;
};

/// The part of a certificate that certificate.json stores. It contains everything that readers of
/// results need.
struct MIXWELL_EXPORT CertificateRecord {
  Verdict now;                ///< verdict on the sampling phase, without Verdict::metropolis
  bool after_warmup = false;  ///< the verdict holds only after warmup has ended
  CertificateClass warmup_class = CertificateClass::exact;  ///< class of the warmup phase
  CertificateClass frozen_class = CertificateClass::exact;  ///< class without any adaptation
  std::optional<Tested> tested{};
  std::vector<Publication> published{};
};

/// Returns the part of a certificate that certificate.json stores.
MIXWELL_EXPORT CertificateRecord record_of(const Certificate& certificate);

/// Reads certificate.json in the folder of a finished run. Throws InputError.
MIXWELL_EXPORT CertificateRecord read_certificate(const std::string& folder);

/// Replaces lines that differ only in the number of a slot, such as "x3/hmc/trajectory: volume", by
/// one line for all slots: "hmc/trajectory: volume (4 slots)". Keeps the order of first occurrence.
MIXWELL_EXPORT std::vector<std::string> fold_slots(const std::vector<std::string>& lines);

/// A row of the table of rules. `wrong` is empty if the rule rejects no manifest. `right` and
/// `wrong` are both empty if only unit tests cover the rule.
struct RuleInfo {
  Rule rule = Rule::invariance;
  std::string_view id;         ///< to_string(rule)
  std::string_view statement;  ///< what the rule examines
  std::string_view verdict;    ///< the consequence
  std::string_view why;        ///< proof, citation or counterexample
  std::string_view right;      ///< a manifest that the rule accepts
  std::string_view wrong;      ///< a manifest that the rule rejects
};
/// Returns all rules, in the order of the enumeration.
MIXWELL_EXPORT std::span<const RuleInfo> rules() noexcept;

/// Returns the verdict on the graph of one phase.
MIXWELL_EXPORT Verdict certify(const KernelGraph& graph);
/// Returns the certificate of a composition from the graphs of both phases.
MIXWELL_EXPORT Certificate certify(const KernelGraph& warmup, const KernelGraph& sampling);

}  // namespace mixwell
