// The texts that cells of a study share if they differ only in the seed.
// SPDX-License-Identifier: Apache-2.0
#include "study/content_hash.hpp"
#include "support.hpp"

namespace {

using namespace mixwell::study;

const std::string effective =
    "# Effective manifest: seed = 1\nmixwell = 1\n\n[kernel.k]\nuse = \"k\"  # [run]\nseed = 3  # "
    "of "
    "its own\n\n[run]\nnote = \"seed = 8\"\nseed = 12  # fixes all random numbers: seed = 5\n"
    "draws = 12  # kept\n\n[model.m]\ndata = \"a.csv\"\ntext = \"beside a.csv\"\nlist = "
    "[\"b.csv\", \"a.csv\"]\n";

std::string with(const std::string& seed) {
  std::string text = effective;
  const std::string old = "seed = 12";
  return text.replace(text.find(old), old.size(), "seed = " + seed);
}

TEST_CASE("a seed is put where the parser finds run.seed, and nothing else moves", "[study]") {
  const SeededText text = seeded(effective);
  CHECK(text.with(12) == effective);
  CHECK(text.with(0) == with("0"));
  CHECK(text.with(9007199254740991) == with("9007199254740991"));
}

TEST_CASE("a cell is the same wherever its files are, and another with another seed", "[study]") {
  const support::TemporaryFolder folder;
  CellPlan plan{.manifest = effective, .libraries = {}, .files = {}, .refused = {}, .cost = {}};
  const std::string path = folder.file("a.csv", "x\n1\n");
  plan.files = {{"a.csv", path, ""}};
  Remembered nothing("");
  FileHashes hashes(nothing);
  const Ingredients here(plan, hashes, false);
  CHECK(here.manifest(5) == with("5"));

  const std::string moved = folder.file("moved.csv", "x\n1\n");
  CellPlan elsewhere = plan;
  for (std::size_t at = 0; (at = elsewhere.manifest.find("\"a.csv\"")) != std::string::npos;)
    elsewhere.manifest.replace(at, 7, "\"moved.csv\"");
  elsewhere.files = {{"moved.csv", moved, ""}};
  const Ingredients there(elsewhere, hashes, false);
  CHECK(here.with_seed(5).sha256 == there.with_seed(5).sha256);
  CHECK(here.with_seed(5).sha256 != here.with_seed(6).sha256);

  // A text that only contains the name of a file still counts if it differs.
  elsewhere.manifest.replace(elsewhere.manifest.find("beside a.csv"), 12, "beside b.csv");
  CHECK(Ingredients(elsewhere, hashes, false).with_seed(5).sha256 != here.with_seed(5).sha256);
}

}  // namespace
