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

/// One conclusion.
Json part_to_json(const Verdict& part) {
  Json json = Json::object();
  json["about"] = part.about;
  json["rule"] = to_string(part.rule);
  json["class"] = to_string(part.certificate_class());
  json["accuracy"] = word_of(accuracies, part.accuracy);
  json["order"] = part.accuracy == Accuracy::asymptotic ? Json(part.order) : Json(nullptr);
  json["density"] = part.density;
  json["time"] = word_of(times, part.adaptive);
  json["evidence"] = to_string(part.evidence());
  json["reason"] = part.reason;
  json["path"] = part.path;
  json["assumes"] = words_of(part.assumes);
  json["declared"] = words_of(part.declared);
  json["premises"] = Json::array();
  for (const Premise& one : part.premises) json["premises"].push_back(to_json(one));
  return json;
}

Verdict part_in(const Json& json) {
  Verdict part;
  json.at("about").get_to(part.about);
  part.rule = rule_in(json);
  part.optimiser = word_in(classes, json, "class") == CertificateClass::none;
  part.accuracy = word_in(accuracies, json, "accuracy");
  if (!json.at("order").is_null()) json.at("order").get_to(part.order);
  json.at("density").get_to(part.density);
  part.adaptive = word_in(times, json, "time");
  part.proved = word_in(kinds_of_evidence, json, "evidence") != Evidence::unproven;
  json.at("reason").get_to(part.reason);
  json.at("path").get_to(part.path);
  part.assumes = assumptions_in(json.at("assumes"));
  part.declared = assumptions_in(json.at("declared"));
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
  json = Json::object();
  json["class"] = to_string(record.certificate_class);
  json["accuracy"] = word_of(accuracies, record.accuracy);
  json["order"] = record.order ? Json(*record.order) : Json(nullptr);
  json["density"] = record.density;
  json["time"] = word_of(times, record.adaptive);
  json["evidence"] = to_string(record.evidence);
  json["tested"] = record.tested ? Json(*record.tested) : Json(nullptr);
  json["joint"] = word_of(joints, record.coupled);
  json["after_warmup"] = record.after_warmup;
  json["warmup_class"] = to_string(record.warmup_class);
  json["frozen_class"] = to_string(record.frozen_class);
  json["rule"] = to_string(record.rule);
  json["reason"] = record.reason;
  json["nodes"] = record.nodes;
  json["path"] = record.path;
  json["feedback"] = record.feedback;
  json["reference"] = record.citation;
  json["assumes"] = words_of(record.assumes);
  json["declared"] = words_of(record.declared);
  json["notes"] = record.notes;
  json["published"] = Json::array();
  for (const auto& [component, source] : record.published)
    json["published"].push_back({{"component", component}, {"source", source}});
  json["derivation"] = Json::array();
  for (const Verdict& part : record.derivation) json["derivation"].push_back(part_to_json(part));
}

void from_json(const Json& json, CertificateRecord& record) {
  record.certificate_class = word_in(classes, json, "class");
  record.accuracy = word_in(accuracies, json, "accuracy");
  if (!json.at("order").is_null()) record.order = json.at("order").get<int>();
  json.at("density").get_to(record.density);
  record.adaptive = word_in(times, json, "time");
  record.evidence = word_in(kinds_of_evidence, json, "evidence");
  if (!json.at("tested").is_null()) record.tested = json.at("tested").get<Tested>();
  record.coupled = word_in(joints, json, "joint");
  json.at("after_warmup").get_to(record.after_warmup);
  record.warmup_class = word_in(classes, json, "warmup_class");
  record.frozen_class = word_in(classes, json, "frozen_class");
  record.rule = rule_in(json);
  json.at("reason").get_to(record.reason);
  json.at("nodes").get_to(record.nodes);
  json.at("path").get_to(record.path);
  json.at("feedback").get_to(record.feedback);
  json.at("reference").get_to(record.citation);
  record.assumes = assumptions_in(json.at("assumes"));
  record.declared = assumptions_in(json.at("declared"));
  json.at("notes").get_to(record.notes);
  for (const Json& one : json.at("published"))
    record.published.push_back({.component = one.at("component").get<std::string>(),
                                .source = one.at("source").get<std::string>()});
  for (const Json& one : json.at("derivation")) record.derivation.push_back(part_in(one));
}

CertificateRecord read_certificate(const std::string& folder) {
  return read_json_as<CertificateRecord>(folder + "/certificate.json", "certificate",
                                         "name the folder of a run that has ended");
}

}  // namespace mixwell
