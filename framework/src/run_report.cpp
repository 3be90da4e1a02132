// run.json: what happened in a run.
// SPDX-License-Identifier: Apache-2.0
#include "run_report.hpp"

#include <mixwell/abi.hpp>
#include <mixwell/error.hpp>
#include <mixwell/version.hpp>

#include <fmt/chrono.h>
#include <fmt/format.h>
#include <netcdf.h>
#include <oneapi/tbb/version.h>
#include <openssl/evp.h>
#include <boost/version.hpp>
#include <nlohmann/json.hpp>

#include <array>
#include <filesystem>
#include <fstream>
#include <memory>

namespace mixwell {
namespace {

using Json = nlohmann::ordered_json;

Json versions() {
  return {{"mixwell", MIXWELL_VERSION},
          {"abi", MIXWELL_ABI_TAG},
          {"tbb", TBB_runtime_version()},
          {"boost", BOOST_LIB_VERSION},
          {"netcdf", nc_inq_libvers()}};
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

std::string timestamp() {
  return fmt::format("{:%Y-%m-%dT%H:%M:%S+00:00}", fmt::gmtime(std::time(nullptr)));
}

std::string file_sha256(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  if (!in) throw InputError({path, 0, 0}, "cannot be read");
  const std::unique_ptr<EVP_MD_CTX, decltype(&EVP_MD_CTX_free)> hash(EVP_MD_CTX_new(),
                                                                     &EVP_MD_CTX_free);
  EVP_DigestInit_ex(hash.get(), EVP_sha256(), nullptr);
  std::array<char, 1 << 16> bytes;
  while (in.read(bytes.data(), bytes.size()) || in.gcount() > 0) {
    EVP_DigestUpdate(hash.get(), bytes.data(), static_cast<std::size_t>(in.gcount()));
  }
  std::array<unsigned char, 32> digest;
  EVP_DigestFinal_ex(hash.get(), digest.data(), nullptr);
  std::string text;
  for (const unsigned char byte : digest) text += fmt::format("{:02x}", byte);
  return text;
}

std::string run_json(const RunReport& report, const Composition& composition,
                     const Sampler& sampler) {
  Json json;
  json["outcome"] = report.outcome;
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
  return json.dump(2) + "\n";
}

}  // namespace mixwell
