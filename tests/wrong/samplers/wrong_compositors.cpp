// Compositors whose sweep is one opaque operation, with one mistake of choice; all declare to be
// right.
// SPDX-License-Identifier: Apache-2.0
#include "wrong/mistake.hpp"

#include <mixwell/plugin.hpp>

#include <array>
#include <cmath>

namespace {

using namespace mixwell;

/// U of each column.
Eigen::RowVectorXd potentials(const Law& law, ConstBatch theta, Workspace& scratch) {
  const Workspace::Frame frame(scratch);
  MatrixMap g = scratch.matrix(theta.rows(), theta.cols());
  Eigen::RowVectorXd u(theta.cols());
  law.evaluate(theta, {u.data(), g, scratch});
  return u;
}

/// Inputs: law, noise, then the slots; outputs: the slots. One after another, theta_i* = c + z
/// (theta_i - c) with c the mean of the other slots and z of density ~ 1 / sqrt(z) on [1/4, 4],
/// accepted with probability min(1, z^(d-1) pi(theta*) / pi(theta)) (Goodman & Weare 2010).
class StretchBody final : public Body {
 public:
  StretchBody(std::size_t slots, wrong::Mistake mistake)
      : slots_(slots), mistake_(std::move(mistake)) {}

  void run(ColumnBlock& block) const override {
    const Index w = block.columns();
    std::vector<Eigen::MatrixXd> now;
    for (std::size_t i = 0; i < slots_; ++i) now.emplace_back(block.in(2 + i));
    const std::vector<Eigen::MatrixXd> before = now;
    Eigen::MatrixXd uniform(2 * slots_, w);
    block.uniforms(1, uniform);
    for (std::size_t i = 0; i < slots_; ++i) {
      Eigen::MatrixXd& theta = now[i];
      const Eigen::MatrixXd c = centre(mistake_.is("all-at-once") ? before : now, i);
      const Eigen::RowVectorXd root = 0.5 + 1.5 * uniform.row(2 * i).array();
      const Eigen::RowVectorXd z = root.array().square();
      const Eigen::MatrixXd end = c + (theta - c) * z.asDiagonal();
      const double power =
          mistake_.is("no-jacobian") ? 0.0 : static_cast<double>(theta.rows()) - 1.0;
      const Eigen::RowVectorXd log_ratio = potentials(block.law(0), theta, block.scratch()) -
                                           potentials(block.law(0), end, block.scratch()) +
                                           power * z.array().log().matrix();
      for (Index j = 0; j < w; ++j) {
        if (std::log(uniform(2 * i + 1, j)) < log_ratio(j)) theta.col(j) = end.col(j);
      }
    }
    for (std::size_t i = 0; i < slots_; ++i) block.out(i) = now[i];
  }

 private:
  Eigen::MatrixXd centre(const std::vector<Eigen::MatrixXd>& slots, std::size_t i) const {
    Eigen::MatrixXd sum = Eigen::MatrixXd::Zero(slots[i].rows(), slots[i].cols());
    const std::size_t first = mistake_.is("own-slot") ? 0 : 1;
    for (std::size_t k = first; k < slots_; ++k) sum += slots[(i + k) % slots_];
    return sum / static_cast<double>(slots_ - first);
  }

  std::size_t slots_;
  wrong::Mistake mistake_;
};

/// The same places. One after another, theta_i* = theta_j + z / 2 with theta_j the other slot,
/// accepted with probability min(1, pi(theta*) q(theta) / (pi(theta) q(theta*))).
class NeighbourBody final : public Body {
 public:
  explicit NeighbourBody(wrong::Mistake mistake) : mistake_(std::move(mistake)) {}

  void run(ColumnBlock& block) const override {
    std::array<Eigen::MatrixXd, 2> now = {block.in(2), block.in(3)};
    const std::array<Eigen::MatrixXd, 2> before = now;
    Eigen::MatrixXd uniform(2, block.columns());
    block.uniforms(1, uniform, 0);
    for (std::uint32_t i = 0; i < 2; ++i) {
      Eigen::MatrixXd& theta = now[i];
      const Eigen::MatrixXd& other = (mistake_.is("all-at-once") ? before : now)[1 - i];
      Eigen::MatrixXd end(theta.rows(), theta.cols());
      block.normals(1, end, 1 + i);
      end += other;
      const Eigen::RowVectorXd log_ratio =
          potentials(block.law(0), theta, block.scratch()) -
          potentials(block.law(0), end, block.scratch()) +
          0.5 * ((end - other).colwise().squaredNorm() - (theta - other).colwise().squaredNorm());
      for (Index j = 0; j < theta.cols(); ++j) {
        if (std::log(uniform(i, j)) < log_ratio(j)) theta.col(j) = end.col(j);
      }
    }
    for (std::size_t i = 0; i < 2; ++i) block.out(i) = now[i];
  }

 private:
  wrong::Mistake mistake_;
};

/// Inputs: law, noise, theta. A narrow or a wide step of a random walk, chosen at random.
class MixtureBody final : public Body {
 public:
  explicit MixtureBody(wrong::Mistake mistake) : mistake_(std::move(mistake)) {}

  void run(ColumnBlock& block) const override {
    Eigen::MatrixXd end = block.in(2);
    Eigen::MatrixXd uniform(2, end.cols());
    MatrixMap z = block.scratch().matrix(end.rows(), end.cols());
    block.normals(1, z, 0);
    block.uniforms(1, uniform, 1);
    for (Index j = 0; j < end.cols(); ++j) {
      const bool wide = (mistake_.is("choice-by-state") ? end(0, j) : uniform(0, j) - 0.5) > 0.0;
      end.col(j) += (wide ? 1.5 : 0.3) * z.col(j);
    }
    const Eigen::RowVectorXd log_ratio = potentials(block.law(0), block.in(2), block.scratch()) -
                                         potentials(block.law(0), end, block.scratch());
    for (Index j = 0; j < end.cols(); ++j) {
      if (std::log(uniform(1, j)) < log_ratio(j)) block.out(0).col(j) = end.col(j);
    }
  }

 private:
  wrong::Mistake mistake_;
};

/// Inputs: law, noise, theta. Changes places with a draw y of a hot law q = N(0, 4 I), with
/// probability min(1, pi(y) q(theta) / (pi(theta) q(y))).
class SwapBody final : public Body {
 public:
  explicit SwapBody(wrong::Mistake mistake) : mistake_(std::move(mistake)) {}

  void run(ColumnBlock& block) const override {
    const ConstMatrixMap x = block.in(2);
    Eigen::MatrixXd y(x.rows(), x.cols());
    Eigen::RowVectorXd uniform(x.cols());
    block.normals(1, y, 0);
    block.uniforms(1, uniform, 1);
    y *= 2.0;
    Eigen::RowVectorXd log_ratio =
        potentials(block.law(0), x, block.scratch()) - potentials(block.law(0), y, block.scratch());
    if (!mistake_.is("no-hot-law")) {
      log_ratio += (y.colwise().squaredNorm() - x.colwise().squaredNorm()) / 8.0;
    }
    for (Index j = 0; j < x.cols(); ++j) {
      if (std::log(uniform(j)) < log_ratio(j)) block.out(0).col(j) = y.col(j);
    }
  }

 private:
  wrong::Mistake mistake_;
};

/// `slots` slots of one model that one operation moves together.
class Opaque : public Compositor {
 public:
  void compose(KernelGraph& graph, PhaseKind) const final {
    const Value target = target_law(graph, model_->name(), model_);
    std::vector<Variable> all;
    std::vector<Input> inputs{{target, Role::law}, {graph.noise("sweep"), Role::noise}};
    std::vector<Output> outputs;
    for (const std::string& name : slots()) {
      all.push_back(graph.slot(name, model_->dimension()));
      graph.factor(target, {all.back()});
      inputs.push_back({graph.current(all.back()), Role::state});
      outputs.push_back(Output::next(all.back()));
    }
    graph.add("sweep", OperationKind::move, wrong::claims_exact(), std::move(inputs),
              std::move(outputs), body_);
    for (std::size_t i = 0; i < all.size(); ++i) {
      record_slot(graph, all[i], static_cast<Index>(i), model_, target);
    }
  }
  const Model& model() const noexcept final { return *model_; }
  std::vector<std::string> slots() const final {
    std::vector<std::string> names;
    for (std::size_t i = 0; i < slots_; ++i) names.push_back("x" + std::to_string(i));
    return names;
  }

 protected:
  Opaque(std::shared_ptr<const Model> model, std::size_t slots, std::shared_ptr<const Body> body)
      : model_(std::move(model)), slots_(slots), body_(std::move(body)) {}

 private:
  std::shared_ptr<const Model> model_;
  std::size_t slots_;
  std::shared_ptr<const Body> body_;
};

struct CommonParams {
  std::shared_ptr<const Model> model;
  wrong::Mistake mistake;

 protected:
  void declare(Fields& fields, std::vector<std::string> mistakes) {
    fields.component("model", model).help("what every slot samples");
    mistake.declare(fields, std::move(mistakes));
  }
};

class WrongStretch final : public Opaque {
 public:
  struct Params : CommonParams {
    void declare(Fields& fields) {
      CommonParams::declare(fields, {"no-jacobian", "own-slot", "all-at-once"});
    }
  };
  explicit WrongStretch(const Params& p)
      : Opaque(p.model, 2, std::make_shared<StretchBody>(2, p.mistake)) {}
};

class WrongNeighbour final : public Opaque {
 public:
  struct Params : CommonParams {
    void declare(Fields& fields) { CommonParams::declare(fields, {"all-at-once"}); }
  };
  explicit WrongNeighbour(const Params& p)
      : Opaque(p.model, 2, std::make_shared<NeighbourBody>(p.mistake)) {}
};

class WrongMixture final : public Opaque {
 public:
  struct Params : CommonParams {
    void declare(Fields& fields) { CommonParams::declare(fields, {"choice-by-state"}); }
  };
  explicit WrongMixture(const Params& p)
      : Opaque(p.model, 1, std::make_shared<MixtureBody>(p.mistake)) {}
};

class WrongSwap final : public Opaque {
 public:
  struct Params : CommonParams {
    void declare(Fields& fields) { CommonParams::declare(fields, {"no-hot-law"}); }
  };
  explicit WrongSwap(const Params& p) : Opaque(p.model, 1, std::make_shared<SwapBody>(p.mistake)) {}
};

}  // namespace

MIXWELL_PLUGIN(registrar) {
  registrar.add<WrongStretch>(
      {.id = "wrong-stretch", .summary = "stretch moves of two slots, with a mistake of choice"});
  registrar.add<WrongNeighbour>(
      {.id = "wrong-neighbour",
       .summary = "two slots that jump next to each other, with a mistake of choice"});
  registrar.add<WrongMixture>(
      {.id = "wrong-mixture", .summary = "steps of two sizes, with a mistake of choice"});
  registrar.add<WrongSwap>(
      {.id = "wrong-swap", .summary = "exchanges with a hot law, with a mistake of choice"});
}
