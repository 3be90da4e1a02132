// What came of a run, as JSON.
// SPDX-License-Identifier: Apache-2.0
#include "advice/run_json.hpp"

#include "certificate/record_json.hpp"
#include "results/summary_json.hpp"
#include "run/record.hpp"

#include <mixwell/lab/advice.hpp>

#include <nlohmann/json.hpp>

namespace mixwell {

nlohmann::ordered_json warnings_json(const std::optional<Summary>& summary,
                                     const std::string& effective_manifest) {
  if (!summary) return nlohmann::ordered_json::array();
  return warnings(*summary, effective_manifest);
}

nlohmann::ordered_json run_json(const RunResult& result, const std::string& effective_manifest) {
  return {{"result",
           {{"folder", result.folder},
            {"outcome", to_string(result.record.outcome)},
            {"ended_by", to_string(result.record.ended_by)},
            {"resumable", result.resumable},
            {"class", result.certificate.now.label()},
            {"remarks", result.record.remarks},
            {"warnings", warnings_json(result.summary, effective_manifest)},
            {"summary", result.summary ? nlohmann::ordered_json(*result.summary) : nullptr},
            {"certificate", record_of(result.certificate)},
            {"run", result.record}}}};
}

}  // namespace mixwell
