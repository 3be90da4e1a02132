// What the page of a report shows, against direct computation, and text that must stay text.
// SPDX-License-Identifier: Apache-2.0
#include "draws_testing.hpp"

#include <mixwell/lab/diagnostics.hpp>
#include <mixwell/lab/page.hpp>
#include <mixwell/lab/summary.hpp>

#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <cmath>
#include <fstream>
#include <numeric>

using namespace mixwell;
using namespace mixwell::testing;
using Json = nlohmann::ordered_json;

namespace {

constexpr Index chains = 12;
constexpr std::int64_t draws = 1200;

/// Quantiles of the logistic distribution in a scrambled order, different for each (chain, draw).
double logistic_draw(std::int64_t draw, Index chain) {
  const auto place = static_cast<std::uint64_t>(draw * chains + chain);
  const auto total = static_cast<std::uint64_t>(draws * chains);
  const std::uint64_t scrambled = (place * 7919) % total;
  const double p = (static_cast<double>(scrambled) + 0.5) / static_cast<double>(total);
  return std::log(p / (1 - p));
}

RunHeader run_header(const std::string& folder) {
  RunHeader h = header(folder, {real("x"), real("b", {30}), real("constant"),
                                statistic("diverging", RecordType::boolean), statistic("energy")});
  h.replicates = chains;
  return h;
}

double run_number(std::size_t column, std::int64_t draw, Index chain, Index element) {
  if (column == 2) return 3.5;
  if (column == 3) return draw == 7 ? 1.0 : 0.0;
  return logistic_draw(draw, chain) + 100.0 * static_cast<double>(element);
}

void write_text(const std::string& path, const std::string& text) {
  std::ofstream(path, std::ios::binary) << text;
}

/// A folder as `mixwell run` leaves it.
void write_run(const std::string& folder) {
  write_file(run_header(folder), draws, run_number);
  write_text(folder + "/summary.json", summary_json(summarise(DrawsFile(folder), 4000, 0.5)));
  write_text(folder + "/certificate.json", R"({"class": "exact", "rule": "1"})");
  write_text(folder + "/run.json", R"({"outcome": "complete"})");
  write_text(folder + "/manifest.toml", "mixwell = 1\n");
  write_text(folder + "/graph.dot", "digraph \"sweep\" {\n}\n");
}

const Json& run_data() {
  static const Json data = [] {
    const TemporaryFolder folder;
    write_run(folder.path());
    return Json::parse(run_page_json(folder.path(), {"take care"}));
  }();
  return data;
}

Eigen::MatrixXd drawn() {
  Eigen::MatrixXd x(draws, chains);
  for (Index c = 0; c < chains; ++c)
    for (Index i = 0; i < draws; ++i) x(i, c) = logistic_draw(i, c);
  return x;
}

double sum(const Json& numbers) {
  const auto values = numbers.get<std::vector<double>>();
  return std::accumulate(values.begin(), values.end(), 0.0);
}

bool has_text(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

std::string message_of(const std::string& folder) {
  try {
    run_page_json(folder, {});
  } catch (const InputError& fault) {
    return fault.what();
  }
  return {};
}

}  // namespace

TEST_CASE("a page says what of the draws it leaves out") {
  const Json& data = run_data();
  CHECK(data.at("warnings") == Json{"take care"});
  CHECK(data.at("variables").size() == 24);
  CHECK(data.at("table").at("variable").size() == 32);
  CHECK(data.at("chains").at("shown") == Json{0, 1, 3, 4, 6, 7, 9, 10});
  CHECK(data.at("chains").at("every") == 3);
  const std::string notes = data.at("notes").dump();
  CHECK(has_text(notes, "24 of 32 variables"));
  CHECK(has_text(notes, "8 of 12 chains"));
  CHECK(has_text(notes, "one in every 3 draws"));
  CHECK(data.dump().size() < 2'000'000);
}

TEST_CASE("a page's traces are every k-th draw, rounded to less than a screen shows") {
  const Json& trace = run_data().at("variables")[0].at("trace");
  REQUIRE(trace.size() == 8);
  REQUIRE(trace[2].size() == 400);
  const std::string name = run_data().at("variables")[0].at("name");
  const double shift = name == "x" ? 0.0 : 100.0 * std::stod(name.substr(2));
  const double range = drawn().maxCoeff() - drawn().minCoeff();
  for (Index i = 0; i < 400; ++i)
    CHECK(std::abs(trace[2][static_cast<std::size_t>(i)].get<double>() - shift -
                   logistic_draw(3 * i, 3)) < range / 2000);
}

TEST_CASE("a page's rank counts add up to the draws of each chain") {
  for (const Json& counts : run_data().at("variables")[0].at("ranks").at("counts")) {
    CHECK(counts.size() == 20);
    CHECK(sum(counts) == static_cast<double>(draws));
  }
  CHECK(run_data().at("variables")[0].at("ranks").at("expected") == 60);
}

TEST_CASE("a page's densities integrate to 1 and follow the law") {
  const Json& density = run_data().at("variables")[0].at("density");
  const double step = density.at("step");
  const double start = density.at("start");
  for (const Json& values : density.at("values")) {
    const double ends = (values.front().get<double>() + values.back().get<double>()) / 2;
    CHECK((sum(values) - ends) * step == Approx(1).margin(0.01));
  }
  const std::string name = run_data().at("variables")[0].at("name");
  const double centre = name == "x" ? 0.0 : 100.0 * std::stod(name.substr(2));
  const auto middle = static_cast<std::size_t>(std::lround((centre - start) / step));
  // 1/4 is the logistic density at its centre; the kernel flattens it by less than a twentieth.
  CHECK(density.at("values")[0][middle].get<double>() == Approx(0.25).epsilon(0.05));
}

TEST_CASE("a page's autocorrelations are those of the definition") {
  const Json& figure = run_data().at("variables")[0].at("autocorrelation");
  const Eigen::MatrixXd x = drawn();
  const auto correlation = [&](Index c, Index lag) {
    const Eigen::ArrayXd y = x.col(c).array() - x.col(c).mean();
    return (y.head(draws - lag) * y.tail(draws - lag)).sum() / y.square().sum();
  };
  REQUIRE(figure.at("every") == 1);
  CHECK(figure.at("values")[0][0] == 1);
  for (const std::size_t lag : {1, 5, 30})
    CHECK(figure.at("values")[1 + 2][lag].get<double>() ==
          Approx(correlation(3, static_cast<Index>(lag))).margin(1e-3));
}

TEST_CASE("a page's effective sample sizes of all draws are those of the summary") {
  const Json& growth = run_data().at("growth");
  CHECK(growth.at("draws").back() == draws);
  CHECK(growth.at("draws").front() == draws / 16);
  CHECK(growth.at("bulk")[0].back().get<double>() ==
        Approx(diagnostics::ess_bulk(drawn())).epsilon(1e-3));
}

TEST_CASE("a page's energy histograms hold every draw and every transition") {
  const Json& energy = run_data().at("energy");
  CHECK(sum(energy.at("marginal")) == static_cast<double>(draws * chains));
  CHECK(sum(energy.at("transition")) == static_cast<double>((draws - 1) * chains));
  CHECK(energy.at("ebfmi").size() == 8);
}

TEST_CASE("a page's pairs keep the draws after divergences") {
  const Json& pairs = run_data().at("pairs");
  CHECK(pairs.at("names").size() == 24);
  CHECK(pairs.at("points")[0].size() == 1000);
  CHECK(pairs.at("diverging")[0].size() == chains);
}

TEST_CASE("a page shows first what could not be judged, and constants last") {
  const TemporaryFolder folder;
  RunHeader h = header(folder.path(), {real("constant"), real("fine"), real("stuck"), real("nan")});
  h.replicates = 2;
  write_file(h, 60, [](std::size_t c, std::int64_t draw, Index chain, Index) {
    if (c == 0) return 3.5;
    if (c == 2) return double(chain);
    return c == 3 && draw == 7 ? std::nan("") : logistic_draw(draw, chain);
  });
  write_text(folder.path() + "/summary.json",
             summary_json(summarise(DrawsFile(folder.path()), 1, 1)));
  for (const char* const name : {"/certificate.json", "/run.json"})
    write_text(folder.path() + name, "{}");
  for (const char* const name : {"/manifest.toml", "/graph.dot"})
    write_text(folder.path() + name, "");
  const Json data = Json::parse(run_page_json(folder.path(), {}));
  std::vector<std::string> names;
  for (const Json& one : data.at("variables")) names.push_back(one.at("name"));
  CHECK(names == std::vector<std::string>{"nan", "stuck", "fine", "constant"});
  CHECK(data.at("table").at("rhat")[2] == "inf");
  CHECK(data.at("table").at("nan_draws") == Json{nullptr, nullptr, nullptr, 2});
  CHECK(data.at("constants") == Json{0});
  CHECK(data.at("summary").at("not_judged")[1].at("variable") == "nan");
}

TEST_CASE("a page has only a trace and ranks of what never moved") {
  const TemporaryFolder folder;
  RunHeader h = header(folder.path(), {real("constant")});
  write_file(h, 10, [](std::size_t, std::int64_t, Index, Index) { return 3.5; });
  write_text(folder.path() + "/summary.json",
             summary_json(summarise(DrawsFile(folder.path()), 1, 1)));
  for (const char* const name : {"/certificate.json", "/run.json"})
    write_text(folder.path() + name, "{}");
  for (const char* const name : {"/manifest.toml", "/graph.dot"})
    write_text(folder.path() + name, "");
  const Json data = Json::parse(run_page_json(folder.path(), {}));
  CHECK(data.at("variables")[0].at("trace")[0][0] == 3.5);
  CHECK(data.at("variables")[0].contains("ranks"));
  CHECK(!data.at("variables")[0].contains("density"));
  CHECK(data.at("energy").is_null());
}

TEST_CASE("a folder without a run, or with a damaged one, is told") {
  const TemporaryFolder folder;
  CHECK(has_text(message_of(folder.path() + "/none"), "is not a folder"));
  CHECK(has_text(message_of(folder.path()), "contains no run"));
  write_run(folder.path());
  CHECK(message_of(folder.path()).empty());
  write_text(folder.path() + "/certificate.json", "{\"class\": ");
  CHECK(has_text(message_of(folder.path()), "certificate.json: the file is damaged"));
  write_text(folder.path() + "/certificate.json", "{}");
  write_text(folder.path() + "/summary.json", R"({"variables": {"y": {"mean": 1}}})");
  CHECK(has_text(message_of(folder.path()),
                 "the variable `y` is in summary.json but not in draws.nc"));
  write_text(folder.path() + "/summary.json", "[]");
  CHECK(has_text(message_of(folder.path()),
                 "another program wrote or changed a JSON file in this folder"));
  std::filesystem::remove(folder.path() + "/summary.json");
  CHECK(has_text(message_of(folder.path()), "interrupted before its summary"));
}

TEST_CASE("text in a page cannot end its script or be taken for markup") {
  const Json odd = {{"kind", "run"}, {"name", "</script><!-- @MIXWELL_TITLE@ \xe2\x80\xa8"}};
  const std::string page = fill_page(
      "<title>@MIXWELL_TITLE@</title><script>@MIXWELL_DATA@</script>", "a & <b>", odd.dump());
  CHECK(page.starts_with("<title>a &amp; &lt;b&gt;</title><script>"));
  const std::size_t begin = page.find("<script>") + 8;
  const std::size_t end = page.find("</script>");
  CHECK(end + 9 == page.size());
  CHECK(Json::parse(page.substr(begin, end - begin)) == odd);
}

TEST_CASE("a page without a place for the data is refused") {
  CHECK_THROWS_AS(fill_page("<title>@MIXWELL_TITLE@</title>", "", "{}"), RunError);
}

TEST_CASE("the page of a study has the table by columns") {
  const std::string table =
      R"({"study": "s", "columns": ["cell", "variant", "min_ess", "k", "curve"],
    "rows": [{"cell": "a", "variant": "hmc", "min_ess": 12.3456789, "k": [5, 15],
              "curve": [{"gradients": 1, "error_mean": 0.123456}, {"gradients": 2, "error_mean": null}]},
             {"cell": "b", "variant": "hmc", "min_ess": null},
             {"cell": "c", "variant": null, "min_ess": 3}]})";
  const Json data = Json::parse(study_page_json(table, "t.json"));
  CHECK(data.at("rows") == 3);
  CHECK(data.at("columns") == Json{"cell", "variant", "min_ess", "k"});
  CHECK(data.at("table").at("cell") == Json{"a", "b", "c"});
  CHECK(data.at("table").at("variant") == Json::parse(R"({"words": ["hmc"], "at": [0, 0, null]})"));
  CHECK(data.at("table").at("min_ess") == Json{12.3457, nullptr, 3});
  CHECK(data.at("table").at("k").at("words") == Json{"[5,15]"});
  REQUIRE(data.at("curves").size() == 1);
  CHECK(data.at("curves")[0].at("row") == 0);
  CHECK(data.at("curves")[0].at("gradients") == Json{1.0, 2.0});
  CHECK(data.at("curves")[0].at("error_mean") == Json{0.1235, nullptr});
}

TEST_CASE("the page of a study thins long curves and keeps their last point") {
  Json points = Json::array();
  for (int k = 1; k <= 1000; ++k) points.push_back({{"gradients", k}});
  const Json table = {{"columns", {"cell", "curve"}},
                      {"rows", {{{"cell", "a"}, {"curve", points}}}}};
  const Json data = Json::parse(study_page_json(table.dump(), "t.json"));
  const Json& gradients = data.at("curves")[0].at("gradients");
  CHECK(gradients.size() == 20);
  CHECK(gradients.back() == 1000);
}

TEST_CASE("what is no table of a study is told") {
  for (const char* const text :
       {"", "[]", "{}", R"({"columns": [], "rows": [1]})", R"({"columns": {}, "rows": []})",
        R"({"columns": [928], "rows": []})", R"({"columns": [], "rows": [], "study": 1})",
        R"({"columns": [], "rows": [], "axes": "a"})",
        R"({"columns": [], "rows": [], "aliases": ["a"]})"}) {
    INFO(text);
    CHECK_THROWS_AS(study_page_json(text, "t.json"), InputError);
  }
}
