// The page of a run or of a study, from its folder to a file.
// SPDX-License-Identifier: Apache-2.0
#include "advice/warnings.hpp"
#include "files/installed.hpp"
#include "files/json.hpp"
#include "files/text_file.hpp"
#include "files/whole_file.hpp"

#include <mixwell/error.hpp>
#include <mixwell/lab/page.hpp>
#include <mixwell/lab/report.hpp>
#include <mixwell/lab/study.hpp>

#include <filesystem>

namespace mixwell {
namespace {

namespace fs = std::filesystem;
using Remark = std::function<void(const std::string&)>;

/// What a page is made of, and where it goes unless said otherwise.
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
      "this program was built without the page of reports (MIXWELL_REPORT=OFF); build it with "
      "cmake -DMIXWELL_REPORT=ON, which needs npm");
}
#endif

std::vector<std::string> run_warnings(const fs::path& folder) {
  try {
    return warnings(read_summary(folder.string()), Advice::of_run(folder.string()));
  } catch (const InputError&) {
    return {};  // a damaged file is told of by what reads all of them
  }
}

Report run_report(const fs::path& folder) {
  std::string data = run_page_json(folder.string(), run_warnings(folder));
  const std::string name = parse_json(data).at("name");
  return {name + " - Mixwell", std::move(data), folder / "report.html"};
}

Report study_report(const std::string& table, const fs::path& source, const fs::path& file) {
  std::string data = study_page_json(table, source.string());
  const std::string name = parse_json(data).at("name");
  return {name + " - Mixwell", std::move(data), file};
}

bool is_study(const fs::path& folder) {
  return fs::exists(folder / "study.json") || fs::exists(folder / "places.json");
}

/// Where `mixwell study` puts the results of a study file unless told otherwise.
fs::path results_of(const fs::path& study_file) { return fs::path("out") / study_file.stem(); }

Report make_report(const fs::path& path, const Remark& remark) {
  if (path.extension() == ".json")
    return study_report(read_text(path), path, fs::path(path).replace_extension(".html"));
  const bool is_file = path.extension() == ".toml" && !fs::is_directory(path);
  const fs::path folder = is_file ? results_of(path) : path;
  if (is_file || is_study(folder))
    return study_report(study_table_json(folder.string(), remark), folder, folder / "report.html");
  return run_report(folder);
}

}  // namespace

std::string write_report(const std::string& path, const std::string& file, const Remark& remark) {
  const std::string page = page_template();
  const Report made = make_report(path, remark);
  const std::string written = file.empty() ? made.file.string() : file;
  write_whole_file(written, fill_page(page, made.title, made.data));
  return written;
}

}  // namespace mixwell
