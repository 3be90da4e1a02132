// What a composition is guaranteed to sample.
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

/// By what a conclusion was drawn. docs/certificate.md has a row for each, made from rules().
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

/// "1", "1s", ... as in certificate.json.
MIXWELL_EXPORT std::string_view to_string(Rule rule) noexcept;
MIXWELL_EXPORT std::optional<Rule> rule_from(std::string_view id) noexcept;

enum class Accuracy { exact, asymptotic, none };

/// What a verdict comes down to. `adaptive`: exact but for parameters that still move;
/// `approximate`: of another density; `none`: no sampler.
enum class CertificateClass { exact, asymptotic, adaptive, approximate, biased, none };

/// "exact", ... as in certificate.json.
MIXWELL_EXPORT std::string_view to_string(CertificateClass of) noexcept;
MIXWELL_EXPORT std::optional<CertificateClass> certificate_class_from(
    std::string_view word) noexcept;

/// What stands behind a verdict. `declared`: an author's word; `unproven`: not even that.
enum class Evidence { proved, declared, unproven };

/// "proved", ... as in certificate.json.
MIXWELL_EXPORT std::string_view to_string(Evidence evidence) noexcept;

/// A declared trait that a verdict relies on.
struct MIXWELL_EXPORT Assumption {
  std::string operation{};     ///< "x/kernel/trajectory"
  std::string trait{};         ///< "involution", "order"
  std::optional<int> value{};  ///< of a trait that is a number

  /// "x/kernel/trajectory: involution", "x/kernel/trajectory: order 2"
  std::string in_words() const;
  friend bool operator==(const Assumption&, const Assumption&) = default;
};

/// Something that an update reads, and how it stands to the update.
struct MIXWELL_EXPORT Premise {
  std::string operation{};  ///< that reads it
  std::string role{};       ///< "parameter", "law", ...; "refreshed": by the draw of an auxiliary
  std::string value{};      ///< what it comes down to: "x1@2", a constant, a noise
  /// "constant", "noise", "current", "replaced" (an order of the updates makes it current, or the
  /// update does not influence it), "stale" (no order does), "past" (a register), "still" (one that
  /// nothing writes), "result" (a proposal or a statistic of this sweep).
  std::string standing{};
  bool feeds_back = false;  ///< the update influences it, and is influenced by it
  friend bool operator==(const Premise&, const Premise&) = default;
};

/// A verdict is a product: accuracy x density x time x evidence.
struct MIXWELL_EXPORT Verdict {
  Accuracy accuracy = Accuracy::exact;
  int order = 0;  ///< of an asymptotic verdict
  std::string density = "pi";
  bool adaptive = false;
  bool optimiser = false;  ///< seeks a mode and does not sample; accuracy is none
  bool proved = true;      ///< false: rests on a trait nobody declared
  Rule rule = Rule::invariance;
  std::string reason;  ///< one sentence
  std::vector<std::string> nodes;
  std::vector<std::string> path;
  /// Variables along which what is updated comes back to it, where that is the trouble.
  std::vector<std::string> feedback;
  std::string citation;  ///< theorem or counter-example
  std::vector<Assumption> assumes;
  /// Those of them that nothing stands behind but their author's word: traits of components from
  /// outside, and `invariant` of any.
  std::vector<Assumption> declared;
  /// Slots share a noise, so that their joint law is not the product of theirs: replicates, not
  /// slots, are independent.
  bool coupled = false;
  /// Some update of a slot is decided by a ratio of laws; of a right verdict that is its reason.
  bool metropolis = false;
  std::vector<std::string> notes;  ///< on reachability, which a certificate does not speak about
  std::string about;               ///< of a part: the operation or the variable that it judges
  std::vector<Premise> premises;   ///< what it was concluded from
  /// The conclusions that it was joined from, each by one rule. The worst of them gives the class.
  std::vector<Verdict> parts;

  CertificateClass certificate_class() const noexcept;
  /// Its class as a word.
  std::string label() const;
  Evidence evidence() const noexcept;
};

/// What a `verify` of this very composition saw. It raises no class and no evidence.
struct MIXWELL_EXPORT Tested {
  bool agrees = false;                 ///< the draws are what the certificate says
  double alpha = 0.0;                  ///< chance of a false alarm over all its looks
  double smallest_visible_bias = 0.0;  ///< [standard deviations] of any statistic on any target
  std::string date = {};               ///< UTC, ISO 8601
  std::string composition = {};        ///< SHA-256 of manifest, libraries and data files

  /// "agrees, 2026-11-23: a bias above 0.1 sd would have been seen (alpha 0.001)"
  std::string in_words() const;
};

/// Where the method of one component was published.
struct Publication {
  std::string component;  ///< "kernel nuts"
  std::string source;
  friend bool operator==(const Publication&, const Publication&) = default;
};

struct MIXWELL_EXPORT Certificate {
  Verdict now;                ///< of the sampling phase
  Verdict warmup;             ///< of the warm-up phase
  Verdict frozen;             ///< of the sampling phase without any learning
  bool after_warmup = false;  ///< the verdict holds only once warm-up has ended
  /// What warm-up learns and the sampling phase reads, as it is then: "step size", "metric".
  std::vector<std::string> learnt;
  /// Filled in by `check` and `run`, from the record that `verify` keeps.
  std::optional<Tested> tested{};
  /// Filled in by `check` and `run`: of the methods in use, what the verdict does not cite already.
  std::vector<Publication> published{};

  /// The class of the sampling phase, with " after warm-up" where it holds only then.
  std::string label() const;
  /// For people.
  std::string to_text() const;
  /// One line for the end of a run: "exact: Metropolis-corrected; step size frozen after warm-up".
  std::string in_words() const;
};

/// What certificate.json keeps of a certificate: all that a reader of results asks it.
struct MIXWELL_EXPORT CertificateRecord {
  Verdict now;                ///< of the sampling phase, but for Verdict::metropolis
  bool after_warmup = false;  ///< the verdict holds only once warm-up has ended
  CertificateClass warmup_class = CertificateClass::exact;  ///< of the warm-up phase
  CertificateClass frozen_class = CertificateClass::exact;  ///< of sampling without any learning
  std::optional<Tested> tested{};
  std::vector<Publication> published{};
};

MIXWELL_EXPORT CertificateRecord record_of(const Certificate& certificate);

/// certificate.json in the folder of a run that has ended. Throws InputError.
MIXWELL_EXPORT CertificateRecord read_certificate(const std::string& folder);

/// "x3/hmc/trajectory: volume" and what else begins with a numbered slot as one line for all slots,
/// "hmc/trajectory: volume (4 slots)", in order of the first.
MIXWELL_EXPORT std::vector<std::string> fold_slots(const std::vector<std::string>& lines);

/// A row of the table of rules. A rule that only permits something has no manifest that it decides
/// against; some have manifests of neither kind, but tests of graphs made by hand.
struct RuleInfo {
  Rule rule = Rule::invariance;
  std::string_view id;         ///< to_string(rule)
  std::string_view statement;  ///< what it looks at
  std::string_view verdict;    ///< what comes of it
  std::string_view why;        ///< proof, citation or counter-example
  std::string_view right;      ///< a manifest that it lets pass
  std::string_view wrong;      ///< a manifest that it decides against
};
/// In the order of the enumeration.
MIXWELL_EXPORT std::span<const RuleInfo> rules() noexcept;

/// The verdict of one phase's graph.
MIXWELL_EXPORT Verdict certify(const KernelGraph& graph);
MIXWELL_EXPORT Certificate certify(const KernelGraph& warmup, const KernelGraph& sampling);

}  // namespace mixwell
