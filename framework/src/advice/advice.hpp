// Advice for warnings at the end of a run. It names only keys of the run's composition.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <mixwell/base/export.hpp>

#include <map>
#include <optional>
#include <string>
#include <vector>

namespace mixwell {

/// Advice in sentences that only name keys of the kernels in one manifest.
class MIXWELL_INTERNAL Advice {
 public:
  /// Advice without names of keys, for draws without a manifest.
  Advice() = default;
  explicit Advice(const std::string& effective_manifest);

  /// Uses the manifest in the folder of a run. If the folder has no manifest, as for a draws.nc in
  /// another folder, the advice names no keys.
  static Advice of_run(const std::string& folder);

  /// The `target_acceptance` of this kernel, if it is set. For the name "", the `target_acceptance`
  /// of the only kernel that sets this key.
  std::optional<double> target_acceptance(const std::string& kernel = {}) const;

  /// Advice to make the steps of this kernel, or of all kernels, shorter or longer: "Lower
  /// kernel.hmc.step_size."
  std::string shorter_steps(const std::string& kernel = {}) const;
  std::string longer_steps() const;
  /// Advice that lets trajectories end before they reach the maximum tree depth.
  std::string deeper_trees(const std::string& kernel = {}) const;
  /// Advice to get `times` as many draws: "Multiply run.draws by about 3."
  std::string more_draws(int times) const;

 private:
  struct KernelKeys {
    std::string name;
    std::map<std::string, std::string> values;  ///< by key; "" if the key is not set
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
