// The model: U = -log density of a Stan program on the unconstrained scale.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine.hpp"
#include "instance.hpp"
#include "names.hpp"
#include "recorded.hpp"
#include "start.hpp"

#include <mixwell/plugin.hpp>

#include <Eigen/Core>

#include <cmath>
#include <cstdint>
#include <limits>
#include <memory>
#include <optional>
#include <set>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

namespace mixwell::stan {

/// The parameters at theta, on the program's scale; empty if the engine fails.
inline Eigen::VectorXd parameters_at(const Instance& instance, const Eigen::VectorXd& theta) {
  Eigen::VectorXd x(instance.size({}));
  if (instance.constrain({}, theta.data(), 0, x.data())) return {};
  return x;
}

/// "" if both libraries map a coordinate vector to the same parameter values; otherwise the
/// difference. The maps differ between versions of Stan (the map for simplexes changed in 2.37),
/// and the density depends on the coordinates.
inline std::string other_coordinates(const Instance& here, const Instance& there) {
  constexpr double limit = 1e-8;  // relative to 1 + |x|
  if (here.dimension() != there.dimension())
    return "the other engine has " + std::to_string(there.dimension()) +
           " coordinates, but this engine has " + std::to_string(here.dimension());
  Eigen::VectorXd theta(here.dimension());
  for (Eigen::Index i = 0; i < theta.size(); ++i)
    theta[i] = 0.7 * std::sin(1.0 + static_cast<double>(i));
  const Eigen::VectorXd x = parameters_at(here, theta);
  const Eigen::VectorXd y = parameters_at(there, theta);
  if (x.size() != y.size()) return "the two engines list different parameters";
  const std::vector<std::string> names = split(here.names({}), ',');
  for (Eigen::Index i = 0; i < x.size(); ++i)
    if (!(std::abs(x[i] - y[i]) <= limit * (1.0 + std::abs(x[i]))))
      return "the two engines map the same unconstrained coordinates to different parameter "
             "values: `" +
             names[static_cast<std::size_t>(i)] + "` is " + std::to_string(x[i]) +
             " with this engine and " + std::to_string(y[i]) +
             " with the other. These maps differ between versions of Stan (for example, the map "
             "for simplexes changed in 2.37)";
  return {};
}

class Target final : public Model, public NamedPositions {
 public:
  struct Params {
    Source source;
    Groups groups;
    std::int64_t seed = 0;
    double init_radius = 2;
    bool transformed = true;
    bool generated = true;
    bool unconstrained = false;

    void declare(Fields& fields) {
      declare_source(fields, source);
      fields.integer("seed", seed)
          .at_least(0)
          .at_most(4294967295.0)
          .help("seed of the random numbers in `transformed data`");
      fields.number("init_radius", init_radius)
          .at_least(0)
          .help(
              "r, where unconstrained coordinates of starting points are uniform on (-r, r), or 0 "
              "if r = 0");
      fields.flag("transformed", transformed).help("record transformed parameters");
      fields.flag("generated", generated).help("record generated quantities");
      fields.flag("unconstrained", unconstrained)
          .help("also record the unconstrained coordinates, as unconstrained_NAME");
      groups.declare(fields);
    }
  };

  explicit Target(const Params& params)
      : Target(params, prepare(params.source, observable(params.groups),
                               static_cast<unsigned>(params.seed))) {}

  std::vector<Parameter> parameters() const override { return parameters_; }
  std::vector<NamedValues> observed_data() const override { return observed_; }
  /// The same model made by the other engine, if both engines are available.
  std::optional<SecondModel> second() const override {
    const std::optional<Source> source = other_engine(params_.source, prepared_.made.engine);
    if (!source) return std::nullopt;
    Params params = params_;
    params.source = *source;
    SecondModel second{.made_by = "engine `" + source->engine + "`", .model = nullptr};
    try {
      const auto other = std::make_shared<const Target>(params);
      second.made_by += " (" + other->prepared_.made.remarks.front() + ")";
      second.why_not = other_coordinates(*instance_, *other->instance_);
      if (second.why_not.empty()) second.model = other;
    } catch (const Error& fault) {
      second.why_not = fault.what();
    }
    return second;
  }
  /// Reads starting points as CmdStan does.
  void read_position(const std::string& path, Batch theta) const override {
    const StartFile file(path, text_of_file("init", path), Arrays(instance_->names({})), outputs(),
                         constraints());
    theta = file.position(*instance_, parameters_);
  }
  std::vector<Parameter> named() const override { return Arrays(instance_->names({})).arrays(); }
  void position(const std::vector<NamedValues>& values, Batch theta) const override {
    const Arrays arrays(instance_->names({}));
    std::vector<double> arranged;
    for (const NamedValues& one : values)
      arranged.insert(arranged.end(), one.values.begin(), one.values.end());
    if (static_cast<Index>(arranged.size()) != arrays.size())
      throw InputError("model `" + name() + "`: a position must have " +
                       std::to_string(arrays.size()) + " numbers (got " +
                       std::to_string(arranged.size()) + "). Give a value for each parameter.");
    std::vector<double> listed(arranged.size());
    arrays.list(arranged.data(), listed.data());
    Eigen::VectorXd position(theta.rows());
    if (const auto failure = instance_->unconstrain(listed.data(), position.data())) {
      const auto found = constraints().broken_by(values);
      throw InputError(found ? found->words + "."
                             : "Stan rejects these values of the program's parameters. Correct the "
                               "values. Stan says: " +
                                   *failure);
    }
    theta = position;
  }
  std::vector<std::string> files() const override { return prepared_.files; }
  bool evaluates_potential_alone() const noexcept override { return true; }

  std::vector<std::string> remarks() const override {
    std::vector<std::string> all = prepared_.made.remarks;
    if (!has_parameters())
      all.emplace_back(
          "the program has no parameters, so a run draws only generated quantities. The draws are "
          "independent, and the recorded `lp` has no meaning.");
    if (instance_->takes_turns())
      all.emplace_back(
          "the library was compiled without STAN_THREADS, so only one thread at a time can use it. "
          "Compile it with STAN_THREADS=true to use all threads.");
    add(all, missing_transformed());
    add(all, rejections_.in_words("rejected a point"));
    add(all, constrained_->failures());
    if (generated_ != nullptr) add(all, generated_->failures());
    return all;
  }

 private:
  void offer(Offer& offer) const noexcept override {
    offer.set<Derived>(constrained_.get());
    offer.set<Generated>(generated_.get());
    offer.set<NamedPositions>(has_parameters() ? this : nullptr);
  }
  Target(const Params& params, Prepared prepared)
      : params_(params),
        prepared_(std::move(prepared)),
        instance_(instance_of(prepared_, prepared_.made.data, params.seed)),
        generating_(instance_) {
    if (!prepared_.made.generating.empty())
      generating_ = instance_of(prepared_, prepared_.made.generating, params.seed);
    try {
      if (has_parameters()) {
        parameters_ = unconstrained_parameters(instance_->unconstrained_names());
        require_size(dimension(), instance_->dimension());
      } else {
        parameters_ = {{.name = "without_parameters", .shape = {}}};
      }
      constrained_ = std::make_unique<const Constrained>(instance_, params.transformed,
                                                         !params.unconstrained, params.groups);
      auto generated = std::make_unique<const GeneratedQuantities>(generating_, params.transformed,
                                                                   params.groups);
      if (params.generated && generated->exist()) generated_ = std::move(generated);
    } catch (const std::invalid_argument& fault) {
      throw ParameterError(
          prepared_.key,
          std::string("the values of the program cannot be recorded: ") + fault.what());
    }
    if (!has_parameters() && quantities().empty())
      throw ParameterError(prepared_.key,
                           "the program has no parameters and no generated quantities, so there is "
                           "nothing to sample. Add parameters or generated quantities.");
    require_groups(params.groups, quantities());
    observed_ = observed(params.groups, prepared_.variables, quantities());
  }

  /// The interpreting engine continues without transformed parameters that it cannot compute.
  std::string missing_transformed() const {
    if (!params_.transformed || !prepared_.text || prepared_.made.engine != "interpret" ||
        instance_->size({.transformed = true, .generated = false}) != instance_->size({}))
      return {};
    std::string names;
    for (const Declared& one : declarations_in(*prepared_.text, "transformed parameters").variables)
      names += (names.empty() ? "`" : ", `") + one.name + "`";
    if (names.empty()) return {};
    return "the results do not contain the transformed parameters (" + names +
           "). Either these transformed parameters have no elements, or engine `interpret` cannot "
           "compute them. Use `engine = \"compile\"` to compute them.";
  }

  /// The constraints of the parameters; none for a library, whose program is unknown.
  Constraints constraints() const {
    if (!prepared_.text) return {};
    return {declarations_in(*prepared_.text, "parameters"), prepared_.variables.kept};
  }

  /// Variables that the program computes from parameters.
  std::set<std::string> outputs() const {
    std::set<std::string> all;
    for (const auto& one : {instance_, generating_})
      for (const std::string& name :
           split(one->names({.transformed = true, .generated = true}), ','))
        all.insert(variable_of(name));
    return all;
  }

  /// Kernels need a coordinate to move. A program without parameters therefore gets one coordinate
  /// ~ N(0, 1), and no quantity depends on it.
  bool has_parameters() const { return instance_->dimension() > 0; }

  /// Everything recorded besides the coordinates, in any group.
  std::vector<Parameter> quantities() const {
    std::vector<Parameter> all = constrained_->quantities();
    if (generated_ == nullptr) return all;
    for (Parameter& one : generated_->generated()) all.push_back(std::move(one));
    return all;
  }

  static void add(std::vector<std::string>& all, std::string remark) {
    if (!remark.empty()) all.push_back(std::move(remark));
  }

  void do_evaluate(ConstBatch theta, const Evaluation& out) const override {
    Batch g = out.gradient;
    if (!has_parameters()) {
      if (out.wants_gradient()) g = theta;
      if (out.wants_potential()) out.u() = 0.5 * theta.row(0).array().square().matrix();
      return;
    }
    for (Index j = 0; j < theta.cols(); ++j) {
      double value = 0;
      double* const column = out.wants_gradient() ? g.col(j).data() : nullptr;
      auto rejection = instance_->log_density(theta.col(j).data(), value, column);
      if (rejection) {
        rejections_.add(std::move(*rejection));
        value = -std::numeric_limits<double>::infinity();
        if (out.wants_gradient()) g.col(j).setConstant(std::numeric_limits<double>::quiet_NaN());
      }
      if (out.wants_potential()) out.u()[j] = -value;
    }
    if (out.wants_gradient()) g = -g;
  }

  void do_initial(const Stream& stream, Address at, Batch theta) const override {
    if (!has_parameters()) return stream.normals(at, theta);
    for (Index j = 0; j < theta.cols(); ++j, ++at.replicate)
      find_start(*instance_, params_.init_radius, "model `" + name() + "`", stream, at,
                 theta.col(j));
  }

  Params params_;
  Prepared prepared_;
  std::shared_ptr<const Instance> instance_;
  std::shared_ptr<const Instance> generating_;  ///< computes generated quantities; may be instance_
  std::vector<Parameter> parameters_;
  std::unique_ptr<const Constrained> constrained_;
  std::unique_ptr<const GeneratedQuantities> generated_;
  std::vector<NamedValues> observed_;
  mutable Rejections rejections_;
};

}  // namespace mixwell::stan
