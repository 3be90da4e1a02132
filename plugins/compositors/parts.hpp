// Several kernels on one slot: their sites, and the statistics they have in common.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <mixwell/plugin.hpp>

#include <cmath>
#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace mixwell::parts {

/// Names of the kernels; the second use of one is `name2`, the third `name3`, ...
inline std::vector<std::string> labels(const std::vector<std::shared_ptr<const Kernel>>& kernels) {
  std::vector<std::string> all;
  for (std::size_t k = 0; k < kernels.size(); ++k) {
    std::size_t use = 1;
    for (std::size_t i = 0; i < k; ++i) use += kernels[i] == kernels[k] ? 1 : 0;
    all.push_back(kernels[k]->name() + (use == 1 ? "" : std::to_string(use)));
  }
  return all;
}

/// The slot of a model that several kernels move, and its factor.
struct Shared {
  Variable slot;
  Value target;
};

inline Shared add_slot(KernelGraph& graph, const std::shared_ptr<const Model>& model) {
  const Value target = target_law(graph, model->name(), model);
  const Variable slot = graph.slot("theta", model->dimension());
  graph.factor(target, {slot});
  return {slot, target};
}

inline Site site(const Shared& shared, const std::string& label, PhaseKind phase) {
  Site site;
  site.path = label;
  site.label = label;
  site.slot = shared.slot;
  site.target = shared.target;
  site.phase = phase;
  return site;
}

/// A statistic of one part, that of the whole, and which part ran.
struct OfPart : edge::OneRow<Role::parameter> {
  using OneRow::OneRow;
};
struct OfWhole : edge::OneRow<Role::parameter> {
  using OneRow::OneRow;
};
struct Choice : edge::OneRow<Role::parameter> {
  using OneRow::OneRow;
};

/// The mean or the maximum of the parts, or the value of the part that was chosen.
class Combine {
 public:
  enum class How { mean, any };
  Combine(How how, std::vector<Index> branches) : how_(how), branches_(std::move(branches)) {}

  void operator()(edge::List<OfPart> parts, std::optional<Choice> choice,
                  edge::Out<OfWhole> out) const {
    for (Index j = 0; j < out.cols(); ++j) {
      double sum = 0.0;
      double count = 0.0;
      for (std::size_t k = 0; k < parts.size(); ++k) {
        if (choice && (*choice)(j) != static_cast<double>(branches_[k])) continue;
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
  How how_;
  std::vector<Index> branches_;
};

inline std::optional<Value> recorded(const KernelGraph& graph, const std::string& name) {
  for (const Record& record : graph.records()) {
    if (record.group == RecordGroup::sample_stats && record.name == name) return record.value;
  }
  return std::nullopt;
}

/// Records `name` of the whole transition from what its parts record as `LABEL_name`.
inline void record_combined(KernelGraph& graph, const std::vector<std::string>& labels,
                            Value choice, const std::string& name, Combine::How how,
                            const std::string& help) {
  std::vector<Edge<OfPart>> of_parts;
  std::vector<Index> branches;
  for (std::size_t k = 0; k < labels.size(); ++k) {
    if (const auto value = recorded(graph, labels[k] + "_" + name)) {
      of_parts.push_back({*value});
      branches.push_back(static_cast<Index>(k));
    }
  }
  if (branches.empty()) return;
  const std::string path = "whole/" + name;
  const auto whole =
      add_operation(graph, path, OperationKind::pure, {}, Combine(how, std::move(branches)),
                    of_parts, choice ? std::optional(Edge<Choice>{choice}) : std::nullopt,
                    Write<OfWhole>{Output::derived(path, 1)});
  const RecordType type = how == Combine::How::any ? RecordType::boolean : RecordType::real;
  graph.record({RecordGroup::sample_stats, name, {}, type, "", help, 0, whole.value, 0});
}

/// What summaries and other programs look for under its plain name.
inline void record_whole(KernelGraph& graph, const std::vector<std::string>& labels, Value choice) {
  record_combined(graph, labels, choice, "acceptance_rate", Combine::How::mean,
                  "mean acceptance probability of the kernels that ran");
  record_combined(graph, labels, choice, "diverging", Combine::How::any,
                  "a kernel that ran diverged");
}

}  // namespace mixwell::parts
