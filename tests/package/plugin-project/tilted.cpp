// A standard normal tilted by a linear term: the smallest useful model of an outside author.
// SPDX-License-Identifier: Apache-2.0
#include <mixwell/plugin.hpp>

#include <cstdint>
#include <string>
#include <vector>

namespace {

using mixwell::Batch;
using mixwell::ConstBatch;
using mixwell::Evaluation;

/// U(theta) = |theta|^2 / 2 - tilt * sum(theta): independent normals with mean tilt and sd 1.
class Tilted final : public mixwell::Model {
 public:
  struct Params {
    std::int64_t dimension = 2;
    double tilt = 1.0;

    void declare(mixwell::Fields& fields) {
      fields.integer("dimension", dimension).at_least(1).help("number of coordinates");
      fields.number("tilt", tilt).help("mean of every coordinate");
    }
  };

  explicit Tilted(const Params& params) : params_(params) {}

  std::vector<mixwell::Parameter> parameters() const override {
    return {{.name = "x", .shape = {params_.dimension}}};
  }

 private:
  void do_evaluate(ConstBatch theta, const Evaluation& out) const override {
    Batch gradient = out.gradient;
    gradient = (theta.array() - params_.tilt).matrix();
    if (out.wants_potential()) {
      out.u() = 0.5 * theta.colwise().squaredNorm() - params_.tilt * theta.colwise().sum();
    }
  }

  Params params_;
};

}  // namespace

MIXWELL_PLUGIN(registrar) {
  registrar.add<Tilted>({.id = "tilted",
                         .summary = "Independent normals around a mean",
                         .details = "U(theta) = |theta|^2 / 2 - tilt * sum(theta)",
                         .sources = {}});
}
