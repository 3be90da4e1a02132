// A standard normal tilted by a linear term: the smallest useful model of an outside author.
// SPDX-License-Identifier: Apache-2.0
#include <mixwell/plugin.hpp>

#include <cstdint>
#include <vector>

namespace {

using namespace mixwell;

/// U(theta) = |theta|^2 / 2 - tilt * sum(theta): independent normals with mean tilt and sd 1.
class Tilted final : public Model, public ExactSampler {
 public:
  struct Params {
    std::int64_t dimension = 2;
    double tilt = 1.0;

    void declare(Fields& fields) {
      fields.integer("dimension", dimension).at_least(1).help("number of coordinates");
      fields.number("tilt", tilt).help("mean of every coordinate");
    }
  };

  explicit Tilted(const Params& params) : params_(params) {}

  std::vector<Parameter> parameters() const override {
    return {{.name = "x", .shape = {params_.dimension}}};
  }

  void draw(const Stream& stream, Address at, Batch theta) const override {
    stream.normals(at, theta);
    theta.array() += params_.tilt;
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
                         .summary = "independent normals around a mean; exact draws",
                         .details = "U(theta) = |theta|^2 / 2 - tilt * sum(theta)",
                         .sources = {}});
}
