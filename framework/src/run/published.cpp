// Where the methods of a composition were published.
// SPDX-License-Identifier: Apache-2.0
#include "run/published.hpp"

#include "law/prior_target.hpp"

#include <algorithm>
#include <cctype>
#include <cstddef>
#include <string>

namespace mixwell {
namespace {

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

bool draws_prior(const Composition& composition) {
  return composition.run.prior && prior_source(*composition.model()) == PriorSource::draws;
}

}  // namespace

std::vector<Publication> published(const Composition& composition, const Certificate& certificate) {
  std::vector<Publication> all;
  if (certificate.now.accuracy == Accuracy::none || draws_prior(composition)) return all;
  std::string seen = certificate.now.citation;
  for (const auto& [component, source] : composition.sources) {
    if (seen.find(work(source)) != std::string::npos) continue;
    all.push_back({component, without_remarks(source)});
    seen += "; " + source;
  }
  return all;
}

}  // namespace mixwell
