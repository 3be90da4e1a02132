// Certificates as text for users, and as records for files.
// SPDX-License-Identifier: Apache-2.0
#include <mixwell/lab/certificate.hpp>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <utility>

namespace mixwell {
namespace {

const char* meaning(const Verdict& of) {
  switch (of.certificate_class()) {
    case CertificateClass::exact:
      return "each update leaves pi invariant at any step size";
    case CertificateClass::asymptotic:
      return "the draws have the target distribution as eps -> 0 at fixed integration time, but "
             "are biased at a finite step size";
    case CertificateClass::adaptive:
      return "parameters still change with the chain's own history, by ever smaller amounts";
    case CertificateClass::approximate:
      return "the sampler targets a density other than pi";
    case CertificateClass::biased:
      return of.proved ? "the draws do not have the target distribution, even as eps -> 0"
                       : "nothing shows that the draws have the target distribution";
    case CertificateClass::none:
      return "this is an optimiser, not a sampler";
  }
  return "";
}

/// "x3/hmc/trajectory: volume" -> "hmc/trajectory: volume".
std::string without_slot(const std::string& trait) {
  const auto digits = trait.find_first_not_of("0123456789", 1);
  const bool numbered = trait.starts_with('x') && digits != std::string::npos && digits > 1;
  return numbered && trait[digits] == '/' ? trait.substr(digits + 1) : trait;
}

/// Splits citations that join() put together.
std::vector<std::string> apart(std::string_view citations) {
  constexpr std::string_view between = "; ";
  std::vector<std::string> all;
  while (!citations.empty()) {
    const std::size_t end = std::min(citations.find(between), citations.size());
    all.emplace_back(citations.substr(0, end));
    citations.remove_prefix(std::min(end + between.size(), citations.size()));
  }
  return all;
}

/// "x0/nuts/tree" -> "nuts": the kernel whose operation it is.
std::string kernel_of(const std::string& operation) {
  const auto last = operation.rfind('/');
  if (last == std::string::npos || last == 0) return operation;
  const auto before = operation.rfind('/', last - 1);
  const auto first = before == std::string::npos ? 0 : before + 1;
  return operation.substr(first, last - first);
}

/// Kernels whose author declares that they leave their target density invariant.
std::vector<std::string> declaring_kernels(const Verdict& of) {
  std::vector<std::string> names;
  for (const Assumption& one : of.declared) {
    const std::string kernel = kernel_of(one.operation);
    const bool known = std::ranges::find(names, kernel) != names.end();
    if (one.trait == "invariant" && !known) names.push_back(kernel);
  }
  return names;
}

/// "the author of nuts declares", "the authors of nuts and slice declare"
std::string authors_declare(const std::vector<std::string>& kernels) {
  const bool is_one = kernels.size() == 1;
  return fmt::format("the author{} of {} declare{}", is_one ? "" : "s", fmt::join(kernels, " and "),
                     is_one ? "s" : "");
}

/// A clause about the updates. By the verdict, all updates leave one density invariant.
std::string invariance(const Verdict& of) {
  std::string words = "each update leaves the target distribution unchanged";
  if (of.density != "pi")
    words = fmt::format("each update leaves the density {} unchanged, not the target density",
                        of.density);
  const std::vector<std::string> kernels = declaring_kernels(of);
  if (!kernels.empty())
    return fmt::format("{}; {} this, and `mixwell verify` tests this claim", words,
                       authors_declare(kernels));
  return of.metropolis && of.density == "pi" ? words + " (Metropolis-corrected)" : words;
}

/// One sentence that says what the draws are.
std::string summary_of(const Verdict& of) {
  switch (of.certificate_class()) {
    case CertificateClass::exact:
      return invariance(of);
    case CertificateClass::asymptotic:
      return "the draws are biased at a finite step size, but have the target distribution as eps "
             "-> 0 at fixed integration time; " +
             of.reason;
    case CertificateClass::adaptive:
      return meaning(of) +
             std::string(", so the draws are biased, and the bias is largest in early draws") +
             (of.accuracy == Accuracy::exact ? "" : "; " + of.reason);
    case CertificateClass::approximate:
      if (of.accuracy == Accuracy::exact) return invariance(of);
      return fmt::format(
          "as eps -> 0 at fixed integration time, the draws have the density {}, not the target "
          "density; {}",
          of.density, of.reason);
    case CertificateClass::biased:
      return (of.proved ? "the draws do not have the target distribution, even as eps -> 0; "
                        : "nothing shows that the draws have the target distribution; ") +
             of.reason;
    case CertificateClass::none:
      return of.reason;
  }
  return {};
}

/// The reason that is printed beside the rule. No rule can examine the inside of an opaque kernel.
std::string reason_of(const Verdict& of) {
  const std::vector<std::string> kernels = declaring_kernels(of);
  if (of.rule != Rule::invariance || of.accuracy != Accuracy::exact || kernels.empty())
    return of.reason;
  return fmt::format(
      "{} that each update leaves its target density invariant, and `mixwell verify` tests this "
      "claim",
      authors_declare(kernels));
}

}  // namespace

std::vector<std::string> fold_slots(const std::vector<std::string>& lines) {
  std::vector<std::pair<std::string, int>> counted;
  for (const std::string& line : lines) {
    const std::string common = without_slot(line);
    const auto known = std::ranges::find(counted, common, &std::pair<std::string, int>::first);
    if (known == counted.end()) {
      counted.emplace_back(common, 1);
    } else {
      ++known->second;
    }
  }
  std::vector<std::string> all;
  for (const auto& [line, slots] : counted) {
    all.push_back(slots > 1 ? fmt::format("{} ({} slots)", line, slots) : line);
  }
  return all;
}

std::string Assumption::in_words() const {
  const std::string words = operation + ": " + trait;
  return value ? fmt::format("{} {}", words, *value) : words;
}

std::string Verdict::label() const { return std::string(to_string(certificate_class())); }

std::string Certificate::label() const {
  return now.label() + (after_warmup ? " after warm-up" : "");
}

std::string Certificate::in_words() const {
  std::string words =
      fmt::format("{}{}: {}", now.label(), after_warmup ? " after warmup" : "", summary_of(now));
  if (!learnt.empty()) {
    const char* const verb = learnt.size() == 1 ? "is" : "are";
    words += fmt::format("; the {} {} adapted in warmup only and {} fixed afterwards",
                         fmt::join(learnt, " and the "), verb, verb);
  }
  return words;
}

std::string Tested::in_words() const {
  const std::string day = date.substr(0, 10);
  if (!agrees)
    return fmt::format("DISAGREES with the certificate, {} (significance level {:g})", day, alpha);
  return fmt::format(
      "agrees with the certificate, {}: a bias above {:.2g} sd would have been detected "
      "(significance level {:g})",
      day, smallest_visible_bias, alpha);
}

CertificateRecord record_of(const Certificate& certificate) {
  return {.now = certificate.now,
          .after_warmup = certificate.after_warmup,
          .warmup_class = certificate.warmup.certificate_class(),
          .frozen_class = certificate.frozen.certificate_class(),
          .tested = certificate.tested,
          .published = certificate.published};
}

std::string Certificate::to_text() const {
  std::string text = fmt::format("class      {}: {}\n", label(), meaning(now));
  if (now.accuracy == Accuracy::asymptotic) text += fmt::format("order      {}\n", now.order);
  text += fmt::format("density    {}\n", now.density);
  text += fmt::format("evidence   {}\n", to_string(now.evidence()));
  if (tested) text += fmt::format("tested     {}\n", tested->in_words());
  if (now.coupled)
    text +=
        "joint      coupled: slots share noise, so they are dependent. Only replicates of the "
        "sampler are independent of each other\n";
  if (after_warmup) text += fmt::format("in warmup  {}: {}\n", warmup.label(), warmup.reason);
  text += fmt::format("rule       {}: {}\n", to_string(now.rule), reason_of(now));
  if (!now.nodes.empty()) text += fmt::format("nodes      {}\n", fmt::join(now.nodes, ", "));
  if (!now.path.empty()) text += fmt::format("path       {}\n", fmt::join(now.path, " -> "));
  if (!now.feedback.empty()) {
    text += fmt::format("feedback   {}\n", fmt::join(now.feedback, " => "));
  }
  for (const std::string& one : apart(now.citation)) text += fmt::format("reference  {}\n", one);
  std::vector<std::string> assumed;
  for (const Assumption& one : now.assumes) assumed.push_back(one.in_words());
  for (const std::string& line : fold_slots(assumed)) text += fmt::format("assumes    {}\n", line);
  for (const std::string& note : now.notes) text += fmt::format("note       {}\n", note);
  return text;
}

}  // namespace mixwell
