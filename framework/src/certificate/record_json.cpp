// Reads and writes certificate.json, including the results that `verify` adds to it.
// SPDX-License-Identifier: Apache-2.0
#include "certificate/record_json.hpp"

#include "files/json.hpp"

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

Rule rule_in(const Json& json) {
  const auto& id = json.at("rule").get_ref<const std::string&>();
  if (const auto found = rule_from(id)) return *found;
  throw Json::other_error::create(501, "there is no rule \"" + id + "\"", &json);
}

}  // namespace

/// Traits are stored in words. Readers of the file need no more structure.
static void to_json(Json& json, const Assumption& one) { json = one.in_words(); }

static void from_json(const Json& json, Assumption& one) {
  std::istringstream in(json.get<std::string>());
  std::getline(in, one.operation, ':');
  in >> one.trait;
  if (int value = 0; in >> value) one.value = value;
}

static void to_json(Json& json, const Premise& premise) {
  json = {{"operation", premise.operation},
          {"role", premise.role},
          {"value", premise.value},
          {"standing", premise.standing},
          {"feeds_back", premise.feeds_back}};
}

static void from_json(const Json& json, Premise& premise) {
  json.at("operation").get_to(premise.operation);
  json.at("role").get_to(premise.role);
  json.at("value").get_to(premise.value);
  json.at("standing").get_to(premise.standing);
  json.at("feeds_back").get_to(premise.feeds_back);
}

static void to_json(Json& json, const Publication& one) {
  json = {{"component", one.component}, {"source", one.source}};
}

static void from_json(const Json& json, Publication& one) {
  json.at("component").get_to(one.component);
  json.at("source").get_to(one.source);
}

namespace {

/// The class of a verdict and its four parts.
void write_class(Json& json, const Verdict& of) {
  json["class"] = to_string(of.certificate_class());
  json["accuracy"] = word_of(accuracies, of.accuracy);
  json["order"] = of.accuracy == Accuracy::asymptotic ? Json(of.order) : Json(nullptr);
  json["density"] = of.density;
  json["time"] = word_of(times, of.adaptive);
  json["evidence"] = to_string(of.evidence());
}

/// The fields that the whole verdict and each conclusion have in common.
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
  json.at("assumes").get_to(found.assumes);
  json.at("declared").get_to(found.declared);
  return found;
}

}  // namespace

std::string_view to_string(CertificateClass of) noexcept { return word_of(classes, of); }

std::optional<CertificateClass> certificate_class_from(std::string_view word) noexcept {
  return find_word(classes, word);
}

std::string_view to_string(Evidence evidence) noexcept {
  return word_of(kinds_of_evidence, evidence);
}

/// One conclusion.
static void to_json(Json& json, const Verdict& part) {
  json = Json::object();
  json["about"] = part.about;
  json["rule"] = to_string(part.rule);
  write_class(json, part);
  json["reason"] = part.reason;
  json["path"] = part.path;
  json["assumes"] = part.assumes;
  json["declared"] = part.declared;
  json["premises"] = part.premises;
}

static void from_json(const Json& json, Verdict& part) {
  part = verdict_in(json);
  json.at("about").get_to(part.about);
  json.at("premises").get_to(part.premises);
}

void to_json(Json& json, const Tested& tested) {
  json = {{"agrees", tested.agrees},
          {"alpha", tested.alpha},
          {"smallest_visible_bias", tested.smallest_visible_bias},
          {"date", tested.date},
          {"composition", tested.composition}};
}

void from_json(const Json& json, Tested& tested) {
  json.at("agrees").get_to(tested.agrees);
  json.at("alpha").get_to(tested.alpha);
  json.at("smallest_visible_bias").get_to(tested.smallest_visible_bias);
  json.at("date").get_to(tested.date);
  json.at("composition").get_to(tested.composition);
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
  json["assumes"] = now.assumes;
  json["declared"] = now.declared;
  json["notes"] = now.notes;
  json["published"] = record.published;
  json["derivation"] = now.parts;
}

void from_json(const Json& json, CertificateRecord& record) {
  record.now = verdict_in(json);
  record.now.coupled = word_in(joints, json, "joint");
  json.at("nodes").get_to(record.now.nodes);
  json.at("feedback").get_to(record.now.feedback);
  json.at("reference").get_to(record.now.citation);
  json.at("notes").get_to(record.now.notes);
  json.at("derivation").get_to(record.now.parts);
  json.at("after_warmup").get_to(record.after_warmup);
  record.warmup_class = word_in(classes, json, "warmup_class");
  record.frozen_class = word_in(classes, json, "frozen_class");
  if (!json.at("tested").is_null()) record.tested = json.at("tested").get<Tested>();
  json.at("published").get_to(record.published);
}

CertificateRecord read_certificate(const std::string& folder) {
  return read_json_as<CertificateRecord>(folder + "/certificate.json", "certificate",
                                         "give the folder of a run that has ended");
}

}  // namespace mixwell
