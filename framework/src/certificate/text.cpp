// Certificates for programs and for people.
// SPDX-License-Identifier: Apache-2.0
#include "files/json.hpp"

#include <mixwell/lab/certificate.hpp>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <utility>

namespace mixwell {
namespace {

const char* accuracy_word(Accuracy accuracy) {
  switch (accuracy) {
    case Accuracy::exact:
      return "exact";
    case Accuracy::asymptotic:
      return "asymptotic";
    case Accuracy::none:
      return "none";
  }
  return "none";
}

const char* meaning(const std::string& label) {
  if (label == "exact") return "leaves pi invariant at any step size";
  if (label == "asymptotic")
    return "right as eps -> 0 at fixed integration time; biased at a finite step";
  if (label == "adaptive") return "parameters still move with the chain's own, diminishing history";
  if (label == "approximate") return "right for another density";
  if (label == "none") return "not a sampler";
  return "wrong in the limit too, or not shown right";
}

/// "x3/hmc/trajectory: volume" -> "hmc/trajectory: volume".
std::string without_slot(const std::string& trait) {
  const auto digits = trait.find_first_not_of("0123456789", 1);
  const bool numbered = trait.starts_with('x') && digits != std::string::npos && digits > 1;
  return numbered && trait[digits] == '/' ? trait.substr(digits + 1) : trait;
}

}  // namespace

std::vector<std::string> fold_slots(const std::vector<std::string>& lines) {
  std::vector<std::pair<std::string, int>> counted;
  for (const std::string& line : lines) {
    const std::string common = without_slot(line);
    const auto known = std::find_if(counted.begin(), counted.end(),
                                    [&](const auto& other) { return other.first == common; });
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

std::string Certificate::label() const {
  return now.label() + (after_warmup ? " after warm-up" : "");
}

std::string Certificate::in_words() const {
  std::string words = now.label() + ": ";
  const bool plain = now.accuracy == Accuracy::exact && !now.adaptive && now.density == "pi";
  words += plain && now.metropolis ? "Metropolis-corrected" : now.reason;
  if (!learnt.empty()) {
    words += fmt::format("; {} frozen after warm-up", fmt::join(learnt, " and "));
  }
  return words;
}

namespace {

nlohmann::ordered_json json_of(const Tested& tested) {
  return {{"agrees", tested.agrees},
          {"alpha", tested.alpha},
          {"smallest_visible_bias", tested.smallest_visible_bias},
          {"date", tested.date},
          {"composition", tested.composition}};
}

}  // namespace

std::string Tested::to_json() const { return json_text(json_of(*this), 2); }

std::string Tested::in_words() const {
  const std::string day = date.substr(0, 10);
  if (!agrees) return fmt::format("DISAGREES, {} (alpha {:g})", day, alpha);
  return fmt::format("agrees, {}: a bias above {:.2g} sd would have been seen (alpha {:g})", day,
                     smallest_visible_bias, alpha);
}

std::string Certificate::to_json() const {
  nlohmann::ordered_json json;
  json["class"] = now.label();
  json["accuracy"] = accuracy_word(now.accuracy);
  json["order"] = now.accuracy == Accuracy::asymptotic ? nlohmann::ordered_json(now.order)
                                                       : nlohmann::ordered_json(nullptr);
  json["density"] = now.density;
  json["time"] = now.adaptive ? "adaptive" : "fixed";
  json["evidence"] = now.evidence();
  json["tested"] = tested ? json_of(*tested) : nlohmann::ordered_json(nullptr);
  json["joint"] = now.coupled ? "coupled" : "product";
  json["after_warmup"] = after_warmup;
  json["warmup_class"] = warmup.label();
  json["frozen_class"] = frozen.label();
  json["rule"] = now.rule;
  json["reason"] = now.reason;
  json["nodes"] = now.nodes;
  json["path"] = now.path;
  json["feedback"] = now.feedback;
  json["reference"] = now.citation;
  json["assumes"] = now.assumes;
  json["declared"] = now.declared;
  json["notes"] = now.notes;
  return json_text(json, 2) + "\n";
}

std::string Certificate::to_text() const {
  std::string text = fmt::format("class      {}: {}\n", label(), meaning(now.label()));
  if (now.accuracy == Accuracy::asymptotic) text += fmt::format("order      {}\n", now.order);
  text += fmt::format("density    {}\n", now.density);
  text += fmt::format("evidence   {}\n", now.evidence());
  if (tested) text += fmt::format("tested     {}\n", tested->in_words());
  if (now.coupled) text += "joint      coupled: slots share a noise; replicates are independent\n";
  if (after_warmup) text += fmt::format("in warm-up {}: {}\n", warmup.label(), warmup.reason);
  text += fmt::format("rule       {}: {}\n", now.rule.empty() ? "-" : now.rule, now.reason);
  if (!now.nodes.empty()) text += fmt::format("nodes      {}\n", fmt::join(now.nodes, ", "));
  if (!now.path.empty()) text += fmt::format("path       {}\n", fmt::join(now.path, " -> "));
  if (!now.feedback.empty()) {
    text += fmt::format("feedback   {}\n", fmt::join(now.feedback, " => "));
  }
  if (!now.citation.empty()) text += fmt::format("reference  {}\n", now.citation);
  for (const std::string& line : fold_slots(now.assumes))
    text += fmt::format("assumes    {}\n", line);
  for (const std::string& note : now.notes) text += fmt::format("note       {}\n", note);
  return text;
}

}  // namespace mixwell
