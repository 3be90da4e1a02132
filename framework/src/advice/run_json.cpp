// The result of a run as JSON.
// SPDX-License-Identifier: Apache-2.0
#include "advice/run_json.hpp"

#include "certificate/record_json.hpp"
#include "files/reading.hpp"
#include "results/summary_json.hpp"
#include "run/record.hpp"

#include <mixwell/lab/advice.hpp>

#include <nlohmann/json.hpp>

#include <filesystem>
#include <optional>

namespace mixwell {
namespace {

using Json = nlohmann::ordered_json;

/// The texts of warnings(), as a list.
Json warnings_json(const std::optional<Summary>& summary, const std::string& effective_manifest) {
  if (!summary) return Json::array();
  return warnings(*summary, effective_manifest);
}

}  // namespace

Json run_json(const RunResult& result, const std::string& effective_manifest) {
  return {{"result",
           {{"folder", result.folder},
            {"outcome", to_string(result.record.outcome)},
            {"ended_by", to_string(result.record.ended_by)},
            {"resumable", result.resumable},
            {"class", result.certificate.now.label()},
            {"remarks", result.record.remarks},
            {"warnings", warnings_json(result.summary, effective_manifest)},
            {"summary", result.summary ? Json(*result.summary) : nullptr},
            {"certificate", record_of(result.certificate)},
            {"run", result.record}}}};
}

Json folder_json(const std::string& folder) {
  const std::filesystem::path path(folder);
  const std::string manifest = read_text_file((path / "manifest.toml").string(), "manifest");
  std::optional<Summary> summary;
  if (std::filesystem::exists(path / "summary.json")) summary = read_summary(folder);
  return {{"run", read_run(folder)},
          {"certificate", read_certificate(folder)},
          {"manifest", manifest},
          {"warnings", warnings_json(summary, manifest)},
          {"summary", summary ? Json(*summary) : Json(nullptr)}};
}

}  // namespace mixwell
