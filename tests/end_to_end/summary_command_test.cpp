// `mixwell summary` beyond the standard table: papers' estimators and directions.
// SPDX-License-Identifier: Apache-2.0
#include "program.hpp"

#include <nlohmann/json.hpp>

using namespace end_to_end;
using Json = nlohmann::ordered_json;

namespace {

/// Three dimensions, four chains of 600 draws, in out/m.
void sample(const Workplace& place) {
  place.write("m.toml", gaussian_manifest());
  REQUIRE(place.mixwell("run m.toml --quiet --set run.draws=600").code == 0);
}

}  // namespace

TEST_CASE("The help of summary explains estimators and directions") {
  const Workplace place;
  const std::string help = place.mixwell("summary --help").out;
  for (const char* part : {"1.4 of the R package `posterior`", "qnhmc", "girolami-calderhead",
                           "sghmc", "principal", "FILE.csv", "`all,1`", "below 100"})
    contains(help, part);
}

TEST_CASE("Papers' estimators are shown in a table of their own, with their definitions") {
  const Workplace place;
  sample(place);
  const Outcome outcome = place.mixwell("summary out/m --ess sghmc,girolami-calderhead");
  CHECK(outcome.code == 0);
  contains(outcome.out, "ess_girolami_calderhead  autocorrelation_time_sghmc");
  contains(outcome.out, "autocorrelation_time_sghmc, version 1: ");
  contains(outcome.out, "Girolami and Calderhead");
  const std::string plain = place.mixwell("summary out/m").out;
  CHECK(plain.find("sghmc") == std::string::npos);
}

TEST_CASE("Directions are summarised, the worst one in words") {
  const Workplace place;
  sample(place);
  place.write("d.csv", "name,x\nall,1\n");
  const Outcome principal = place.mixwell("summary out/m --directions principal --of x");
  CHECK(principal.code == 0);
  contains(principal.out, "Along 3 directions (principal) of 3 coordinates");
  contains(principal.out, "principal[2]");
  contains(principal.out, " along the direction principal[");
  contains(principal.out, " x[0]");
  contains(place.mixwell("summary out/m --directions d.csv").out, "0.577 x[0] + 0.577 x[1]");
  const Json json = Json::parse(place.mixwell("summary out/m --directions d.csv --json").out);
  CHECK(json["directions"]["along"]["all"]["ess_bulk"].is_number());
  CHECK(json["directions"]["smallest"]["name"] == "all");
}

TEST_CASE("Draws are compared with a reference") {
  const Workplace place;
  sample(place);
  place.write("r.csv", "x[0],x[1]\n1,0\n0,1\n");
  const Outcome table = place.mixwell("summary out/m --reference r.csv");
  CHECK(table.code == 0);
  contains(table.out,
           "Comparison with r.csv (2 draws), 2 elements; elements in only one of the two sets of "
           "draws: 1 (");
  contains(table.out, "relative error of the covariance (REC)");
  const Json json = Json::parse(place.mixwell("summary out/m --reference out/m --json").out);
  CHECK(json["reference"]["rec"] == 0);
  CHECK(json["reference"]["rem"].is_null());  // the means are 0 as far as the draws can tell
  CHECK(json["estimators"]["rem"]["source"].is_string());
  const Outcome wrong = place.mixwell("summary out/m --amari x --reference out/m");
  CHECK(wrong.code == 2);
  contains(wrong.err, "must name a posterior variable that is a square matrix");
  contains(place.mixwell("summary --help").out, "--amari NAME");
}

TEST_CASE("A step size that falls weights the summary, and says so") {
  const Workplace place;
  const std::string fixed =
      "mixwell = 1\n[run]\nwarmup = 5\ndraws = 300\nthin = 2\n[model.g]\nuse = \"gaussian\"\n"
      "dimension = 2\n[kernel.k]\nuse = \"langevin\"\nstep_size = 0.9\n";
  place.write("c.toml", fixed);
  place.write("m.toml", fixed + "schedule = \"polynomial\"\nexponent = 1\n");
  const std::string heading =
      "mean, sd, quantiles and mcse use the weights in `weight`, but ess and rhat do not";
  contains(place.mixwell("run m.toml").out, heading);
  contains(place.mixwell("summary out/m").out, heading);
  const Json weighted = Json::parse(read(place.path("out/m/summary.json")));
  const Json plain = Json::parse(place.mixwell("summary out/m --unweighted --json").out);
  CHECK(weighted["weighted"] == true);
  CHECK(plain["weighted"] == false);
  CHECK(weighted["variables"]["x[0]"]["mean"] != plain["variables"]["x[0]"]["mean"]);
  CHECK(weighted["variables"]["x[0]"]["rhat"] == plain["variables"]["x[0]"]["rhat"]);
  const std::string table = place.mixwell("summary out/m --unweighted").out;
  CHECK(table.find("weighted") == std::string::npos);
  place.mixwell("run c.toml --quiet");
  CHECK(Json::parse(read(place.path("out/c/summary.json")))["weighted"] == false);
}

TEST_CASE("Predictive probabilities are weighted as the summary is") {
  // The test cases are also derived quantities, so that the summary knows their averages.
  constexpr int cases = 81;
  const Workplace place;
  place.write("train.csv", "y,x\n0,-4\n0,-3\n0,-2\n0,-1\n1,1\n1,2\n1,3\n1,4\n");
  std::string test = "y,x\n";
  std::string predict;
  for (int k = 0; k < cases; ++k) {
    const std::string x = std::to_string((k - 40) / 20.0);
    test += "1," + x + "\n";
    predict += "predict.p" + std::to_string(k) + " = { x = " + x + " }\n";
  }
  place.write("test.csv", test);
  place.write("m.toml",
              "mixwell = 1\n[run]\nwarmup = 0\ndraws = 60\nreplicates = 1\n[model.l]\nuse = "
              "\"logistic-regression\"\ndata = \"train.csv\"\ntest = \"test.csv\"\nresponse = "
              "\"y\"\nprior_variance = 1\n" +
                  predict +
                  "[kernel.k]\nuse = \"langevin\"\nschedule = \"polynomial\"\nexponent = 1\n"
                  "step_size = 0.8\n");
  REQUIRE(place.mixwell("run m.toml --quiet").code == 0);
  const auto wrong_side = [](const Json& summary) {
    double count = 0;
    for (int k = 0; k < cases; ++k)
      if (summary["variables"]["p" + std::to_string(k)]["mean"] < 0.5) ++count;
    return count / cases;
  };
  const Json weighted = Json::parse(read(place.path("out/m/summary.json")));
  const Json plain = Json::parse(place.mixwell("summary out/m --unweighted --json").out);
  CHECK(weighted["prediction"]["error"] == wrong_side(weighted));
  CHECK(weighted["prediction"]["error_rate"] == weighted["prediction"]["error"]);
  CHECK(wrong_side(plain) != wrong_side(weighted));
}

TEST_CASE("An effective sample size too small to trust says so in words") {
  const Workplace place;
  place.write("m.toml", gaussian_manifest());
  const Outcome outcome =
      place.mixwell("run m.toml --set kernel.hmc.step_size=0.01 --set kernel.hmc.steps=1");
  contains(outcome.out, "ESS too small to trust");
  contains(outcome.out, "The estimate of such a small effective sample size may be far off");
  const Json json = Json::parse(read(place.path("out/m/summary.json")));
  CHECK(json["sampler"]["min_ess_reliable"] == false);
  CHECK(json["variables"]["x[0]"]["unreliable"].front() == "ess_bulk");
}

TEST_CASE("What summary cannot do is refused with the place and the nearest choice") {
  const Workplace place;
  sample(place);
  place.write("d.csv", "name,y\nall,1\n");
  const struct {
    const char* arguments;
    const char* message;
  } cases[] = {
      {"--ess qnhcm", "--ess qnhcm: no estimator \"qnhcm\" (did you mean \"qnhmc\"?)"},
      {"--directions d.csv", "d.csv: the draws have no coordinate \"y\""},
      {"--directions none.csv", "none.csv: the file cannot be read: No such file"},
      {"--directions principal --of z", "--of z: must name a real-valued posterior variable"},
      {"--of x", "--of selects variables for --directions"}};
  for (const auto& [arguments, message] : cases) {
    INFO(arguments);
    const Outcome outcome = place.mixwell(std::string("summary out/m ") + arguments);
    CHECK(outcome.code == 2);
    contains(outcome.err, message);
  }
}
