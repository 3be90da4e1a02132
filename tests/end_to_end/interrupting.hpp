// Runs of the library that are interrupted and go on, and what of their results must be the same.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "program.hpp"

#include <mixwell/lab/run.hpp>

#include <nlohmann/json.hpp>

#include <string>

namespace end_to_end {

using Json = nlohmann::json;
using mixwell::Composition;
using mixwell::EndedBy;
using mixwell::RunOptions;
using mixwell::RunResult;

inline RunOptions options_in(const std::string& folder) {
  RunOptions options;
  options.folder = folder;
  options.threads = 1;
  return options;
}

/// Run after run in one folder, on one thread or two; the first is stopped after one stretch of
/// sweeps (1 sweep), the next after two (1 and 4), ...
inline RunResult with_interruptions(const Composition& composition, const std::string& folder) {
  RunResult result;
  for (int leg = 0; leg < 20 && !result.summary; ++leg) {
    mixwell::StopRequest stop;
    int told = 0;
    RunOptions options = options_in(folder);
    options.threads = 1 + leg % 2;
    options.resume = leg > 0;
    options.stop = &stop;
    options.progress = [&](const mixwell::Progress&) {
      if (++told > leg) stop.make();
    };
    result = mixwell::run(composition, options);
    if (result.record.outcome != mixwell::Outcome::complete)
      CHECK(result.record.ended_by == EndedBy::interrupt);
    if (!result.summary) CHECK(result.resumable);
  }
  return result;
}

/// What an interruption may not change: all but times, and figures made of them.
inline Json lasting(const std::string& folder) {
  Json summary = Json::parse(read(folder + "/summary.json"));
  summary["sampler"].erase("min_ess_per_second");
  const Json run = Json::parse(read(folder + "/run.json"));
  Json kept;
  for (const char* key :
       {"outcome", "ended_by", "draws_sha256", "draws", "gradients", "divergences", "plugins"})
    kept[key] = run.at(key);
  return {{"summary", summary},
          {"run", kept},
          {"certificate", Json::parse(read(folder + "/certificate.json"))},
          {"manifest", read(folder + "/manifest.toml")}};
}

inline bool is_tidy(const std::string& folder) {
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    const std::string name = entry.path().filename();
    if (name == "resume" || name.find("partial") != std::string::npos) return false;
  }
  return true;
}

}  // namespace end_to_end
