// CSV files in the format of CmdStan: every line, the treatment of warmup, and what is refused.
// SPDX-License-Identifier: Apache-2.0
#include "draws_testing.hpp"

#include <mixwell/lab/cmdstan_csv.hpp>
#include <mixwell/lab/stop_request.hpp>

#include <catch2/catch.hpp>
#include <netcdf.h>
#include <sys/resource.h>

#include <algorithm>
#include <cmath>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <limits>
#include <sstream>

using namespace mixwell;
using namespace mixwell::testing;

namespace {

std::string text_of(const std::string& folder, int id) {
  std::ifstream in(folder + "/draws_" + std::to_string(id) + ".csv", std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> lines;
  std::istringstream in(text);
  for (std::string line; std::getline(in, line);) lines.push_back(line);
  return lines;
}

/// Lines from the one that begins with `start` on, at most `count` of them.
std::string part(const std::string& text, const std::string& start, std::size_t count) {
  std::string found;
  for (const std::string& line : lines_of(text)) {
    if (found.empty() && line.rfind(start, 0) != 0) continue;
    if (count-- == 0) break;
    found += line + "\n";
  }
  return found;
}

/// The header row and the rows of draws, without comments.
std::vector<std::string> rows_of(const std::string& text) {
  std::vector<std::string> rows;
  for (const std::string& line : lines_of(text))
    if (line.empty() || line.front() != '#') rows.push_back(line);
  return rows;
}

/// Value after `key = `, without the blanks at its end.
std::string value_of(const std::string& text, const std::string& key) {
  for (const std::string& line : lines_of(text)) {
    const std::size_t at = line.find(" " + key + " = ");
    if (line.front() != '#' || at == std::string::npos) continue;
    const std::string value = line.substr(at + key.size() + 4);
    return value.substr(0, value.find_last_not_of(' ') + 1);
  }
  return "none";
}

/// draw + chain / 10 + element / 100, and tags by column.
double tagged(std::size_t column, std::int64_t draw, Index chain, Index element) {
  return double(column) * 1000 + double(draw) + 0.125 * double(chain) + 0.25 * double(element);
}

/// A whole draws.nc; returns the text of the exported file of one chain.
template <class Number>
std::string exported(const RunHeader& h, std::int64_t warmup, std::int64_t draws,
                     const Number& number, int id = 1, int digits = 8) {
  const auto recording = netcdf_recorder()->open(h);
  if (warmup > 0) write_draws(*recording, h, number, true, 0, warmup);
  write_draws(*recording, h, number, false, 0, draws);
  recording->finish(footer(draws, warmup));
  export_cmdstan_csv(h.path, {.digits = digits});
  return text_of(h.path, id);
}

std::string refusal(const std::string& run, const CmdstanCsvOptions& options = {}) {
  try {
    export_cmdstan_csv(run, options);
  } catch (const Error& error) {
    return error.what();
  }
  return "accepted";
}

/// The files in a folder whose names contain this text.
std::size_t count_of(const std::string& folder, const std::string& part) {
  std::size_t count = 0;
  for (const auto& entry : std::filesystem::directory_iterator(folder))
    if (entry.path().filename().string().find(part) != std::string::npos) ++count;
  return count;
}

/// As long as it lives, the process may have only so much of something.
class Limit {
 public:
  Limit(__rlimit_resource what, rlim_t most) : what_(what) {
    getrlimit(what, &kept_);
    const rlimit few{most, kept_.rlim_max};
    setrlimit(what, &few);
  }
  Limit(const Limit&) = delete;
  Limit& operator=(const Limit&) = delete;
  ~Limit() { setrlimit(what_, &kept_); }

 private:
  __rlimit_resource what_;
  rlimit kept_{};
};

/// The statistics that the kernel nuts records with a diagonal metric.
std::vector<Column> nuts_columns() {
  std::vector<Column> columns = {statistic("energy_error"),
                                 statistic("energy"),
                                 real("theta", {2}),
                                 statistic("diverging", RecordType::boolean),
                                 statistic("tree_depth", RecordType::integer),
                                 statistic("n_steps", RecordType::integer),
                                 statistic("lp"),
                                 statistic("step_size"),
                                 statistic("acceptance_rate"),
                                 real("x"),
                                 statistic("inv_metric")};
  columns.back().shape = {2};
  columns.back().once = true;
  return columns;
}

double nuts_number(std::size_t column, std::int64_t draw, Index, Index element) {
  if (column == 3) return double(draw % 2);
  if (column == 4 || column == 5) return double(column + draw);
  return 0.5 + double(column) + 0.25 * double(element);
}

}  // namespace

TEST_CASE("a CSV file has every line that CmdStan's has") {
  const TemporaryFolder folder;
  RunHeader h = header(folder.path(), nuts_columns());
  h.record_warmup = true;
  h.warmup = 4;
  h.thin = 2;
  h.draws = 3;
  h.replicates = 2;
  CHECK(exported(h, 2, 3, nuts_number, 2) ==
        "# stan_version_major = 2\n# stan_version_minor = 36\n# stan_version_patch = 0\n"
        "# model = test_model\n# start_datetime = 2000-01-01 00:00:00 UTC\n# method = sample\n"
        "#   sample\n#     num_samples = 6\n#     num_warmup = 4\n#     save_warmup = 1\n#     "
        "thin = 2\n#     algorithm = hmc\n#       hmc\n"
        "#         engine = nuts\n#           nuts\n#             max_depth = 10\n#         "
        "metric = diag_e\n"
        "#     num_chains = 2\n# id = 2\n# output\n#   sig_figs = 8\n"
        "# mixwell_version = 0.0.0\n# mixwell_replicate = 1 of 2\n# mixwell_slot = 0 of 1\n"
        "# mixwell_warmup = 4\n"
        "lp__,accept_stat__,stepsize__,treedepth__,n_leapfrog__,divergent__,energy__,"
        "theta.1,theta.2,x,energy_error__\n"
        "6.5,8.5,7.5,4,5,0,1.5,2.5,2.75,9.5,0.5\n"
        "6.5,8.5,7.5,5,6,1,1.5,2.5,2.75,9.5,0.5\n"
        "# Adaptation terminated\n# Step size = 7.5\n"
        "# Diagonal elements of inverse mass matrix:\n# 10.5, 10.75\n"
        "6.5,8.5,7.5,4,5,0,1.5,2.5,2.75,9.5,0.5\n"
        "6.5,8.5,7.5,5,6,1,1.5,2.5,2.75,9.5,0.5\n"
        "6.5,8.5,7.5,6,7,0,1.5,2.5,2.75,9.5,0.5\n"
        "# \n#  Elapsed Time: 0.250000 seconds (Warm-up)\n"
        "#                0.500000 seconds (Sampling)\n"
        "#                0.750000 seconds (Total)\n# \n");
}

TEST_CASE("seconds begin at the eighteenth character of their line") {
  const TemporaryFolder folder;
  const std::string text = exported(header(folder.path(), {real("x")}), 0, 1, tagged);
  int times = 0;
  for (const std::string& line : lines_of(text)) {
    if (line.find(" seconds (") == std::string::npos) continue;
    CHECK(line.find_first_of("0123456789") == 17);
    ++times;
  }
  CHECK(times == 3);
}

TEST_CASE("elements of arrays are numbered from 1 with the first index fastest") {
  const TemporaryFolder folder;
  const RunHeader h = header(folder.path(), {real("b", {2, 3}), real("c", {2, 1, 2})});
  const auto rows = rows_of(
      exported(h, 0, 1, [](std::size_t, std::int64_t, Index, Index e) { return double(e); }));
  CHECK(rows[0] == "b.1.1,b.2.1,b.1.2,b.2.2,b.1.3,b.2.3,c.1.1.1,c.2.1.1,c.1.1.2,c.2.1.2");
  CHECK(rows[1] == "0,3,1,4,2,5,0,2,1,3");
}

TEST_CASE("each chain has the file of its number, and its own draws") {
  const TemporaryFolder folder;
  RunHeader h = header(folder.path(), {real("x"), statistic("lp")});
  h.replicates = 2;
  h.slots = 3;
  exported(h, 0, 2, tagged);
  for (int chain = 0; chain < 6; ++chain) {
    const std::string text = text_of(folder.path(), chain + 1);
    INFO(text);
    CHECK(value_of(text, "id") == std::to_string(chain + 1));
    CHECK(value_of(text, "mixwell_replicate") == std::to_string(chain / 3) + " of 2");
    CHECK(value_of(text, "mixwell_slot") == std::to_string(chain % 3) + " of 3");
    const auto rows = rows_of(text);
    REQUIRE(rows.size() == 3);
    std::ostringstream wanted;
    wanted.precision(12);
    wanted << 1000 + 0.125 * chain << ',' << 0.125 * chain;
    CHECK(rows[1] == wanted.str());
  }
}

TEST_CASE(
    "numbers have the digits that are asked for, and Stan's words where they are not finite") {
  const double inf = std::numeric_limits<double>::infinity();
  const std::vector<double> values = {
      1.0 / 3.0, 1e-5, 123456789.0, -0.0, 5e-324, 1.7976931348623157e308, inf, -inf, std::nan("")};
  const auto number = [&](std::size_t, std::int64_t draw, Index, Index) {
    return values[std::size_t(draw)];
  };
  const TemporaryFolder folder;
  const RunHeader h = header(folder.path(), {real("x")});
  const std::vector<std::string> eight = {
      "x",   "0.33333333", "1e-05", "1.2345679e+08", "-0", "4.9406565e-324", "1.7976931e+308",
      "inf", "-inf",       "NaN"};
  CHECK(rows_of(exported(h, 0, 9, number)) == eight);
  const auto exact = rows_of(exported(h, 0, 9, number, 1, 17));
  for (std::size_t k = 0; k < 6; ++k) {
    const double read = std::strtod(exact[k + 1].c_str(), nullptr);
    CHECK(std::memcmp(&read, &values[k], sizeof(double)) == 0);
  }
  CHECK(value_of(text_of(folder.path(), 1), "sig_figs") == "17");
}

TEST_CASE("whole numbers keep all their digits") {
  const TemporaryFolder folder;
  const RunHeader h = header(folder.path(), {real("x"), statistic("n_steps", RecordType::integer)});
  const auto rows = rows_of(exported(
      h, 0, 1, [](std::size_t, std::int64_t, Index, Index) { return 9007199254740992.0; }));
  CHECK(rows[1] == "9007199254740992,9.0071993e+15");
}

TEST_CASE("the lines after warm-up say how the sampler was adapted") {
  const TemporaryFolder folder;
  const auto adaptation = [&](std::vector<Column> columns) {
    const std::string text = exported(header(folder.path(), std::move(columns)), 0, 1, tagged);
    return value_of(text, "algorithm") + " " + value_of(text, "engine") + " " +
           value_of(text, "metric") + "\n" + part(text, "# Adaptation", 6);
  };
  std::vector<Column> columns = {real("x")};
  CHECK_THAT(adaptation(columns),
             Catch::StartsWith("fixed_param none none\n# Adaptation terminated\n0\n# \n"));
  columns.push_back(statistic("step_size"));
  CHECK_THAT(adaptation(columns),
             Catch::StartsWith("hmc static unit_e\n# Adaptation terminated\n# Step size = 1000\n"
                               "# No free parameters for unit metric\n"));
  columns.push_back(statistic("inv_metric"));
  columns.back().shape = {2, 2};
  columns.back().once = true;
  CHECK_THAT(adaptation(columns),
             Catch::StartsWith("hmc static dense_e\n# Adaptation terminated\n# Step size = 1000\n"
                               "# Elements of inverse mass matrix:\n# 2000, 2000.25\n"
                               "# 2000.5, 2000.75\n"));
}

TEST_CASE("without recorded warm-up no row stands before the end of adaptation") {
  const TemporaryFolder folder;
  RunHeader h = header(folder.path(), {real("x"), statistic("step_size")});
  h.warmup = 100;
  h.thin = 4;
  h.draws = 2;
  const std::string text = exported(h, 0, 2, tagged);
  CHECK(value_of(text, "save_warmup") == "0");
  CHECK(value_of(text, "num_warmup") == "100");
  CHECK(value_of(text, "num_samples") == "8");
  CHECK(part(text, "stepsize__,x", 2) == "stepsize__,x\n# Adaptation terminated\n");
  CHECK(rows_of(text).size() == 3);
}

// Readers go from the last row of warm-up to the next `#` without asking for the end of the file.
TEST_CASE("a run that ends early has a comment after its warm-up and the counts that it reached") {
  const TemporaryFolder folder;
  RunHeader h = header(folder.path(), {real("x"), statistic("step_size")});
  h.record_warmup = true;
  h.warmup = 30;
  h.thin = 3;
  h.draws = 100;
  const std::string text = exported(h, 7, 0, tagged);
  CHECK(value_of(text, "num_warmup") == "21");
  CHECK(value_of(text, "num_samples") == "0");
  CHECK(value_of(text, "mixwell_warmup") == "30");
  CHECK(part(text, "1006,6", 2) == "1006,6\n# Adaptation terminated\n");
  CHECK(value_of(exported(h, 10, 5, tagged), "num_samples") == "15");
}

TEST_CASE("files of chains that an earlier run had more are taken away") {
  const TemporaryFolder folder;
  RunHeader h = header(folder.path(), {real("x")});
  h.replicates = 5;
  exported(h, 0, 1, tagged);
  h.replicates = 2;
  exported(h, 0, 1, tagged);
  CHECK_FALSE(text_of(folder.path(), 2).empty());
  for (int id = 3; id <= 5; ++id) CHECK(text_of(folder.path(), id).empty());
}

TEST_CASE("names that a CSV file cannot tell apart are refused") {
  const auto refusal_of = [&](std::vector<Column> columns) {
    const TemporaryFolder folder;
    write_file(header(folder.path(), std::move(columns)), 2, tagged);
    const std::string said = refusal(folder.path(), {.folder = folder.path() + "/csv"});
    CHECK(std::filesystem::exists(folder.path() + "/csv") == (said == "accepted"));
    return said;
  };
  CHECK_THAT(refusal_of({real("a,b")}), Catch::Contains("'a,b'") && Catch::Contains("comma"));
  CHECK_THAT(refusal_of({real("a b")}), Catch::Contains("'a b'") && Catch::Contains("Rename"));
  CHECK_THAT(refusal_of({real("b", {2}), real("b.2")}),
             Catch::Contains("'b.2'") && Catch::Contains("another column has the same name"));
  CHECK_THAT(refusal_of({real("lp__"), statistic("lp")}), Catch::Contains("'lp__'"));
  CHECK(refusal_of({real("b", {2}), real("c.2")}) == "accepted");
}

TEST_CASE("a variable of another group with a name that is taken has the name of its group") {
  const TemporaryFolder folder;
  std::vector<Column> columns = {real("y"), real("y"), real("z")};
  columns[1].group = RecordGroup::log_likelihood;
  columns[2].group = RecordGroup::log_likelihood;
  CHECK(rows_of(exported(header(folder.path(), columns), 0, 1, tagged)) ==
        std::vector<std::string>{"y,log_likelihood_y,z", "0,1000,2000"});
}

TEST_CASE("the largest tree depth is that of the run's manifest") {
  const TemporaryFolder folder;
  folder.file("manifest.toml",
              "mixwell = 1\n[kernel.a]\nuse = \"nuts\"\nmax_depth = 7\n[kernel.b]\nsteps = 9\n");
  const std::string text = exported(header(folder.path(), nuts_columns()), 0, 1, nuts_number);
  CHECK(value_of(text, "max_depth") == "7");
}

TEST_CASE("draws of the prior are exported as others are") {
  const TemporaryFolder folder;
  RunHeader h = header(folder.path(), {real("x"), statistic("lp")});
  h.prior = "density";
  h.record_warmup = true;
  h.warmup = 1;
  CHECK(rows_of(exported(h, 1, 1, tagged)) ==
        std::vector<std::string>{"lp__,x", "1000,0", "1000,0"});
}

TEST_CASE("more draws than are held together are all exported, in order") {
  const TemporaryFolder folder;
  constexpr Index wide = 30000;
  RunHeader h = header(folder.path(), {real("x", {wide})});
  h.replicates = 1;
  const auto rows = rows_of(exported(h, 0, 100, [](std::size_t, std::int64_t draw, Index, Index e) {
    return double(1000 * draw + e % 1000);
  }));
  REQUIRE(rows.size() == 101);
  for (int draw = 0; draw < 100; ++draw) {
    const std::string& row = rows[std::size_t(draw) + 1];
    CHECK(row.substr(0, row.find(',')) == std::to_string(1000 * draw));
    CHECK(row.substr(row.rfind(',') + 1) == std::to_string(1000 * draw + 999));
    CHECK(std::count(row.begin(), row.end(), ',') == wide - 1);
  }
}

TEST_CASE("what is no run of Mixwell is not exported") {
  const TemporaryFolder folder;
  CHECK_THAT(refusal(folder.path()),
             Catch::Contains("this file does not exist") && Catch::Contains("a run folder"));
  int file = -1;
  int group = -1;
  int dimension = -1;
  REQUIRE(nc_create((folder.path() + "/draws.nc").c_str(), NC_NETCDF4, &file) == NC_NOERR);
  REQUIRE(nc_def_grp(file, "posterior", &group) == NC_NOERR);
  for (const char* const name : {"chain", "draw"})
    REQUIRE(nc_def_dim(group, name, 2, &dimension) == NC_NOERR);
  REQUIRE(nc_close(file) == NC_NOERR);
  CHECK_THAT(refusal(folder.path()),
             Catch::Contains("this is not a Mixwell run: the draws file has no attribute `thin`"));
  CHECK(count_of(folder.path(), "csv") == 0);
}

TEST_CASE("an export that is asked to stop leaves what was there") {
  const TemporaryFolder folder;
  const std::string before = exported(header(folder.path(), {real("x")}), 0, 3, tagged);
  StopRequest stop;
  stop.make();
  CHECK_THROWS_AS(export_cmdstan_csv(folder.path(), {.digits = 3, .stop = &stop}), Stopped);
  CHECK(text_of(folder.path(), 1) == before);
  CHECK(count_of(folder.path(), "partial") == 0);
}

TEST_CASE("more chains than a process may have files open are exported") {
  const TemporaryFolder folder;
  RunHeader h = header(folder.path(), {real("x")});
  h.replicates = 100;
  const Limit few(RLIMIT_NOFILE, 20);
  CHECK(rows_of(exported(h, 0, 2, tagged, 100)) ==
        std::vector<std::string>{"x", "12.375", "13.375"});
}

TEST_CASE("a CSV file that may not grow ends the export with a clear error and leaves nothing") {
  const TemporaryFolder folder;
  write_file(header(folder.path(), {real("x")}), 10000, tagged);
  const auto handler = std::signal(SIGXFSZ, SIG_IGN);
  std::string message;
  {
    const Limit few(RLIMIT_FSIZE, 5000);
    message = refusal(folder.path(), {.folder = folder.path() + "/new"});
  }
  std::signal(SIGXFSZ, handler);
  CHECK_THAT(message, Catch::Contains("draws_1.csv` could not be written: File too large") &&
                          Catch::Contains("Free some disk space"));
  CHECK_FALSE(std::filesystem::exists(folder.path() + "/new"));
}
