// Writes the report page of a run or a study from its folder.
// SPDX-License-Identifier: Apache-2.0
#include "advice/warnings.hpp"
#include "files/json.hpp"
#include "files/own_files.hpp"
#include "files/reading.hpp"
#include "files/whole_file.hpp"

#include <mixwell/base/error.hpp>
#include <mixwell/lab/page.hpp>
#include <mixwell/lab/report.hpp>
#include <mixwell/lab/study.hpp>

#include <algorithm>
#include <filesystem>
#include <string_view>
#include <utility>
#include <vector>

namespace mixwell {
namespace {

namespace fs = std::filesystem;
using Remark = std::function<void(const std::string&)>;

constexpr const char* title_place = "@MIXWELL_TITLE@";
constexpr const char* data_place = "@MIXWELL_DATA@";

/// Replaces each character that is a key of `words` by its word.
std::string escaped(const std::string& text,
                    const std::vector<std::pair<char, std::string_view>>& words) {
  std::string safe;
  safe.reserve(text.size());
  for (const char c : text) {
    const auto word =
        std::find_if(words.begin(), words.end(), [c](const auto& one) { return one.first == c; });
    safe += word == words.end() ? std::string_view(&c, 1) : word->second;
  }
  return safe;
}

std::string html_text(const std::string& text) {
  return escaped(text, {{'&', "&amp;"}, {'<', "&lt;"}, {'>', "&gt;"}});
}

/// Writes JSON in ASCII without `<`, so that no text in the JSON can open or close a script
/// element. Invalid UTF-8 becomes U+FFFD.
std::string script_text(const std::string& json) {
  return escaped(ascii_json_text(parse_json(json)), {{'<', "\\u003c"}});
}

void replace_place(std::string& page, const std::string& place, const std::string& text) {
  const std::size_t at = page.find(place);
  if (at == std::string::npos)
    throw RunError("Mixwell's report page has no placeholder `" + place +
                   "`. Install Mixwell again.");
  page.replace(at, place.size(), text);
}

/// The contents of a page, and its default file.
struct Report {
  std::string title;
  std::string data;
  fs::path file;
};

std::string read_text(const fs::path& path) { return read_text_file(path.string(), "file"); }

#ifdef MIXWELL_PAGE
std::string page_template() { return read_installed(beside_program(MIXWELL_PAGE)); }
#else
std::string page_template() {
  throw RunError(
      "this program was built without the report page (MIXWELL_REPORT=OFF). Build it with "
      "cmake -DMIXWELL_REPORT=ON, which needs npm.");
}
#endif

std::vector<std::string> run_warnings(const fs::path& folder) {
  try {
    return warnings(read_summary(folder.string()), Advice::of_run(folder.string()));
  } catch (const InputError&) {
    return {};  // run_page_json() reports a damaged file
  }
}

Report report_of(std::string data, const fs::path& file) {
  const std::string name = parse_json(data).at("name");
  return {name + " - Mixwell", std::move(data), file};
}

bool is_study(const fs::path& folder) {
  return fs::exists(folder / "study.json") || fs::exists(folder / "places.json");
}

/// The default results folder of `mixwell study` for a study file.
fs::path results_of(const fs::path& study_file) { return fs::path("out") / study_file.stem(); }

Report make_report(const fs::path& path, const Remark& remark) {
  if (path.extension() == ".json")
    return report_of(study_page_json(read_text(path), path.string()),
                     fs::path(path).replace_extension(".html"));
  const bool is_file = path.extension() == ".toml" && !fs::is_directory(path);
  const fs::path folder = is_file ? results_of(path) : path;
  const std::string name = folder.string();
  const std::string data = is_file || is_study(folder)
                               ? study_page_json(study_table_json(name, remark), name)
                               : run_page_json(name, run_warnings(folder));
  return report_of(data, folder / "report.html");
}

}  // namespace

std::string fill_page(const std::string& page_template, const std::string& title,
                      const std::string& json) {
  std::string page = page_template;
  // Inserts the data before the title, because a title could contain the placeholder of the data.
  replace_place(page, data_place, script_text(json));
  replace_place(page, title_place, html_text(title));
  return page;
}

std::string write_report(const std::string& path, const std::string& file, const Remark& remark) {
  const std::string page = page_template();
  const Report made = make_report(path, remark);
  const std::string written = file.empty() ? made.file.string() : file;
  write_whole_file(written, fill_page(page, made.title, made.data));
  return written;
}

}  // namespace mixwell
