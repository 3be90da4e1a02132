// The model behind a site's law, and the coordinates that its slot holds.
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

/// A site as a part of a model: what the kernel asks of the model is about whole positions.
class ModelPart {
 public:
  /// Where the site's law is no model's own, model() is null.
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
  /// What the slot holds, in the model's names, as messages say it: that of a whole position is
  /// called otherwise.
  std::string held() const {
    if (model_ == nullptr || std::ssize(coordinates_) != model_->dimension()) return slot_;
    std::vector<std::string> names;
    for (const Parameter& one : model_->parameters()) names.push_back(one.name);
    return joined(names);
  }
  /// Of the model, one for each row of the slot, ascending.
  const std::vector<Index>& coordinates() const noexcept { return coordinates_; }

  /// The whole position of each column: the rest, which are the numbers of the site's law, and x
  /// (b x w) in its place. Valid until the caller's Frame ends. d + b copies a column.
  MatrixMap position(const Numbers& rest, ConstBatch x, Workspace& scratch) const {
    MatrixMap whole = scratch.matrix(model_->dimension(), x.cols());
    for (Index j = 0; j < x.cols(); ++j) {
      if (rest.rows() > 0) std::copy_n(rest.column(j), whole.rows(), whole.col(j).data());
    }
    put(x, whole);
    return whole;
  }
  /// x in its place in whole positions.
  void put(ConstBatch x, Batch whole) const {
    for (Index j = 0; j < x.cols(); ++j) {
      for (std::size_t k = 0; k < coordinates_.size(); ++k) {
        whole(coordinates_[k], j) = x(static_cast<Index>(k), j);
      }
    }
  }
  /// x out of its place.
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
