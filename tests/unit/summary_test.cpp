// summary.json: names, values, and nulls.
// SPDX-License-Identifier: Apache-2.0
#include "draws_testing.hpp"
#include "memory_setting.hpp"

#include <mixwell/lab/diagnostics.hpp>
#include <mixwell/lab/ess.hpp>
#include <mixwell/lab/summary.hpp>

#include <catch2/catch.hpp>
#include <netcdf.h>
#include <nlohmann/json.hpp>
#include <tbb/global_control.h>

#include <algorithm>
#include <cmath>
#include <fstream>

using namespace mixwell;
using namespace mixwell::testing;
using Json = nlohmann::ordered_json;

namespace {

/// Looks random, is the same everywhere.
double scattered(std::size_t column, std::int64_t draw, Index chain, Index element) {
  const double place = double(column) + 3.0 * double(element) + 1e3 * double(chain) + double(draw);
  const double x = std::sin(12.9898 * place) * 43758.5453;
  return x - std::floor(x);
}

const std::vector<std::string> keys = {"mean", "sd",  "mcse_mean", "mcse_sd",  "q5",
                                       "q50",  "q95", "rhat",      "ess_bulk", "ess_tail"};

std::vector<std::string> with(std::vector<std::string> names, const std::string& last) {
  names.push_back(last);
  return names;
}

std::vector<std::string> names_of(const Json& object) {
  std::vector<std::string> names;
  for (const auto& item : object.items()) names.push_back(item.key());
  return names;
}

/// 4 chains x 200 draws.
RunHeader usual(const std::string& folder) {
  RunHeader h = header(folder, {real("alpha"), real("b", {2, 3}), real("constant"), statistic("lp"),
                                statistic("acceptance_rate"),
                                statistic("diverging", RecordType::boolean), statistic("energy")});
  h.replicates = 4;
  return h;
}

double usual_number(std::size_t column, std::int64_t draw, Index chain, Index element) {
  if (column == 2) return 3.5;
  if (column == 4) return chain == 0 ? 0.5 : 1.0;
  if (column == 5) return draw % 50 == 0 && chain == 1 ? 1.0 : 0.0;
  return scattered(column, draw, chain, element);
}

}  // namespace

TEST_CASE("a summary has a row for each element, named by its indices, in order") {
  const TemporaryFolder folder;
  write_file(usual(folder.path()), 200, usual_number);
  const Json summary = Json::parse(summary_json(summarise(DrawsFile(folder.path()), 1e4, 2.0)));
  CHECK(names_of(summary) == std::vector<std::string>{"variables", "sampler", "not_judged",
                                                      "weighted", "joint", "estimators"});
  CHECK(names_of(summary["variables"]) == std::vector<std::string>{"alpha", "b[0,0]", "b[0,1]",
                                                                   "b[0,2]", "b[1,0]", "b[1,1]",
                                                                   "b[1,2]", "constant"});
  for (const auto& [name, row] : summary["variables"].items()) {
    std::vector<std::string> names = with(keys, "unreliable");
    if (name.starts_with("b[")) names = with(names, "indices");
    CHECK(names_of(row) == (name == "constant" ? with(names, "constant") : names));
  }
}

TEST_CASE("each row holds the diagnostics of its element to the last bit") {
  const TemporaryFolder folder;
  write_file(usual(folder.path()), 200, usual_number);
  const Json variables =
      Json::parse(summary_json(summarise(DrawsFile(folder.path()), 1e4, 2.0)))["variables"];
  for (Index e = 0; e < 6; ++e) {
    Eigen::MatrixXd x(200, 4);
    for (Index chain = 0; chain < 4; ++chain)
      for (Index draw = 0; draw < 200; ++draw) x(draw, chain) = scattered(1, draw, chain, e);
    const diagnostics::StandardFigures s = diagnostics::summarise(x);
    const double values[] = {s.mean, s.sd,  s.mcse_mean, s.mcse_sd,  s.q5,
                             s.q50,  s.q95, s.rhat,      s.ess_bulk, s.ess_tail};
    const std::string name = "b[" + std::to_string(e / 3) + "," + std::to_string(e % 3) + "]";
    for (std::size_t k = 0; k < keys.size(); ++k) {
      INFO(name << " " << keys[k]);
      CHECK(variables[name][keys[k]].get<double>() == values[k]);
    }
  }
}

TEST_CASE("a constant has a mean and quantiles, and null for what does not exist") {
  const TemporaryFolder folder;
  write_file(usual(folder.path()), 200, usual_number);
  const Json row = Json::parse(
      summary_json(summarise(DrawsFile(folder.path()), 1e4, 2.0)))["variables"]["constant"];
  CHECK(row["mean"] == 3.5);
  CHECK(row["sd"] == 0.0);
  CHECK(row["q5"] == 3.5);
  CHECK(row["rhat"].is_null());
  CHECK(row["ess_bulk"].is_null());
}

TEST_CASE("the sampler's part counts and divides") {
  const TemporaryFolder folder;
  write_file(usual(folder.path()), 200, usual_number);
  const Json summary = Json::parse(summary_json(summarise(DrawsFile(folder.path()), 1e4, 2.0)));
  const Json sampler = summary["sampler"];
  CHECK(names_of(sampler) == std::vector<std::string>{"acceptance", "divergences", "ebfmi",
                                                      "min_ess", "min_ess_mcse", "mean_ess",
                                                      "min_ess_per_gradient", "min_ess_per_second",
                                                      "min_ess_reliable", "still_chains"});
  double smallest = HUGE_VAL;
  double sum = 0.0;
  for (const auto& row : summary["variables"]) {
    if (row["ess_bulk"].is_null()) continue;
    smallest = std::min(smallest, row["ess_bulk"].get<double>());
    sum += row["ess_bulk"].get<double>();
  }
  CHECK(sampler["acceptance"] == 0.875);
  CHECK(sampler["divergences"].is_number_integer());
  CHECK(sampler["divergences"] == 4);
  CHECK(sampler["min_ess"] == smallest);
  CHECK(sampler["mean_ess"] == sum / 7.0);
  const DrawsFile file(folder.path());
  bool is_of_smallest = false;
  for (const Column& column : file.columns()) {
    if (column.group != RecordGroup::posterior) continue;
    for (Index k = 0; k < column.size(); ++k) {
      const Eigen::MatrixXd draws = file.read(column, k);
      if (diagnostics::ess_bulk(draws) != smallest) continue;
      is_of_smallest = true;
      CHECK(sampler["min_ess_mcse"] == diagnostics::ess_bulk_mcse(draws, file.replicates()));
    }
  }
  CHECK(is_of_smallest);
  CHECK(sampler["min_ess_per_gradient"] == smallest / 1e4);
  CHECK(sampler["min_ess_per_second"] == smallest / 2.0);
}

TEST_CASE("the energy fraction is the smallest over chains") {
  const TemporaryFolder folder;
  const auto slow_in_chain_2 = [](std::size_t column, std::int64_t draw, Index chain, Index e) {
    return column == 6 && chain == 2 ? double(draw) : usual_number(column, draw, chain, e);
  };
  write_file(usual(folder.path()), 200, slow_in_chain_2);
  const Json sampler =
      Json::parse(summary_json(summarise(DrawsFile(folder.path()), 1.0, 1.0)))["sampler"];
  // Energies 0 ... n-1: sum of squared steps n - 1, of squared deviations n (n^2 - 1) / 12.
  CHECK(sampler["ebfmi"].get<double>() == Approx(199.0 * 12.0 / (200.0 * 39999.0)).epsilon(1e-12));
}

TEST_CASE("draws with weights that vary have a weighted summary, unless it is told not to") {
  const TemporaryFolder folder;
  RunHeader h = header(folder.path(), {real("x", {2}), statistic("weight")});
  h.replicates = 3;
  const auto number = [](std::size_t c, std::int64_t draw, Index chain, Index e) {
    return c == 1 ? 1.0 / double(1 + draw + chain) : scattered(c, draw, chain, e);
  };
  write_file(h, 60, number);
  const DrawsFile file(folder.path());
  const Eigen::MatrixXd w = file.read(file.columns()[1], 0);
  const Eigen::MatrixXd x = file.read(file.columns()[0], 1);
  const Json summary = Json::parse(summary_json(summarise(file, 1.0, 1.0)));
  const Json& row = summary["variables"]["x[1]"];
  CHECK(summary["weighted"] == true);
  const diagnostics::StandardFigures s = diagnostics::summarise(x, w);
  const double values[] = {s.mean, s.sd,  s.mcse_mean, s.mcse_sd,  s.q5,
                           s.q50,  s.q95, s.rhat,      s.ess_bulk, s.ess_tail};
  for (std::size_t k = 0; k < keys.size(); ++k) CHECK(row[keys[k]].get<double>() == values[k]);
  CHECK(summary["estimators"]["mean"]["name"] == "weighted mean of all draws");
  CHECK_FALSE(summary["estimators"]["mean"].contains("agrees_with"));
  CHECK(names_of(summary["estimators"]) == with(keys, "ebfmi"));

  SummaryOptions options;
  options.unweighted = true;
  const Json plain = Json::parse(summary_json(summarise(file, 1.0, 1.0, options)));
  CHECK(plain["weighted"] == false);
  CHECK(plain["variables"]["x[1]"]["mean"] == diagnostics::mean(x));
  CHECK(plain["variables"]["x[1]"]["ess_bulk"] == row["ess_bulk"]);
}

TEST_CASE("weights that are the same everywhere change nothing") {
  const TemporaryFolder with_weight;
  const TemporaryFolder without;
  const auto number = [](std::size_t c, std::int64_t draw, Index chain, Index e) {
    return c == 1 ? 0.25 : scattered(c, draw, chain, e);
  };
  write_file(header(with_weight.path(), {real("x"), statistic("weight")}), 60, number);
  write_file(header(without.path(), {real("x")}), 60, number);
  CHECK(summary_json(summarise(DrawsFile(with_weight.path()), 1.0, 1.0)) ==
        summary_json(summarise(DrawsFile(without.path()), 1.0, 1.0)));
}

TEST_CASE("directions are weighted as their coordinates") {
  const TemporaryFolder folder;
  const auto number = [](std::size_t c, std::int64_t draw, Index chain, Index e) {
    return c == 1 ? 1.0 / double(1 + draw) : scattered(c, draw, chain, e);
  };
  write_file(header(folder.path(), {real("x", {2}), statistic("weight")}), 60, number);
  const std::string csv = folder.path() + "/d.csv";
  std::ofstream(csv) << "name,x[0]\nfirst,1\n";
  const Json summary =
      Json::parse(summary_json(summarise(DrawsFile(folder.path()), 1.0, 1.0, {{}, csv, {"x"}})));
  CHECK(summary["directions"]["along"]["first"]["mean"] == summary["variables"]["x[0]"]["mean"]);
}

TEST_CASE("what is not recorded or not known is null") {
  const TemporaryFolder folder;
  write_file(header(folder.path(), {real("x")}), 100, scattered);
  const double unknown = std::numeric_limits<double>::quiet_NaN();
  const Json sampler =
      Json::parse(summary_json(summarise(DrawsFile(folder.path()), unknown, unknown)))["sampler"];
  for (const char* key :
       {"acceptance", "divergences", "ebfmi", "min_ess_per_gradient", "min_ess_per_second"}) {
    INFO(key);
    CHECK(sampler[key].is_null());
  }
  CHECK(sampler["min_ess"].is_number());
}

TEST_CASE("runs of zero to four draws have a summary") {
  const std::int64_t draws = GENERATE(0, 1, 2, 3, 4);
  const TemporaryFolder folder;
  write_file(usual(folder.path()), draws, usual_number);
  const Json summary = Json::parse(summary_json(summarise(DrawsFile(folder.path()), 0.0, 0.0)));
  CHECK(summary["variables"].size() == 8);
  CHECK(summary["variables"]["alpha"]["mean"].is_null() == (draws == 0));
  CHECK(summary["sampler"]["divergences"].is_null() == (draws == 0));
}

TEST_CASE("a draw that is not a number makes its row null and leaves the others") {
  const TemporaryFolder folder;
  write_file(usual(folder.path()), 100, [](std::size_t c, std::int64_t draw, Index chain, Index e) {
    return c == 1 && e == 4 && draw == 9 ? NAN : usual_number(c, draw, chain, e);
  });
  const Json variables =
      Json::parse(summary_json(summarise(DrawsFile(folder.path()), 1.0, 1.0)))["variables"];
  CHECK(variables["b[1,1]"]["mean"].is_null());
  CHECK(variables["b[1,1]"]["rhat"].is_null());
  CHECK(variables["b[1,0]"]["mean"].is_number());
}

TEST_CASE("the text is the same on one thread and on several") {
  const TemporaryFolder folder;
  RunHeader h = header(folder.path(), {real("theta", {200})});
  h.replicates = 4;
  write_file(h, 100, scattered);
  const DrawsFile file(folder.path());
  const auto with_threads = [&](std::size_t threads) {
    const tbb::global_control control(tbb::global_control::max_allowed_parallelism, threads);
    return summary_json(summarise(file, 1.0, 1.0));
  };
  CHECK(with_threads(1) == with_threads(4));
}

TEST_CASE("elements read in several pieces get their own rows", "[slow]") {
  const TemporaryFolder folder;
  RunHeader h = header(folder.path(), {real("theta", {9})});
  h.replicates = 128;
  const auto number = [](std::size_t, std::int64_t draw, Index chain, Index e) {
    return double(e) + (double((draw + chain) % 2) - 0.5);
  };
  write_file(h, 8000, number, 1000);
  const support::MemorySetting memory("256M");  // an eighth of it holds four elements of 8 MB
  const DrawsFile file(folder.path());
  REQUIRE(file.elements_at_once(file.columns()[0]) < 9);
  const Json variables = Json::parse(summary_json(summarise(file, 1.0, 1.0)))["variables"];
  for (Index e = 0; e < 9; ++e)
    CHECK(variables["theta[" + std::to_string(e) + "]"]["mean"] == double(e));
}

TEST_CASE("every figure has its estimator, with version and source") {
  const TemporaryFolder folder;
  write_file(usual(folder.path()), 50, usual_number);
  const DrawsFile file(folder.path());
  const Json standard = Json::parse(summary_json(summarise(file, 1.0, 1.0)))["estimators"];
  CHECK(names_of(standard) == with(keys, "ebfmi"));
  CHECK(standard["rhat"]["agrees_with"] == "posterior 1.4");
  for (const Json& estimator : standard) {
    for (const char* key : {"name", "version", "source"})
      CHECK_FALSE(estimator[key].get<std::string>().empty());
  }
  const Json more =
      Json::parse(summary_json(summarise(file, 1.0, 1.0, {{"sghmc"}, "", {}})))["estimators"];
  CHECK(names_of(more) == with(with(keys, "ebfmi"), "autocorrelation_time_sghmc"));
}

TEST_CASE("papers' estimators stand in the rows that ask for them, in the order asked for") {
  const TemporaryFolder folder;
  write_file(usual(folder.path()), 700, usual_number);
  const DrawsFile file(folder.path());
  const SummaryOptions options = {{"girolami-calderhead", "qnhmc"}, "", {}};
  const Json row =
      Json::parse(summary_json(summarise(file, 1.0, 1.0, options)))["variables"]["b[0,1]"];
  CHECK(names_of(row) ==
        with(with(with(with(keys, "ess_girolami_calderhead"), "ess_qnhmc"), "unreliable"),
             "indices"));
  const Eigen::MatrixXd x = file.read(file.columns()[1], 1);
  CHECK(row["ess_girolami_calderhead"] == diagnostics::ess_girolami_calderhead(x));
  CHECK(row["ess_qnhmc"] == diagnostics::ess_qnhmc(x));
}

TEST_CASE("figures too small to rely on are named, and those beside them") {
  const TemporaryFolder folder;
  RunHeader h = header(folder.path(), {real("fine"), real("stuck"), real("apart")});
  h.replicates = 2;
  const auto number = [](std::size_t c, std::int64_t draw, Index chain, Index e) {
    if (c == 1) return draw < 250 ? 0.0 : 1.0;
    return scattered(c, draw, chain, e) + (c == 2 ? 9.0 * double(chain) : 0.0);
  };
  write_file(h, 600, number);
  const Json summary = Json::parse(summary_json(
      summarise(DrawsFile(folder.path()), 1.0, 1.0, {{"girolami-calderhead"}, "", {}})));
  const Json& rows = summary["variables"];
  CHECK(rows["fine"]["unreliable"] == Json::array());
  CHECK(rows["stuck"]["unreliable"].size() >= 2);
  REQUIRE(rows["apart"]["ess_girolami_calderhead"] > 500);
  CHECK(rows["apart"]["unreliable"].back() == "ess_girolami_calderhead");
  CHECK(summary["sampler"]["min_ess_reliable"] == false);
}

TEST_CASE("the sum of 500 lags is unreliable near its floor and from chains too short for it",
          "[slow]") {
  const auto number = [](std::size_t c, std::int64_t draw, Index, Index) {
    return c == 0 ? scattered(c, draw, 0, 0) : std::sin(1e-4 * double(draw));
  };
  const auto unreliable = [&](std::int64_t draws, const char* name) {
    const TemporaryFolder own;
    write_file(header(own.path(), {real("fast"), real("slow")}), draws, number, 10000);
    const Json figures = Json::parse(summary_json(summarise(
        DrawsFile(own.path()), 1.0, 1.0, {{"qnhmc"}, "", {}})))["variables"][name]["unreliable"];
    return std::find(figures.begin(), figures.end(), "ess_qnhmc") != figures.end();
  };
  CHECK(unreliable(200000, "slow"));
  CHECK_FALSE(unreliable(200000, "fast"));
  CHECK(unreliable(20000, "fast"));
}

TEST_CASE("a summary along principal directions finds the slow combination") {
  const TemporaryFolder folder;
  RunHeader h =
      header(folder.path(), {real("x", {2}),
                             real("constant"),
                             real("bad"),
                             {RecordGroup::posterior, "count", {}, RecordType::integer, "", ""}});
  h.replicates = 2;
  const auto number = [](std::size_t c, std::int64_t draw, Index chain, Index e) {
    if (c == 1) return 1.5;
    if (c == 2) return draw == 7 ? NAN : double(draw);
    if (c == 3) return double(draw);
    const double slow = std::sin(0.02 * double(draw) + double(chain));
    return slow + (e == 0 ? 3.0 : -3.0) * (scattered(c, draw, chain, 0) - 0.5);
  };
  write_file(h, 800, number);
  const Json directions = Json::parse(summary_json(
      summarise(DrawsFile(folder.path()), 1.0, 1.0, {{}, "principal", {}})))["directions"];
  CHECK(directions["from"] == "principal");
  CHECK(directions["coordinates"] == 2);
  CHECK(directions["left_out"] == Json({"constant", "bad"}));
  CHECK(directions["degenerate"] == 0);
  CHECK(names_of(directions["along"]) == std::vector<std::string>{"principal[0]", "principal[1]"});
  CHECK(names_of(directions["along"]["principal[0]"]) == with(with(keys, "unreliable"), "indices"));
  const Json& smallest = directions["smallest"];
  CHECK(smallest["ess_bulk"] < 100);
  CHECK(smallest["weights"]["x[0]"].get<double>() == Approx(std::sqrt(0.5)).epsilon(0.01));
  CHECK(smallest["weights"]["x[1]"].get<double>() == Approx(std::sqrt(0.5)).epsilon(0.01));
}

TEST_CASE("a direction of one coordinate has the figures of that coordinate") {
  const TemporaryFolder folder;
  write_file(usual(folder.path()), 200, usual_number);
  const std::string csv = folder.path() + "/d.csv";
  std::ofstream(csv) << "name,alpha,b\nfirst,-2,0\nall,0,1\n";
  const Json summary = Json::parse(summary_json(
      summarise(DrawsFile(folder.path()), 1.0, 1.0, {{"sghmc"}, csv, {"b", "alpha"}})));
  const Json& row = summary["directions"]["along"]["first"];
  const Json& alpha = summary["variables"]["alpha"];
  for (const char* key : {"sd", "mcse_sd", "rhat", "ess_bulk", "autocorrelation_time_sghmc"}) {
    INFO(key);
    CHECK(row[key].get<double>() == Approx(alpha[key].get<double>()).epsilon(1e-12));
  }
  CHECK(row["mean"].get<double>() == Approx(-alpha["mean"].get<double>()).epsilon(1e-12));
  CHECK(summary["directions"]["coordinates"] == 7);
  CHECK(summary["directions"]["along"]["all"]["sd"].is_number());
}

TEST_CASE("a NaN reaches only those directions that have a weight there") {
  const TemporaryFolder folder;
  write_file(header(folder.path(), {real("x", {2})}), 100,
             [](std::size_t c, std::int64_t draw, Index chain, Index e) {
               return e == 1 && draw == 3 ? NAN : scattered(c, draw, chain, e);
             });
  const std::string csv = folder.path() + "/d.csv";
  std::ofstream(csv) << "name,x[0],x[1]\nwithout,1,0\nwith,1,1\n";
  const Json along = Json::parse(summary_json(
      summarise(DrawsFile(folder.path()), 1.0, 1.0, {{}, csv, {}})))["directions"]["along"];
  CHECK(along["without"]["ess_bulk"].is_number());
  CHECK(along["with"]["ess_bulk"].is_null());
  CHECK(along["with"]["mean"].is_null());
}

TEST_CASE("principal directions of nothing that varies are none") {
  const TemporaryFolder folder;
  write_file(header(folder.path(), {real("x", {3})}), GENERATE(0, 1, 100),
             [](std::size_t, std::int64_t, Index, Index) { return 0.25; });
  const Json directions = Json::parse(summary_json(
      summarise(DrawsFile(folder.path()), 1.0, 1.0, {{}, "principal", {}})))["directions"];
  CHECK(directions["along"].empty());
  CHECK(directions["smallest"].is_null());
  CHECK(directions["left_out"].size() == 3);
}

TEST_CASE("unknown estimators and variables are refused with the nearest") {
  const TemporaryFolder folder;
  write_file(usual(folder.path()), 20, usual_number);
  const DrawsFile file(folder.path());
  const auto refused = [&](const SummaryOptions& options) -> std::string {
    try {
      return summary_json(summarise(file, 1.0, 1.0, options));
    } catch (const InputError& error) {
      return error.what();
    }
  };
  CHECK(refused({{"sghcm"}, "", {}}).find("did you mean \"sghmc\"?") != std::string::npos);
  CHECK(refused({{}, "principal", {"alfa"}}).find("did you mean \"alpha\"?") != std::string::npos);
  CHECK(refused({{}, "", {"alpha"}}).find("--directions") != std::string::npos);
  CHECK(refused({{}, folder.path() + "/none.csv", {}}).find("none.csv") != std::string::npos);
}

namespace {

/// 20 draws of 2 chains of 21 000 elements; element 12345 stays, 777 drifts.
RunHeader long_one(const std::string& folder) {
  RunHeader h = header(folder, {real("tau"), real("theta", {100, 210}), statistic("lp")});
  h.replicates = 2;
  h.draws = 20;
  return h;
}

double long_number(std::size_t column, std::int64_t draw, Index chain, Index element) {
  if (column == 1 && element == 12345) return 1.0;
  if (column == 1 && element == 777) return double(draw) + 100.0 * double(chain);
  return scattered(column, draw, chain, element);
}

}  // namespace

TEST_CASE("of many elements the summary shows the worst, scalars and those that are named",
          "[slow]") {
  const TemporaryFolder folder;
  write_file(long_one(folder.path()), 20, long_number);
  const DrawsFile file(folder.path());
  SummaryOptions options;
  options.rows = {"theta[99,7]"};
  const std::string text = summary_json(summarise(file, 1.0, 1.0, options));
  std::ofstream(folder.path() + "/summary.json") << text;
  CHECK(summary_json(read_summary(folder.path())) == text);
  const Json summary = Json::parse(text);
  const Json& rows = summary["variables"];
  for (const char* const name : {"tau", "theta[58,165]", "theta[3,147]", "theta[99,7]"})
    CHECK(rows.contains(name));
  CHECK(rows.size() > 1000);
  CHECK(rows.size() < 2100);
  CHECK(summary["left_out"]["of"] == 21001);
  CHECK(summary["left_out"]["rows"].get<std::size_t>() == 21001 - rows.size());
  CHECK(rows["theta[3,147]"]["ess_bulk"] == summary["sampler"]["min_ess"]);
  options.rows = {"theta"};
  const auto all = nlohmann::json::parse(summary_json(summarise(file, 1.0, 1.0, options)));
  CHECK(all["variables"].size() == 21001);
  CHECK_FALSE(all.contains("left_out"));
  double largest = 0.0;
  for (const nlohmann::json& row : all["variables"])
    if (row["rhat"].is_number()) largest = std::max(largest, row["rhat"].get<double>());
  CHECK(rows["theta[3,147]"]["rhat"] == largest);
  CHECK(summary["sampler"]["mean_ess"].get<double>() == all["sampler"]["mean_ess"].get<double>());
}

TEST_CASE("rows that are asked for must be there") {
  const TemporaryFolder folder;
  write_file(usual(folder.path()), 20, usual_number);
  const DrawsFile file(folder.path());
  const auto ask = [&](const char* name) {
    SummaryOptions options;
    options.rows = {name};
    return summary_json(summarise(file, 1.0, 1.0, options));
  };
  CHECK_NOTHROW(ask("b[1,2]"));
  CHECK_NOTHROW(ask("b[1]"));
  CHECK_THROWS_WITH(
      ask("b[1,3]"),
      Catch::Contains(
          "--rows b[1,3]: \"b[1,3]\" is out of range: index 3 is outside a dimension of length 3"));
  CHECK_THROWS_AS(ask("b[0,0,0]"), InputError);
  CHECK_THROWS_WITH(ask("alpa"), Catch::Contains("alpha"));
  CHECK_THROWS_AS(ask("lp"), InputError);
}

TEST_CASE("the table has every figure of every element") {
  const TemporaryFolder folder;
  write_file(usual(folder.path()), 50, usual_number);
  const DrawsFile file(folder.path());
  SummaryOptions options;
  options.ess = {"sghmc"};
  options.table = folder.path() + "/table.nc";
  const Json row =
      Json::parse(summary_json(summarise(file, 1.0, 1.0, options)))["variables"]["b[1,2]"];
  int id = -1;
  int variable = -1;
  REQUIRE(nc_open(options.table.c_str(), NC_NOWRITE, &id) == NC_NOERR);
  REQUIRE(nc_inq_varid(id, "b", &variable) == NC_NOERR);
  std::vector<double> numbers(11 * 2 * 3);
  REQUIRE(nc_get_var_double(id, variable, numbers.data()) == NC_NOERR);
  for (std::size_t k = 0; k < keys.size(); ++k) CHECK(numbers[6 * k + 5] == row[keys[k]]);
  CHECK(numbers[6 * keys.size() + 5] == row["autocorrelation_time_sghmc"]);
  nc_close(id);
}
