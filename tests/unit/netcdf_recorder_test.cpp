// The recorder netcdf: the contents of the file, and what happens if it cannot be written.
// SPDX-License-Identifier: Apache-2.0
#include "draws_testing.hpp"

#include <catch2/catch.hpp>
#include <fcntl.h>
#include <netcdf.h>
#include <sys/mount.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmath>
#include <csignal>
#include <cstdlib>
#include <fstream>
#include <limits>

#ifdef __SANITIZE_ADDRESS__
/// HDF5 loses the chunk it was writing when the disk is full.
extern "C" MIXWELL_EXPORT const char* __lsan_default_suppressions();
extern "C" const char* __lsan_default_suppressions() { return "leak:libhdf5\n"; }
#endif

using namespace mixwell;
using namespace mixwell::testing;

namespace {

constexpr double not_a_number = std::numeric_limits<double>::quiet_NaN();

/// Another number for each place; NaN and infinities among them.
double awkward(std::size_t column, std::int64_t draw, Index chain, Index element) {
  const std::int64_t place = ((draw * 7 + chain) * 1009 + element) * 11 + std::int64_t(column);
  if (place % 997 == 0) return not_a_number;
  if (place % 991 == 0) return place % 2 == 0 ? HUGE_VAL : -HUGE_VAL;
  return std::sin(double(place)) * std::pow(10.0, double(place % 600 - 300));
}

bool same(double a, double b) { return a == b || (std::isnan(a) && std::isnan(b)); }

template <class Number>
std::int64_t differences(const DrawsFile& file, const Number& number) {
  std::int64_t count = 0;
  for (std::size_t c = 0; c < file.columns().size(); ++c)
    for (Index e = 0; e < file.columns()[c].size(); ++e) {
      const Eigen::MatrixXd x = file.read(file.columns()[c], e);
      for (Index chain = 0; chain < x.cols(); ++chain)
        for (Index draw = 0; draw < x.rows(); ++draw)
          count += same(x(draw, chain), number(c, draw, chain, e)) ? 0 : 1;
    }
  return count;
}

std::string as_text(const std::vector<char>& bytes) { return {bytes.begin(), bytes.end()}; }

void require_ok(int status) {
  INFO(nc_strerror(status));
  REQUIRE(status == NC_NOERR);
}

/// The file as netCDF-C sees it.
class RawFile {
 public:
  explicit RawFile(const std::string& folder) {
    require_ok(nc_open((folder + "/draws.nc").c_str(), NC_NOWRITE, &id_));
  }
  RawFile(const RawFile&) = delete;
  RawFile& operator=(const RawFile&) = delete;
  ~RawFile() { nc_close(id_); }

  int id() const { return id_; }
  int group(const char* name) const {
    int id = -1;
    require_ok(nc_inq_grp_ncid(id_, name, &id));
    return id;
  }
  std::vector<std::string> group_names() const {
    std::vector<std::string> names;
    std::vector<int> ids(16);
    int count = 0;
    require_ok(nc_inq_grps(id_, &count, ids.data()));
    for (int k = 0; k < count; ++k) {
      char name[NC_MAX_NAME + 1];
      require_ok(nc_inq_grpname(ids[std::size_t(k)], name));
      names.push_back(name);
    }
    return names;
  }
  std::size_t length(const char* group_name, const char* dimension) const {
    int id = -1;
    std::size_t length = 0;
    require_ok(nc_inq_dimid(group(group_name), dimension, &id));
    require_ok(nc_inq_dimlen(group(group_name), id, &length));
    return length;
  }
  int variable(const char* group_name, const char* name) const {
    int id = -1;
    require_ok(nc_inq_varid(group(group_name), name, &id));
    return id;
  }
  nc_type type(const char* group_name, const char* name) const {
    nc_type type = NC_NAT;
    require_ok(nc_inq_vartype(group(group_name), variable(group_name, name), &type));
    return type;
  }
  bool has_attribute(const char* group_name, const char* name, const char* attribute) const {
    return nc_inq_att(group(group_name), variable(group_name, name), attribute, nullptr, nullptr) ==
           NC_NOERR;
  }
  std::vector<double> numbers(const char* group_name, const char* name, std::size_t count) const {
    std::vector<double> values(count);
    require_ok(nc_get_var_double(group(group_name), variable(group_name, name), values.data()));
    return values;
  }
  std::vector<std::string> texts(const char* group_name, const char* name,
                                 std::size_t count) const {
    std::vector<char*> values(count);
    require_ok(nc_get_var_string(group(group_name), variable(group_name, name), values.data()));
    std::vector<std::string> texts(values.begin(), values.end());
    require_ok(nc_free_string(count, values.data()));
    return texts;
  }

 private:
  int id_ = -1;
};

/// Captures the program's standard error while this object lives.
class CapturedErrors {
 public:
  explicit CapturedErrors(std::string file) : file_(std::move(file)), kept_(dup(2)) {
    const int descriptor = open(file_.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0600);
    dup2(descriptor, 2);
    close(descriptor);
  }
  CapturedErrors(const CapturedErrors&) = delete;
  CapturedErrors& operator=(const CapturedErrors&) = delete;
  ~CapturedErrors() { release(); }
  std::string text() {
    release();
    std::ifstream in(file_);
    return {std::istreambuf_iterator<char>(in), {}};
  }

 private:
  void release() {
    if (kept_ < 0) return;
    dup2(kept_, 2);
    close(std::exchange(kept_, -1));
  }
  std::string file_;
  int kept_;
};

/// No file may grow beyond so many bytes while this lives; writing fails with "File too large".
class FileSizeLimit {
 public:
  explicit FileSizeLimit(rlim_t bytes) {
    getrlimit(RLIMIT_FSIZE, &kept_);
    handler_ = std::signal(SIGXFSZ, SIG_IGN);
    const rlimit limit{bytes, kept_.rlim_max};
    setrlimit(RLIMIT_FSIZE, &limit);
  }
  FileSizeLimit(const FileSizeLimit&) = delete;
  FileSizeLimit& operator=(const FileSizeLimit&) = delete;
  ~FileSizeLimit() {
    setrlimit(RLIMIT_FSIZE, &kept_);
    std::signal(SIGXFSZ, handler_);
  }

 private:
  rlimit kept_{};
  void (*handler_)(int) = SIG_DFL;
};

/// A tmpfs with this many bytes. `mounted()` is false if the system forbids mounting.
class SmallDisk {
 public:
  SmallDisk(std::string path, std::size_t bytes) : path_(std::move(path)) {
    std::filesystem::create_directory(path_);
    const std::string options = "size=" + std::to_string(bytes);
    mounted_ = mount("tmpfs", path_.c_str(), "tmpfs", 0, options.c_str()) == 0;
  }
  SmallDisk(const SmallDisk&) = delete;
  SmallDisk& operator=(const SmallDisk&) = delete;
  ~SmallDisk() {
    if (mounted_) umount2(path_.c_str(), MNT_DETACH);
  }
  bool mounted() const { return mounted_; }
  const std::string& path() const { return path_; }

 private:
  std::string path_;
  bool mounted_ = false;
};

/// The message of the RunError that a run of 2 MB ends in, or "".
std::string failure_of_a_run(const std::string& folder) {
  const RunHeader h = header(folder, {real("theta", {25}), statistic("lp")});
  try {
    write_file(h, 10000, awkward);
  } catch (const RunError& error) {
    return error.what();
  }
  return {};
}

}  // namespace

TEST_CASE("every number is read back as it was written, whatever the pieces") {
  const TemporaryFolder folder;
  RunHeader h = header(folder.path(), {real("theta", {5}), real("x"), real("b", {2, 3, 4}),
                                       statistic("lp"), real("last")});
  h.replicates = 3;
  h.slots = 2;
  h.draws = GENERATE(0, 20, 9001);
  const std::int64_t piece = GENERATE(1, 333, 9001);
  const std::int64_t draws = piece == 1 ? 203 : 9001;
  write_file(h, draws, awkward, piece);
  const DrawsFile file(folder.path());
  REQUIRE(file.draws() == draws);
  REQUIRE(file.chains() == 6);
  const std::vector<std::string> names = {"theta", "x", "b", "last", "lp"};
  const std::vector<std::size_t> written_as = {0, 1, 2, 4, 3};
  for (std::size_t c = 0; c < names.size(); ++c) CHECK(file.columns()[c].name == names[c]);
  CHECK(differences(file, [&](std::size_t c, std::int64_t draw, Index chain, Index e) {
          return awkward(written_as[c], draw, chain, e);
        }) == 0);
}

TEST_CASE("a draw larger than the buffer is written and read back") {
  const TemporaryFolder folder;
  RunHeader h = header(folder.path(), {real("field", {3, 700000}), real("x")});
  h.replicates = 2;
  const auto number = [](std::size_t, std::int64_t draw, Index chain, Index e) {
    return double(draw) + 0.5 * double(chain) + 4.0 * double(e);
  };
  write_file(h, 3, number, 2);
  const DrawsFile file(folder.path());
  const Eigen::MatrixXd x = file.read(file.columns()[0], 699990, 20);
  for (Index k = 0; k < 20; ++k)
    for (Index chain = 0; chain < 2; ++chain)
      for (Index draw = 0; draw < 3; ++draw)
        REQUIRE(x(draw, 2 * k + chain) == number(0, draw, chain, 699990 + k));
}

TEST_CASE("a run stopped before its first draw leaves a file with no draws") {
  const TemporaryFolder folder;
  write_file(header(folder.path(), {real("theta", {5}), statistic("lp")}), 0, awkward);
  const DrawsFile file(folder.path());
  CHECK(file.draws() == 0);
  CHECK(file.chains() == 1);
  CHECK(file.columns().size() == 2);
  CHECK(file.read(file.columns()[0], 0, 5).cols() == 5);
}

TEST_CASE("warm-up draws have groups with a length of their own") {
  const TemporaryFolder folder;
  RunHeader h = header(folder.path(), {real("theta", {2}), statistic("lp")});
  h.record_warmup = true;
  h.warmup = 40;
  h.thin = 2;
  {
    const auto recording = netcdf_recorder()->open(h);
    write_draws(*recording, h, awkward, true, 0, 20);
    write_draws(*recording, h, awkward, false, 0, 30);
    recording->finish(footer(30, 20));
  }
  const RawFile file(folder.path());
  CHECK(file.group_names() == std::vector<std::string>{"posterior", "sample_stats",
                                                       "warmup_posterior", "warmup_sample_stats"});
  CHECK(file.length("posterior", "draw") == 30);
  CHECK(file.length("sample_stats", "draw") == 30);
  CHECK(file.length("warmup_posterior", "draw") == 20);
  CHECK(file.length("warmup_sample_stats", "draw") == 20);
  const std::vector<double> theta = file.numbers("warmup_posterior", "theta", 40);
  std::int64_t wrong = 0;
  for (std::size_t k = 0; k < 40; ++k)
    wrong += same(theta[k], awkward(0, std::int64_t(k / 2), 0, Index(k % 2))) ? 0 : 1;
  CHECK(wrong == 0);
  CHECK(DrawsFile(folder.path()).draws() == 30);
}

TEST_CASE("nothing but attributes stands at the root, so that groups may differ in length") {
  const TemporaryFolder folder;
  write_file(header(folder.path(), {real("x")}), 3, awkward);
  const RawFile file(folder.path());
  int variables = -1;
  int dimensions = -1;
  require_ok(nc_inq(file.id(), &dimensions, &variables, nullptr, nullptr));
  CHECK(variables == 0);
  CHECK(dimensions == 0);
  CHECK(file.group_names() == std::vector<std::string>{"posterior"});
}

TEST_CASE("types are those that ArviZ writes and xarray decodes") {
  const TemporaryFolder folder;
  RunHeader h = header(folder.path(), {real("x"), statistic("n_steps", RecordType::integer),
                                       statistic("diverging", RecordType::boolean)});
  h.columns[0].unit = "s";
  h.columns[0].help = "a duration";
  write_file(h, 4, [](std::size_t, std::int64_t draw, Index, Index) { return double(draw % 2); });
  const RawFile file(folder.path());
  CHECK(file.type("posterior", "x") == NC_DOUBLE);
  CHECK(file.type("sample_stats", "n_steps") == NC_INT64);
  CHECK(file.type("sample_stats", "diverging") == NC_BYTE);
  CHECK(file.type("posterior", "draw") == NC_INT64);
  CHECK(file.has_attribute("posterior", "x", "_FillValue"));
  CHECK(file.has_attribute("posterior", "x", "unit"));
  CHECK_FALSE(file.has_attribute("posterior", "x", "units"));
  CHECK_FALSE(file.has_attribute("sample_stats", "n_steps", "_FillValue"));
  CHECK_FALSE(file.has_attribute("sample_stats", "n_steps", "dtype"));
  CHECK_FALSE(file.has_attribute("sample_stats", "diverging", "_FillValue"));
  CHECK(file.has_attribute("sample_stats", "diverging", "dtype"));
  CHECK(file.numbers("sample_stats", "diverging", 4) == std::vector<double>{0, 1, 0, 1});
  const DrawsFile draws(folder.path());
  CHECK(draws.columns()[0].unit == "s");
  CHECK(draws.columns()[0].help == "a duration");
  CHECK(draws.columns()[1].type == RecordType::integer);
  CHECK(draws.columns()[2].type == RecordType::boolean);
}

TEST_CASE("what comes once has no dimension of draws, and no place in the warm-up groups") {
  const TemporaryFolder folder;
  RunHeader h = header(folder.path(), {real("x"), statistic("inv_metric")});
  h.columns[1].shape = {2, 2};
  h.columns[1].once = true;
  h.replicates = 2;
  h.record_warmup = true;
  h.warmup = 5;
  const std::int64_t draws = GENERATE(0, 3);
  {
    const auto recording = netcdf_recorder()->open(h);
    write_draws(*recording, h, awkward, true, 0, 5);
    write_draws(*recording, h, awkward, false, 0, draws);
    write_draws(*recording, h, awkward, false, draws, draws);
    recording->finish(footer(2 * draws, 5));
  }
  const RawFile file(folder.path());
  CHECK(file.group_names() ==
        std::vector<std::string>{"posterior", "sample_stats", "warmup_posterior"});
  const std::vector<double> metric = file.numbers("sample_stats", "inv_metric", 8);
  for (std::size_t k = 0; k < 8; ++k)
    CHECK(same(metric[k], draws == 0 ? not_a_number : awkward(1, 0, Index(k / 4), Index(k % 4))));
  const DrawsFile read(folder.path());
  CHECK(read.columns().size() == 1);
  CHECK(read.draws() == 2 * draws);
}

TEST_CASE("coordinates number chains, replicates, slots, draws and elements") {
  const TemporaryFolder folder;
  RunHeader h = header(folder.path(), {real("b", {2, 3})});
  h.replicates = 2;
  h.slots = 3;
  write_file(h, 4, awkward);
  const RawFile file(folder.path());
  CHECK(file.numbers("posterior", "chain", 6) == std::vector<double>{0, 1, 2, 3, 4, 5});
  CHECK(file.numbers("posterior", "replicate", 6) == std::vector<double>{0, 0, 0, 1, 1, 1});
  CHECK(file.numbers("posterior", "slot", 6) == std::vector<double>{0, 1, 2, 0, 1, 2});
  CHECK(file.numbers("posterior", "draw", 4) == std::vector<double>{0, 1, 2, 3});
  CHECK(file.numbers("posterior", "b_dim_0", 2) == std::vector<double>{0, 1});
  CHECK(file.numbers("posterior", "b_dim_1", 3) == std::vector<double>{0, 1, 2});
}

TEST_CASE("the numbers of a run stand beside its draws") {
  const TemporaryFolder folder;
  RunHeader h = header(folder.path(), {real("x")});
  h.warmup = 17;
  write_file(h, 3, awkward);
  const DrawsFile file(folder.path());
  CHECK(file.attribute("gradients") == 4000.0);
  CHECK(file.attribute("sampling_time") == 0.5);
  CHECK(file.attribute("warmup_time") == 0.25);
  CHECK(file.attribute("tuning_steps") == 17.0);
  CHECK(std::isnan(file.attribute("nonsense")));
}

TEST_CASE("a name that NetCDF cannot hold is refused with the name and the cure") {
  const TemporaryFolder folder;
  const auto refuses = [&](std::vector<Column> columns, const std::string& name) {
    CHECK_THROWS_WITH(netcdf_recorder()->open(header(folder.path(), std::move(columns))),
                      Catch::Contains("'" + name + "'") &&
                          Catch::Contains("Rename the variable where its name is set"));
    CHECK(folder.is_empty());
  };
  refuses({real("a/b")}, "a/b");
  refuses({real("")}, "");
  refuses({real("trailing ")}, "trailing ");
  refuses({real("tab\t")}, "tab\t");
  refuses({real("chain")}, "chain");
  refuses({real("draw")}, "draw");
  refuses({real("slot")}, "slot");
  refuses({real("b", {2}), real("b_dim_0")}, "b_dim_0");
  refuses({real("x"), real("x")}, "x");
  refuses({real(std::string(300, 'n'))}, std::string(300, 'n'));
}

TEST_CASE("the same name in posterior and sample_stats is no clash") {
  const TemporaryFolder folder;
  write_file(header(folder.path(), {real("x"), statistic("x")}), 3, awkward);
  CHECK(differences(DrawsFile(folder.path()), awkward) == 0);
}

TEST_CASE("a number that is not of its type names variable, value, draw and chain") {
  const TemporaryFolder folder;
  const auto [type, value] =
      GENERATE(table<RecordType, double>({{RecordType::boolean, 0.5},
                                          {RecordType::boolean, not_a_number},
                                          {RecordType::integer, 1.5},
                                          {RecordType::integer, 1e300},
                                          {RecordType::integer, not_a_number}}));
  RunHeader h = header(folder.path(), {real("x"), statistic("flag", type)});
  h.replicates = 4;
  const double bad = value;
  const auto number = [bad](std::size_t c, std::int64_t draw, Index chain, Index) {
    return c == 1 && draw == 7 && chain == 2 ? bad : 1.0;
  };
  CHECK_THROWS_WITH(write_file(h, 10, number, 3),
                    Catch::Contains("'flag' of group 'sample_stats'") &&
                        Catch::Contains(std::to_string(bad)) &&
                        Catch::Contains("draw 7 of chain 2") && Catch::Contains("must be"));
  CHECK(folder.is_empty());
}

TEST_CASE("draws that are missing, repeated or not asked for are an error") {
  const TemporaryFolder folder;
  const RunHeader h = header(folder.path(), {real("x")});
  const auto recording = netcdf_recorder()->open(h);
  write_draws(*recording, h, awkward, false, 0, 5);
  CHECK_THROWS_AS(write_draws(*recording, h, awkward, false, 4, 5), RunError);
  CHECK_THROWS_AS(write_draws(*recording, h, awkward, false, 6, 5), RunError);
  CHECK_THROWS_AS(write_draws(*recording, h, awkward, true, 0, 5), RunError);
  CHECK_THROWS_AS(recording->finish(footer(6)), RunError);
}

TEST_CASE("a recording that is not finished leaves nothing behind") {
  const TemporaryFolder folder;
  const RunHeader h = header(folder.path(), {real("x")});
  {
    const auto recording = netcdf_recorder()->open(h);
    write_draws(*recording, h, awkward, false, 0, 100);
    CHECK(std::filesystem::exists(folder.path() + "/draws.nc.partial"));
    CHECK_FALSE(std::filesystem::exists(folder.path() + "/draws.nc"));
  }
  CHECK(folder.is_empty());
}

TEST_CASE("a recording goes on where its saved state says, across chunks of the file") {
  const TemporaryFolder folder;
  RunHeader h = header(folder.path(), {real("theta", {2, 3}), statistic("lp")});
  h.replicates = 3;
  h.draws = 10;  // draws in a chunk of the file
  const std::int64_t saved = GENERATE(0, 7, 10, 37, 40);
  const std::int64_t more = GENERATE(0, 2, 25, 60);
  const std::int64_t end = 83;
  std::vector<char> state;
  {
    const auto recording = netcdf_recorder()->open(h);
    write_draws(*recording, h, awkward, false, 0, saved);
    state = state_of(*recording);
    const auto other = [](std::size_t, std::int64_t, Index, Index) { return -1.0; };
    write_draws(*recording, h, other, false, saved, more);
  }
  CHECK_FALSE(std::filesystem::exists(folder.path() + "/draws.nc"));
  const auto recording = resumed(h, state);
  for (std::int64_t first = saved; first < end; first += 9)
    write_draws(*recording, h, awkward, false, first, std::min<std::int64_t>(9, end - first));
  recording->finish(footer(end));
  const DrawsFile file(folder.path());
  CHECK(file.draws() == end);
  CHECK(differences(file, awkward) == 0);
}

TEST_CASE("a file of very many variables has the length of its draws, whatever was expected",
          "[slow]") {
  const TemporaryFolder folder;
  std::vector<Column> columns = {statistic("lp")};
  for (int k = 0; k < 600; ++k) columns.push_back(real("x" + std::to_string(k)));
  RunHeader h = header(folder.path(), columns);
  h.replicates = 2;
  h.record_warmup = true;
  h.warmup = 8;
  h.draws = GENERATE(30, 50, 1000);
  const std::int64_t warmup = GENERATE(8, 3);
  const std::int64_t saved = GENERATE(-1, 0, 20);
  auto recording = netcdf_recorder()->open(h);
  write_draws(*recording, h, awkward, true, 0, warmup);
  for (std::int64_t first = 0; first < 50; first += first == 0 ? 20 : 15) {
    if (first == saved) {
      const std::vector<char> state = state_of(*recording);
      recording = nullptr;
      recording = resumed(h, state);
    }
    write_draws(*recording, h, awkward, false, first, first == 0 ? 20 : 15);
  }
  recording->finish(footer(50, warmup));
  const DrawsFile file(folder.path());
  CHECK(file.draws() == 50);
  CHECK(differences(file, [](std::size_t c, std::int64_t draw, Index chain, Index e) {
          return awkward(c == 600 ? 0 : c + 1, draw, chain, e);
        }) == 0);
  const RawFile raw(folder.path());
  for (const char* const group : {"posterior", "warmup_posterior", "sample_stats"}) {
    int unlimited = -1;  // which every reading would ask all variables for
    require_ok(nc_inq_unlimdims(raw.group(group), &unlimited, nullptr));
    CHECK(unlimited == 0);
  }
  CHECK(raw.length("warmup_posterior", "draw") == std::size_t(warmup));
  CHECK(raw.numbers("warmup_posterior", "x0", std::size_t(2 * warmup))[1] == awkward(1, 1, 0, 0));
}

TEST_CASE("a file of very many variables takes any number of draws where none was expected") {
  const TemporaryFolder folder;
  std::vector<Column> columns;
  for (int k = 0; k < 600; ++k) columns.push_back(real("x" + std::to_string(k)));
  write_file(header(folder.path(), columns), 50, awkward, 20);
  const DrawsFile file(folder.path());
  CHECK(file.draws() == 50);
  CHECK(differences(file, awkward) == 0);
}

TEST_CASE("a run killed after a checkpoint goes on from there") {
  const TemporaryFolder folder;
  RunHeader h = header(folder.path(), {real("theta", {20}), statistic("lp")});
  h.draws = 10;  // draws in a chunk of the file: many are written after the checkpoint
  const std::int64_t more = GENERATE(3, 500, 50000);
  const pid_t child = fork();
  REQUIRE(child >= 0);
  if (child == 0) {
    const auto recording = netcdf_recorder()->open(h);
    write_draws(*recording, h, awkward, false, 0, 1000);
    std::ofstream(folder.path() + "/state") << as_text(state_of(*recording));
    write_draws(*recording, h, awkward, false, 1000, more);
    raise(SIGKILL);
  }
  int status = 0;
  REQUIRE(waitpid(child, &status, 0) == child);
  REQUIRE(WIFSIGNALED(status));
  std::ifstream in(folder.path() + "/state");
  const auto recording = resumed(h, {std::istreambuf_iterator<char>(in), {}});
  write_draws(*recording, h, awkward, false, 1000, 700);
  recording->finish(footer(1700));
  const DrawsFile file(folder.path());
  CHECK(file.draws() == 1700);
  CHECK(differences(file, awkward) == 0);
}

TEST_CASE("a file that is not the one to continue is refused with its name and the cure") {
  const TemporaryFolder folder;
  const std::string partial = folder.path() + "/draws.nc.partial";
  const RunHeader h = header(folder.path(), {real("theta", {2}), statistic("lp")});
  std::vector<char> state;
  {
    const auto recording = netcdf_recorder()->open(h);
    write_draws(*recording, h, awkward, false, 0, 5);
    state = state_of(*recording);
  }
  const auto refuses = [&](const RunHeader& other, const std::string& reason) {
    CHECK_THROWS_AS(resumed(other, state), InputError);
    CHECK_THROWS_WITH(resumed(other, state), Catch::Contains(partial) && Catch::Contains(reason) &&
                                                 Catch::Contains("run again from the start"));
  };
  RunHeader other = h;
  other.replicates = 5;
  refuses(other, "has 1 chains and 1 slots, but the run has chains = 5 and slots = 1");
  other = h;
  other.columns[0].name = "beta";
  refuses(other, "no variable 'beta' of group 'posterior'");
  other = h;
  other.columns[1].type = RecordType::integer;
  refuses(other, "'lp' of group 'sample_stats' differs in type or shape");
  other = h;
  other.run_name = "another";
  refuses(other, "belongs to the run 'test', not to 'another'");
  CHECK(resumed(h, state) != nullptr);
  std::ofstream(partial) << "no NetCDF";
  refuses(h, "cannot continue");
  CHECK(std::filesystem::file_size(partial) == 9);
  std::filesystem::remove(partial);
  refuses(h, "No such file or directory");
}

TEST_CASE("what a saved state needs is never written again") {
  const TemporaryFolder folder;
  const RunHeader h = header(folder.path(), {real("theta", {2}), statistic("lp")});
  const auto recording = netcdf_recorder()->open(h);
  write_draws(*recording, h, awkward, false, 0, 5);
  state_of(*recording);
  const auto content = [&] {
    std::ifstream in(folder.path() + "/draws.nc.partial", std::ios::binary);
    return std::string(std::istreambuf_iterator<char>(in), {});
  };
  const std::string before = content();
  write_draws(*recording, h, awkward, false, 5, 40000);
  state_of(*recording);
  recording->finish(footer(40005));
  CHECK(content() == before);
  CHECK(DrawsFile(folder.path()).draws() == 40005);
}

TEST_CASE("a finished recording leaves the file under its final name alone") {
  const TemporaryFolder folder;
  write_file(header(folder.path(), {real("x")}), 3, awkward);
  CHECK(std::filesystem::exists(folder.path() + "/draws.nc"));
  CHECK_FALSE(std::filesystem::exists(folder.path() + "/draws.nc.partial"));
}

TEST_CASE("a folder that is not there is named") {
  const TemporaryFolder folder;
  const std::string missing = folder.path() + "/missing";
  CHECK_THROWS_WITH(netcdf_recorder()->open(header(missing, {real("x")})),
                    Catch::Contains(missing) && Catch::Contains("No such file or directory"));
}

TEST_CASE("a file that may not grow ends the run with a clear error and leaves nothing") {
  const rlim_t bytes = GENERATE(0, 100, 5000, 20000, 100000, 1000000, 2000000);
  const TemporaryFolder folder;
  const TemporaryFolder elsewhere;
  std::string message;
  CapturedErrors errors(elsewhere.path() + "/stderr");
  {
    const FileSizeLimit limit(bytes);
    message = failure_of_a_run(folder.path());
  }
  INFO(bytes << ": " << message);
  CHECK_THAT(message, Catch::Contains(folder.path() + "/draws.nc.partial"));
  CHECK_THAT(message, Catch::Contains("File too large"));
  CHECK_THAT(message, Catch::Contains("--out"));
  CHECK(errors.text().empty());
  CHECK(folder.is_empty());
  CHECK(failure_of_a_run(folder.path()).empty());
  CHECK(DrawsFile(folder.path()).draws() == 10000);
}

TEST_CASE("a full disk ends the run with a clear error and leaves nothing") {
  const TemporaryFolder folder;
  const std::size_t bytes = GENERATE(4096, 16384, 65536, 1048576);
  const SmallDisk disk(folder.path() + "/disk", bytes);
  if (!disk.mounted()) std::exit(77);
  CapturedErrors errors(folder.path() + "/stderr");
  const std::string message = failure_of_a_run(disk.path());
  INFO(bytes << ": " << message);
  CHECK_THAT(message, Catch::Contains(disk.path() + "/draws.nc.partial"));
  CHECK_THAT(message, Catch::Contains("No space left on device"));
  CHECK_THAT(message, Catch::Contains("Free some space"));
  CHECK(errors.text().empty());
  CHECK(std::filesystem::is_empty(disk.path()));
}

TEST_CASE("a full disk does no harm at exit to a program that read a file before it had plugins") {
  const TemporaryFolder folder;
  std::ofstream(folder.path() + "/draws.nc") << "\x89HDF\r\n\x1a\n and no more";
  CHECK_THROWS_WITH(DrawsFile(folder.path()), Catch::Contains("cannot open it"));
  const std::size_t bytes = GENERATE(4096, 16384, 65536, 1048576);
  const SmallDisk disk(folder.path() + "/disk", bytes);
  if (!disk.mounted()) std::exit(77);
  CapturedErrors errors(folder.path() + "/stderr");
  CHECK_THAT(failure_of_a_run(disk.path()), Catch::Contains("No space left on device"));
}

#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
TEST_CASE("memory stays bounded while many draws are written and hashed") {
  const TemporaryFolder folder;
  RunHeader h = header(folder.path(), {real("theta", {25}), statistic("lp")});
  h.replicates = 4;
  const auto number = [](std::size_t, std::int64_t draw, Index, Index e) {
    return double(draw * 25 + e);
  };
  const auto peak = [] {
    rusage usage{};
    getrusage(RUSAGE_SELF, &usage);
    return double(usage.ru_maxrss) / 1024.0;
  };
  netcdf_recorder();
  const double before = peak();
  write_file(h, 250000, number, 500);  // 200 MB
  DrawsFile(folder.path()).sha256();
  CHECK(peak() - before < 100.0);
}
#endif

TEST_CASE("dimensions with a name are defined once in a group, with their labels", "[recorder]") {
  const TemporaryFolder folder;
  Column b = real("b", {2, 3});
  b.dims = {"town", ""};
  Column z = real("z", {2});
  z.dims = {"town"};
  RunHeader h = header(folder.path(), {b, z, real("x", {2})});
  h.labels = {{"town", {"Ulm", "Bonn"}}};
  h.observed = {{.name = "y", .shape = {2}, .values = {4, 5}, .dims = {"town"}}};
  h.constant = {{.name = "t", .shape = {3}, .values = {1, 2, 3}, .dims = {"time"}}};
  const auto number = [](std::size_t, std::int64_t draw, Index, Index e) {
    return double(draw) + 10 * double(e);
  };
  std::vector<char> state;
  {
    const auto recording = netcdf_recorder()->open(h);
    write_draws(*recording, h, number, false, 0, 2);
    state = state_of(*recording);
    write_draws(*recording, h, number, false, 2, 1);
    recording->finish(footer(3));
  }
  const RawFile file(folder.path());
  CHECK(file.group_names() ==
        std::vector<std::string>{"posterior", "observed_data", "constant_data"});
  const std::vector<std::string> towns{"Ulm", "Bonn"};
  CHECK(file.texts("posterior", "town", 2) == towns);
  CHECK(file.texts("observed_data", "town", 2) == towns);
  CHECK(file.length("posterior", "b_dim_1") == 3);
  CHECK(file.length("posterior", "x_dim_0") == 2);
  CHECK(file.numbers("constant_data", "time", 3) == std::vector<double>{0, 1, 2});
  CHECK(file.numbers("observed_data", "y", 2) == std::vector<double>{4, 5});
  const DrawsFile draws(folder.path());
  CHECK(draws.columns()[0].shape == std::vector<Index>{2, 3});
  CHECK(draws.read(draws.columns()[1], 1)(2, 0) == 12);
}

TEST_CASE("a variable that has the name of a dimension is refused", "[recorder]") {
  const TemporaryFolder folder;
  Column z = real("z", {2});
  z.dims = {"town"};
  CHECK_THROWS_WITH(netcdf_recorder()->open(header(folder.path(), {z, real("town")})),
                    Catch::Contains("'town': the name is already the name of a coordinate"));
}
