// certificate.json, and the part of it that `verify` keeps.
// SPDX-License-Identifier: Apache-2.0
#include "certificate/record_json.hpp"

#include "files/json.hpp"
#include "files/words.hpp"

#include <array>
#include <sstream>

namespace mixwell {
namespace {

using Json = nlohmann::ordered_json;

constexpr Words<Accuracy, 3> accuracies = {
    {{Accuracy::exact, "exact"}, {Accuracy::asymptotic, "asymptotic"}, {Accuracy::none, "none"}}};
constexpr Words<CertificateClass, 6> classes = {{{CertificateClass::exact, "exact"},
                                                 {CertificateClass::asymptotic, "asymptotic"},
                                                 {CertificateClass::adaptive, "adaptive"},
                                                 {CertificateClass::approximate, "approximate"},
                                                 {CertificateClass::biased, "biased"},
                                                 {CertificateClass::none, "none"}}};
constexpr Words<Evidence, 3> kinds_of_evidence = {{{Evidence::proved, "proved"},
                                                   {Evidence::declared, "declared"},
                                                   {Evidence::unproven, "unproven"}}};
constexpr Words<bool, 2> times = {{{true, "adaptive"}, {false, "fixed"}}};
constexpr Words<bool, 2> joints = {{{true, "coupled"}, {false, "product"}}};

Json words_of(const std::vector<Assumption>& all) {
  Json words = Json::array();
  for (const Assumption& one : all) words.push_back(one.in_words());
  return words;
}

/// From Assumption::in_words.
Assumption assumption_of(const std::string& words) {
  Assumption found;
  std::istringstream in(words);
  std::getline(in, found.operation, ':');
  in >> found.trait;
  if (int value = 0; in >> value) found.value = value;
  return found;
}

std::vector<Assumption> assumptions_in(const Json& words) {
  std::vector<Assumption> all;
  for (const auto& text : words.get<std::vector<std::string>>()) {
    all.push_back(assumption_of(text));
  }
  return all;
}

Rule rule_in(const Json& json) {
  const auto& id = json.at("rule").get_ref<const std::string&>();
  if (const auto found = rule_from(id)) return *found;
  throw Json::other_error::create(501, "there is no rule \"" + id + "\"", &json);
}

Json to_json(const Premise& premise) {
  return {{"operation", premise.operation},
          {"role", premise.role},
          {"value", premise.value},
          {"standing", premise.standing},
          {"feeds_back", premise.feeds_back}};
}

Premise premise_in(const Json& json) {
  return {json.at("operation").get<std::string>(), json.at("role").get<std::string>(),
          json.at("value").get<std::string>(), json.at("standing").get<std::string>(),
          json.at("feeds_back").get<bool>()};
}

/// What a verdict comes down to.
void write_class(Json& json, const Verdict& of) {
  json["class"] = to_string(of.certificate_class());
  json["accuracy"] = word_of(accuracies, of.accuracy);
  json["order"] = of.accuracy == Accuracy::asymptotic ? Json(of.order) : Json(nullptr);
  json["density"] = of.density;
  json["time"] = word_of(times, of.adaptive);
  json["evidence"] = to_string(of.evidence());
}

/// What the whole and each conclusion have.
Verdict verdict_in(const Json& json) {
  Verdict found;
  found.rule = rule_in(json);
  found.optimiser = word_in(classes, json, "class") == CertificateClass::none;
  found.accuracy = word_in(accuracies, json, "accuracy");
  if (!json.at("order").is_null()) json.at("order").get_to(found.order);
  json.at("density").get_to(found.density);
  found.adaptive = word_in(times, json, "time");
  found.proved = word_in(kinds_of_evidence, json, "evidence") != Evidence::unproven;
  json.at("reason").get_to(found.reason);
  json.at("path").get_to(found.path);
  found.assumes = assumptions_in(json.at("assumes"));
  found.declared = assumptions_in(json.at("declared"));
  return found;
}

/// One conclusion.
Json part_to_json(const Verdict& part) {
  Json json = Json::object();
  json["about"] = part.about;
  json["rule"] = to_string(part.rule);
  write_class(json, part);
  json["reason"] = part.reason;
  json["path"] = part.path;
  json["assumes"] = words_of(part.assumes);
  json["declared"] = words_of(part.declared);
  json["premises"] = Json::array();
  for (const Premise& one : part.premises) json["premises"].push_back(to_json(one));
  return json;
}

Verdict part_in(const Json& json) {
  Verdict part = verdict_in(json);
  json.at("about").get_to(part.about);
  for (const Json& one : json.at("premises")) part.premises.push_back(premise_in(one));
  return part;
}

}  // namespace

std::string_view to_string(CertificateClass of) noexcept { return word_of(classes, of); }

std::optional<CertificateClass> certificate_class_from(std::string_view word) noexcept {
  return find_word(classes, word);
}

std::string_view to_string(Evidence evidence) noexcept {
  return word_of(kinds_of_evidence, evidence);
}

void to_json(Json& json, const Tested& tested) {
  json = {{"agrees", tested.agrees},
          {"alpha", tested.alpha},
          {"smallest_visible_bias", tested.smallest_visible_bias},
          {"date", tested.date},
          {"composition", tested.composition}};
}

void from_json(const Json& json, Tested& tested) {
  tested = {.agrees = json.at("agrees").get<bool>(),
            .alpha = json.at("alpha").get<double>(),
            .smallest_visible_bias = json.at("smallest_visible_bias").get<double>(),
            .date = json.at("date").get<std::string>(),
            .composition = json.at("composition").get<std::string>()};
}

void to_json(Json& json, const CertificateRecord& record) {
  const Verdict& now = record.now;
  json = Json::object();
  write_class(json, now);
  json["tested"] = record.tested ? Json(*record.tested) : Json(nullptr);
  json["joint"] = word_of(joints, now.coupled);
  json["after_warmup"] = record.after_warmup;
  json["warmup_class"] = to_string(record.warmup_class);
  json["frozen_class"] = to_string(record.frozen_class);
  json["rule"] = to_string(now.rule);
  json["reason"] = now.reason;
  json["nodes"] = now.nodes;
  json["path"] = now.path;
  json["feedback"] = now.feedback;
  json["reference"] = now.citation;
  json["assumes"] = words_of(now.assumes);
  json["declared"] = words_of(now.declared);
  json["notes"] = now.notes;
  json["published"] = Json::array();
  for (const auto& [component, source] : record.published)
    json["published"].push_back({{"component", component}, {"source", source}});
  json["derivation"] = Json::array();
  for (const Verdict& part : now.parts) json["derivation"].push_back(part_to_json(part));
}

void from_json(const Json& json, CertificateRecord& record) {
  record.now = verdict_in(json);
  record.now.coupled = word_in(joints, json, "joint");
  json.at("nodes").get_to(record.now.nodes);
  json.at("feedback").get_to(record.now.feedback);
  json.at("reference").get_to(record.now.citation);
  json.at("notes").get_to(record.now.notes);
  for (const Json& one : json.at("derivation")) record.now.parts.push_back(part_in(one));
  json.at("after_warmup").get_to(record.after_warmup);
  record.warmup_class = word_in(classes, json, "warmup_class");
  record.frozen_class = word_in(classes, json, "frozen_class");
  if (!json.at("tested").is_null()) record.tested = json.at("tested").get<Tested>();
  for (const Json& one : json.at("published"))
    record.published.push_back({.component = one.at("component").get<std::string>(),
                                .source = one.at("source").get<std::string>()});
}

CertificateRecord read_certificate(const std::string& folder) {
  return read_json_as<CertificateRecord>(folder + "/certificate.json", "certificate",
                                         "name the folder of a run that has ended");
}

}  // namespace mixwell
