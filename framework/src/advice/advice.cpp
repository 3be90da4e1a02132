// Advice for warnings at the end of a run. It names only keys of the run's composition.
// SPDX-License-Identifier: Apache-2.0
#include "advice/advice.hpp"

#include "files/reading.hpp"
#include "manifest/effective.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <array>
#include <cctype>
#include <cstdlib>
#include <filesystem>

namespace mixwell {
namespace {

constexpr const char* target = "target_acceptance";
/// The keys by which kernels set the length of a step.
constexpr std::array lengths = {"step_size", "learning_rate", "scale"};
/// The keys for the number of steps of a trajectory.
constexpr std::array counts = {"steps", "steps_jitter"};

/// "Lower a, or raise b."
std::string sentence(const std::vector<std::string>& clauses) {
  std::string text = fmt::format("{}.", fmt::join(clauses, ", or "));
  text.front() = static_cast<char>(std::toupper(static_cast<unsigned char>(text.front())));
  return text;
}

}  // namespace

Advice::Advice(const std::string& effective_manifest) : is_known_(true) {
  constexpr std::string_view kind = "kernel.";
  for (const EffectiveTable& table : read_effective(effective_manifest)) {
    if (!table.heading.starts_with(kind)) continue;
    KernelKeys& kernel = kernels_.emplace_back();
    kernel.name = table.heading.substr(kind.size());
    for (const EffectiveLine& line : table.lines) kernel.values.emplace(line.key, line.value);
  }
}

Advice Advice::of_run(const std::string& folder) {
  const std::filesystem::path manifest = std::filesystem::path(folder) / "manifest.toml";
  if (!std::filesystem::is_regular_file(manifest)) return {};
  return Advice(read_text_file(manifest.string(), "manifest"));
}

/// Whether the kernel learns its step size. Some kernels have a flag for learning in addition to
/// the key for the target.
bool Advice::KernelKeys::learns_step_size() const {
  constexpr const char* flag = "learn_step_size";
  return sets(target) && !(sets(flag) && values.at(flag).starts_with("false"));
}

std::vector<const Advice::KernelKeys*> Advice::concerned(const std::string& kernel) const {
  std::vector<const KernelKeys*> all;
  std::vector<const KernelKeys*> named;
  for (const KernelKeys& one : kernels_) {
    all.push_back(&one);
    if (one.name == kernel) named.push_back(&one);
  }
  return named.empty() ? all : named;
}

std::optional<double> Advice::target_acceptance(const std::string& kernel) const {
  std::optional<double> found;
  for (const KernelKeys& one : kernels_) {
    const bool meant = kernel.empty() || one.name == kernel;
    if (!meant || !one.learns_step_size()) continue;
    if (found) return std::nullopt;
    found = std::strtod(one.values.at(target).c_str(), nullptr);
  }
  return found;
}

/// Advice to change the step length, or the target acceptance rate if the step length is learnt.
std::string Advice::other_steps(const std::string& kernel, const char* with_length,
                                const char* with_target) const {
  std::vector<std::string> clauses;
  for (const KernelKeys* const one : concerned(kernel)) {
    if (one->learns_step_size()) {
      clauses.push_back(fmt::format("{} {}", with_target, one->path(target)));
      continue;
    }
    for (const char* const length : lengths)
      if (one->sets(length))
        clauses.push_back(fmt::format("{} {}", with_length, one->path(length)));
  }
  if (clauses.empty()) return "Try another kernel, or reparametrise the model.";
  return sentence(clauses);
}

std::string Advice::shorter_steps(const std::string& kernel) const {
  return is_known_ ? other_steps(kernel, "lower", "raise") : "Make the kernel's moves shorter.";
}

std::string Advice::longer_steps() const {
  return is_known_ ? other_steps({}, "raise", "lower") : "Make the kernel's moves longer.";
}

std::string Advice::deeper_trees(const std::string& kernel) const {
  constexpr const char* depth = "max_depth";
  constexpr const char* metric = "estimator";
  std::vector<std::string> clauses;
  for (const KernelKeys* const one : concerned(kernel)) {
    if (!one->has(depth)) continue;
    clauses.push_back("raise " + one->path(depth));
    if (one->has(metric))
      clauses.push_back("set " + one->path(metric) +
                        " to a metric that matches the scales of the target");
  }
  if (clauses.empty())
    return "Allow deeper trees, or choose a metric that matches the scales of the target.";
  return sentence(clauses);
}

std::string Advice::more_draws(int times) const {
  std::vector<std::string> clauses = {fmt::format("multiply run.draws by about {}", times)};
  for (const KernelKeys& one : kernels_)
    for (const char* const count : counts)
      if (one.sets(count)) clauses.push_back("raise " + one.path(count));
  return sentence(clauses);
}

}  // namespace mixwell
