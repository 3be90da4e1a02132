// Random cases by number: where each comes from, and what it is made to have.
// SPDX-License-Identifier: Apache-2.0
#include "random_cases.hpp"

#include "judge.hpp"

#include <mixwell/base/error.hpp>
#include <mixwell/lab/certificate.hpp>
#include <mixwell/lab/manifest.hpp>
#include <mixwell/lab/sampler.hpp>

#include <algorithm>
#include <array>
#include <iterator>
#include <span>

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

/// What a case is made to have. From the registry: one of the choices that bring it is taken.
struct Field {
  const char* name = "";
  bool (*is_brought_by)(const Choice&) = nullptr;
  const char* model = "";                         ///< that it asks for
  bool (*is_helped_by)(const Choice&) = nullptr;  ///< taken beside it, half of the time
  bool learns = false;        ///< the certificate must say that something was learnt in warm-up
  Wish wish = Wish::nothing;  ///< of a wiring
};

constexpr std::array<Field, 4> of_registry{
    {{"adaptive warm-up", is_learnt_in_warmup, "", nullptr, true},
     {"lagged memory", is_lagged},
     {"control variate", is_control_variate, "linear-gaussian", is_exact_ratio},
     {"limits of eigenvalues", is_limit, "", is_lender}}};

constexpr std::array<Field, 2> of_wirings{
    {{.name = "moving control variate", .wish = Wish::control_variate},
     {.name = "register of the warm-up", .wish = Wish::warmup}}};

std::span<const Field> fields_of(bool is_wired) {
  if (is_wired) return of_wirings;
  return of_registry;
}

/// One of the choices that fit, each as likely as the others.
void want(std::vector<Choice>& wanted, const std::vector<Choice>& choices,
          bool (*fits)(const Choice&), Chance& chance) {
  std::vector<Choice> fitting;
  std::copy_if(choices.begin(), choices.end(), std::back_inserter(fitting), fits);
  const Choice& one = fitting.at(chance.below(fitting.size()));
  wanted.push_back({one.kind, one.id});
  wanted.push_back(one);
}

/// Without a field any choice is taken where it can be: rare ones come as often as others.
std::vector<Choice> wanted_for(const Field& field, const std::vector<Choice>& choices,
                               Chance& chance) {
  std::vector<Choice> wanted;
  const auto anything = [](const Choice&) { return true; };
  want(wanted, choices, field.is_brought_by == nullptr ? anything : field.is_brought_by, chance);
  const bool is_helped = field.is_helped_by != nullptr && chance.one_in(2);
  if (is_helped) want(wanted, choices, field.is_helped_by, chance);
  if (*field.model != 0) wanted.push_back({Kind::model, field.model});
  return wanted;
}

bool has(const Draft& draft, const Field& field, const Certificate& certificate) {
  if (field.is_brought_by == nullptr) return true;
  if (field.learns && certificate.learnt.empty()) return false;
  return std::any_of(draft.choices.begin(), draft.choices.end(), field.is_brought_by);
}

/// Whether a case has the field, and its certificate claims what can be refuted.
bool is_claiming(const Draft& draft, const Field& field, bool is_wired, const std::string& path,
                 const mixwell::Registry& registry) try {
  const auto composition = mixwell::parse_manifest(draft.text, path, registry);
  const Certificate certificate = mixwell::compose(*composition.compositor).certificate;
  if (!claims(certificate.now)) return false;
  return is_wired ||
         (certificate.now.accuracy == mixwell::Accuracy::exact && has(draft, field, certificate));
} catch (const mixwell::InputError&) {
  return false;
}

}  // namespace

RandomCases::RandomCases(const RandomSettings& settings, const mixwell::Registry& registry)
    : settings_(settings),
      registry_(registry),
      choices_(all_choices(registry)),
      models_(models_of(registry, settings.folder)) {
  models_.usual = "banana";  // curved, without symmetry, and its exact draws cost little
}

/// With a field, and from the registry: the first of some that claims something, since only that
/// can be refuted.
RandomCase RandomCases::at(std::size_t n) const {
  Chance chance(settings_.seed * 1000003 + n);
  const bool is_wired = settings_.from == "wirings" || (settings_.from == "both" && n % 2 == 1);
  const std::span<const Field> fields = fields_of(is_wired);
  const Field field = chance.one_in(2) ? fields[chance.below(fields.size())] : Field{};
  const bool is_any = is_wired && field.wish == Wish::nothing;
  const int most_drafts = is_any ? 1 : is_wired ? 20 : 300;
  RandomCase found{{}, field.name, is_wired};
  for (int k = 0; k < most_drafts && !found.claims; ++k) {
    Draft draft;
    const auto wanted = is_wired ? std::vector<Choice>() : wanted_for(field, choices_, chance);
    const std::uint64_t seed = chance.below(std::size_t{1} << 40U);
    if (is_wired)
      draft.text = wired_manifest(seed, settings_.lie, field.wish);
    else
      draft = draw(registry_, models_, seed, wanted);
    found.manifest = draft.text;
    found.claims = is_claiming(draft, field, is_wired, settings_.folder + "/case.toml", registry_);
  }
  return found;
}
std::vector<std::string> RandomCases::fields() const {
  std::vector<std::string> names;
  for (const bool is_wired : {false, true}) {
    if (settings_.from == (is_wired ? "registry" : "wirings")) continue;
    for (const Field& field : fields_of(is_wired)) names.emplace_back(field.name);
  }
  return names;
}

}  // namespace compositions
