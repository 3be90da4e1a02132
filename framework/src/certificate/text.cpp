// Certificates for people, and what a file keeps of one.
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
      return "leaves pi invariant at any step size";
    case CertificateClass::asymptotic:
      return "right as eps -> 0 at fixed integration time; biased at a finite step";
    case CertificateClass::adaptive:
      return "parameters still move with the chain's own, diminishing history";
    case CertificateClass::approximate:
      return "right for another density";
    case CertificateClass::biased:
      return of.proved ? "wrong in the limit too" : "not shown right";
    case CertificateClass::none:
      return "not a sampler";
  }
  return "";
}

/// "x3/hmc/trajectory: volume" -> "hmc/trajectory: volume".
std::string without_slot(const std::string& trait) {
  const auto digits = trait.find_first_not_of("0123456789", 1);
  const bool numbered = trait.starts_with('x') && digits != std::string::npos && digits > 1;
  return numbered && trait[digits] == '/' ? trait.substr(digits + 1) : trait;
}

/// Citations that join() put together.
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

/// Kernels whose own word it is that they leave their law invariant.
std::vector<std::string> declaring_kernels(const Verdict& of) {
  std::vector<std::string> names;
  for (const Assumption& one : of.declared) {
    const std::string kernel = kernel_of(one.operation);
    const bool known = std::ranges::find(names, kernel) != names.end();
    if (one.trait == "invariant" && !known) names.push_back(kernel);
  }
  return names;
}

/// Why it is of its class, in a few words. The reason of a right verdict is that of rule 1, which
/// wants the certificate beside it.
std::string summary_of(const Verdict& of) {
  if (of.accuracy != Accuracy::exact || of.adaptive) return of.reason;
  const std::vector<std::string> kernels = declaring_kernels(of);
  if (of.metropolis && of.density == "pi" && kernels.empty()) return "Metropolis-corrected";
  std::string words = fmt::format(
      "every update leaves the {} unchanged",
      of.density == "pi" ? "target distribution" : fmt::format("density {}", of.density));
  if (!kernels.empty()) {
    words += fmt::format(", as {} {}", fmt::join(kernels, " and "),
                         kernels.size() == 1 ? "declares" : "declare");
  }
  return words;
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
  std::string words = now.label() + ": " + summary_of(now);
  if (!learnt.empty()) {
    words += fmt::format("; {} frozen after warm-up", fmt::join(learnt, " and "));
  }
  return words;
}

std::string Tested::in_words() const {
  const std::string day = date.substr(0, 10);
  if (!agrees) return fmt::format("DISAGREES, {} (alpha {:g})", day, alpha);
  return fmt::format("agrees, {}: a bias above {:.2g} sd would have been seen (alpha {:g})", day,
                     smallest_visible_bias, alpha);
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
  if (now.coupled) text += "joint      coupled: slots share a noise; replicates are independent\n";
  if (after_warmup) text += fmt::format("in warm-up {}: {}\n", warmup.label(), warmup.reason);
  text += fmt::format("rule       {}: {}\n", to_string(now.rule), now.reason);
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
