// What a kernel learns in warmup and records once: from a run to draws.nc, and the rules for it.
// SPDX-License-Identifier: Apache-2.0
#include "support.hpp"
#include "toy_components.hpp"
#include "toy_graphs.hpp"

#include <mixwell/lab/draws.hpp>
#include <mixwell/lab/run.hpp>

#include <netcdf.h>
#include <nlohmann/json.hpp>

#include <vector>

using namespace mixwell;

namespace {

/// history* = history / 2 + theta^2.
class Watch final : public Body {
 public:
  void run(ColumnBlock& block) const override {
    flat(block.out(0)) = 0.5 * flat(block.in(0)) + flat(block.in(1)).square();
  }
};

/// theta* = z: the standard normal at once.
class Redraw final : public Body {
 public:
  void run(ColumnBlock& block) const override { block.normals(1, block.out(0)); }
};

/// Redraws theta and learns its square in warm-up.
class Watcher final : public Kernel {
 public:
  struct Params {
    bool records = true;
    bool frozen = true;
    void declare(Fields& fields) {
      fields.flag("records", records).help("record what was learnt");
      fields.flag("frozen", frozen).help("stop learning after warm-up");
    }
  };
  explicit Watcher(const Params& params) : params_(params) {}

  void describe(KernelGraph& graph, const Site& site) const override {
    const Index d = graph[site.slot].rows;
    const Variable learnt =
        graph.history(site.path + "/learnt", Eigen::VectorXd::Zero(d), Forgets::diminishing);
    Traits traits;
    traits.invariant = true;
    graph.add(site.path + "/redraw", OperationKind::move, traits,
              {{graph.current(site.slot), Role::state},
               {graph.noise(site.path + "/redraw"), Role::noise},
               {site.target, Role::law}},
              {Output::next(site.slot)}, std::make_shared<Redraw>());
    if (site.phase == PhaseKind::warmup || !params_.frozen) {
      graph.add(site.path + "/watch", OperationKind::observe, {},
                {{graph.current(learnt), Role::state}, {graph.current(site.slot), Role::parameter}},
                {Output::next(learnt)}, std::make_shared<Watch>());
    }
    if (params_.records) record(graph, site, learnt);
  }

 private:
  static void record(KernelGraph& graph, const Site& site, Variable learnt) {
    Record record;
    record.group = RecordGroup::sample_stats;
    record.name = "inv_metric";
    record.shape = {graph[learnt].rows};
    record.slot = site.number;
    record.value = graph
                       .add(site.path + "/shift", OperationKind::pure, {},
                            {{graph.current(learnt), Role::parameter}},
                            {Output::derived(site.path + "/metric", graph[learnt].rows)},
                            toy::affine(1.0, 1.0))
                       .front();
    record.once = true;
    graph.record(std::move(record));
  }

  Params params_;
};

Composition compose_watcher(const std::string& lines, const std::string& run = "") {
  static const Registry all = [] {
    Registry registry = Registry::load(Registry::default_folders());
    Entry entry;
    entry.kind = Kind::kernel;
    entry.description.id = "watcher";
    entry.library = registry.find(Kind::compositor, "chain").library;
    entry.blueprint = [] { return std::make_unique<BlueprintOf<Watcher>>(); };
    registry.add(std::move(entry));
    return registry;
  }();
  return parse_manifest("mixwell = 1\n[run]\nreplicates = 3\nwarmup = 7\ndraws = 11\n" + run +
                            "\n[model.target]\nuse = \"gaussian\"\ndimension = 2\n" +
                            "[kernel.k]\nuse = \"watcher\"\n" + lines,
                        "once.toml", all);
}

std::vector<double> metric_in_file(const std::string& folder) {
  int file = -1;
  int group = -1;
  int variable = -1;
  std::vector<double> numbers(6);
  REQUIRE(nc_open((folder + "/draws.nc").c_str(), NC_NOWRITE, &file) == NC_NOERR);
  REQUIRE(nc_inq_grp_ncid(file, "sample_stats", &group) == NC_NOERR);
  REQUIRE(nc_inq_varid(group, "inv_metric", &variable) == NC_NOERR);
  REQUIRE(nc_get_var_double(group, variable, numbers.data()) == NC_NOERR);
  nc_close(file);
  return numbers;
}

/// The value after warmup.
std::vector<double> metric_in_memory(const Composition& composition) {
  Sampler sampler(composition.compositor, composition.run, compose(*composition.compositor));
  sampler.initialise();
  sampler.advance(PhaseKind::warmup, composition.run.warmup);
  const MatrixMap learnt = sampler.variable("k/learnt");
  std::vector<double> numbers(learnt.data(), learnt.data() + learnt.size());
  for (double& x : numbers) x += 1.0;
  return numbers;
}

RunResult run_in(const std::string& folder, const Composition& composition) {
  RunOptions options;
  options.folder = folder;
  return run(composition, options);
}

std::string hash_of(const RunResult& result) { return result.record.draws_sha256; }

}  // namespace

TEST_CASE("what warm-up learnt is recorded once, and changes no other draw") {
  const std::string run = GENERATE("", "record_warmup = true", "thin = 3");
  const support::TemporaryFolder folder;
  const Composition watching = compose_watcher("", run);
  const RunResult with = run_in(folder.path() + "/with", watching);
  CHECK(metric_in_file(folder.path() + "/with") == metric_in_memory(watching));
  const RunResult without =
      run_in(folder.path() + "/without", compose_watcher("records = false", run));
  CHECK(hash_of(with) == hash_of(without));
}

TEST_CASE("a value that moves after warm-up cannot be recorded once") {
  CHECK_THROWS_WITH(
      compose(*compose_watcher("frozen = false").compositor),
      Catch::Contains("`inv_metric` is recorded only once, but it depends on `k/learnt@1`, which "
                      "changes during sampling"));
}

TEST_CASE("what is recorded once is a real of sample_stats") {
  KernelGraph graph;
  Record record;
  record.name = "inv_metric";
  record.value = graph.current(graph.slot("x", 2));
  record.once = true;
  CHECK_THROWS_WITH(
      graph.record(record),
      Catch::Contains("its type must be `real` and its group must be `sample_stats`"));
}
