// The recorder cmdstan-csv: every line of its files, what happens with warm-up, and its refusals.
// SPDX-License-Identifier: Apache-2.0
#include "draws_testing.hpp"

#include <catch2/catch.hpp>
#include <sys/resource.h>

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

std::shared_ptr<const Recorder> csv_recorder(std::int64_t digits = 8) {
  static const Registry registry = Registry::load({MIXWELL_BUILD_DIR "/lib/mixwell/plugins"});
  const auto blueprint = registry.find(Kind::recorder, "cmdstan-csv").blueprint();
  *std::get<std::int64_t*>(blueprint->fields().all().front().target()) = digits;
  return std::dynamic_pointer_cast<const Recorder>(blueprint->make());
}

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

/// The first row and those of draws, without comments.
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

/// A whole recording; returns the text of the file of one chain.
template <class Number>
std::string recorded(const RunHeader& h, std::int64_t warmup, std::int64_t draws,
                     const Number& number, int id = 1, std::int64_t digits = 8) {
  const auto recording = csv_recorder(digits)->open(h);
  if (warmup > 0) write_draws(*recording, h, number, true, 0, warmup);
  write_draws(*recording, h, number, false, 0, draws);
  recording->finish(footer(draws, warmup));
  return text_of(h.path, id);
}

/// What the kernel nuts with a diagonal metric records.
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
  const std::string pad(18, ' ');
  CHECK(recorded(h, 2, 3, nuts_number, 2) ==
        "# stan_version_major = 2\n# stan_version_minor = 36\n# stan_version_patch = 0\n"
        "# model = test_model\n# start_datetime = 2000-01-01 00:00:00 UTC\n# method = sample\n"
        "#   sample\n#     num_samples = 6" +
            pad + "\n#     num_warmup = 4" + pad +
            "\n#     save_warmup = 1\n#     thin = 2\n#     algorithm = hmc\n#       hmc\n"
            "#         engine = nuts\n#           nuts\n#             max_depth = 10\n#         "
            "metric = diag_e\n"
            "#     num_chains = 2\n# id = 2\n# output\n#   sig_figs = 8\n"
            "# mixwell_version = 0.0.0\n# mixwell_replicate = 1 of 2\n# mixwell_slot = 0 of 1\n"
            "# mixwell_warmup = 4\n"
            "# mixwell_columns = energy_error real, energy real, theta x 2 real, "
            "diverging boolean, tree_depth integer, n_steps integer, lp real, step_size real, "
            "acceptance_rate real, x real, inv_metric x 2 real once\n"
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
  const std::string text = recorded(header(folder.path(), {real("x")}), 0, 1, tagged);
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
      recorded(h, 0, 1, [](std::size_t, std::int64_t, Index, Index e) { return double(e); }));
  CHECK(rows[0] == "b.1.1,b.2.1,b.1.2,b.2.2,b.1.3,b.2.3,c.1.1.1,c.2.1.1,c.1.1.2,c.2.1.2");
  CHECK(rows[1] == "0,3,1,4,2,5,0,2,1,3");
}

TEST_CASE("each chain has the file of its number, and its own draws") {
  const TemporaryFolder folder;
  RunHeader h = header(folder.path(), {real("x"), statistic("lp")});
  h.replicates = 2;
  h.slots = 3;
  recorded(h, 0, 2, tagged);
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
  CHECK(rows_of(recorded(h, 0, 9, number)) == eight);
  const auto exact = rows_of(recorded(h, 0, 9, number, 1, 17));
  for (std::size_t k = 0; k < 6; ++k) {
    const double read = std::strtod(exact[k + 1].c_str(), nullptr);
    CHECK(std::memcmp(&read, &values[k], sizeof(double)) == 0);
  }
  CHECK(value_of(text_of(folder.path(), 1), "sig_figs") == "17");
}

TEST_CASE("whole numbers keep all their digits") {
  const TemporaryFolder folder;
  const RunHeader h = header(folder.path(), {real("x"), statistic("n_steps", RecordType::integer)});
  const auto rows = rows_of(recorded(
      h, 0, 1, [](std::size_t, std::int64_t, Index, Index) { return 9007199254740992.0; }));
  CHECK(rows[1] == "9007199254740992,9.0071993e+15");
}

TEST_CASE("the lines after warm-up say how the sampler was adapted") {
  const TemporaryFolder folder;
  const auto adaptation = [&](std::vector<Column> columns) {
    const std::string text = recorded(header(folder.path(), std::move(columns)), 0, 1, tagged);
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
  const std::string text = recorded(h, 0, 2, tagged);
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
  const std::string text = recorded(h, 7, 0, tagged);
  CHECK(value_of(text, "num_warmup") == "21");
  CHECK(value_of(text, "num_samples") == "0");
  CHECK(value_of(text, "mixwell_warmup") == "30");
  CHECK(part(text, "1006,6", 2) == "1006,6\n# Adaptation terminated\n");
  CHECK(value_of(recorded(h, 10, 5, tagged), "num_samples") == "15");
}

TEST_CASE("files of chains that an earlier run had more are taken away") {
  const TemporaryFolder folder;
  RunHeader h = header(folder.path(), {real("x")});
  h.replicates = 5;
  recorded(h, 0, 1, tagged);
  h.replicates = 2;
  recorded(h, 0, 1, tagged);
  CHECK_FALSE(text_of(folder.path(), 2).empty());
  for (int id = 3; id <= 5; ++id) CHECK(text_of(folder.path(), id).empty());
}

TEST_CASE("names that a CSV file cannot tell apart are refused") {
  const TemporaryFolder folder;
  const auto refusal = [&](std::vector<Column> columns) -> std::string {
    try {
      csv_recorder()->open(header(folder.path(), std::move(columns)));
    } catch (const InputError& error) {
      return error.what();
    }
    return "accepted";
  };
  CHECK_THAT(refusal({real("a,b")}), Catch::Contains("'a,b'") && Catch::Contains("comma"));
  CHECK_THAT(refusal({real("a b")}), Catch::Contains("'a b'"));
  CHECK_THAT(refusal({real("b", {2}), real("b.2")}),
             Catch::Contains("'b.2'") && Catch::Contains("stands there already"));
  CHECK_THAT(refusal({real("lp__"), statistic("lp")}), Catch::Contains("'lp__'"));
  CHECK(refusal({real("b", {2}), real("c.2")}) == "accepted");
  CHECK(folder.is_empty());
}

TEST_CASE("a number that is none of its type ends the recording") {
  const TemporaryFolder folder;
  const RunHeader h =
      header(folder.path(), {real("x"), statistic("diverging", RecordType::boolean)});
  CHECK_THROWS_WITH(
      recorded(h, 0, 3, [](std::size_t, std::int64_t d, Index, Index) { return double(d); }),
      Catch::Contains("'diverging'") && Catch::Contains("draw 2 of chain 0") &&
          Catch::Contains("0 or 1"));
  CHECK(folder.is_empty());
}

TEST_CASE("draws out of order and false counts are refused") {
  const TemporaryFolder folder;
  const RunHeader h = header(folder.path(), {real("x")});
  const auto recording = csv_recorder()->open(h);
  write_draws(*recording, h, tagged, false, 0, 4);
  CHECK_THROWS_WITH(write_draws(*recording, h, tagged, false, 5, 1),
                    Catch::Contains("got draw 5 where 4 was due"));
  CHECK_THROWS_AS(write_draws(*recording, h, tagged, true, 0, 1), RunError);
  CHECK_THROWS_WITH(recording->finish(footer(5)), Catch::Contains("4 draws"));
}

TEST_CASE("a file that was cut or changed is not continued, and the reason is named") {
  const TemporaryFolder folder;
  RunHeader h = header(folder.path(), {real("x"), statistic("lp")});
  {
    const auto recording = csv_recorder()->open(h);
    write_draws(*recording, h, tagged, false, 0, 4);
    state_of(*recording);
  }
  h.resume = true;
  RunHeader other = h;
  other.thin = 7;
  CHECK_THROWS_WITH(csv_recorder()->open(other),
                    Catch::Contains("draws_1.csv.partial") &&
                        Catch::Contains("it has the line '#     thin = 1', the run "
                                        "'#     thin = 7'"));
  CHECK_THROWS_WITH(csv_recorder(9)->open(h), Catch::Contains("sig_figs = 9"));
  std::filesystem::resize_file(folder.path() + "/draws_1.csv.partial", 100);
  CHECK_THROWS_WITH(csv_recorder()->open(h), Catch::Contains("it ends before its first row"));
}

TEST_CASE("rows beyond a saved state are gone when it is restored, before another is saved") {
  const TemporaryFolder folder;
  RunHeader h = header(folder.path(), {real("x")});
  const std::string file = folder.path() + "/draws_1.csv.partial";
  std::vector<char> saved;
  std::uintmax_t size = 0;
  {
    const auto recording = csv_recorder()->open(h);
    write_draws(*recording, h, tagged, false, 0, 4);
    saved = state_of(*recording);
    size = std::filesystem::file_size(file);
    write_draws(*recording, h, tagged, false, 4, 4);
    state_of(*recording);
  }
  REQUIRE(std::filesystem::file_size(file) > size);
  h.resume = true;
  const auto recording = csv_recorder()->open(h);
  mixwell::StateReader reader(saved);
  recording->visit_state(reader);
  CHECK(std::filesystem::file_size(file) == size);
}

TEST_CASE("more chains than a process may have files open are recorded") {
  const TemporaryFolder folder;
  rlimit kept{};
  getrlimit(RLIMIT_NOFILE, &kept);
  const rlimit few{20, kept.rlim_max};
  setrlimit(RLIMIT_NOFILE, &few);
  RunHeader h = header(folder.path(), {real("x")});
  h.replicates = 100;
  const std::string last = recorded(h, 0, 2, tagged, 100);
  setrlimit(RLIMIT_NOFILE, &kept);
  CHECK(rows_of(last) == std::vector<std::string>{"x", "12.375", "13.375"});
}

TEST_CASE("a CSV file that may not grow ends the run with a clear error and leaves nothing") {
  const TemporaryFolder folder;
  rlimit kept{};
  getrlimit(RLIMIT_FSIZE, &kept);
  const auto handler = std::signal(SIGXFSZ, SIG_IGN);
  const rlimit few{5000, kept.rlim_max};
  setrlimit(RLIMIT_FSIZE, &few);
  std::string message;
  try {
    recorded(header(folder.path(), {real("x")}), 0, 10000, tagged);
  } catch (const RunError& error) {
    message = error.what();
  }
  setrlimit(RLIMIT_FSIZE, &kept);
  std::signal(SIGXFSZ, handler);
  CHECK_THAT(message, Catch::Contains("draws_1.csv.partial: cannot write the file") &&
                          Catch::Contains("File too large") && Catch::Contains("free some space"));
  CHECK(folder.is_empty());
}
