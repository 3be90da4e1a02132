// Converts the kinds of components, and their traits, to text.
// SPDX-License-Identifier: Apache-2.0
#include "base/shortened.hpp"
#include "component/locations.hpp"

#include <mixwell/component/component.hpp>

#include <fmt/format.h>

#include <algorithm>

namespace mixwell {
namespace {

constexpr std::array<std::string_view, all_kinds.size()> kind_names = {
    "model", "oracle", "integrator", "estimator", "steps", "kernel", "compositor", "recorder"};

std::string_view to_string(Flips flips) noexcept {
  constexpr std::array<std::string_view, 4> names = {"momentum", "noise", "momentum and noise",
                                                     "nothing"};
  return names[static_cast<std::size_t>(flips)];
}

std::string_view to_string(Bound bound) noexcept {
  constexpr std::array<std::string_view, 3> names = {"unknown", "local", "global"};
  return names[static_cast<std::size_t>(bound)];
}

void add_flag(std::vector<std::string>& texts, const char* name, bool value) {
  if (value) texts.push_back(std::string(name) + " = true");
}

}  // namespace

std::string_view to_string(Kind kind) noexcept {
  return kind_names[static_cast<std::size_t>(kind)];
}

std::string one_of_kind(Kind kind) {
  return kind == Kind::steps ? "a rule of steps" : with_article(to_string(kind));
}

std::optional<Kind> kind_from(std::string_view word) noexcept {
  const auto found = std::find(kind_names.begin(), kind_names.end(), word);
  if (found == kind_names.end()) return std::nullopt;
  return all_kinds[static_cast<std::size_t>(found - kind_names.begin())];
}

std::vector<std::string> describe(const Traits& traits) {
  std::vector<std::string> texts;
  add_flag(texts, "involution", traits.involution);
  if (traits.flips != Flips::momentum) {
    texts.push_back(fmt::format("flips = {}", to_string(traits.flips)));
  }
  add_flag(texts, "volume", traits.volume);
  if (traits.order != 0) texts.push_back("order = " + std::to_string(traits.order));
  add_flag(texts, "local", traits.local);
  if (traits.invariant) {
    texts.push_back(std::string("invariant = ") + (*traits.invariant ? "true" : "false"));
  }
  add_flag(texts, "optimises", traits.optimises);
  add_flag(texts, "keeps_law", traits.keeps_law);
  add_flag(texts, "full", traits.full);
  add_flag(texts, "renews", traits.renews);
  add_flag(texts, "whole_numbers", traits.whole_numbers);
  add_flag(texts, "marginal", traits.marginal);
  add_flag(texts, "continuous", traits.continuous);
  if (traits.bound != Bound::unknown) {
    texts.push_back(fmt::format("bound = {}", to_string(traits.bound)));
  }
  add_flag(texts, "unbiased", traits.unbiased);
  if (traits.cycle != 0) texts.push_back("cycle = " + std::to_string(traits.cycle));
  add_flag(texts, "exact_potential", traits.exact_potential);
  add_flag(texts, "total", traits.total);
  if (!traits.density.empty()) texts.push_back("density = " + traits.density);
  return texts;
}

Component::~Component() { forget(*this); }

ActsFor::~ActsFor() = default;

}  // namespace mixwell
