// DrawsFile: reading parts of variables, the hash, and files that are not draws.
// SPDX-License-Identifier: Apache-2.0
#include "base/memory_limit.hpp"
#include "draws_testing.hpp"

#include <catch2/catch.hpp>
#include <openssl/sha.h>

#include <cmath>
#include <fstream>

using namespace mixwell;
using namespace mixwell::testing;

namespace {

double place(std::size_t column, std::int64_t draw, Index chain, Index element) {
  return double(column) + 10.0 * double(element) + 1e5 * double(chain) + 1e7 * double(draw);
}

std::string sha256_of(const std::vector<double>& numbers) {
  unsigned char digest[SHA256_DIGEST_LENGTH];
  SHA256(reinterpret_cast<const unsigned char*>(numbers.data()), numbers.size() * sizeof(double),
         digest);
  char text[2 * SHA256_DIGEST_LENGTH + 1];
  for (int i = 0; i < SHA256_DIGEST_LENGTH; ++i) std::snprintf(text + 2 * i, 3, "%02x", digest[i]);
  return text;
}

template <class Number>
std::string hash_of(const std::vector<Column>& columns, const Number& number, std::int64_t hint = 0,
                    std::int64_t piece = 100) {
  const TemporaryFolder folder;
  RunHeader h = header(folder.path(), columns);
  h.replicates = 3;
  h.draws = hint;
  write_file(h, 500, number, piece);
  return DrawsFile(folder.path()).sha256();
}

}  // namespace

TEST_CASE("any run of elements of an array is the same as its elements one by one") {
  const TemporaryFolder folder;
  RunHeader h = header(folder.path(), {real("b", {2, 3, 4})});
  h.replicates = 2;
  write_file(h, 5, place);
  const DrawsFile file(folder.path());
  const Column& b = file.columns()[0];
  REQUIRE(b.shape == std::vector<Index>{2, 3, 4});
  std::int64_t wrong = 0;
  for (Index first = 0; first <= 24; ++first)
    for (Index count = 0; first + count <= 24; ++count) {
      const Eigen::MatrixXd x = file.read(b, first, count);
      REQUIRE(x.rows() == 5);
      REQUIRE(x.cols() == 2 * count);
      for (Index k = 0; k < count; ++k)
        for (Index chain = 0; chain < 2; ++chain)
          for (Index draw = 0; draw < 5; ++draw)
            wrong += x(draw, 2 * k + chain) == place(0, draw, chain, first + k) ? 0 : 1;
    }
  CHECK(wrong == 0);
}

TEST_CASE("a piece to read has one element at least and 64 MiB at most") {
  const TemporaryFolder folder;
  RunHeader h = header(folder.path(), {real("theta", {100000}), real("x")});
  h.draws = 64;
  write_file(
      h, 64, [](auto...) { return 1.0; }, 16);
  const DrawsFile file(folder.path());
  const Index piece = file.elements_at_once(file.columns()[0]);
  CHECK(piece >= 1);
  CHECK(piece * 64 * 8 <= Index{64} << 20);
  CHECK(file.elements_at_once(file.columns()[1]) >= 1);
}

TEST_CASE("elements and variables that are not there are refused by name") {
  const TemporaryFolder folder;
  write_file(header(folder.path(), {real("theta", {3})}), 5, place);
  const DrawsFile file(folder.path());
  CHECK(file.has(RecordGroup::posterior, "theta"));
  CHECK_FALSE(file.has(RecordGroup::sample_stats, "theta"));
  CHECK_FALSE(file.has(RecordGroup::posterior, "chain"));
  CHECK_THROWS_WITH(file.read(file.columns()[0], 3), Catch::Contains("no element 3"));
  CHECK_THROWS_WITH(file.read(file.columns()[0], 2, 2), Catch::Contains("no element 3"));
  CHECK_THROWS_AS(file.read(file.columns()[0], -1), InputError);
  CHECK_THROWS_WITH(file.read(real("nothing"), 0), Catch::Contains("'nothing'"));
}

TEST_CASE("the hash is that of the posterior arrays: chain, draw, element") {
  const std::vector<Column> columns = {real("b", {2, 3}), statistic("lp"), real("x")};
  std::vector<double> numbers;
  for (const std::size_t c : {0, 2})
    for (Index chain = 0; chain < 3; ++chain)
      for (std::int64_t draw = 0; draw < 500; ++draw)
        for (Index e = 0; e < columns[c].size(); ++e) numbers.push_back(place(c, draw, chain, e));
  CHECK(hash_of(columns, place) == sha256_of(numbers));
}

TEST_CASE("the hash of a long variable, read in parts, is that of the whole") {
  const TemporaryFolder folder;
  RunHeader h = header(folder.path(), {real("theta", {300}), real("x")});
  h.replicates = 2;
  write_file(h, 5000, place, 1000);
  std::vector<double> numbers;
  for (const std::size_t c : {0, 1})
    for (Index chain = 0; chain < 2; ++chain)
      for (std::int64_t draw = 0; draw < 5000; ++draw)
        for (Index e = 0; e < h.columns[c].size(); ++e) numbers.push_back(place(c, draw, chain, e));
  CHECK(DrawsFile(folder.path()).sha256() == sha256_of(numbers));
}

TEST_CASE("the hash depends on the bits of the posterior and on nothing else") {
  const std::vector<Column> columns = {real("theta", {2}), statistic("lp")};
  const std::string hash = hash_of(columns, place);
  CHECK(hash_of(columns, place, 500, 500) == hash);
  CHECK(hash_of(columns, place, 17, 3) == hash);
  CHECK(hash_of({real("theta", {2})}, place) == hash);
  CHECK(hash_of(columns, [](std::size_t c, std::int64_t draw, Index chain, Index e) {
          return c == 1 ? 0.0 : place(c, draw, chain, e);
        }) == hash);
  CHECK(hash_of(columns, [](std::size_t c, std::int64_t draw, Index chain, Index e) {
          const double x = place(c, draw, chain, e);
          return draw == 499 && chain == 2 && e == 1 ? std::nextafter(x, 0.0) : x;
        }) != hash);
  const auto zero = [](auto...) { return 0.0; };
  const auto minus_zero = [](auto...) { return -0.0; };
  CHECK(hash_of(columns, zero) != hash_of(columns, minus_zero));
}

TEST_CASE("recorded warm-up, what was recorded once, and draws of one chain are read") {
  const TemporaryFolder folder;
  RunHeader h = header(folder.path(), {real("x", {2, 3}), statistic("inv_metric")});
  h.columns[1].shape = {2, 2};
  h.columns[1].once = true;
  h.replicates = 2;
  h.record_warmup = true;
  h.warmup = 3;
  const auto recording = netcdf_recorder()->open(h);
  const auto warm = [](std::size_t c, std::int64_t d, Index k, Index e) {
    return -place(c, d, k, e);
  };
  write_draws(*recording, h, warm, true, 0, 3);
  write_draws(*recording, h, place, false, 0, 5);
  recording->finish(footer(5, 3));
  const DrawsFile file(folder.path());
  REQUIRE(file.has_warmup());
  REQUIRE(file.columns().size() == 1);
  REQUIRE(file.once().size() == 1);
  CHECK(file.once()[0].name == "inv_metric");
  CHECK(file.once()[0].shape == std::vector<Index>{2, 2});
  CHECK(file.once()[0].once);
  for (Index e = 0; e < 4; ++e) CHECK(file.read_once(file.once()[0], 1)[e] == place(1, 0, 1, e));
  CHECK_THROWS_WITH(file.read_once(file.columns()[0], 1),
                    Catch::Contains("'x' with dimension `chain` and without dimension `draw`"));
  const DrawsFile warmup(folder.path(), DrawsPhase::warmup);
  CHECK(warmup.draws() == 3);
  CHECK(warmup.once().empty());
  const std::vector<double> of_sampling = file.read_chain(file.columns()[0], 1, 2, 3);
  const std::vector<double> of_warmup = warmup.read_chain(file.columns()[0], 1, 1, 2);
  REQUIRE(of_sampling.size() == 18);
  REQUIRE(of_warmup.size() == 12);
  for (Index k = 0; k < 18; ++k)
    CHECK(of_sampling[std::size_t(k)] == place(0, 2 + k / 6, 1, k % 6));
  for (Index k = 0; k < 12; ++k) CHECK(of_warmup[std::size_t(k)] == -place(0, 1 + k / 6, 1, k % 6));
  CHECK(file.text("name") == "test");
  CHECK(file.text("nothing").empty());
}

TEST_CASE("a file without recorded warm-up has none to read") {
  const TemporaryFolder folder;
  write_file(header(folder.path(), {real("x")}), 3, place);
  CHECK_FALSE(DrawsFile(folder.path()).has_warmup());
  CHECK_THROWS_WITH(DrawsFile(folder.path(), DrawsPhase::warmup),
                    Catch::Contains("find the group 'warmup_posterior'"));
}

TEST_CASE("a file that is no draws file says so") {
  const TemporaryFolder folder;
  const auto text = [&](const std::string& name) {
    std::ofstream(folder.path() + "/" + name) << "not a result\n";
    return folder.path() + "/" + name;
  };
  CHECK_THROWS_WITH(DrawsFile(folder.path()),
                    Catch::Contains("draws.nc: this file does not exist") &&
                        Catch::Contains("Give a draws.nc file"));
  CHECK_THROWS_WITH(DrawsFile(folder.path() + "/none.nc"),
                    Catch::Contains("this file does not exist"));
  CHECK_THROWS_WITH(DrawsFile(text("text.nc")), Catch::Contains("text.nc: cannot open it") &&
                                                    Catch::Contains("complete draws.nc"));
  std::filesystem::create_directory(folder.path() + "/resume");
  text("resume/draws.nc.partial");
  CHECK_THROWS_WITH(
      DrawsFile(folder.path()),
      Catch::Contains(
          "stopped early or is still active. Continue a stopped run with `mixwell run --resume " +
          folder.path() + "`, or run its manifest again"));
  CHECK_THROWS_AS(DrawsFile(folder.path()), InputError);
}

TEST_CASE("a draws file that lost its end is refused") {
  const TemporaryFolder folder;
  write_file(header(folder.path(), {real("theta", {50})}), 1000, place);
  const std::string file = folder.path() + "/draws.nc";
  std::filesystem::resize_file(file, std::filesystem::file_size(file) / 2);
  CHECK_THROWS_AS(DrawsFile(folder.path()).sha256(), InputError);
}

TEST_CASE("elements that share chunks of the file are read together, unless memory is short") {
  const TemporaryFolder folder;
  RunHeader h = header(folder.path(), {real("theta", {10})});
  h.replicates = 60;
  h.draws = 16000;
  write_file(
      h, 16000, [](auto...) { return 1.0; }, 1000);
  const DrawsFile file(folder.path());
  const Column& theta = file.columns()[0];
  CHECK(file.elements_at_once(theta) == 9);  // 69 MB
  choose_memory_limit({64.0 * 1024 * 1024, "a test"});
  CHECK(file.elements_at_once(theta) == 1);
}
