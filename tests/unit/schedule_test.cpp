// Compiled graphs: memory, order, tasks, and the numbers they compute.
// SPDX-License-Identifier: Apache-2.0
#include "sampler/schedule.hpp"

#include "sampler/plan.hpp"
#include "toy_graphs.hpp"

#include <catch2/catch.hpp>

#include <algorithm>
#include <cmath>

using namespace toy;

namespace {

std::size_t tasks(const Plan& plan) {
  std::size_t count = 0;
  for (const auto& level : plan.levels) count += level.size();
  return count;
}

/// x and y swap their values each sweep: y must read the x of before.
void add_swap(KernelGraph& graph) {
  const Variable x = graph.slot("x", 2);
  const Variable y = graph.slot("y", 2);
  const Value old_x = graph.current(x);
  graph.add("x from y", OperationKind::move, {},
            {{old_x, Role::state}, {graph.current(y), Role::parameter}}, {Output::next(x)},
            std::make_shared<Take>());
  graph.add("y from x", OperationKind::move, {},
            {{graph.current(y), Role::state}, {old_x, Role::parameter}}, {Output::next(y)},
            std::make_shared<Take>());
}

/// K independent slots, each halved and shifted.
void add_independent(KernelGraph& graph, int count) {
  for (int k = 0; k < count; ++k) {
    const Variable x = graph.slot("x" + std::to_string(k), 3);
    graph.add("move" + std::to_string(k), OperationKind::move, {},
              {{graph.current(x), Role::state}}, {Output::next(x)}, affine(0.5, k + 1.0));
    graph.record(
        {RecordGroup::posterior, "x", {3}, RecordType::real, "", "", k, graph.current(x), 0});
  }
}

}  // namespace

TEST_CASE("a serial run of operations is one task") {
  KernelGraph graph;
  const Variable x = graph.slot("x", 2);
  for (int k = 0; k < 5; ++k) {
    graph.add("move" + std::to_string(k), OperationKind::move, {},
              {{graph.current(x), Role::state}}, {Output::next(x)}, affine(1.0, 1.0));
  }
  const Plan plan = make_plan(graph);
  CHECK(plan.steps.size() == 5);
  CHECK(tasks(plan) == 1);
}

TEST_CASE("independent operations are tasks of one level") {
  KernelGraph graph;
  add_independent(graph, 4);
  const Plan plan = make_plan(graph);
  REQUIRE(plan.levels.size() == 1);
  CHECK(plan.levels[0].size() == 4);
}

TEST_CASE("a version read after it was replaced is copied before") {
  KernelGraph graph;
  add_swap(graph);
  const Plan plan = make_plan(graph);
  CHECK(plan.steps.front().operation == -1);
  CHECK(plan.reads[1][1] == "copy/x@0");
  CHECK(plan.reads[0][0] == "x");
  Storage storage;
  Schedule schedule(graph, "sampling", {1, 5, 8, 1}, storage);
  storage.at("x").numbers.setConstant(1.0);
  storage.at("y").numbers.setConstant(2.0);
  schedule.run(0, 3, 0, nullptr);
  CHECK(storage.at("x").numbers.isConstant(2.0));
  CHECK(storage.at("y").numbers.isConstant(1.0));
}

TEST_CASE("few blocks and several lanes give the same bits as one thread") {
  const auto run = [](int threads) {
    KernelGraph graph;
    add_independent(graph, 4);
    Storage storage;
    DrawBuffers buffers;
    with_threads(threads, [&] {
      Schedule schedule(graph, "sampling", {1, 3, 8, 2}, storage);
      schedule.run(0, 7, 0, &buffers);
    });
    return buffers;
  };
  const DrawBuffers one = run(1);
  const DrawBuffers four = run(4);
  CHECK(one.draws == 3);  // thin = 2: sweeps 1, 3, 5
  CHECK(one.data == four.data);
  // x <- x / 2 + 1 from 0: 1, 1.5, 1.75, 1.875
  CHECK(one.data[0][0] == 1.5);
  CHECK(one.data[0][9] == 1.875);
}

TEST_CASE("thinning counts from the start of the phase, however the sweeps are split") {
  const auto recorded = [](const std::vector<std::int64_t>& calls) {
    KernelGraph graph;
    add_independent(graph, 1);
    Storage storage;
    Schedule schedule(graph, "sampling", {1, 2, 8, 3}, storage);
    std::vector<double> all;
    std::uint64_t at = 10;
    for (const std::int64_t sweeps : calls) {
      DrawBuffers buffers;
      schedule.run(at, sweeps, 10, &buffers);
      at += static_cast<std::uint64_t>(sweeps);
      all.insert(all.end(), buffers.data[0].begin(), buffers.data[0].end());
    }
    return all;
  };
  const auto whole = recorded({12});
  CHECK(whole.size() == 4 * 2 * 3);
  CHECK(recorded({1, 1, 1, 4, 5}) == whole);
  CHECK(recorded({5, 7}) == whole);
}

TEST_CASE("what is recorded once is read in the first recorded sweep of the phase alone") {
  KernelGraph graph;
  const Variable x = graph.slot("x", 2);
  const Variable learnt =
      graph.history("learnt", Eigen::Vector2d(3.0, 5.0), Forgets::diminishing, Scope::run);
  graph.add("move", OperationKind::move, {}, {{graph.current(x), Role::state}}, {Output::next(x)},
            affine(0.5, 1.0));
  Record record;
  record.group = RecordGroup::sample_stats;
  record.name = "inv_metric";
  record.shape = {2};
  record.value = graph.current(learnt);
  record.once = true;
  graph.record(record);
  record = {RecordGroup::posterior, "x", {2}, RecordType::real, "", "", 0, graph.current(x), 0};
  graph.record(record);
  Storage storage;
  Schedule schedule(graph, "sampling", {1, 3, 8, 4}, storage);
  const std::vector<double> once = {3.0, 5.0, 3.0, 5.0, 3.0, 5.0};
  DrawBuffers buffers;
  const auto run = [&](std::uint64_t first, std::int64_t sweeps) {
    schedule.run(first, sweeps, 10, &buffers);
    return buffers.data[0];
  };
  CHECK(run(10, 3).empty());
  CHECK(buffers.draws == 0);
  CHECK(run(13, 6) == once);
  CHECK(buffers.draws == 2);
  CHECK(buffers.data[1].size() == 12);
  CHECK(run(19, 9).empty());
  CHECK(buffers.draws == 2);
}

namespace {

/// Writes how often it ran.
class Counting final : public Body {
 public:
  explicit Counting(int& count) : count_(count) {}
  void run(ColumnBlock& block) const override {
    ++count_;
    block.out(0).setConstant(count_);
  }

 private:
  int& count_;
};

/// A slot that moves, and a history that does not.
struct Still {
  explicit Still(KernelGraph& graph)
      : x(graph.slot("x", 1)),
        learnt(graph.history("learnt", Eigen::VectorXd::Ones(1), Forgets::diminishing)) {
    graph.add("move", OperationKind::move, {}, {{graph.current(x), Role::state}}, {Output::next(x)},
              affine(1.0, 1.0));
  }
  Variable x;
  Variable learnt;
};

/// An operation on `from` that counts its runs; its result.
Value watch(KernelGraph& graph, const std::string& name, Value from, int& count) {
  return graph
      .add("watch " + name, OperationKind::pure, {}, {{from, Role::parameter}},
           {Output::derived(name, 1)}, std::make_shared<Counting>(count))
      .front();
}

void record(KernelGraph& graph, const std::string& name, Value value, bool once) {
  Record record;
  record.group = RecordGroup::sample_stats;
  record.name = name;
  record.value = value;
  record.once = once;
  graph.record(std::move(record));
}

}  // namespace

TEST_CASE("what only records need runs in recorded sweeps alone") {
  int count = 0;
  KernelGraph graph;
  const Still still(graph);
  record(graph, "w", watch(graph, "w", graph.current(still.x), count), false);
  Storage storage;
  Schedule schedule(graph, "sampling", {1, 1, 8, 5}, storage);
  schedule.run(0, 20, 0, nullptr);
  CHECK(count == 0);
  DrawBuffers buffers;
  schedule.run(20, 20, 20, &buffers);
  CHECK(count == 4);
}

TEST_CASE("what only records made once need runs once") {
  const int threads = GENERATE(1, 4);  // sweep by sweep, and level by level
  int source = 0, rare = 0, both = 0;
  KernelGraph graph;
  const Still still(graph);
  const Value first = watch(graph, "source", graph.current(still.learnt), source);
  record(graph, "rare", watch(graph, "rare", first, rare), true);
  const Value shared = watch(graph, "both", graph.current(still.learnt), both);
  record(graph, "once", shared, true);
  record(graph, "often", shared, false);
  Storage storage;
  DrawBuffers buffers;
  with_threads(threads, [&] {
    Schedule schedule(graph, "sampling", {1, 1, 8, 5}, storage);
    schedule.run(100, 4, 100, &buffers);
    CHECK(source + rare + both == 0);
    schedule.run(104, 7, 100, &buffers);  // sweeps 104 and 109 are recorded
    CHECK(buffers.data[0] == std::vector<double>{1.0});
    schedule.run(111, 9, 100, &buffers);
  });
  CHECK(source == 1);
  CHECK(rare == 1);
  CHECK(both == 4);
  CHECK(buffers.data[0].empty());
}

TEST_CASE("what is recorded once is not computed in warm-up") {
  int rare = 0;
  KernelGraph graph;
  const Still still(graph);
  record(graph, "rare", watch(graph, "rare", graph.current(still.learnt), rare), true);
  Storage storage;
  Schedule schedule(graph, "warmup", {1, 1, 8, 1}, storage);
  DrawBuffers buffers;
  schedule.run(0, 10, 0, &buffers);
  CHECK(buffers.draws == 10);
  CHECK(buffers.data[0].empty());
  CHECK(rare == 0);
}

TEST_CASE("an evaluation is carried over sweeps, and computed once at the start") {
  class CountingBowl final : public Potential {
   public:
    explicit CountingBowl(int& count) : count_(count) {}
    void evaluate(const Numbers&, ConstBatch theta, const Evaluation& out) const override {
      ++count_;
      Batch g = out.gradient;
      g = theta;
      if (out.wants_potential()) out.u() = 0.5 * theta.colwise().squaredNorm();
    }

   private:
    int& count_;
  };
  /// Adds g to theta and keeps (u, g) current.
  class Climb final : public Body {
   public:
    void run(ColumnBlock& block) const override {
      block.out(0) = block.in(0) + block.in(3);
      block.law(1).evaluate(block.out(0), {block.out(1).data(), block.out(2), block.scratch()});
    }
  };
  int count = 0;
  KernelGraph graph;
  const Variable x = graph.slot("x", 2);
  const Value law = graph.constant("U", std::make_shared<CountingBowl>(count));
  graph.factor(law, {x});
  const Cached at = graph.evaluation(law, x);
  graph.add(
      "climb", OperationKind::move, {},
      {{graph.current(x), Role::state},
       {law, Role::law},
       {at.u, Role::evaluation},
       {at.g, Role::evaluation}},
      {Output::next(x), Output::evaluation("u", 1, law, x), Output::evaluation("g", 2, law, x)},
      std::make_shared<Climb>());
  Storage storage;
  Schedule schedule(graph, "sampling", {1, 4, 8, 1}, storage);
  storage.at("x").numbers.setConstant(1.0);
  schedule.start(nullptr);
  CHECK(count == 1);
  schedule.run(0, 3, 0, nullptr);
  CHECK(count == 4);
  CHECK(storage.at("x").numbers.isConstant(8.0));
  CHECK(storage.at("cache/U/x/u").numbers.isConstant(64.0));
  CHECK(storage.at("cache/U/x/g").saved);
}

TEST_CASE("a register of the whole run is updated once a sweep, after all blocks") {
  class CountColumns final : public Body {
   public:
    void run(ColumnBlock& block) const override {
      block.out(0) = block.in(0);
      block.out(0)(0, 0) += block.in(1).sum();
    }
  };
  KernelGraph graph;
  const Variable x = graph.slot("x", 1);
  const Variable sum = graph.history("sum", Eigen::VectorXd::Zero(1), Forgets::unknown, Scope::run);
  graph.add("move", OperationKind::move, {}, {{graph.current(x), Role::state}}, {Output::next(x)},
            affine(1.0, 1.0));
  graph.add("observe", OperationKind::observe, {},
            {{graph.current(sum), Role::state}, {graph.current(x), Role::parameter}},
            {Output::next(sum)}, std::make_shared<CountColumns>());
  Storage storage;
  Schedule schedule(graph, "warmup", {1, 20, 8, 1}, storage);
  schedule.run(0, 3, 0, nullptr);
  CHECK(storage.at("sum").numbers(0, 0) == 20.0 * (1 + 2 + 3));
}

TEST_CASE("a guarded operation runs in the columns of its branch, and is recorded there alone") {
  /// Column j belongs to branch j % 2.
  class Parity final : public Body {
   public:
    void run(ColumnBlock& block) const override {
      for (Index j = 0; j < block.columns(); ++j) {
        block.out(0)(0, j) = static_cast<double>((block.first_column() + j) % 2);
      }
    }
  };
  /// Counts columns; x += 1, statistic = 7.
  class Count final : public Body {
   public:
    explicit Count(Index& columns) : columns_(columns) {}
    void run(ColumnBlock& block) const override {
      columns_ += block.columns();
      block.out(0) = block.in(0).array() + 1.0;
      block.out(1).setConstant(7.0);
    }

   private:
    Index& columns_;
  };
  Index columns = 0;
  KernelGraph graph;
  const Variable x = graph.slot("x", 1);
  const Value choice = graph
                           .add("choose", OperationKind::pure, {}, {},
                                {Output::derived("branch", 1)}, std::make_shared<Parity>())
                           .front();
  graph.set_guard({choice, 1});
  const auto out = graph.add("move", OperationKind::move, {}, {{graph.current(x), Role::state}},
                             {Output::next(x), Output::derived("statistic", 1)},
                             std::make_shared<Count>(columns));
  graph.set_guard();
  const auto record = [&](const char* name, Value value, RecordType type) {
    graph.record({RecordGroup::sample_stats, name, {}, type, "", "", 0, value, 0});
  };
  record("x", graph.current(x), RecordType::real);
  record("s", out[1], RecordType::real);
  record("n", out[1], RecordType::integer);
  Storage storage;
  Schedule schedule(graph, "sampling", {1, 5, 8, 1}, storage);
  DrawBuffers buffers;
  schedule.run(0, 3, 0, &buffers);
  CHECK(columns == 3 * 2);
  Eigen::RowVectorXd wanted(5);
  wanted << 0, 3, 0, 3, 0;
  CHECK(storage.at("x").numbers == wanted);
  for (std::size_t j = 0; j < 5; ++j) {
    const bool ran = j % 2 == 1;
    CHECK(buffers.data[0][10 + j] == (ran ? 3.0 : 0.0));
    CHECK(std::isnan(buffers.data[1][10 + j]) == !ran);
    CHECK(buffers.data[2][10 + j] == (ran ? 7.0 : 0.0));
  }
}
