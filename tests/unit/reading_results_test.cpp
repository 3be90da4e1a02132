// The files of a run's folder, read back as the types that they were written from.
// SPDX-License-Identifier: Apache-2.0
#include "composing.hpp"
#include "temporary_folder.hpp"

#include <mixwell/base/error.hpp>
#include <mixwell/lab/run.hpp>

#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>

#include <cmath>
#include <fstream>
#include <iterator>

using namespace mixwell;
using mixwell::testing::TemporaryFolder;
using Json = nlohmann::ordered_json;

namespace {

std::string text_of(const std::string& path) {
  std::ifstream in(path);
  return {std::istreambuf_iterator<char>(in), {}};
}

RunResult short_run(const std::string& folder) {
  RunOptions options;
  options.folder = folder;
  options.threads = 1;
  return run(composing::compose("[run]\ndraws = 50\nwarmup = 20\n[model.m]\nuse = \"gaussian\"\n"
                                "dimension = 2\n[estimator.identity]\nuse = "
                                "\"identity\"\n[kernel.k]\nuse = \"hamiltonian\"\n"
                                "step_size = 0.5\nsteps = 3\n"),
             options);
}

/// Without any one of its keys the file is refused by name.
template <class Read>
void needs_every_key(const TemporaryFolder& folder, const std::string& name, Read read) {
  const std::string path = folder.path() + "/out/" + name;
  const std::string whole = text_of(path);
  read();
  const Json json = Json::parse(whole);
  for (const auto& [key, value] : json.items()) {
    Json less = json;
    less.erase(key);
    std::ofstream(path) << less;
    INFO(name << " without " << key);
    try {
      read();
      FAIL_CHECK("accepted");
    } catch (const InputError& fault) {
      CHECK(std::string(fault.what()).starts_with(path + ": the file is damaged: "));
    }
  }
  std::ofstream(path) << whole;
}

}  // namespace

TEST_CASE("a run's record, summary and certificate come back from its folder as they were") {
  const TemporaryFolder folder;
  const RunResult result = short_run(folder.path() + "/out");
  const RunRecord record = read_run(result.folder);
  CHECK(record.outcome == Outcome::complete);
  CHECK(record.ended_by == EndedBy::draws);
  CHECK(record.draws == 50);
  CHECK(record.draws_sha256 == result.record.draws_sha256);
  CHECK(record.gradients.total() == result.record.gradients.total());
  CHECK(record.seconds.sampling == result.record.seconds.sampling);
  CHECK(record.versions.abi == result.record.versions.abi);
  CHECK(record.plugins.size() == result.record.plugins.size());
  CHECK(record.operations.size() == result.record.operations.size());
  CHECK(summary_json(read_summary(result.folder)) == text_of(result.folder + "/summary.json"));
  const CertificateRecord certificate = read_certificate(result.folder);
  CHECK(certificate.now.certificate_class() == CertificateClass::exact);
  CHECK(certificate.now.evidence() == Evidence::proved);
  CHECK(certificate.now.assumes == result.certificate.now.assumes);
  CHECK_FALSE(certificate.published.empty());
  CHECK(certificate.published == result.certificate.published);
  CHECK(certificate.now.reason == result.certificate.now.reason);
}

TEST_CASE("a result without one of its keys is refused by the name of its file") {
  const TemporaryFolder folder;
  const std::string out = short_run(folder.path() + "/out").folder;
  needs_every_key(folder, "run.json", [&] { read_run(out); });
  needs_every_key(folder, "certificate.json", [&] { read_certificate(out); });
  CHECK_THROWS_AS(read_summary(folder.path()), InputError);
}

TEST_CASE("a word that is none is refused with its key") {
  const TemporaryFolder folder;
  const std::string out = short_run(folder.path() + "/out").folder;
  Json json = Json::parse(text_of(out + "/certificate.json"));
  json["class"] = "exakt";
  std::ofstream(out + "/certificate.json") << json;
  try {
    read_certificate(out);
    FAIL("accepted");
  } catch (const InputError& fault) {
    CHECK(std::string(fault.what()).find("class = \"exakt\"") != std::string::npos);
  }
}

TEST_CASE("a figure that is null is read as not a number, and written as null again") {
  const TemporaryFolder folder;
  const std::string out = short_run(folder.path() + "/out").folder;
  Json json = Json::parse(text_of(out + "/summary.json"));
  json["variables"]["x[0]"]["rhat"] = nullptr;
  json["sampler"]["divergences"] = nullptr;
  std::ofstream(out + "/summary.json") << json.dump(2) << "\n";
  const Summary summary = read_summary(out);
  REQUIRE(summary.find("x[0]") != nullptr);
  CHECK(std::isnan(summary.find("x[0]")->standard.rhat));
  CHECK_FALSE(summary.sampler.divergences);
  CHECK(summary_json(summary) == json.dump(2) + "\n");
}
