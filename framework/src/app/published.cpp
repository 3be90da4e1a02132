// Where the methods of a composition were published.
// SPDX-License-Identifier: Apache-2.0
#include "app/published.hpp"

#include "law/prior_target.hpp"

#include <toml++/toml.h>

#include <algorithm>
#include <array>
#include <cctype>

namespace mixwell::app {
namespace {

constexpr std::array methods = {Kind::kernel, Kind::compositor, Kind::integrator,
                                Kind::oracle, Kind::estimator,  Kind::steps};

bool is_digit(char c) { return std::isdigit(static_cast<unsigned char>(c)) != 0; }

/// "Geyer 1991, CSS 23 (the idea)" -> "Geyer 1991, CSS 23".
std::string without_remarks(const std::string& source) {
  std::string text = source.substr(0, source.find_first_of("(;"));
  text.erase(text.find_last_not_of(' ') + 1);
  return text;
}

/// Authors and year: up to the first number of four digits, or all of it.
std::string work(const std::string& citation) {
  for (std::size_t k = 3; k < citation.size(); ++k) {
    const auto year = citation.begin() + static_cast<std::ptrdiff_t>(k) - 3;
    if (std::all_of(year, year + 4, is_digit)) return citation.substr(0, k + 1);
  }
  return citation;
}

/// The first source of each component of a kind that a manifest has.
std::vector<Publication> first_sources(const toml::table& root, Kind kind,
                                       const Registry& registry) {
  std::vector<Publication> all;
  const toml::table* const tables = root[to_string(kind)].as_table();
  if (tables == nullptr) return all;
  for (const auto& [name, node] : *tables) {
    const toml::table* const table = node.as_table();
    const auto id = table == nullptr ? std::nullopt : (*table)["use"].value<std::string>();
    if (!id || !registry.has(kind, *id)) continue;
    const std::vector<std::string>& sources = registry.find(kind, *id).description.sources;
    if (!sources.empty())
      all.push_back({std::string(to_string(kind)) + " " + *id, sources.front()});
  }
  return all;
}

bool draws_prior(const Composition& composition) {
  return composition.run.prior && prior_source(*composition.model()) == PriorSource::draws;
}

}  // namespace

std::vector<Publication> published(const Composition& composition, const Certificate& certificate,
                                   const Registry& registry) {
  std::vector<Publication> all;
  if (certificate.now.accuracy == Accuracy::none || draws_prior(composition)) return all;
  const toml::table root = toml::parse(composition.effective_manifest);
  std::string seen = certificate.now.citation;
  for (const Kind kind : methods) {
    for (const auto& [component, source] : first_sources(root, kind, registry)) {
      if (seen.find(work(source)) != std::string::npos) continue;
      all.push_back({component, without_remarks(source)});
      seen += "; " + source;
    }
  }
  return all;
}

}  // namespace mixwell::app
