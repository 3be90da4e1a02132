// Base classes of the quasi-Newton estimators, which differ in how they store a preconditioner.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "pairs.hpp"
#include "spectrum.hpp"

#include <mixwell/plugin.hpp>

#include <memory>
#include <optional>
#include <string>

namespace mixwell::quasi_newton {

/// Form is constructed from the numbers of one column, the dimension and Memory::divided_rows. It
/// has
///   static Index rows(Index d, Index pairs)    length of the numbers
///   static std::shared_ptr<const Representation> representation()
///   void start(double gamma)                   H = gamma I
///   void add(s, y, sy, Workspace&)             one BFGS update
template <class Form>
class QuasiNewton : public FittedPreconditioner {
 public:
  using Params = Options;
  explicit QuasiNewton(const Params& params)
      : options_(params), representation_(Form::representation()) {
    options_.check();
  }

  static Traits declared() { return {}; }
  /// Without limits on the eigenvalues, the declared bound is weaker, because s's / s'y grows
  /// without bound where U is flat.
  Traits traits() const override {
    Traits traits = declared();
    if (options_.eigenvalues) traits.bound = Bound::global;
    return traits;
  }
  /// Two points make one pair.
  Index fewest_points() const noexcept override { return 2; }
  bool reads_potentials() const noexcept override { return options_.sort; }
  std::shared_ptr<const Representation> representation() const override { return representation_; }
  Index rows(Index dimension, Index points) const override {
    return Form::rows(dimension, std::max<Index>(points - 1, 0));
  }

  void fit(const Memory& memory, Batch numbers, Workspace& scratch) const override {
    numbers.setZero();
    for (Index j = 0; j < numbers.cols(); ++j) {
      const Workspace::Frame frame(scratch);
      build({memory, j}, Form(numbers.col(j).data(), memory.rows(), memory.divided_rows()),
            scratch);
    }
  }

 protected:
  const Options& options() const noexcept { return options_; }

 private:
  void build(const MemoryColumn& memory, Form form, Workspace& scratch) const {
    const std::span<const Pair> pairs = select_pairs(memory, options_, scratch);
    const double gamma = initial_scale(pairs, options_);
    form.start(gamma);
    if (pairs.empty()) return;
    const Index d = memory.point(0).size();
    std::optional<Spectrum> spectrum;
    if (options_.eigenvalues) {
      spectrum.emplace(gamma, d, static_cast<Index>(pairs.size()), *options_.eigenvalues, scratch);
    }
    auto s = vector(scratch, d);
    auto y = vector(scratch, d);
    for (const Pair& pair : pairs) {
      s = memory.s(pair.from, pair.to);
      y = memory.y(pair.from, pair.to);
      if (options_.regularisation > 0.0) y += options_.regularisation * s;
      if (spectrum && !spectrum->admits(s, y, pair.sy)) continue;
      form.add(s, y, pair.sy, scratch);
    }
  }

  Options options_;
  std::shared_ptr<const Representation> representation_;
};

/// An estimator that can carry its numbers from sweep to sweep. The length of the numbers of Form
/// must not depend on the number of pairs.
template <class Form>
class RecursiveQuasiNewton final : public QuasiNewton<Form>, public RecursivePreconditioner {
 public:
  using QuasiNewton<Form>::QuasiNewton;

  Eigen::VectorXd initial(Index dimension) const override {
    Eigen::VectorXd numbers = Eigen::VectorXd::Zero(Form::rows(dimension, 0));
    Form(numbers.data(), dimension, nullptr).start(this->options().gamma.value_or(1.0));
    return numbers;
  }

  void update(const Memory& points, Batch numbers, Workspace& scratch) const override {
    const Workspace::Frame frame(scratch);
    const MemoryColumn memory(points, 0);
    const double lambda = this->options().regularisation;
    Form form(numbers.data(), memory.dimension(), points.divided_rows());
    auto s = vector(scratch, memory.dimension());
    auto y = vector(scratch, memory.dimension());
    for (Index k = 0; k + 1 < memory.size(); ++k) {
      const Pair pair = memory.pair(k, k + 1, lambda);
      if (!passes(pair, this->options())) continue;
      s = memory.s(k, k + 1);
      y = memory.y(k, k + 1) + lambda * s;
      form.add(s, y, pair.sy, scratch);
    }
  }

  std::string refuses_recursion() const override {
    if (this->options().sort)
      return "the steps must stay in the order of the chain, but `sort = true` sorts them by U. "
             "Set sort = false.";
    if (!this->options().eigenvalues) return {};
    return "the limits `eigenvalues` apply only to a preconditioner that is fitted to a memory. "
           "Leave out `eigenvalues`.";
  }
};

}  // namespace mixwell::quasi_newton
