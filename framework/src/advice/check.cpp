// Implements `mixwell check`: derives the certificate of a composition and tests its model.
// SPDX-License-Identifier: Apache-2.0
#include "advice/run_json.hpp"
#include "base/guarded_columns.hpp"
#include "certificate/record_json.hpp"
#include "files/json.hpp"
#include "law/model_terms.hpp"
#include "run/evidence.hpp"
#include "run/rehearsal.hpp"

#include <mixwell/base/random.hpp>
#include <mixwell/lab/check.hpp>
#include <mixwell/lab/sampler.hpp>
#include <mixwell/law/constrained_model.hpp>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <cmath>
#include <utility>

namespace mixwell {
namespace {

using Json = nlohmann::ordered_json;

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

/// Evaluates the model under CheckedCalls, which throw if the model does something forbidden.
void evaluate_at_starts(const Model& model, std::int64_t seed) {
  const Eigen::MatrixXd points = starting_points(model, seed);
  Eigen::MatrixXd gradient(points.rows(), points.cols());
  Eigen::RowVectorXd potential(points.cols());
  Workspace scratch;
  model.evaluate(points, {potential.data(), gradient, scratch});
  model.evaluate(points, {nullptr, gradient, scratch});
  if (model.offers<SumOfTerms>() != nullptr) evaluate_terms(model, points);
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

/// The larger number, or NaN if either is NaN.
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

std::optional<Error> fault_of(const Composition& composition, const Checked& found,
                              Program program) {
  const std::optional<GradientReport>& gradient = found.gradient;
  if (found.worlds && !found.worlds->contradiction.empty())
    return Refused(found.worlds->contradiction);
  if (gradient && !gradient->is_right()) {
    return RunError(
        "the model's gradient does not match the model's potential. Correct one of the two. " +
        text_of(*gradient));
  }
  if (gradient && gradient->second && !gradient->second->agrees()) {
    return RunError("two implementations of the model differ. Correct one of them. " +
                    text_of(*gradient->second));
  }
  try {
    refuse_unless_allowed(found.certificate.now, composition.run.allow);
    rehearse(composition, std::move(program));
  } catch (const Error& fault) {
    return fault;
  }
  return std::nullopt;
}

}  // namespace

std::string text_of(const SecondReport& report) {
  if (!report.why_not.empty())
    return fmt::format("gradient: the model was not compared with {}. Reason: {}", report.made_by,
                       report.why_not);
  return fmt::format(
      "gradient: {} {} at {} points. The difference between the gradients is {:.2g}, relative to "
      "their largest component. The difference between the potentials, apart from a constant, is "
      "{:.2g}. Each of the two differences must be at most {:g}",
      report.agrees() ? "agrees with" : "DIFFERS from", report.made_by, gradient_points,
      report.gradient, report.potential, second_limit);
}

std::string text_of(const GradientReport& report) {
  return fmt::format(
      "gradient: {} at {} points. The worst component is {}: the model gives {:.8g}, and central "
      "differences of the potential give {:.8g}. The relative error is {:.2g} (limit {:g})",
      report.is_right() ? "agrees with central differences" : "WRONG", gradient_points,
      report.parameter, report.error.gradient, report.error.difference, report.error.relative,
      gradient_limit);
}

std::string Checked::label() const {
  return worlds && !worlds->contradiction.empty() ? "contradicted" : certificate.label();
}

Checked check(const Composition& composition, const Registry& registry,
              const CheckSettings& settings) {
  const CheckedCalls checks(1);
  Program program = compose(*composition.compositor, recorded_cases(composition.run));
  check_memory(program, composition.run);
  evaluate_at_starts(*composition.model(), composition.run.seed);
  Checked found{.certificate = program.certificate, .cures = {}, .remarks = composition.remarks};
  found.certificate.published = published(composition, program.certificate);
  probe_wiring(composition.compositor);
  if (keeps_tested()) find_tested(origin_of(composition), found.certificate);
  if (settings.worlds) found.worlds = settings.worlds(program, composition.name, settings.example);
  if (settings.gradient)
    found.gradient = check_gradient(*composition.model(), composition.run.seed);
  found.fault = fault_of(composition, found, std::move(program));
  found.cures = cures(composition, found.certificate, registry);
  return found;
}

nlohmann::ordered_json json_of(const Checked& found) {
  Json json = record_of(found.certificate);
  if (found.worlds && !found.worlds->contradiction.empty()) {
    json["class_by_rules"] = json["class"];
    json["class"] = "contradicted";
  }
  json["worlds"] = found.worlds ? Json::parse(found.worlds->json) : Json(nullptr);
  if (found.worlds && !found.worlds->example_json.empty())
    json["counterexample"] = Json::parse(found.worlds->example_json);
  json["cures"] = Json::array();
  for (const Cure& cure : found.cures) {
    json["cures"].push_back(
        {{"set", cure.change}, {"class", cure.label}, {"evidence", to_string(cure.evidence)}});
  }
  json["remarks"] = found.remarks;
  if (found.gradient) json["gradient"] = json_of(*found.gradient);
  if (found.gradient && found.gradient->second)
    json["gradient"]["second"] = json_of(*found.gradient->second);
  if (found.fault)
    json.update({{"error", found.fault->what()}, {"code", static_cast<int>(found.fault->code())}});
  return json;
}

std::string check_json(const Checked& found) { return json_text(json_of(found), 2); }

std::string certificate_text(const Checked& found) {
  std::string text = found.certificate.to_text();
  if (!found.worlds) return text;
  const auto evidence = text.find("\nevidence   ") + 1;
  text.insert(text.find('\n', evidence), found.worlds->beside_evidence);
  if (!found.worlds->note.empty()) text += fmt::format("note       {}\n", found.worlds->note);
  if (found.worlds->contradiction.empty()) return text;
  const std::string_view first = "class      ";
  text.replace(0, first.size(), "by rules   ");
  return fmt::format(
      "class      contradicted: the check on finite worlds (docs/worlds.md) disagrees with the "
      "class that the rules give\n{}",
      text);
}

}  // namespace mixwell
