// Random cases by number: where each comes from, and what it is made to have.
// SPDX-License-Identifier: Apache-2.0
#include "random_cases.hpp"

#include "judge.hpp"

#include <mixwell/error.hpp>
#include <mixwell/lab/certificate.hpp>
#include <mixwell/lab/manifest.hpp>
#include <mixwell/lab/sampler.hpp>

#include <algorithm>
#include <array>
#include <iterator>
#include <optional>

namespace compositions {
namespace {

using mixwell::Certificate;
using mixwell::Kind;

bool is_learnt_in_warmup(const Choice& c) {
  return (c.key == "target_acceptance" && !c.value.empty()) ||
         (c.key == "learn_step_size" && c.value == "true") ||
         (c.kind == Kind::estimator && (c.id == "dense" || c.id == "diagonal"));
}

bool is_lagged(const Choice& c) { return c.kind == Kind::compositor && c.id == "lagged"; }

bool is_control_variate(const Choice& c) {
  return c.kind == Kind::oracle && c.id == "control-variate";
}

/// Without it a noisy law claims nothing under Metropolis.
bool is_exact_ratio(const Choice& c) { return c.key == "ratio" && c.value == "\"target\""; }

bool is_limit(const Choice& c) { return c.key == "eigenvalues" && !c.value.empty(); }

/// Estimators with limits of eigenvalues are refused without a memory.
bool is_lender(const Choice& c) {
  return c.kind == Kind::compositor &&
         (c.id == "ensemble-chain" || c.id == "lagged" || c.id == "pilot-chain");
}

/// Of cases from the registry: one of the choices that bring it is taken.
struct Field {
  const char* name;
  bool (*is_brought_by)(const Choice&);
  const char* model = "";                         ///< that it asks for
  bool (*is_helped_by)(const Choice&) = nullptr;  ///< taken beside it, half of the time
  bool learns = false;  ///< the certificate must say that something was learnt in warm-up
};

constexpr std::array<Field, 4> fields{
    {{"adaptive warm-up", is_learnt_in_warmup, "", nullptr, true},
     {"lagged memory", is_lagged},
     {"control variate", is_control_variate, "linear-gaussian", is_exact_ratio},
     {"limits of eigenvalues", is_limit, "", is_lender}}};

struct WiredField {
  const char* name;
  Wish wish;
};

constexpr std::array<WiredField, 2> wired_fields{
    {{"moving control variate", Wish::control_variate}, {"register of the warm-up", Wish::warmup}}};

/// One of them, half of the time.
template <class Fields>
auto drawn(const Fields& all, Chance& chance) -> decltype(all.data()) {
  return chance.one_in(2) ? &all[chance.below(all.size())] : nullptr;
}

std::optional<Certificate> certificate_of(const std::string& manifest, const std::string& folder,
                                          const mixwell::Registry& registry) {
  try {
    const auto composition = mixwell::parse_manifest(manifest, folder + "/case.toml", registry);
    return mixwell::compose(*composition.compositor).certificate;
  } catch (const mixwell::InputError&) {
    return std::nullopt;
  }
}

/// Drafts from the registry, with the field or, without one, with any choice that is taken where it
/// can be: rare ones come as often as others.
class Drafts {
 public:
  Drafts(const mixwell::Registry& registry, const Models& models, const Field* field)
      : registry_(registry), models_(models), field_(field) {}

  Draft draw(const std::vector<Choice>& choices, Chance& chance) const {
    std::vector<Choice> wanted;
    if (field_ == nullptr) {
      want(
          wanted, choices, [](const Choice&) { return true; }, chance);
    } else {
      want(wanted, choices, field_->is_brought_by, chance);
      const bool is_helped = field_->is_helped_by != nullptr && chance.one_in(2);
      if (is_helped) want(wanted, choices, field_->is_helped_by, chance);
      if (*field_->model != 0) wanted.push_back({Kind::model, field_->model});
    }
    const std::uint64_t seed = chance.below(std::size_t{1} << 40U);
    return compositions::draw(registry_, models_, seed, wanted);
  }

  /// Without a field: always.
  bool has_field(const Draft& draft, const Certificate& certificate) const {
    if (field_ == nullptr) return true;
    if (field_->learns && certificate.learnt.empty()) return false;
    return std::any_of(draft.choices.begin(), draft.choices.end(), field_->is_brought_by);
  }

 private:
  /// One of those that fit, each as likely as the others.
  static void want(std::vector<Choice>& wanted, const std::vector<Choice>& choices,
                   bool (*fits)(const Choice&), Chance& chance) {
    std::vector<Choice> fitting;
    std::copy_if(choices.begin(), choices.end(), std::back_inserter(fitting), fits);
    const Choice& one = fitting.at(chance.below(fitting.size()));
    wanted.push_back({one.kind, one.id});
    wanted.push_back(one);
  }

  const mixwell::Registry& registry_;
  const Models& models_;
  const Field* field_;
};

}  // namespace

RandomCases::RandomCases(const RandomSettings& settings, const mixwell::Registry& registry)
    : settings_(settings),
      registry_(registry),
      choices_(all_choices(registry)),
      models_(models_of(registry, settings.folder)) {
  models_.usual = "banana";  // curved, without symmetry, and its exact draws cost little
}

bool RandomCases::is_wired(std::size_t n) const {
  return settings_.from == "wirings" || (settings_.from == "both" && n % 2 == 1);
}

RandomCase RandomCases::at(std::size_t n) const {
  Chance chance(settings_.seed * 1000003 + n);
  return is_wired(n) ? wired(chance) : registered(chance);
}

std::vector<std::string> RandomCases::fields() const {
  std::vector<std::string> names;
  if (settings_.from != "wirings")
    for (const Field& field : compositions::fields) names.emplace_back(field.name);
  if (settings_.from != "registry")
    for (const WiredField& field : wired_fields) names.emplace_back(field.name);
  return names;
}

/// The first of some drafts that claims something and has the field.
RandomCase RandomCases::registered(Chance& chance) const {
  constexpr int most_drafts = 300;
  const Field* const field = drawn(compositions::fields, chance);
  const Drafts drafts(registry_, models_, field);
  RandomCase found{{}, field == nullptr ? "" : field->name};
  for (int k = 0; k < most_drafts && !found.claims; ++k) {
    const Draft draft = drafts.draw(choices_, chance);
    found.manifest = draft.text;
    const auto certificate = certificate_of(draft.text, settings_.folder, registry_);
    found.claims = certificate && claims(certificate->now) &&
                   certificate->now.accuracy == mixwell::Accuracy::exact &&
                   drafts.has_field(draft, *certificate);
  }
  return found;
}

/// With a field: the first of some wirings that claims something, since only that can be refuted.
RandomCase RandomCases::wired(Chance& chance) const {
  constexpr int most_drafts = 20;
  const WiredField* const field = drawn(wired_fields, chance);
  const Wish wish = field == nullptr ? Wish::nothing : field->wish;
  RandomCase found{{}, field == nullptr ? "" : field->name, true};
  for (int k = 0; k < (field == nullptr ? 1 : most_drafts) && !found.claims; ++k) {
    found.manifest = wired_manifest(chance.below(std::size_t{1} << 40U), settings_.lie, wish);
    const auto certificate = certificate_of(found.manifest, settings_.folder, registry_);
    found.claims = certificate && claims(certificate->now);
  }
  return found;
}

}  // namespace compositions
