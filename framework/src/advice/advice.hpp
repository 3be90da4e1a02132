// What a warning at the end of a run advises: keys that this very composition has.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <mixwell/base/export.hpp>

#include <map>
#include <optional>
#include <string>
#include <vector>

namespace mixwell {

/// Sentences that name keys of the kernels of one manifest, and no others.
class MIXWELL_INTERNAL Advice {
 public:
  /// Of draws whose manifest is not at hand: in words, without keys.
  Advice() = default;
  explicit Advice(const std::string& effective_manifest);

  /// Of the manifest in the folder of a run; without keys where there is none, as beside a draws.nc
  /// that stands alone.
  static Advice of_run(const std::string& folder);

  /// `target_acceptance` of that kernel where it is set; of "" that of the only kernel that has
  /// one.
  std::optional<double> target_acceptance(const std::string& kernel = {}) const;

  /// To make steps of that kernel, or of all, shorter or longer: "Lower kernel.hmc.step_size."
  std::string shorter_steps(const std::string& kernel = {}) const;
  std::string longer_steps() const;
  /// To let trajectories end by themselves that reach the largest depth.
  std::string deeper_trees(const std::string& kernel = {}) const;
  /// For draws that are too few by a factor: "Set run.draws about 3 times as large."
  std::string more_draws(int times) const;

 private:
  struct KernelKeys {
    std::string name;
    std::map<std::string, std::string> values;  ///< by key; "" where it is not set
    bool has(const std::string& key) const { return values.count(key) != 0; }
    bool sets(const std::string& key) const { return has(key) && !values.at(key).empty(); }
    bool learns_step_size() const;
    std::string path(const std::string& key) const { return "kernel." + name + "." + key; }
  };

  std::vector<const KernelKeys*> concerned(const std::string& kernel) const;
  std::string other_steps(const std::string& kernel, const char* length, const char* target) const;

  bool is_known_ = false;
  std::vector<KernelKeys> kernels_;
};

}  // namespace mixwell
