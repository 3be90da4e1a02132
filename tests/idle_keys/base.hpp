// A small manifest with one component, its keys at their defaults.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <mixwell/lab/registry.hpp>

#include <string>

namespace idle_keys {

/// The component is [KIND.subject] and stands where it matters: an estimator under a compositor
/// that lends it a memory, an oracle of minibatches on a model with cases. Required keys are given,
/// and sizes are small.
struct Base {
  std::string manifest;
  std::string table;   ///< "kernel.subject"
  bool files = false;  ///< what it does is seen in files only
};

Base base_of(const mixwell::Entry& entry);

/// The first lines of every base: its table [run], with few sweeps.
extern const std::string head;

/// Of text files that bases name, in a folder that lives as long as the process.
std::string file(const std::string& name);

}  // namespace idle_keys
