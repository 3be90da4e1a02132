// Code shared by compositors: slots and labels of kernels, random choices, joint statistics.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <mixwell/plugin.hpp>

#include <algorithm>
#include <cmath>
#include <limits>
#include <memory>
#include <numeric>
#include <optional>
#include <string>
#include <vector>

namespace mixwell::parts {

/// Names of the kernels. The second use of a kernel is `name2`, the third `name3`, ...
inline std::vector<std::string> labels(const std::vector<std::shared_ptr<const Kernel>>& kernels) {
  std::vector<std::string> all;
  for (std::size_t k = 0; k < kernels.size(); ++k) {
    std::size_t use = 1;
    for (std::size_t i = 0; i < k; ++i) use += kernels[i] == kernels[k] ? 1 : 0;
    all.push_back(kernels[k]->name() + (use == 1 ? "" : std::to_string(use)));
  }
  return all;
}

/// The position of a model that several kernels move, with the factor of its target.
struct Shared {
  PositionSlots position;
  Value target;
};

inline Shared add_position(KernelGraph& graph, const std::shared_ptr<const Model>& model,
                           const std::vector<std::shared_ptr<const Kernel>>& kernels) {
  const Value target = target_law(graph, model->name(), model);
  PositionSlots position = mixwell::add_position(graph, "theta", *model, kernels);
  graph.factor(target, position.slots);
  gather_position(graph, position);
  return {std::move(position), target};
}

inline Site site(const Shared& shared, const std::string& label, PhaseKind phase) {
  return {.path = label,
          .label = label,
          .slot = shared.position.whole,
          .target = shared.target,
          .phase = phase};
}

/// "x0", "x1", ...
inline std::vector<std::string> numbered(Index count) {
  std::vector<std::string> names;
  for (Index i = 0; i < count; ++i) names.push_back("x" + std::to_string(i));
  return names;
}

/// The site of one of several slots that a kernel moves one after another. The path of the site is,
/// for example, "x3/hmc".
inline Site site(const Kernel& kernel, Variable slot, Index number, Value target, PhaseKind phase) {
  return {.path = "x" + std::to_string(number) + "/" + kernel.name(),
          .slot = slot,
          .number = number,
          .target = target,
          .phase = phase};
}

/// The name of an operation at a site: "path/name".
inline std::string operation_at(const Site& site, const std::string& name) {
  return site.path.empty() ? name : site.path + "/" + name;
}

/// Divides [0, 1) into shares proportional to the (positive) weights, and returns their upper ends.
inline std::vector<double> ends_of_shares(std::vector<double> weights) {
  const double total = std::accumulate(weights.begin(), weights.end(), 0.0);
  std::partial_sum(weights.begin(), weights.end(), weights.begin());
  for (double& end : weights) end /= total;
  return weights;
}

/// Index of the kernel that runs, a whole number.
struct Branch : edge::OneRow<Role::parameter> {};

/// Writes, for each column, the branch whose share of [0, 1) contains the number in `shares`.
/// `ends` has the upper end of each share.
inline void choose_by(ConstRowMap shares, const std::vector<double>& ends, RowMap branch) {
  for (Index j = 0; j < branch.cols(); ++j) {
    std::size_t k = 0;
    while (k + 1 < ends.size() && shares(j) >= ends[k]) ++k;
    branch(j) = static_cast<double>(k);
  }
}

/// Draws one branch for each sweep and column, with the probabilities of the shares.
inline Value draw_branch(KernelGraph& graph, const Site& of, const std::vector<double>& ends) {
  const std::string path = operation_at(of, "choose");
  return add_operation(
             graph, path, OperationKind::pure, {},
             [ends](Columns& block, edge::Noise noise, edge::Out<Branch> out) {
               RowMap share = block.scratch().row(out.cols());
               noise.uniforms(share);
               choose_by(ConstRowMap(share.data(), share.size()), ends, out);
             },
             Edge<edge::Noise>{graph.noise(path)},
             Write<Branch>{Output::derived(operation_at(of, "branch"), 1)})
      .value;
}

/// A choice that is made within a branch of another choice.
struct OuterChoice : edge::OneRow<Role::parameter> {};
struct InnerChoice : edge::OneRow<Role::parameter> {};

/// `inner` in the columns where `outer` holds, otherwise -1.
inline Value within(KernelGraph& graph, const std::string& path, const Guard& outer, Value inner) {
  if (!outer) return inner;
  return add_operation(
             graph, path + "/within", OperationKind::pure, {},
             [branch = static_cast<double>(outer.branch)](OuterChoice of, InnerChoice chosen,
                                                          edge::Out<Branch> out) {
               for (Index j = 0; j < out.cols(); ++j) out(j) = of(j) == branch ? chosen(j) : -1.0;
             },
             Edge<OuterChoice>{outer.choice}, Edge<InnerChoice>{inner},
             Write<Branch>{Output::derived(path + "/within", 1)})
      .value;
}

/// Records the choice with the draws.
inline void record_branch(KernelGraph& graph, const Site& of, Value choice) {
  graph.record({.group = RecordGroup::sample_stats,
                .name = recorded_name(of, "branch"),
                .type = RecordType::integer,
                .help = "index of the kernel that ran, counted from 0",
                .slot = of.number,
                .value = choice});
}

/// Records, with the draws, the coordinates of a slot that is not one of the recorded chains.
inline void record_augmented(KernelGraph& graph, Variable slot) {
  const std::string name = graph[slot].name;
  graph.record({.group = RecordGroup::sample_stats,
                .name = name + "_position",
                .shape = {graph[slot].rows},
                .help = "coordinates of slot " + name + ", which is not one of the recorded chains",
                .value = graph.current(slot)});
}

/// A statistic of one part, the same statistic of the whole, and the choice that says which part
/// ran.
struct OfPart : edge::OneRow<Role::parameter> {};
struct OfWhole : edge::OneRow<Role::parameter> {};
struct Choice : edge::OneRow<Role::parameter> {};

/// Combines a statistic of the parts that ran: the mean, or whether it is true for any of these
/// parts.
class Combine {
 public:
  enum class How { mean, any };
  /// The condition under which a part runs. The part runs in the columns where choice number
  /// `choice` equals `branch`. If `choice` is -1, it always runs.
  struct Turn {
    std::ptrdiff_t choice = -1;
    Index branch = 0;
  };
  Combine(How how, std::vector<Turn> turns) : how_(how), turns_(std::move(turns)) {}

  void operator()(edge::List<OfPart> parts, edge::List<Choice> choices,
                  edge::Out<OfWhole> out) const {
    for (Index j = 0; j < out.cols(); ++j) {
      double sum = 0.0;
      double count = 0.0;
      for (std::size_t k = 0; k < parts.size(); ++k) {
        if (!runs(turns_[k], choices, j)) continue;
        sum += parts[k](j);
        count += 1.0;
      }
      if (how_ == How::any) out(j) = sum > 0.0 ? 1.0 : 0.0;
      if (how_ == How::mean) {
        out(j) = count > 0.0 ? sum / count : std::numeric_limits<double>::quiet_NaN();
      }
    }
  }

 private:
  static bool runs(const Turn& turn, const edge::List<Choice>& choices, Index j) {
    return turn.choice < 0 ||
           choices[static_cast<std::size_t>(turn.choice)](j) == static_cast<double>(turn.branch);
  }

  How how_;
  std::vector<Turn> turns_;
};

inline std::optional<Value> recorded(const KernelGraph& graph, const std::string& name,
                                     Index number) {
  for (const Record& record : graph.records()) {
    if (record.group != RecordGroup::sample_stats || record.slot != number) continue;
    if (record.name == name) return record.value;
  }
  return std::nullopt;
}

/// How a statistic of several parts is combined into one statistic of the whole.
struct Combination {
  std::string name;
  Combine::How how;
  std::string help;
};

/// Combines the statistics that the parts record as `LABEL_name`, and records the result. `guards`
/// say when each part runs.
inline void record_combined(KernelGraph& graph, const Site& of,
                            const std::vector<std::string>& labels,
                            const std::vector<Guard>& guards, const Combination& combination) {
  std::vector<Edge<OfPart>> of_parts;
  std::vector<Edge<Choice>> choices;
  std::vector<Combine::Turn> turns;
  for (std::size_t k = 0; k < labels.size(); ++k) {
    const auto value =
        recorded(graph, recorded_name(of, labels[k] + "_" + combination.name), of.number);
    if (!value) continue;
    of_parts.push_back({*value});
    turns.emplace_back();
    if (!guards[k]) continue;
    const auto known = std::find_if(choices.begin(), choices.end(), [&](const Edge<Choice>& c) {
      return c.value == guards[k].choice;
    });
    turns.back() = {known - choices.begin(), guards[k].branch};
    if (known == choices.end()) choices.push_back({guards[k].choice});
  }
  if (turns.empty()) return;
  const std::string path = operation_at(of, "whole/" + combination.name);
  const auto whole = add_operation(graph, path, OperationKind::pure, {},
                                   Combine(combination.how, std::move(turns)), of_parts, choices,
                                   Write<OfWhole>{Output::derived(path, 1)});
  const bool is_flag = combination.how == Combine::How::any;
  graph.record({.group = RecordGroup::sample_stats,
                .name = recorded_name(of, combination.name),
                .type = is_flag ? RecordType::boolean : RecordType::real,
                .help = combination.help,
                .slot = of.number,
                .value = whole.value});
}

/// Records the joint statistics under the plain names that summaries and other programs expect.
inline void record_whole(KernelGraph& graph, const Site& of, const std::vector<std::string>& labels,
                         const std::vector<Guard>& guards) {
  record_combined(graph, of, labels, guards,
                  {"acceptance_rate", Combine::How::mean,
                   "mean acceptance probability of the kernels that ran"});
  record_combined(graph, of, labels, guards,
                  {"diverging", Combine::How::any, "whether any kernel that ran diverged"});
}

}  // namespace mixwell::parts
