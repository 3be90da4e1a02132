// The memory limit: its sources, and what is refused before memory is allocated.
// SPDX-License-Identifier: Apache-2.0
#include "base/memory_limit.hpp"
#include "data_making.hpp"
#include "guests.hpp"
#include "memory_setting.hpp"
#include "support.hpp"

#include <mixwell/data/data.hpp>
#include <mixwell/lab/field_target.hpp>
#include <mixwell/lab/sampler.hpp>

#include <sys/resource.h>

using namespace mixwell;
using making::refused;
using support::contains;
using support::MemorySetting;
using support::refusal;

TEST_CASE("MIXWELL_MEMORY is a number with a unit of 1024") {
  const auto bytes = [](const char* text) {
    const MemorySetting setting(text);
    return memory_limit().bytes;
  };
  CHECK(bytes("100000000") == 1e8);
  CHECK(bytes("65536K") == 67108864);
  CHECK(bytes("16.5M") == 16.5 * 1048576);
  CHECK(bytes("4G") == 4294967296.0);
  CHECK(bytes("2GiB") == 2147483648.0);
  for (const char* text :
       {"", "much", "-1G", "0", "4 G", "4X", "nan", "inf", "1e999", "64", "15M"}) {
    CAPTURE(text);
    const MemorySetting setting(text);
    CHECK(contains(refused([] { memory_limit(); }), "MIXWELL_MEMORY = "));
  }
}

TEST_CASE("Without MIXWELL_MEMORY the limit is less than the machine has") {
  ::unsetenv("MIXWELL_MEMORY");
  CHECK(memory_limit().bytes > 1e6);
  CHECK(memory_limit().bytes < 1e15);
  CHECK(contains(broken_memory_rule(1e300), "of memory, but this process may use at most "));
}

TEST_CASE("What ulimit allows bounds the limit") {
  const MemorySetting setting("1T");
  rlimit before = {};
  REQUIRE(::getrlimit(RLIMIT_AS, &before) == 0);
  rlimit lower = before;
  lower.rlim_cur = std::min<rlim_t>(before.rlim_cur, rlim_t{1} << 39);
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
  return;
#endif
  REQUIRE(::setrlimit(RLIMIT_AS, &lower) == 0);
  CHECK(memory_limit().bytes <= 549755813888.0);
  CHECK(contains(memory_limit().source, "ulimit -v"));
  ::setrlimit(RLIMIT_AS, &before);
}

TEST_CASE("A rule on memory names what is needed, what there is, and who said so") {
  const MemorySetting setting("1G");
  CHECK(broken_memory_rule(1073741824.0).empty());
  CHECK(broken_memory_rule(3221225472.0) ==
        "needs 3 GiB of memory, but this process may use at most 1 GiB (MIXWELL_MEMORY = 1G)");
  CHECK(contains(refused([] { check_memory("dimension", 8e18); }), "dimension: needs "));
}

TEST_CASE("Sizes of models that no memory holds are refused with key, value and limit") {
  const MemorySetting setting("64M");
  const std::string wide = refusal("use = \"gaussian\"\ndimension = 100000000\n");
  CHECK(contains(wide, "model.target.dimension = 100000000: needs 1.49 GiB of memory"));
  CHECK(contains(wide, "MIXWELL_MEMORY = 64M"));
  CHECK(contains(refusal("use = \"gaussian\"\ndimension = 1000000000000000000\n"),
                 "must be at most 4294967296"));
  const std::string challenger = "use = \"logistic-regression\"\ndata = \"" MIXWELL_SOURCE_DIR
                                 "/examples/challenger/challenger.csv\"\nresponse = "
                                 "\"distress\"\ninputs = [\"temperature\"]\n";
  CHECK(contains(refusal(challenger + "projection = 1000000000000\n"), "must be at most"));
  CHECK(contains(refusal("use = \"probit-regression\"\ncases = 10000\ndimension = 10000\n"),
                 "model.target.dimension = 10000: needs "));
}

TEST_CASE("Replicates that no memory holds are refused with key, value and limit") {
  const auto composition = parse_manifest(
      "mixwell = 1\n[model.g]\nuse = \"gaussian\"\ndimension = 3\n[estimator.identity]\nuse = "
      "\"identity\"\n[kernel.k]\nuse = "
      "\"hamiltonian\"\nstep_size = 0.1\nsteps = 1\n[run]\nreplicates = 268435456\n",
      "m.toml", support::registry());
  const Program program = compose(*composition.compositor);
  const MemorySetting setting("1G");
  const std::string said = refused([&] { check_memory(program, composition.run); });
  CHECK(contains(said, "run.replicates = 268435456: "));
  CHECK(contains(said, "MIXWELL_MEMORY = 1G"));
  RunSettings few = composition.run;
  few.replicates = 100;
  CHECK(refused([&] { check_memory(program, few); }) == "accepted");
}

TEST_CASE("What a sampler asks for is what was foreseen") {
  const auto composition = parse_manifest(
      "mixwell = 1\n[model.g]\nuse = \"gaussian\"\ndimension = 30\n[estimator.identity]\nuse = "
      "\"identity\"\n[kernel.k]\nuse = "
      "\"hamiltonian\"\nstep_size = 0.1\nsteps = 1\n[run]\nreplicates = 20000\n",
      "m.toml", support::registry());
  const Sampler sampler(composition.compositor, composition.run, compose(*composition.compositor));
  const auto allocated = static_cast<double>(sampler.memory());
  const auto fits = [&](double bytes) {
    const MemorySetting setting(std::to_string(static_cast<std::int64_t>(bytes)).c_str());
    const Program program = compose(*composition.compositor);
    return refused([&] { check_memory(program, composition.run); }) == "accepted";
  };
  CHECK_FALSE(fits(0.9 * allocated));
  CHECK(fits(3 * allocated));
}

TEST_CASE("Data that no memory holds are refused by name before they are asked for") {
  const support::TemporaryFolder folder;
  const LibsvmTable wide(folder.file("wide", "1 500000000:1\n-1 1:1\n"));
  const MemorySetting setting("32M");
  CHECK(contains(refused([&] {
                   wide.dense({0, 1}, wide.largest_index());
                 }),
                 "wide: the table of 2 rows and 500000000 inputs, with all zeros stored, needs "));
  const std::string images = folder.file("images", making::big_endian({2051, 1, 65535, 65535}));
  const std::string labels = folder.file("labels", making::idx_labels({1}));
  CHECK(contains(refused([&] { read_idx(images, labels, [](std::uint8_t) { return true; }); }),
                 "images: the table of 1 images of 65535 x 65535 pixels"));
  std::string rows = "x\n";
  for (int n = 0; n < 2400000; ++n) rows += "0\n";
  const std::string csv = folder.file("rows.csv.gz", making::gzipped(rows));
  const MemorySetting tight("16M");
  CHECK(contains(refused([&] { CsvTable{csv}; }), "rows.csv.gz:"));
  CHECK(contains(refused([&] { CsvTable{csv}; }), "the table up to this line needs "));
}

TEST_CASE("A wrong header of images is found before their memory is asked for") {
  const support::TemporaryFolder folder;
  const std::string images = folder.file("images", making::big_endian({2051, 1, 65535, 65535}));
  const std::string labels = folder.file("labels", making::idx_labels({1}));
  const MemorySetting setting("1T");
  CHECK(contains(refused([&] { read_idx(images, labels, [](std::uint8_t) { return true; }); }),
                 "images: the file ends at byte 16, in record 1 of 1"));
}

TEST_CASE("Every whole number that a built-in plugin counts with has an upper bound") {
  const Registry registry = Registry::load(guests::with_default_folders());
  for (const Entry& entry : registry.entries()) {
    const auto blueprint = entry.blueprint();
    for (const Field& field : blueprint->fields().all()) {
      if (!std::holds_alternative<std::int64_t*>(field.target())) continue;
      if (field.key().ends_with("seed")) continue;  // a seed counts nothing
      CAPTURE(entry.description.id, field.key());
      CHECK(field.high() <= 1e12);
    }
  }
}
