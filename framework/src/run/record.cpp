// Writes and reads run.json, the record of a run.
// SPDX-License-Identifier: Apache-2.0
#include "run/record.hpp"

#include "files/json.hpp"
#include "files/sha256.hpp"

#include <mixwell/base/error.hpp>
#include <mixwell/detail/abi.hpp>
#include <mixwell/version.hpp>

#include <boost/version.hpp>
#include <fmt/format.h>
#include <netcdf.h>
#include <oneapi/tbb/version.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <filesystem>

namespace mixwell {
namespace {

using Json = nlohmann::ordered_json;

constexpr Words<Outcome, 2> outcomes = {
    {{Outcome::complete, "complete"}, {Outcome::interrupted, "interrupted"}}};
constexpr Words<EndedBy, 7> ends = {{{EndedBy::draws, "draws"},
                                     {EndedBy::gradients, "gradients"},
                                     {EndedBy::seconds, "seconds"},
                                     {EndedBy::min_ess, "min_ess"},
                                     {EndedBy::mcse, "mcse"},
                                     {EndedBy::interrupt, "interrupt"},
                                     {EndedBy::error, "error"}}};

UsedVersions versions_in_use() {
  return {.mixwell = MIXWELL_VERSION,
          .abi = MIXWELL_ABI_TAG,
          .isa = MIXWELL_ISA,
          .compiler = __VERSION__,
          .tbb = TBB_runtime_version(),
          .boost = BOOST_LIB_VERSION,
          .netcdf = nc_inq_libvers()};
}

std::vector<UsedLibrary> hashed(const std::vector<std::string>& libraries) {
  std::vector<UsedLibrary> all;
  for (const std::string& library : libraries) {
    all.push_back({std::filesystem::path(library).filename().string(), file_sha256(library)});
  }
  return all;
}

std::vector<UsedFile> hashed_files(const std::vector<std::string>& paths) {
  std::vector<UsedFile> all;
  for (const std::string& path : paths) all.push_back({path, file_sha256(path)});
  return all;
}

/// The remarks of the composition, and the remarks that its models add after the run.
std::vector<std::string> remarks_of(const Composition& composition) {
  std::vector<std::string> all = composition.remarks;
  for (const std::string& remark : composition.remarks_of_models()) {
    if (std::find(all.begin(), all.end(), remark) == all.end()) all.push_back(remark);
  }
  return all;
}

}  // namespace

std::string_view to_string(Outcome outcome) noexcept { return word_of(outcomes, outcome); }
std::string_view to_string(EndedBy ended_by) noexcept { return word_of(ends, ended_by); }

std::optional<EndedBy> ended_by_from(std::string_view word) noexcept {
  return find_word(ends, word);
}

void describe(RunRecord& record, const Composition& composition, const Sampler& sampler) {
  record.replicates = composition.run.replicates;
  record.divergences = sampler.divergence_count();
  record.first_divergences = sampler.divergences();
  record.memory_bytes = sampler.memory();
  record.versions = versions_in_use();
  record.plugins = hashed(composition.libraries);
  record.files = hashed_files(composition.files);
  record.operations = sampler.operation_times();
  record.remarks = remarks_of(composition);
}

void to_json(Json& json, const UsedVersions& versions) {
  json = {{"mixwell", versions.mixwell},   {"abi", versions.abi}, {"isa", versions.isa},
          {"compiler", versions.compiler}, {"tbb", versions.tbb}, {"boost", versions.boost},
          {"netcdf", versions.netcdf}};
}

void from_json(const Json& json, UsedVersions& versions) {
  json.at("mixwell").get_to(versions.mixwell);
  json.at("abi").get_to(versions.abi);
  versions.isa = json.value("isa", "");  // earlier versions did not write it
  json.at("compiler").get_to(versions.compiler);
  json.at("tbb").get_to(versions.tbb);
  json.at("boost").get_to(versions.boost);
  json.at("netcdf").get_to(versions.netcdf);
}

static void to_json(Json& json, const PhaseShares& shares) {
  json = {{"warmup", shares.warmup}, {"sampling", shares.sampling}, {"total", shares.total()}};
}

static void from_json(const Json& json, PhaseShares& shares) {
  shares.warmup = number_in(json, "warmup");
  shares.sampling = number_in(json, "sampling");
}

static void to_json(Json& json, const UsedLibrary& used) {
  json = {{"library", used.library}, {"sha256", used.sha256}};
}

static void from_json(const Json& json, UsedLibrary& used) {
  json.at("library").get_to(used.library);
  json.at("sha256").get_to(used.sha256);
}

static void to_json(Json& json, const UsedFile& used) {
  json = {{"file", used.file}, {"sha256", used.sha256}};
}

static void from_json(const Json& json, UsedFile& used) {
  json.at("file").get_to(used.file);
  json.at("sha256").get_to(used.sha256);
}

static void to_json(Json& json, const OperationTime& time) {
  json = {{"phase", time.phase}, {"name", time.name}, {"seconds", time.seconds}};
}

static void from_json(const Json& json, OperationTime& time) {
  json.at("phase").get_to(time.phase);
  json.at("name").get_to(time.name);
  json.at("seconds").get_to(time.seconds);
}

static void to_json(Json& json, const Divergence& d) {
  json = {{"phase", d.phase},
          {"chain", d.chain},
          {"sweep", d.sweep},
          {"operation", d.operation},
          {"quantity", d.quantity},
          {"coordinate", d.coordinate >= 0 ? Json(d.coordinate) : Json(nullptr)},
          {"value", fmt::format("{}", d.value)},
          {"position", d.position}};
}

static void from_json(const Json& json, Divergence& d) {
  json.at("phase").get_to(d.phase);
  json.at("chain").get_to(d.chain);
  json.at("sweep").get_to(d.sweep);
  json.at("operation").get_to(d.operation);
  json.at("quantity").get_to(d.quantity);
  if (!json.at("coordinate").is_null()) json.at("coordinate").get_to(d.coordinate);
  d.value = std::strtod(json.at("value").get_ref<const std::string&>().c_str(), nullptr);
  for (const Json& x : json.at("position")) {
    d.position.push_back(x.is_null() ? std::nan("") : x.get<double>());
  }
}

void to_json(Json& json, const RunRecord& record) {
  json = Json::object();
  json["outcome"] = to_string(record.outcome);
  json["ended_by"] = to_string(record.ended_by);
  if (!record.error.empty()) json["error"] = record.error;
  json["created_at"] = record.created_at;
  json["draws_sha256"] = record.draws_sha256;
  json["draws"] = record.draws;
  json["replicates"] = record.replicates;
  json["threads"] = record.threads;
  json["gradients"] = record.gradients;
  json["potentials"] = record.potentials;
  json["seconds"] = record.seconds;
  json["divergences"] = {{"count", record.divergences}, {"first", record.first_divergences}};
  json["memory_bytes"] = record.memory_bytes;
  json["versions"] = record.versions;
  json["plugins"] = record.plugins;
  json["files"] = record.files;
  json["operations"] = record.operations;
  json["remarks"] = record.remarks;
}

void from_json(const Json& json, RunRecord& record) {
  record.outcome = word_in(outcomes, json, "outcome");
  record.ended_by = word_in(ends, json, "ended_by");
  record.error = json.value("error", std::string());
  json.at("created_at").get_to(record.created_at);
  json.at("draws_sha256").get_to(record.draws_sha256);
  json.at("draws").get_to(record.draws);
  json.at("replicates").get_to(record.replicates);
  json.at("threads").get_to(record.threads);
  json.at("gradients").get_to(record.gradients);
  json.at("potentials").get_to(record.potentials);
  json.at("seconds").get_to(record.seconds);
  json.at("divergences").at("count").get_to(record.divergences);
  json.at("divergences").at("first").get_to(record.first_divergences);
  json.at("memory_bytes").get_to(record.memory_bytes);
  json.at("versions").get_to(record.versions);
  json.at("plugins").get_to(record.plugins);
  json.at("files").get_to(record.files);
  json.at("operations").get_to(record.operations);
  json.at("remarks").get_to(record.remarks);
}

RunRecord read_run(const std::string& folder) {
  return read_json_as<RunRecord>(folder + "/run.json", "record of a run",
                                 "give the folder of a finished run");
}

}  // namespace mixwell
