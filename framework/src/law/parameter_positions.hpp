// Converts recorded values of parameters to positions.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <mixwell/base/export.hpp>
#include <mixwell/law/constrained_model.hpp>
#include <mixwell/model.hpp>

#include <memory>
#include <string>
#include <vector>

namespace mixwell {

/// Uses the constraints of the parameters, for a model without its own NamedPositions.
class MIXWELL_INTERNAL ParameterPositions final : public NamedPositions {
 public:
  explicit ParameterPositions(const Model& model);

  std::vector<Parameter> named() const override { return parameters_; }
  void position(const std::vector<NamedValues>& values, Batch theta) const override;
  /// `path`: a JSON file {"NAME": number or nested arrays, ...}, as CmdStan reads starting points.
  void read_position(const std::string& path, Batch theta) const override;

 private:
  std::string model_;  ///< its name
  std::vector<Parameter> parameters_;
};

/// The model's own NamedPositions, which the model must outlive, or else ParameterPositions. Null
/// if the model has neither, because it records other quantities instead of its parameters.
MIXWELL_INTERNAL std::shared_ptr<const NamedPositions> named_positions_of(const Model& model);

}  // namespace mixwell
