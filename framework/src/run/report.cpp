// run.json: what happened in a run.
// SPDX-License-Identifier: Apache-2.0
#include "run/report.hpp"

#include "files/json.hpp"
#include "files/sha256.hpp"

#include <mixwell/abi.hpp>
#include <mixwell/error.hpp>
#include <mixwell/version.hpp>

#include <boost/version.hpp>
#include <fmt/format.h>
#include <netcdf.h>
#include <nlohmann/json.hpp>
#include <oneapi/tbb/version.h>

#include <filesystem>

namespace mixwell {
namespace {

using Json = nlohmann::ordered_json;

Json versions() {
  return {{"mixwell", MIXWELL_VERSION}, {"abi", MIXWELL_ABI_TAG},
          {"compiler", __VERSION__},    {"tbb", TBB_runtime_version()},
          {"boost", BOOST_LIB_VERSION}, {"netcdf", nc_inq_libvers()}};
}

Json plugins(const std::vector<std::string>& libraries) {
  Json all = Json::array();
  for (const std::string& library : libraries) {
    all.push_back({{"library", std::filesystem::path(library).filename().string()},
                   {"sha256", file_sha256(library)}});
  }
  return all;
}

Json operations(const Sampler& sampler) {
  Json all = Json::array();
  for (const OperationTime& t : sampler.operation_times()) {
    all.push_back({{"phase", t.phase}, {"name", t.name}, {"seconds", t.seconds}});
  }
  return all;
}

Json divergences(const Sampler& sampler) {
  Json kept = Json::array();
  for (const Divergence& d : sampler.divergences()) {
    Json one = {{"phase", d.phase},
                {"chain", d.chain},
                {"sweep", d.sweep},
                {"operation", d.operation},
                {"quantity", d.quantity},
                {"coordinate", nullptr},
                {"value", fmt::format("{}", d.value)},
                {"position", d.position}};
    if (d.coordinate >= 0) one["coordinate"] = d.coordinate;
    kept.push_back(std::move(one));
  }
  return {{"count", sampler.divergence_count()}, {"first", std::move(kept)}};
}

}  // namespace

std::string run_json(const RunReport& report, const Composition& composition,
                     const Sampler& sampler) {
  Json json;
  json["outcome"] = report.outcome;
  json["ended_by"] = report.ended_by;
  if (!report.error.empty()) json["error"] = report.error;
  json["created_at"] = report.created_at;
  json["draws_sha256"] = report.draws_sha256;
  json["draws"] = report.draws;
  json["replicates"] = composition.run.replicates;
  json["threads"] = report.threads;
  json["gradients"] = {{"warmup", report.warmup.gradients},
                       {"sampling", report.sampling.gradients},
                       {"total", report.warmup.gradients + report.sampling.gradients}};
  json["seconds"] = {{"warmup", report.warmup.seconds},
                     {"sampling", report.sampling.seconds},
                     {"total", report.warmup.seconds + report.sampling.seconds}};
  json["divergences"] = divergences(sampler);
  json["memory_bytes"] = sampler.memory();
  json["versions"] = versions();
  json["plugins"] = plugins(composition.libraries);
  json["operations"] = operations(sampler);
  json["remarks"] = composition.remarks;
  return json_text(json, 2) + "\n";
}

}  // namespace mixwell
