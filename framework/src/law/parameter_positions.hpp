// Positions by the values of parameters, as they are recorded.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <mixwell/base/export.hpp>
#include <mixwell/law/constrained_model.hpp>
#include <mixwell/model.hpp>

#include <memory>
#include <string>
#include <vector>

namespace mixwell {

/// By the constraints of its parameters, of a model that has no NamedPositions of its own.
class MIXWELL_INTERNAL ParameterPositions final : public NamedPositions {
 public:
  explicit ParameterPositions(const Model& model);

  std::vector<Parameter> named() const override { return parameters_; }
  void position(const std::vector<NamedValues>& values, Batch theta) const override;
  /// `path`: {"NAME": number or nested arrays, ...}, as CmdStan reads starting points.
  void read_position(const std::string& path, Batch theta) const override;

 private:
  std::string model_;  ///< its name
  std::vector<Parameter> parameters_;
};

/// Those of the model, which outlives them, or ParameterPositions. Null where neither are there:
/// the model records other quantities in place of its parameters.
MIXWELL_INTERNAL std::shared_ptr<const NamedPositions> named_positions_of(const Model& model);

}  // namespace mixwell
