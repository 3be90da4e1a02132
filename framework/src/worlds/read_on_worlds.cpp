// Tests invariance of the target in finite worlds, and compares the result with a certificate.
// SPDX-License-Identifier: Apache-2.0
#include "worlds/world.hpp"

#include <array>

namespace mixwell {
namespace worlds {
namespace {

std::optional<Departure> departure(const FiniteReading& reading, const KeyLayout& layout,
                                   const WorldsEffort& effort, std::uint64_t seed,
                                   WorkLimit& work) {
  const auto read = [&](auto world) { return world.departure(effort.sweeps, effort.joint); };
  auto found = effort.first_order ? read(World<FirstOrder<Exact>>(reading, layout, seed, work))
                                  : read(World<Exact>(reading, layout, seed, work));
  if (found) found->world = seed;
  return found;
}

}  // namespace

std::vector<Sizes> all_sizes(const WorldsEffort& effort) {
  std::vector<Sizes> all{{.place = 2, .momentum = 2}, {.place = 2}, {}};
  for (Sizes& one : all) {
    if (effort.frozen) one.memory = 1;  // a constant
  }
  return all;
}

/// If smaller worlds are possible, the first world may use only a quarter of the work. If this is
/// too little, work is left for the smaller worlds.
FiniteReadingResult read_with(const FiniteReading& reading, const KeyLayout& layout,
                              const WorldsEffort& effort, bool is_smallest, WorkLimit& work) {
  FiniteReadingResult result;
  work.most = is_smallest ? effort.most_work : effort.most_work / 4;
  for (; result.worlds < effort.worlds && !result.departure; ++result.worlds) {
    const std::uint64_t seed = effort.first + static_cast<std::uint64_t>(result.worlds);
    try {
      result.departure = departure(reading, layout, effort, seed, work);
    } catch (const WorkLimit::Spent&) {
      if (result.worlds == 0) throw;
      break;
    }
    work.most = effort.most_work;
  }
  return result;
}

}  // namespace worlds

FiniteReadingResult read_on_worlds(const KernelGraph& graph, const WorldsEffort& effort) {
  using namespace worlds;
  WorkLimit work;
  FiniteReadingResult result;
  const std::vector<Sizes> sizes = all_sizes(effort);
  for (std::size_t k = sizes.size(); k-- > 0;) {
    try {
      const FiniteReading reading(graph, sizes[k]);
      result = read_with(reading, layout_of(reading), effort, k == 0, work);
      break;
    } catch (const WorkLimit::Spent& fault) {
      result.unread = fault.what();
      k = std::min<std::size_t>(k, 1);  // try the smallest worlds next
    } catch (const NoReading& fault) {
      result.unread = fault.what();
    }
  }
  result.work = work.used;
  return result;
}

namespace {

/// Whether some update has no Metropolis decision, so it is right only in a limit. `local`:
/// only count updates of one small step.
bool has_limit(const KernelGraph& graph, bool local) {
  return std::ranges::any_of(graph.operations(), [&](const OperationInfo& o) {
    return is_uncorrected(graph, o) && (o.traits.local || !local);
  });
}

/// A verdict is not called too strict if the composition is right only in a limit or if there are
/// too few worlds, because the worlds then show too little.
WorldsJudgement judgement(bool promised, const WorldsComparison& seen) {
  if (!seen.finite.unread.empty()) return WorldsJudgement::unread;
  if (seen.finite.departure) return promised ? WorldsJudgement::hole : WorldsJudgement::wrong;
  if (promised) return WorldsJudgement::right;
  const bool sees_all = !seen.limit && seen.finite.worlds == seen.effort.worlds;
  return sees_all ? WorldsJudgement::strict : WorldsJudgement::silent;
}

}  // namespace

std::string_view to_string(WorldsJudgement judgement) noexcept {
  constexpr std::array<std::string_view, 6> words{"right",  "hole",   "wrong",
                                                  "strict", "silent", "unread"};
  return words[static_cast<std::size_t>(judgement)];
}

bool is_promise(const KernelGraph& graph, const Verdict& verdict) {
  return verdict.certificate_class() ==
         (has_limit(graph, false) ? CertificateClass::asymptotic : CertificateClass::exact);
}

WorldsComparison compare_with_worlds(const KernelGraph& graph, const Verdict& verdict,
                                     const WorldsEffort& effort) {
  const bool promised = is_promise(graph, verdict);
  WorldsComparison seen{.effort = effort, .limit = has_limit(graph, false)};
  seen.effort.joint = !verdict.coupled;
  seen.effort.first_order = has_limit(graph, true);
  const bool stands_still =
      verdict.reason == "the slot is never updated";  // biased, although the world is invariant
  if (!promised && (verdict.certificate_class() != CertificateClass::biased || stands_still))
    return seen;
  seen.finite = read_on_worlds(graph, seen.effort);
  seen.judgement = judgement(promised, seen);
  return seen;
}

}  // namespace mixwell
