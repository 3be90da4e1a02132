// Study files: which cells they make, how the cells are seeded, how files are refused, and designs
// of tuning.
// SPDX-License-Identifier: Apache-2.0
#include "study/file.hpp"
#include "support.hpp"

#include <mixwell/lab/study.hpp>

#include <map>
#include <set>

using mixwell::StudyCell;
using support::contains;

namespace {

class StudyFolder {
 public:
  std::vector<StudyCell> cells(const std::string& study, bool quick = false) const {
    const std::string path = folder_.path() + "/s.toml";
    std::ofstream(path) << "mixwell = 1\n" << study;
    return mixwell::study_cells(path, quick);
  }

  std::string refusal(const std::string& study, bool quick = false) const {
    try {
      cells(study, quick);
      return "accepted";
    } catch (const mixwell::InputError& error) {
      return error.what();
    }
  }

  void write(const std::string& name, const std::string& text) const {
    std::ofstream(folder_.path() + "/" + name) << text;
  }

 private:
  support::TemporaryFolder folder_;
};

std::vector<std::string> labels(const std::vector<StudyCell>& cells) {
  std::vector<std::string> all;
  for (const StudyCell& cell : cells) all.push_back(cell.label);
  return all;
}

std::string value_of(const StudyCell& cell, const std::string& key) {
  std::string value = "none";
  for (const mixwell::Override& change : cell.changes) {
    if (change.key == key) value = change.value;
  }
  return value;
}

const std::string two_variants =
    "[study.variant.b]\nkernel.k = { use = \"nuts\" }\n"
    "[study.variant.a]\nkernel.k = { use = \"hamiltonian\", steps = 3 }\n";

}  // namespace

TEST_CASE("a study without axes is one cell with the seed of its manifest", "[study]") {
  const StudyFolder folder;
  const auto cells = folder.cells("[run]\nseed = 7\n[study]\npair_random_numbers = true\n");
  REQUIRE(cells.size() == 1);
  CHECK(cells.front().label == "base/base/7");
  CHECK(cells.front().run_seed == 7);
}

TEST_CASE("models, variants, grids, zipped lists and seeds multiply in the order of the file",
          "[study]") {
  const StudyFolder folder;
  const auto cells =
      folder.cells("[study]\nseeds = [1, 2]\n" + two_variants +
                   "[study.model.m2]\nmodel.m = { use = \"quartic\" }\n[study.model.m1]\n"
                   "[study.axes]\nkernel.k.step_size = [0.5, 0.25, 1]\n\"run.draws\" = [10, 20]\n"
                   "[[study.zip]]\nkernel.k.x = [1, 2]\nkernel.k.y = [\"p\", \"q\"]\n");
  CHECK(cells.size() == 2 * 2 * 3 * 2 * 2 * 2);
  CHECK(cells.front().label ==
        "m2/b/kernel.k.step_size=0.5,run.draws=10,kernel.k.x=1,kernel.k.y=p/1");
  CHECK(cells[1].label.ends_with("/2"));
  CHECK(cells.back().label == "m1/a/kernel.k.step_size=1,run.draws=20,kernel.k.x=2,kernel.k.y=q/2");
  std::set<std::string> pairs;
  for (const StudyCell& cell : cells)
    pairs.insert(value_of(cell, "kernel.k.x") + value_of(cell, "kernel.k.y"));
  CHECK(pairs == std::set<std::string>{"1\"p\"", "2\"q\""});
  const auto all = labels(cells);
  CHECK(std::set<std::string>(all.begin(), all.end()).size() == all.size());
}

TEST_CASE("variants may have manifests of their own, one for each model", "[study]") {
  const StudyFolder folder;
  folder.write("heavy-a.toml", "mixwell = 1\n");
  folder.write("light-a.toml", "mixwell = 1\n");
  const std::string study =
      "[study.model.heavy]\n[study.model.light]\n"
      "[study.variant.a]\nmanifest = \"{model}-a.toml\"\n";
  const auto cells = folder.cells("[study]\n" + study);
  REQUIRE(cells.size() == 2);
  CHECK(cells[0].manifest.ends_with("/heavy-a.toml"));
  CHECK(cells[1].manifest.ends_with("/light-a.toml"));
  const std::string missing = "[study.variant.b]\nmanifest = \"{model}-b.toml\"\n";
  contains(folder.refusal("[study]\n" + study + missing), "s.toml:8:12: study.variant.b.manifest");
  contains(folder.refusal("[study]\nbase = \"heavy-a.toml\"\n" + study),
           "`study.base` also sets the manifest");
  contains(folder.refusal("[study]\n[study.model.heavy]\nmanifest = \"heavy-a.toml\"\n"),
           "only a variant can have its own manifest");
}

TEST_CASE("a quick study has one seed and its own changes last", "[study]") {
  const StudyFolder folder;
  const std::string text =
      "[study]\nseeds = [4, 5]\n" + two_variants + "[study.axes]\nrun.draws = [1000, 2000]\n";
  contains(folder.refusal(text, true), "needs a table [study.quick]");
  const auto quick = folder.cells(text + "[study.quick]\nrun.warmup = 7\n", true);
  CHECK(quick.size() == 4);
  CHECK(value_of(quick.front(), "run.warmup") == "7");
  CHECK(quick.front().seed == 4);
  const auto whole = folder.cells(text + "[study.quick]\nrun.warmup = 7\n");
  CHECK(whole.size() == 8);
  CHECK(value_of(whole.front(), "run.warmup") == "none");
}

TEST_CASE("a variant may have axes of its own", "[study]") {
  const StudyFolder folder;
  const auto cells = folder.cells("[study]\n" + two_variants +
                                  "[study.variant.a.axes]\nkernel.k.steps = [1, 2]\n");
  CHECK(labels(cells) == std::vector<std::string>{"base/b/1", "base/a/kernel.k.steps=1/1",
                                                  "base/a/kernel.k.steps=2/1"});
}

TEST_CASE("exclusions leave out the cells that agree with all of their entries", "[study]") {
  const StudyFolder folder;
  const auto cells = folder.cells("[study]\nrepeats = 3\n" + two_variants +
                                  "[study.axes]\nrun.draws = [1, 2, 3]\n"
                                  "[[study.exclude]]\nvariant = \"a\"\nrun.draws = [1, 3]\n"
                                  "[[study.exclude]]\nseed = 2\n");
  CHECK(cells.size() == (3 + 1) * 2);
  for (const StudyCell& cell : cells) {
    CHECK(cell.seed != 2);
    if (cell.variant == "a") CHECK(value_of(cell, "run.draws") == "2");
  }
}

TEST_CASE("a component with use replaces, one without changes keys, remove takes away", "[study]") {
  const StudyFolder folder;
  const auto cells = folder.cells(
      "[model.m]\nuse = \"gaussian\"\ndimension = 3\n[kernel.k]\nuse = \"hamiltonian\"\nsteps = 9\n"
      "[estimator.e]\nuse = \"identity\"\n[study]\n"
      "[study.variant.replace]\nkernel.k = { use = \"nuts\" }\nremove = [\"estimator.e\"]\n"
      "[study.variant.change]\nkernel.k.step_size = 0.25\n");
  REQUIRE(cells.size() == 2);
  const auto parsed = [&](const StudyCell& cell) {
    return mixwell::parse_manifest("mixwell = 1\n", "s.toml", support::registry(), cell.changes);
  };
  const std::string replaced = parsed(cells[0]).effective_manifest;
  contains(replaced, "use = \"nuts\"");
  CHECK(replaced.find("steps = 9") == std::string::npos);
  CHECK(parsed(cells[0]).remarks.empty());
  const std::string changed = parsed(cells[1]).effective_manifest;
  contains(changed, "steps = 9");
  contains(changed, "step_size = 0.25");
}

TEST_CASE("variants have random numbers of their own unless they are paired", "[study]") {
  const StudyFolder folder;
  const auto seeds = [&](const std::string& key) {
    std::map<std::int64_t, std::set<std::int64_t>> found;
    const auto cells = folder.cells("[study]\nseeds = [1, 2]\n" + key + two_variants +
                                    "[study.axes]\nrun.draws = [1, 2]\n");
    for (const StudyCell& cell : cells) found[cell.seed].insert(cell.run_seed);
    return found;
  };
  const auto own = seeds("");
  CHECK(own.at(1).size() == 4);
  CHECK(own.at(2).size() == 4);
  const auto paired = seeds("pair_random_numbers = true\n");
  CHECK(paired.at(1) == std::set<std::int64_t>{1});
  CHECK(paired.at(2) == std::set<std::int64_t>{2});
}

TEST_CASE("the base manifest comes from its own file, and cells keep its name for their data",
          "[study]") {
  const StudyFolder folder;
  folder.write("b.toml", "mixwell = 1\n[run]\nseed = 11\n[model.m]\nuse = \"quartic\"\n");
  const auto cells = folder.cells("[run]\ndraws = 5\n[study]\nbase = \"b.toml\"\n");
  REQUIRE(cells.size() == 1);
  CHECK(cells.front().seed == 11);
  CHECK(value_of(cells.front(), "run.draws") == "5");
}

TEST_CASE("what is wrong in a study file is named with its place, rule and cure", "[study]") {
  const StudyFolder folder;
  const auto refused = [&](const std::string& text, const std::string& message) {
    contains(folder.refusal(text), message);
  };
  refused("", "s.toml:1:1: a study file needs a table [study]");
  refused("[study]\nrepeat = 3\n",
          "s.toml:3:1: study.repeat: unknown key (did you mean \"repeats\"?)");
  refused("[study]\nkeep = \"all\"\n", "s.toml:3:8: study.keep = \"all\"");
  refused("[study]\nseeds = [1]\nrepeats = 2\n", "study.seeds: `repeats` also sets the seeds");
  refused("[study]\nseeds = [3, 3]\n", "3 is given twice");
  refused("[study.axes]\nkernel.k.steps = 5\n", "s.toml:3:18: kernel.k.steps = 5: must be a list");
  refused("[study.axes]\nkernl.k.steps = [5]\n",
          "The kind \"kernl\" is unknown (did you mean \"kernel\"?)");
  refused("[study.axes]\nkernel.steps = [5]\n", "kernel.steps: must have the form KIND.NAME.KEY");
  refused("[study.axes]\nrun.seed = [5]\n", "Set `seeds = [...]`");
  refused("[study.axes]\nrun.draws = [5, 5]\n",
          "s.toml:3:17: run.draws = 5: this value is given twice");
  refused("[[study.zip]]\nrun.draws = [5, 6]\nrun.warmup = [1]\n",
          "s.toml:4:1: run.warmup has 1 values, but run.draws has 2");
  refused("[study.axes]\nrun.draws = [5]\n[[study.zip]]\nrun.draws = [6]\n",
          "this key already has an axis");
  refused("[study]\n" + two_variants + "[[study.exclude]]\nvariant = \"c\"\n",
          "the study has no variant \"c\"");
  refused("[study.axes]\nrun.draws = [5]\n[[study.exclude]]\nrun.draw = 5\n",
          "the study has no key \"run.draw\" (did you mean \"run.draws\"?)");
  refused("[study.axes]\nrun.draws = [5]\n[[study.exclude]]\nrun.draws = 6\n",
          "s.toml:4:1: study.exclude: this table excludes no cell");
  refused("[study.variant.v]\nkernal.k = { use = \"nuts\" }\n", "unknown key \"kernal\"");
  refused("[study]\nbase = \"absent.toml\"\n", "absent.toml");
  refused("[study.variant.v.tune]\nkernel.k.steps = [1, 2]\n", "a table [study.tune]");
  refused("[study.tune]\n", "[study.tune] needs the key \"gradients\"");
  refused(
      "[study.tune]\ngradients = 10\n[study.tune.keys]\nkernel.k.step_size = { from = 2, to = 1 "
      "}\n",
      "`from` must be below `to`");
  refused("[[study.paper]]\nmetric = \"min_ess\"\nvalue = 3\n", "needs the key \"source\"");
}

TEST_CASE("an alias stands for axes that the study has, of which a cell has one", "[study]") {
  const StudyFolder folder;
  const std::string axes =
      "[study]\n" + two_variants +
      "[study.variant.a.axes]\nkernel.k.step_size = [1, 2]\nkernel.k.steps = [3]\n"
      "[study.variant.b.axes]\nkernel.k.first_step = [1, 2]\n[study.alias]\n";
  const auto cells = [&](const std::string& alias) { return folder.cells(axes + alias); };
  const auto refused = [&](const std::string& alias, const std::string& message) {
    contains(folder.refusal(axes + alias), message);
  };
  const std::string good = "step = [\"kernel.k.step_size\", \"kernel.k.first_step\"]\n";
  // Only a name: the cells and what they are called stay as they are.
  CHECK(labels(cells(good)) == labels(cells("")));
  CHECK(labels(folder.cells(axes + good)).size() == 4);
  refused("step = [\"kernel.k.step_sise\"]\n",
          "s.toml:14:9: study.alias.step: the study has no axis \"kernel.k.step_sise\" (did you "
          "mean \"kernel.k.step_size\"?)");
  refused("step = []\n", "study.alias.step: must not be empty");
  refused("step = \"kernel.k.step_size\"\n", "must be a list");
  refused("step = [1]\n",
          "s.toml:14:9: study.alias.step: must be a list of axes, each as \"KIND.NAME.KEY\"");
  refused(
      "step = [\"kernel.k.step_size\", \"kernel.k.step_size\"]\n",
      "kernel.k.step_size already belongs to study.alias.step. An axis may have only one alias");
  refused(good + "other = [\"kernel.k.first_step\"]\n", "s.toml:15:10: study.alias.other: ");
  refused("step = [\"kernel.k.steps\", \"kernel.k.step_size\"]\n",
          "s.toml:14:1: study.alias.step: kernel.k.step_size and kernel.k.steps are both axes of "
          "base/a, but an alias may name only one axis of a cell");
  refused("a.b = [\"kernel.k.steps\"]\n",
          "study.alias.a.b: the name must contain only letters, digits");
  refused("\"\" = [\"kernel.k.steps\"]\n",
          "study.alias.: the name must contain only letters, digits");
  for (const char* const taken : {"variant", "min_ess", "acceptance", "error_mean", "x_mcse"}) {
    refused(std::string(taken) + " = [\"kernel.k.steps\"]\n",
            "the table already has a column with this name. Choose another name");
  }
}

TEST_CASE("errors of a cell name the place in the study file", "[study]") {
  const StudyFolder folder;
  const auto cells = folder.cells(
      "[model.m]\nuse = \"quartic\"\n[study]\n[study.variant.v]\n"
      "kernel.k = { use = \"hamiltonian\", stepsize = 0.1 }\n");
  try {
    mixwell::parse_manifest("mixwell = 1\n", "s.toml", support::registry(), cells.front().changes);
    FAIL("accepted");
  } catch (const mixwell::InputError& error) {
    contains(error.what(), "s.toml:6:36: kernel.k.stepsize: unknown key");
    contains(error.what(), "did you mean \"step_size\"?");
  }
}

TEST_CASE("candidates of a tuning fill their ranges evenly and depend on the seed alone",
          "[study]") {
  using mixwell::study::candidate;
  std::vector<mixwell::study::TuneKey> keys(3);
  keys[0] = {"kernel.k.a", {}, 0.01, 1.0, true, false, {}};
  keys[1] = {"kernel.k.b", {}, 1.0, 4.0, false, true, {}};
  keys[2] = {"kernel.k.c", {{"\"x\"", "x"}, {"\"y\"", "y"}}, 0.0, 1.0, false, false, {}};
  std::map<std::string, int> b, c;
  int below = 0;
  const int count = 400;
  for (int k = 0; k < count; ++k) {
    const auto values = candidate(keys, k, "seed 1");
    const double a = values[0].json.get<double>();
    CHECK((a >= 0.01 && a <= 1.0));
    below += a < 0.1 ? 1 : 0;
    ++b[values[1].toml];
    ++c[values[2].toml];
    CHECK(candidate(keys, k, "seed 1")[0].toml == values[0].toml);
    CHECK(candidate(keys, k, "seed 2")[0].toml != values[0].toml);
  }
  CHECK(std::abs(below - count / 2) <= 4);
  CHECK(b.size() == 4);
  for (const auto& [text, n] : b) CHECK(std::abs(n - count / 4) <= 6);
  CHECK(std::abs(c["\"x\""] - count / 2) <= 4);
}

TEST_CASE("halving spends the whole budget, the same in every rung", "[study]") {
  mixwell::study::TuneSettings settings;
  settings.gradients = 9000;
  settings.candidates = 27;
  settings.rungs = 3;
  const auto rungs = mixwell::study::rungs(settings);
  REQUIRE(rungs == std::vector<std::int64_t>{27, 9, 3});
  const auto budget = [&](std::size_t rung, double spent) {
    return mixwell::study::budget_of_trial(settings, rung, spent);
  };
  for (std::size_t r = 0; r < 3; ++r) {
    const auto trials = static_cast<double>(rungs[r]);
    CHECK(trials * budget(r, 3000.0 * static_cast<double>(r)) == Approx(3000));
  }
  CHECK(9 * budget(1, 3400.0) == Approx(2800));  // the first rung used 400 too much
  CHECK(3 * budget(2, 3400.0 + 2800.0) == Approx(2800));
  const auto best = mixwell::study::best({{4, 1.0}, {2, std::nan("")}, {7, 3.0}, {8, 3.0}}, 3);
  CHECK(best == std::vector<std::int64_t>{7, 8, 4});
}
