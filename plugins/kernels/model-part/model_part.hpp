// Finds the model of a kernel's target density, and the model's coordinates in the kernel's slot.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <mixwell/plugin.hpp>

#include <algorithm>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace mixwell::model_part {

/// "a, b, c"
inline std::string joined(const std::vector<std::string>& names) {
  std::string text;
  for (const std::string& name : names) text += (text.empty() ? "" : ", ") + name;
  return text;
}

/// A site as a part of a model. The kernel passes whole positions to the model.
class ModelPart {
 public:
  /// model() is null if the site's law is not a model's own.
  explicit ModelPart(const Transition& t)
      : slot_(t.graph()[t.site().slot].name),
        coordinates_(held_coordinates(t.graph()[t.site().slot])) {
    const Site& site = t.site();
    law_ = t.graph().potential(site.part.law ? site.part.law : site.target);
    model_ = law_ == nullptr ? nullptr : law_->as_model();
  }

  const Model* model() const noexcept { return model_; }
  const std::shared_ptr<const Potential>& law() const noexcept { return law_; }
  const std::string& slot() const noexcept { return slot_; }
  /// The model's names of the parameters that the slot holds, for messages. If the model is unknown
  /// or the slot does not hold the whole position, this is the name of the slot.
  std::string held() const {
    if (model_ == nullptr || std::ssize(coordinates_) != model_->dimension()) return slot_;
    std::vector<std::string> names;
    for (const Parameter& one : model_->parameters()) names.push_back(one.name);
    return joined(names);
  }
  /// The model's coordinates that the rows of the slot hold, ascending.
  const std::vector<Index>& coordinates() const noexcept { return coordinates_; }

  /// The whole position of each column: x (b x w), and the rest of the position, which the numbers
  /// of the site's law hold. The result is valid until the caller's Frame ends. Copies d + b
  /// numbers for each column.
  MatrixMap position(const Numbers& rest, ConstBatch x, Workspace& scratch) const {
    MatrixMap whole = scratch.matrix(model_->dimension(), x.cols());
    for (Index j = 0; j < x.cols(); ++j) {
      if (rest.rows() > 0) std::copy_n(rest.column(j), whole.rows(), whole.col(j).data());
    }
    put(x, whole);
    return whole;
  }
  /// Copies x into its rows of whole positions.
  void put(ConstBatch x, Batch whole) const {
    for (Index j = 0; j < x.cols(); ++j) {
      for (std::size_t k = 0; k < coordinates_.size(); ++k) {
        whole(coordinates_[k], j) = x(static_cast<Index>(k), j);
      }
    }
  }
  /// Copies x out of its rows of whole positions.
  void take(ConstBatch whole, Batch x) const {
    for (Index j = 0; j < x.cols(); ++j) {
      for (std::size_t k = 0; k < coordinates_.size(); ++k) {
        x(static_cast<Index>(k), j) = whole(coordinates_[k], j);
      }
    }
  }

 private:
  std::string slot_;
  std::vector<Index> coordinates_;
  std::shared_ptr<const Potential> law_;  ///< keeps the model alive
  const Model* model_;
};

/// "[theta], [mu, theta]"
inline std::string listed(const std::vector<std::vector<std::string>>& offered) {
  std::string text;
  for (const std::vector<std::string>& names : offered) {
    text += (text.empty() ? "[" : ", [") + joined(names) + "]";
  }
  return text;
}

}  // namespace mixwell::model_part
