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
  json["rule"] = record.rule;
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
  json.at("rule").get_to(record.rule);
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
}

CertificateRecord read_certificate(const std::string& folder) {
  return read_json_as<CertificateRecord>(folder + "/certificate.json", "certificate",
                                         "name the folder of a run that has ended");
}

}  // namespace mixwell
