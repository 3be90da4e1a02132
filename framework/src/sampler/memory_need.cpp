// The RAM that a sampler needs, computed before the sampler allocates it.
// SPDX-License-Identifier: Apache-2.0
#include "base/memory_limit.hpp"
#include "sampler/plan.hpp"

#include <mixwell/base/error.hpp>
#include <mixwell/lab/sampler.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <map>

namespace mixwell {
namespace {

/// Counts are doubles, because products of counts cannot overflow as doubles.
double columns_of(const ValueInfo& value, double replicates) {
  return value.scope == Scope::run ? 1 : replicates;
}

/// Adds the numbers of each buffer of one phase. Both phases share buffers of the same name.
void add_buffers(const KernelGraph& graph, double replicates,
                 std::map<std::string, double>& numbers) {
  const Plan plan = make_plan(graph);
  const auto need = [&](const std::string& buffer, Value v) {
    if (buffer.empty()) return;
    double& size = numbers[buffer];
    size = std::max(size, static_cast<double>(graph[v].rows) * columns_of(graph[v], replicates));
  };
  for (std::size_t v = 0; v < graph.values().size(); ++v)
    need(plan.placement[v].buffer, Value{static_cast<std::int32_t>(v)});
  for (const Step& step : plan.steps)
    if (step.operation < 0) need(copy_buffer(graph, step.copied), step.copied);
}

/// How many numbers a recorded draw has.
double recorded_numbers(const KernelGraph& graph, double replicates) {
  double rows = 0;
  for (const Record& record : graph.records()) {
    double size = 1;
    for (const Index length : record.shape) size *= static_cast<double>(length);
    rows += size;
  }
  return rows * replicates;
}

}  // namespace

void check_memory(const Program& program, const RunSettings& settings) {
  const auto replicates = static_cast<double>(settings.replicates);
  std::map<std::string, double> numbers;
  add_buffers(program.warmup, replicates, numbers);
  add_buffers(program.sampling, replicates, numbers);
  double total = recorded_numbers(program.sampling, replicates);
  for (const auto& [buffer, size] : numbers) total += size;
  require_memory(
      8 * total,
      fmt::format("run.replicates = {}: the sampler stores {} numbers for each replicate and",
                  settings.replicates, total / replicates));
}

}  // namespace mixwell
