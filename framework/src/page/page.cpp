// Puts title and data into the page.
// SPDX-License-Identifier: Apache-2.0
#include "files/json.hpp"

#include <mixwell/error.hpp>
#include <mixwell/lab/page.hpp>

#include <nlohmann/json.hpp>

namespace mixwell {
namespace {

constexpr const char* title_place = "@MIXWELL_TITLE@";
constexpr const char* data_place = "@MIXWELL_DATA@";

std::string html_text(const std::string& text) {
  std::string html;
  for (const char c : text) {
    switch (c) {
      case '&':
        html += "&amp;";
        break;
      case '<':
        html += "&lt;";
        break;
      case '>':
        html += "&gt;";
        break;
      default:
        html += c;
    }
  }
  return html;
}

/// The same JSON in ASCII without `<`, so that no text in it ends or opens a script element. Bytes
/// that are not UTF-8 become U+FFFD.
std::string script_text(const std::string& json) {
  const std::string ascii = ascii_json_text(parse_json(json));
  std::string safe;
  safe.reserve(ascii.size());
  for (const char c : ascii) {
    if (c == '<') {
      safe += "\\u003c";
    } else {
      safe += c;
    }
  }
  return safe;
}

void replace_place(std::string& page, const std::string& place, const std::string& text) {
  const std::size_t at = page.find(place);
  if (at == std::string::npos)
    throw RunError("the page of reports has no place `" + place +
                   "`; it belongs to Mixwell: install it again");
  page.replace(at, place.size(), text);
}

}  // namespace

std::string fill_page(const std::string& page_template, const std::string& title,
                      const std::string& json) {
  std::string page = page_template;
  // The data first: a title that reads like their place is not one.
  replace_place(page, data_place, script_text(json));
  replace_place(page, title_place, html_text(title));
  return page;
}

}  // namespace mixwell
