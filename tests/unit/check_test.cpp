// check() of the library: what it finds, and that callers get the finite worlds.
// SPDX-License-Identifier: Apache-2.0
#include "composing.hpp"

#include <mixwell/lab/check.hpp>
#include <mixwell/model.hpp>
#include <mixwell/plugin.hpp>

#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>

#include <string>
#include <vector>

using namespace mixwell;

namespace {

const std::string model = "[model.m]\nuse = \"quartic\"\ndimension = 2\n";
const std::string exact = model + "[kernel.k]\nuse = \"random-walk-metropolis\"\n";
const std::string unadjusted =
    model + "[kernel.k]\nuse = \"hamiltonian\"\nstep_size = 0.1\nmetropolis = false\n";

Checked checked(const std::string& body, const CheckSettings& settings = {}) {
  return check(composing::compose(body), composing::registry(), settings);
}

nlohmann::json json_of(const Checked& found) { return nlohmann::json::parse(check_json(found)); }

/// U(x) = |x|^2 / 2, with a gradient of 1.01 x.
class Tilted final : public Model {
 public:
  struct Params {
    void declare(Fields&) {}
  };
  explicit Tilted(const Params&) {}
  std::vector<Parameter> parameters() const override { return {{.name = "x", .shape = {2}}}; }

 private:
  void do_evaluate(ConstBatch theta, const Evaluation& out) const override {
    Batch gradient = out.gradient;
    gradient = 1.01 * theta;
    if (out.wants_potential()) out.u() = 0.5 * theta.colwise().squaredNorm();
  }
};

}  // namespace

TEST_CASE("a check finds certificate, cures, gradient and what worlds say") {
  const Checked found = checked(unadjusted, {.gradient = true, .worlds = worlds_report});
  CHECK_FALSE(found.fault);
  CHECK(found.label() == "asymptotic");
  REQUIRE(found.cures.size() == 1);
  CHECK(found.cures.front().change == "kernel.k.metropolis = true");
  CHECK(found.cures.front().in_words() == "exact after warm-up");
  CHECK(found.gradient.value().is_right());
  CHECK(found.worlds.value().beside_evidence.find("finite worlds") != std::string::npos);
  const nlohmann::json json = json_of(found);
  CHECK(json.at("cures").at(0).at("set") == "kernel.k.metropolis = true");
  CHECK(json.at("gradient").at("agrees") == true);
  CHECK(json.at("worlds").at(0).at("phase") == "sampling");
}

TEST_CASE("a check without a reader of worlds says nothing of them") {
  const Checked found = checked(exact);
  CHECK(found.label() == "exact");
  CHECK(found.cures.empty());
  CHECK_FALSE(found.worlds);
  CHECK(certificate_text(found) == found.certificate.to_text());
  CHECK(json_of(found).at("worlds").is_null());
  CHECK_FALSE(json_of(found).contains("gradient"));
}

TEST_CASE("a world that contradicts the rules ends a check, whoever read it") {
  const auto contradicting = [](const Program&, const std::string& name, bool) {
    WorldsReport report;
    report.contradiction = name + " departs";
    report.json = "[]";
    return report;
  };
  const Checked found = checked(exact, {.worlds = contradicting});
  CHECK(found.label() == "contradicted");
  REQUIRE(found.fault);
  CHECK(found.fault->code() == ExitCode::refused);
  const nlohmann::json json = json_of(found);
  CHECK(json.at("class") == "contradicted");
  CHECK(json.at("class_by_rules") == "exact");
  CHECK(json.at("error") == "test departs");
  CHECK(json.at("code") == 3);
}

TEST_CASE("a check finds a gradient that is wrong") {
  Registry registry = Registry::load(Registry::default_folders());
  registry.add<Tilted>({.id = "tilted", .summary = "a gradient that is off by a factor"});
  const Composition composition = parse_manifest(
      "mixwell = 1\n[model.m]\nuse = \"tilted\"\n[kernel.k]\nuse = \"random-walk-metropolis\"\n",
      "test.toml", registry);
  const Checked found = check(composition, registry, {.gradient = true});
  CHECK_FALSE(found.gradient.value().is_right());
  REQUIRE(found.fault);
  CHECK(found.fault->code() == ExitCode::failed);
  CHECK(json_of(found).at("gradient").at("agrees") == false);
}
