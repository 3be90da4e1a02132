// Columns whose names look like elements of arrays, units or nothing at all, through whole runs.
// SPDX-License-Identifier: Apache-2.0
#include "program.hpp"

using namespace end_to_end;

namespace {

/// A regression on all columns of t.csv but y.
std::string regression(const std::string& run, const std::string& keys = "") {
  return "mixwell = 1\n[run]\ndraws = 20\nwarmup = 20\n" + run +
         "[model.m]\nuse = \"logistic-regression\"\ndata = \"t.csv\"\nresponse = "
         "\"y\"\nintercept = false\n" +
         keys;
}

std::string table(const std::string& names) {
  return names + "\n1,0.5,1\n0.2,-1,0\n-1,2,1\n0.4,0.1,0\n2,0.3,1\n-2,-1,0\n";
}

}  // namespace

TEST_CASE("A column is called as it is in the lines for R, whatever its brackets hold") {
  for (const std::string name :
       {"a[1]", "len [cm]", "a[kg]", "[a]", "a[99999999999999999999]", "a[1,2]", "a[]", "a]b["}) {
    CAPTURE(name);
    const Workplace place;
    place.write("t.csv", table("\"" + name + "\",b,y"));
    place.write("m.toml", regression(""));
    const Outcome run = place.mixwell("run m.toml");
    INFO(run.err);
    REQUIRE(run.code == 0);
    const std::string recorded = name.front() == '[' ? "_" + name : name;
    contains(run.out, "ncvar_get(draws, \"posterior/" + recorded + "\", collapse_degen = FALSE)");
    contains(run.out, "rhat(x); ess_bulk(x)  # iterations x chains of " + recorded + "\n");
    const auto summary = nlohmann::json::parse(read(place.path("out/m/summary.json")));
    CHECK_FALSE(summary.at("variables").at(recorded).contains("indices"));
    CHECK(place.mixwell("summary out/m").code == 0);
    CHECK(place.mixwell("report out/m").code == 0);
  }
}

TEST_CASE("Elements of arrays have their subscripts in the lines for R and in the summary") {
  const Workplace place;
  place.write("t.csv", "g [x],y\nu,1\nv,0\nw,1\nu,0\nv,1\nw,0\n");
  place.write("m.toml", regression("", "factors = [\"g [x]\"]\n"));
  const Outcome run = place.mixwell("run m.toml");
  INFO(run.err);
  REQUIRE(run.code == 0);
  contains(run.out, "ncvar_get(draws, \"posterior/g [x]\", collapse_degen = FALSE)");
  contains(run.out, "rhat(x[1, , ]); ess_bulk(x[1, , ])");
  const auto summary = nlohmann::json::parse(read(place.path("out/m/summary.json")));
  CHECK(summary.at("variables").at("g [x][1]").at("indices") == nlohmann::json{1});
  contains(run.err, "Reference levels of the factors: \"u\" of \"g [x]\".");
}

TEST_CASE("Quotes in names of files and columns do not end the texts of the lines for R") {
  const Workplace place;
  place.write("t.csv", table("\"a \"\"q\"\"\",b,y"));
  place.write("m.toml", regression(""));
  const Outcome run = place.mixwell("run m.toml --out 'o\"ut'");
  INFO(run.err);
  REQUIRE(run.code == 0);
  contains(run.out, "nc_open(\"o\\\"ut/draws.nc\")");
  contains(run.out, "\"posterior/a \\\"q\\\"\"");
}

TEST_CASE("A scalar with brackets in its name is not cut from a long table") {
  const Workplace place;
  std::string header;
  std::string rows[3];
  for (int k = 0; k < 60; ++k) {
    header += "\"x [" + std::to_string(k) + "]\",";
    for (int n = 0; n < 3; ++n) rows[n] += std::to_string((k * 7 + n * 5) % 11) + ",";
  }
  place.write("t.csv", header + "y\n" + rows[0] + "1\n" + rows[1] + "0\n" + rows[2] + "1\n");
  place.write("m.toml", regression(""));
  const Outcome run = place.mixwell("run m.toml");
  REQUIRE(run.code == 0);
  contains(run.out, "x [59]");
  CHECK(run.out.find("more rows") == std::string::npos);
}

TEST_CASE("An export that cannot hold the name of a column says where names come from") {
  const Workplace place;
  place.write("t.csv", table("len [cm],b,y"));
  place.write("m.toml", regression(""));
  REQUIRE(place.mixwell("run m.toml").code == 0);
  const Outcome made = place.mixwell("export out/m --format cmdstan-csv");
  CHECK(made.code == 2);
  contains(
      made.err,
      "a CSV file cannot have a column named 'len [cm]': the name must not contain a blank, comma, "
      "quote or '#'. Rename the variable where it is named (the data, the manifest or the code");
  CHECK_FALSE(std::filesystem::exists(place.path("out/m/draws_1.csv")));
}

TEST_CASE("Columns of starting points go by their names") {
  const Workplace place;
  place.write("t.csv", table("a[1],len [cm],y"));
  const std::string walk = "[kernel.k]\nuse = \"random-walk-metropolis\"\nstep_size = 1e-30\n";
  const auto first_draw = [&](const std::string& starts) {
    place.write("starts.csv", starts);
    place.write("m.toml", regression("replicates = 2\ninit = { file = \"starts.csv\" }\n", walk));
    return place.mixwell("run m.toml --force --set run.warmup=0");
  };
  const Outcome run = first_draw("\"len [cm]\",\"a[1]\"\n7,3\n9,5\n");
  INFO(run.err);
  REQUIRE(run.code == 0);
  const auto summary = nlohmann::json::parse(read(place.path("out/m/summary.json")));
  CHECK(summary.at("variables").at("a[1]").at("mean") == 4);
  CHECK(summary.at("variables").at("len [cm]").at("mean") == 8);
  const auto refusal = [&](const std::string& starts) {
    const Outcome outcome = first_draw(starts);
    CHECK(outcome.code == 2);
    return outcome.err;
  };
  contains(refusal("banana,apple\n1,2\n"),
           "starts.csv: the column \"banana\": the model has no parameter \"banana\"");
  contains(refusal("a[1]\n1\n"),
           "starts.csv: 1 of 2 coordinates have no column. The first of these coordinates is `len "
           "[cm]`");
  contains(refusal("\"len [cm]\",\"a[1]\",b\n7,3,1\n"), "the column \"b\": ");
  contains(refusal("\"len [cm]\",\"a[1]\"\n7,NaN\n"),
           "starts.csv:2: row 1, column \"a[1]\": \"NaN\" is a missing value");
  contains(
      refusal("\"len [cm]\",\"a[1]\"\n7,3\n7,3\n7,3\n"),
      "starts.csv: the file has 3 rows. It must have 1 row for all chains, or 2 rows (one for each "
      "chain)");
}

TEST_CASE("A table in Latin-1 is refused before a draw, with place and cure") {
  const Workplace place;
  place.write("m.toml", regression("", "factors = [\"town\"]\ninputs = [\"b\"]\n"));
  const auto refusal = [&](const std::string& text) {
    place.write("t.csv", text);
    const Outcome run = place.mixwell("run m.toml");
    CHECK(run.code == 2);
    CHECK_FALSE(std::filesystem::exists(place.path("out/m")));
    contains(run.err, "iconv -f latin1 -t utf-8");
    return run.err;
  };
  contains(refusal("town,b,y\nUlm,1,0\nK\xF6ln,2,1\nUlm,3,1\nK\xF6ln,4,0\n"),
           "t.csv:3: row 2, column \"town\": \"K\\xf6ln\" is not valid UTF-8");
  contains(refusal("t\xF6wn,b,y\nUlm,1,0\nBonn,2,1\n"),
           "t.csv:1: column 1: the name \"t\\xf6wn\" is not valid UTF-8");
  contains(refusal("town,b,y\nUlm,1,n\xF6\nBonn,2,j\nUlm,3,j\nBonn,4,n\xF6\n"),
           "t.csv:2: row 1, column \"y\": \"n\\xf6\" is not valid UTF-8");
}

TEST_CASE("Names of folders and files that are not UTF-8 cost no draws") {
  const Workplace place;
  const std::string folder = place.path("caf\xE9");
  std::filesystem::create_directories(folder + "/data");
  const auto write = [&](const std::string& name, const std::string& text) {
    std::ofstream(folder + "/" + name) << text;
  };
  write("data/t.csv", table("a,b,y"));
  write("g.toml",
        "mixwell = 1\n[run]\ndraws = 20\nwarmup = 20\n[model.m]\nuse = \"gaussian\"\n"
        "dimension = 2\n");
  write("l\xE9.toml", regression(""));
  // A folder for results, and one of MIXWELL_DATA, whose files are recorded by their own names.
  const std::string data = "MIXWELL_DATA='" + folder + "/data' ";
  for (const std::string& command :
       {"run '" + folder + "/g.toml' --out '" + folder + "/out'",
        "run '" + folder + "/l\xE9.toml' --out '" + folder + "/l' --json"}) {
    const Outcome run = place.mixwell(command, data);
    INFO(run.out << run.err);
    CHECK(run.code == 0);
  }
  const auto record = nlohmann::json::parse(read(folder + "/l/run.json"));
  CHECK(record.at("files").at(0).at("file") == place.path("caf\uFFFD/data/t.csv"));
  CHECK(place.mixwell("summary '" + folder + "/l'").code == 0);
  CHECK(place.mixwell("report '" + folder + "/l'").code == 0);
  // Beside the manifest, its path would be in the manifest of the results.
  write("t.csv", table("a,b,y"));
  const Outcome refused = place.mixwell("check '" + folder + "/l\xE9.toml'");
  CHECK(refused.code == 2);
  contains(refused.err, "caf\\xe9/t.csv\" is not valid UTF-8, but the results of a run record");
}

TEST_CASE("A list of numbers that is needed and empty is a mistake of its key") {
  const Workplace place;
  for (const char* const keys :
       {"use = \"normal-groups\"\nsds = []\nvalues = []\n",
        "use = \"random-effects\"\nsds = []\nvalues = []\n",
        "use = \"labelled-mixture\"\nweights = [0.5, 0.5]\nvalues = []\n",
        "use = \"gaussian-process\"\ninputs = [1]\nvalues = []\n",
        "use = \"changepoint\"\ncounts = []\n", "use = \"beta-binomial\"\ncases = 3\nsizes = []\n",
        "use = \"gaussian\"\ndimension = 2\nmean = []\n"}) {
    CAPTURE(keys);
    place.write("m.toml", "mixwell = 1\n[model.m]\n" + std::string(keys));
    const Outcome check = place.mixwell("check m.toml");
    CHECK(check.code == 2);
    contains(check.err, " = []: must not be empty");
  }
}
