// mixwell check: validates and composes a manifest, and says what it is guaranteed to sample.
// SPDX-License-Identifier: Apache-2.0
#include "app/command.hpp"
#include "app/cures.hpp"
#include "base/guarded_columns.hpp"
#include "certificate/record_json.hpp"
#include "files/json.hpp"
#include "law/model_terms.hpp"
#include "run/rehearsal.hpp"
#include "run/tested.hpp"

#include <mixwell/constrained_model.hpp>
#include <mixwell/lab/gradient_check.hpp>
#include <mixwell/lab/sampler.hpp>
#include <mixwell/random.hpp>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <memory>
#include <utility>

namespace mixwell::app {
namespace {

using Json = nlohmann::ordered_json;

constexpr Index gradient_points = 5;
/// Right gradients of smooth potentials stay below 1e-6 (see GradientError).
constexpr double gradient_limit = 1e-5;

struct Arguments {
  ManifestArguments manifest;
  bool gradient = false;
  bool json = false;
};

/// Right implementations of one density agree to 1e-12 where nothing is solved by iteration.
constexpr double second_limit = 1e-8;

/// A model beside a second implementation of its density.
struct SecondReport {
  std::string made_by;
  std::string why_not;
  double gradient = 0;   ///< largest |g - g'| / max_k |g_k| of a point
  double potential = 0;  ///< largest |(U - U') - (U - U' of the first point)| / (1 + |U|)

  bool agrees() const { return gradient <= second_limit && potential <= second_limit; }
};

/// How a parameter is constrained, and who has the Jacobian of that in U.
struct ConstraintReport {
  std::string parameter;
  std::string constraint;
  Index values;
  Index coordinates;
  bool is_added;  ///< by the framework, to U of values
};

/// A gradient's worst error, with what is needed to talk about it.
struct GradientReport {
  GradientError error;
  std::string parameter;
  std::vector<ConstraintReport> constraints{};
  std::optional<SecondReport> second{};

  bool is_right() const { return error.relative <= gradient_limit; }
};

Eigen::MatrixXd starting_points(const Model& model, std::int64_t seed) {
  const Stream stream(static_cast<std::uint64_t>(seed), "check/gradient");
  Eigen::MatrixXd points(model.dimension(), gradient_points);
  model.initial(stream, {}, points);
  return points;
}

void evaluate_terms(const Model& model, const Eigen::MatrixXd& points) {
  const ModelTerms terms(model);
  const Index count = std::min<Index>(terms.terms(), 8);
  const Eigen::MatrixXd indices =
      Eigen::VectorXd::LinSpaced(count, 0.0, static_cast<double>(count - 1))
          .replicate(1, points.cols());
  Eigen::MatrixXd gradient(points.rows(), points.cols());
  Eigen::MatrixXd gradients(points.rows(), count);
  Eigen::RowVectorXd potential(points.cols());
  Workspace scratch;
  terms.evaluate_rest(points, {potential.data(), gradient, scratch});
  terms.evaluate_terms(points, indices, {potential.data(), gradient, scratch});
  terms.gradients_of_terms(points.leftCols(1), indices.leftCols(1), gradients, scratch);
}

/// Under CheckedCalls, which throw where the model does what it may not.
void evaluate_at_starts(const Model& model, std::int64_t seed) {
  const Eigen::MatrixXd points = starting_points(model, seed);
  Eigen::MatrixXd gradient(points.rows(), points.cols());
  Eigen::RowVectorXd potential(points.cols());
  Workspace scratch;
  model.evaluate(points, {potential.data(), gradient, scratch});
  model.evaluate(points, {nullptr, gradient, scratch});
  if (model.as_sum() != nullptr) evaluate_terms(model, points);
}

struct AtPoints {
  Eigen::RowVectorXd u;
  Eigen::MatrixXd g;
};

AtPoints evaluated(const Model& model, const Eigen::MatrixXd& points) {
  AtPoints at{Eigen::RowVectorXd(points.cols()), Eigen::MatrixXd(points.rows(), points.cols())};
  Workspace scratch;
  model.evaluate(points, {at.u.data(), at.g, scratch});
  return at;
}

/// The larger one; NaN where either is.
double worst(double a, double b) { return std::isnan(a) || a > b ? a : b; }

std::optional<SecondReport> compare_second(const Model& model, std::int64_t seed) {
  const std::optional<SecondModel> second = model.second();
  if (!second) return std::nullopt;
  SecondReport report{.made_by = second->made_by, .why_not = second->why_not};
  if (second->model == nullptr) return report;
  const Eigen::MatrixXd points = starting_points(model, seed);
  const AtPoints a = evaluated(model, points);
  const AtPoints b = evaluated(*second->model, points);
  const Eigen::ArrayXd scale = a.g.cwiseAbs().colwise().maxCoeff().transpose().array() + 1e-300;
  const Eigen::ArrayXd apart = (a.u - b.u).transpose().array();
  for (Index j = 0; j < points.cols(); ++j) {
    const double gradient = (a.g.col(j) - b.g.col(j)).cwiseAbs().maxCoeff<Eigen::PropagateNaN>();
    report.gradient = worst(report.gradient, gradient / scale[j]);
    report.potential =
        worst(report.potential, std::abs(apart[j] - apart[0]) / (1 + std::abs(a.u[j])));
  }
  return report;
}

std::vector<ConstraintReport> constraints_of(const Model& model) {
  const bool is_added = dynamic_cast<const ConstrainedModel*>(&model) != nullptr;
  std::vector<ConstraintReport> all;
  for (const Parameter& p : model.parameters())
    if (p.constraint != Constraint())
      all.push_back({p.name, p.constraint.text(), p.size(), p.coordinates(), is_added});
  return all;
}

GradientReport check_gradient(const Model& model, std::int64_t seed) {
  const Eigen::MatrixXd points = starting_points(model, seed);
  const GradientError error = gradient_error(model, points);
  const std::vector<std::string> names = coordinate_names(model.parameters());
  return {error, names.at(static_cast<std::size_t>(error.coordinate)), constraints_of(model),
          compare_second(model, seed)};
}

std::string text_of(const SecondReport& report) {
  if (!report.why_not.empty())
    return fmt::format("gradient: not compared with {}: {}", report.made_by, report.why_not);
  return fmt::format(
      "gradient: {} {} at {} points; gradients differ by {:.2g} of their largest component, "
      "potentials by {:.2g} beside a constant (limit {:g})",
      report.agrees() ? "agrees with" : "DIFFERS from", report.made_by, gradient_points,
      report.gradient, report.potential, second_limit);
}

std::string counted(Index n, const std::string& word) {
  return fmt::format("{} {}{}", n, word, n == 1 ? "" : "s");
}

std::string text_of(const ConstraintReport& report) {
  return fmt::format("constraint: {}: {}; {} from {}, the Jacobian {}", report.parameter,
                     report.constraint, counted(report.values, "value"),
                     counted(report.coordinates, "coordinate"),
                     report.is_added ? "is added to the model's U" : "is a part of the model's U");
}

Json json_of(const std::vector<ConstraintReport>& reports) {
  Json all = Json::array();
  for (const ConstraintReport& one : reports)
    all.push_back({{"parameter", one.parameter},
                   {"constraint", one.constraint},
                   {"values", one.values},
                   {"coordinates", one.coordinates},
                   {"jacobian", one.is_added ? "added" : "in U"}});
  return all;
}

Json json_of(const SecondReport& report) {
  if (!report.why_not.empty()) return {{"made_by", report.made_by}, {"why_not", report.why_not}};
  return {{"made_by", report.made_by},
          {"agrees", report.agrees()},
          {"gradient", report.gradient},
          {"potential", report.potential},
          {"limit", second_limit}};
}

std::string text_of(const GradientReport& report) {
  return fmt::format(
      "gradient: {} at {} points; worst at {}: the model gives {:.8g}, differences of the "
      "potential {:.8g}, relative error {:.2g} (limit {:g})",
      report.is_right() ? "agrees with central differences" : "WRONG", gradient_points,
      report.parameter, report.error.gradient, report.error.difference, report.error.relative,
      gradient_limit);
}

Json json_of(const GradientReport& report) {
  return {{"agrees", report.is_right()},
          {"parameter", report.parameter},
          {"point", report.error.point},
          {"gradient", report.error.gradient},
          {"difference", report.error.difference},
          {"relative_error", report.error.relative},
          {"limit", gradient_limit},
          {"constraints", json_of(report.constraints)}};
}

void print_text(const Composition& composition, const Certificate& certificate,
                const std::optional<GradientReport>& gradient, const std::vector<Cure>& cures) {
  for (const std::string& remark : composition.remarks) fmt::print("note: {}\n", remark);
  const std::string text = certificate.to_text();
  fmt::print("{}{}", text, text.ends_with('\n') ? "" : "\n");
  for (const Cure& cure : cures) fmt::print("cure       {}: {}\n", cure.change, cure.label);
  if (!gradient) return;
  fmt::print("{}\n", text_of(*gradient));
  for (const ConstraintReport& one : gradient->constraints) fmt::print("{}\n", text_of(one));
  if (gradient->second) fmt::print("{}\n", text_of(*gradient->second));
}

/// One document, with what ends the command in it.
void print_json(const Composition& composition, const Certificate& certificate,
                const std::optional<GradientReport>& gradient, const std::vector<Cure>& cures,
                const std::optional<Error>& fault) {
  Json json = record_of(certificate);
  json["cures"] = Json::array();
  for (const Cure& cure : cures) {
    json["cures"].push_back({{"set", cure.change}, {"class", cure.label}});
  }
  json["remarks"] = composition.remarks;
  if (gradient) json["gradient"] = json_of(*gradient);
  if (gradient && gradient->second) json["gradient"]["second"] = json_of(*gradient->second);
  if (fault) json.update({{"error", fault->what()}, {"code", static_cast<int>(fault->code())}});
  fmt::print("{}\n", json_text(json, 2));
}

std::optional<Error> fault_of(const Composition& composition, const Certificate& certificate,
                              Program program, const std::optional<GradientReport>& gradient) {
  if (gradient && !gradient->is_right()) {
    return RunError("the model's gradient is wrong: " + text_of(*gradient));
  }
  if (gradient && gradient->second && !gradient->second->agrees()) {
    return RunError("two implementations of the model differ: " + text_of(*gradient->second));
  }
  try {
    refuse_unless_allowed(certificate.now, composition.run.allow);
    rehearse(composition, std::move(program));
  } catch (const Error& fault) {
    return fault;
  }
  return std::nullopt;
}

ExitCode check(const Arguments& arguments) {
  const Registry registry = load_registry();
  const Composition composition = load(arguments.manifest, registry);
  const CheckedCalls checks(1);
  Program program = compose(*composition.compositor, recorded_cases(composition.run));
  check_memory(program, composition.run);
  evaluate_at_starts(*composition.model(), composition.run.seed);
  Certificate certificate = program.certificate;
  probe_wiring(composition.compositor);
  if (keeps_tested()) find_tested(origin_of(composition), certificate);
  std::optional<GradientReport> gradient;
  if (arguments.gradient) gradient = check_gradient(*composition.model(), composition.run.seed);
  const std::optional<Error> fault =
      fault_of(composition, certificate, std::move(program), gradient);
  const std::vector<Cure> better = cures(composition, certificate, registry);
  if (!arguments.json) {
    print_text(composition, certificate, gradient, better);
    if (fault) throw *fault;
    return ExitCode::ok;
  }
  print_json(composition, certificate, gradient, better, fault);
  if (!fault) return ExitCode::ok;
  fmt::print(stderr, "mixwell: error: {}\n", fault->what());
  return fault->code();
}

}  // namespace

Command check_command() {
  const auto given = std::make_shared<Arguments>();
  std::vector<Argument> arguments = manifest_and(
      given->manifest,
      {{.name = "--gradient",
        .value = &given->gradient,
        .help = fmt::format("Compare the model's gradient with central differences of its "
                            "potential at {} points; exit code 1 if the relative error of any "
                            "parameter is above {:g}. Lists the constraints of parameters. A model "
                            "with two implementations is compared "
                            "with the other one, too (limit {:g})",
                            gradient_points, gradient_limit, second_limit)},
       {.name = "--json", .value = &given->json, .help = "Print certificate.json"}});
  return {.name = "check",
          .purpose = "Validate a manifest and say what its composition is guaranteed to sample",
          .arguments = std::move(arguments),
          .footer = footer("mixwell check manifest.toml --gradient"),
          .json = &given->json,
          .action = [given] { return check(*given); }};
}

}  // namespace mixwell::app
