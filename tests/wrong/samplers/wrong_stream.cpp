// A random walk that makes its own random stream, with one mistake of choice in what the stream is
// keyed by, or in the columns of a block; all declare to be right.
// SPDX-License-Identifier: Apache-2.0
#include "wrong/mistake.hpp"
#include "wrong/step.hpp"

#include <mixwell/plugin.hpp>

#include <cmath>

namespace {

using namespace mixwell;

/// Inputs: theta, law, noise. Output: theta.
class WalkBody final : public Body {
 public:
  WalkBody(Stream stream, double size, wrong::Mistake mistake)
      : stream_(stream), size_(size), mistake_(std::move(mistake)) {}

  void run(ColumnBlock& block) const override {
    const ConstMatrixMap x = block.in(0);
    const Index w = x.cols();
    Workspace& scratch = block.scratch();
    MatrixMap end = scratch.matrix(x.rows(), w);
    MatrixMap g = scratch.matrix(x.rows(), w);
    RowMap u = scratch.row(w);
    RowMap u_end = scratch.row(w);
    RowMap uniform = scratch.row(w);
    Address at{block.sweep(), 0, static_cast<std::uint64_t>(block.first_column())};
    if (mistake_.is("sweep")) at.sweep = 0;
    if (mistake_.is("replicate")) at.replicate = 0;
    stream_.normals(at, end);
    if (!mistake_.is("draw")) at.draw = 1;
    stream_.uniforms(at, uniform);
    if (mistake_.is("column")) uniform.setConstant(uniform(0));
    flat(end) = flat(x) + size_ * flat(end);
    block.law(1).evaluate(x, {u.data(), g, scratch});
    block.law(1).evaluate(end, {u_end.data(), g, scratch});
    const Index tested = mistake_.is("edge") ? w / 8 * 8 : w;
    for (Index j = 0; j < w; ++j) {
      const bool accepted = j >= tested || std::log(uniform(j)) < u(j) - u_end(j);
      if (accepted) block.out(0).col(j) = end.col(j);
    }
  }

 private:
  Stream stream_;
  double size_;
  wrong::Mistake mistake_;
};

class WrongStream final : public Kernel {
 public:
  struct Params {
    double step_size = 1.0;
    std::int64_t seed = 1;
    wrong::Mistake mistake;
    void declare(Fields& fields) {
      fields.number("step_size", step_size)
          .above(0)
          .refines(Refines::step_size)
          .help("standard deviation of a step");
      fields.integer("seed", seed).at_least(0).help("of the stream");
      mistake.declare(fields, {"slot", "sweep", "replicate", "draw", "column", "edge"});
    }
  };
  explicit WrongStream(const Params& params) : params_(params) {}

  void describe(KernelGraph& graph, const Site& site) const override {
    const Stream stream(static_cast<std::uint64_t>(params_.seed),
                        params_.mistake.is("slot") ? "step" : site.path + "/step");
    wrong::add_step(graph, site,
                    std::make_shared<WalkBody>(stream, params_.step_size, params_.mistake));
  }

 private:
  Params params_;
};

}  // namespace

MIXWELL_PLUGIN(registrar) {
  registrar.add<WrongStream>(
      {.id = "wrong-stream",
       .summary = "a random walk with its own stream, and a mistake of choice"});
}
