// A constant preconditioner that stores its values in this object, not in the kernel graph.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <mixwell/plugin.hpp>

#include <utility>

namespace mixwell::covariance {

/// Stores its own values, because a ConstantPreconditioner has no values in the graph.
template <class How>
class Constant final : public Representation {
 public:
  explicit Constant(Eigen::VectorXd numbers) : numbers_(std::move(numbers)) {}

  void H(const Numbers&, ConstBatch v, Batch out, Workspace& w) const override {
    how_.H(own(), v, out, w);
  }
  void B(const Numbers&, ConstBatch v, Batch out, Workspace& w) const override {
    how_.B(own(), v, out, w);
  }
  void S(const Numbers&, ConstBatch z, Batch out, Workspace& w) const override {
    how_.S(own(), z, out, w);
  }
  void St(const Numbers&, ConstBatch v, Batch out, Workspace& w) const override {
    how_.St(own(), v, out, w);
  }
  void C(const Numbers&, ConstBatch z, Batch out, Workspace& w) const override {
    how_.C(own(), z, out, w);
  }
  void log_det_H(const Numbers&, Index dimension, Row out, Workspace& w) const override {
    how_.log_det_H(own(), dimension, out, w);
  }

 private:
  Numbers own() const { return ConstMatrixMap(numbers_.data(), numbers_.size(), 1); }

  How how_;
  Eigen::VectorXd numbers_;
};

}  // namespace mixwell::covariance
