// Oracle `control-variate`: minibatch estimates of the change in U from a reference point.
// SPDX-License-Identifier: Apache-2.0
#include "noise/batch.hpp"
#include "noise/oracle.hpp"

#include <mixwell/lab/draws.hpp>
#include <mixwell/plugin.hpp>

#include <algorithm>
#include <array>
#include <cmath>
#include <fstream>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace mixwell::control_variate {
namespace {

/// The mode that find_mode reaches from the first initial position of the model. The tolerance is
/// 1e-6 sqrt(N) nats. Throws InputError if the search finds no mode.
Eigen::VectorXd mode_of(const Potential& law, const Model& model, const std::string& who) {
  constexpr std::int64_t iterations = 10000;
  constexpr std::int64_t newton_steps = 5;
  Eigen::MatrixXd start(model.dimension(), 1);
  model.initial(Stream(1, "control-variate/reference"), {}, start);
  Workspace scratch;
  const double none = 0.0;
  const ColumnLaw column({law, ConstMatrixMap(&none, 0, 1)}, 0, scratch);
  const double tolerance = 1e-6 * std::sqrt(static_cast<double>(law.offers<SumOfTerms>()->terms()));
  Optimum mode = find_mode(column, start.col(0), tolerance, iterations, newton_steps);
  if (mode.converged) return std::move(mode.theta);
  throw InputError(
      who + ": Mixwell found no mode of model `" + model.name() +
      "` (|grad U| = " + std::to_string(mode.gradient.norm()) +
      " at the end of the search). Set the reference point with reference = \"FILE\".");
}

/// Mean of the coordinates of one parameter over all its recorded draws.
Eigen::VectorXd mean_of_parameter(const DrawsFile& draws, const Column& column,
                                  const Parameter& parameter) {
  const ConstraintMap map({parameter});
  Eigen::MatrixXd x(parameter.size(), draws.draws() * draws.chains());
  for (Index i = 0; i < parameter.size(); ++i)
    x.row(i) = draws.read(column, i).reshaped().transpose();
  Eigen::MatrixXd theta(map.coordinates(), x.cols());
  map.unconstrain(x, theta);
  return theta.rowwise().mean();
}

/// Mean of theta over all draws of a draws.nc from a run of `model`.
Eigen::VectorXd mean_of_draws(const std::string& path, const Model& model) {
  const DrawsFile draws(path);
  Eigen::VectorXd mean(model.dimension());
  Index row = 0;
  for (const Parameter& parameter : model.parameters()) {
    const auto& columns = draws.columns();
    const auto found = std::find_if(columns.begin(), columns.end(), [&](const Column& c) {
      return c.group == RecordGroup::posterior && c.name == parameter.name &&
             c.shape == parameter.shape;
    });
    if (found == columns.end()) {
      throw InputError(path + ": the file has no variable `" + parameter.name +
                       "` with the same shape as in model `" + model.name() +
                       "`. Use draws from a run of the same model.");
    }
    mean.segment(row, parameter.coordinates()) = mean_of_parameter(draws, *found, parameter);
    row += parameter.coordinates();
  }
  return mean;
}

/// Indices of the table's columns, in the order of the model's coordinates.
std::vector<Index> places_in(const CsvTable& table, const Model& model) {
  try {
    return columns_of_coordinates(model, table.columns());
  } catch (const InputError& fault) {
    throw InputError(table.path() + ": " + fault.what());
  }
}

/// Mean of the rows of a CSV with a column for each coordinate of theta.
Eigen::VectorXd mean_of_rows(const std::string& path, const Model& model) {
  const CsvTable table(path);
  const std::vector<Index> places = places_in(table, model);
  Eigen::VectorXd mean(std::ssize(places));
  for (Index i = 0; i < mean.size(); ++i) {
    const Index place = places[static_cast<std::size_t>(i)];
    mean(i) = table.numbers(table.columns()[static_cast<std::size_t>(place)]).mean();
  }
  return mean;
}

/// Whether the first bytes are those of HDF5, or of NetCDF before version 4.
bool is_netcdf(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  std::array<char, 4> bytes{};
  in.read(bytes.data(), bytes.size());
  const std::string_view start(bytes.data(), bytes.size());
  return start == "\x89HDF" || start.starts_with("CDF");
}

/// `from` is "map" or a file. Error messages begin with `who`.
Eigen::VectorXd point_of(const std::string& from, const Potential& law, const Model& model,
                         const std::string& who) {
  if (from == "map") return mode_of(law, model, who);
  Eigen::VectorXd point = is_netcdf(from) ? mean_of_draws(from, model) : mean_of_rows(from, model);
  if (!point.allFinite())
    throw InputError(from +
                     ": the mean of its draws is not finite. Remove draws that are not finite, or "
                     "use a different file.");
  return point;
}

/// U - U_0 of a law, and the gradient of U - U_0, at one point.
struct ReferencePoint {
  ReferencePoint(const Potential& law, Eigen::VectorXd point)
      : theta(std::move(point)), g(theta.size()) {
    Workspace scratch;
    const double none = 0.0;
    MatrixMap whole(g.data(), g.size(), 1);
    law.evaluate(ConstMatrixMap(&none, 0, 1), theta, {&u, whole, scratch});
    MatrixMap rest = scratch.matrix(g.size(), 1);
    double rest_u = 0.0;
    law.offers<SumOfTerms>()->evaluate_rest(theta, {&rest_u, rest, scratch});
    u -= rest_u;
    g -= rest;
  }

  Eigen::VectorXd theta;
  double u = 0.0;
  Eigen::VectorXd g;
};

/// U(r) + U_0(theta) - U_0(r) + N/n sum over the batch of (u_n(theta) - u_n(r)) and its gradient; r
/// is the reference point. Costs 8 n d operations in addition to U_0, and 2 n weights.
class ControlVariatePotential final : public noise::BatchPotential {
 public:
  ControlVariatePotential(std::shared_ptr<const Potential> base, noise::BatchDraw batch,
                          std::shared_ptr<const ReferencePoint> reference)
      : BatchPotential(std::move(base), batch), reference_(std::move(reference)) {}

  void evaluate(const Numbers& numbers, ConstBatch theta, const Evaluation& out) const override {
    const Workspace::Frame frame(out.scratch);
    const Index w = theta.cols();
    const MatrixMap indices = draw_indices(numbers, w, out.draw, out.scratch);
    MatrixMap at = out.scratch.matrix(theta.rows(), w);
    at.colwise() = reference_->theta;
    MatrixMap here = out.scratch.matrix(theta.rows(), w);
    MatrixMap there = out.scratch.matrix(theta.rows(), w);
    RowMap u_here = out.scratch.row(w);
    RowMap u_there = out.scratch.row(w);
    const bool wants = out.wants_potential();
    sum().evaluate_terms(theta, indices, {wants ? u_here.data() : nullptr, here, out.scratch});
    sum().evaluate_terms(at, indices, {wants ? u_there.data() : nullptr, there, out.scratch});
    sum().evaluate_rest(theta, out);
    Batch gradient = out.gradient;
    gradient += batch().scale() * (here - there);
    gradient.colwise() += reference_->g;
    if (!wants) return;
    out.u() += batch().scale() * (u_here - u_there);
    out.u().array() += reference_->u;
  }
  double gradient_cost() const noexcept override { return 2.0 / batch().scale(); }

 private:
  void noisy_terms(ConstBatch theta, ConstBatch indices, Batch out,
                   Workspace& scratch) const override {
    const Workspace::Frame frame(scratch);
    MatrixMap there = scratch.matrix(out.rows(), out.cols());
    sum().gradients_of_terms(theta, indices, out, scratch);
    sum().gradients_of_terms(reference_->theta, indices, there, scratch);
    out -= there;
  }

  std::shared_ptr<const ReferencePoint> reference_;
};

class ControlVariate final : public noise::ChangingOracle {
 public:
  struct Params {
    noise::BatchParams batch;
    std::string reference = "map";

    void declare(Fields& fields) {
      batch.declare(fields);
      fields.text("reference", reference)
          .one_of({"map"})
          .file()
          .help(
              "reference point r: the mode (map), or the mean of the draws in a draws.nc or CSV "
              "file (FILE)");
    }
  };
  explicit ControlVariate(const Params& params)
      : ChangingOracle(params.batch.shared), params_(params) {}

 private:
  Value add(KernelGraph& graph, const std::string& path, Value factor,
            std::shared_ptr<const Potential> base) const override {
    const std::string who = "oracle `" + name() + "`";
    const noise::BatchDraw batch = params_.batch.of(base.get(), who);
    if (base->as_model() == nullptr) {
      throw InputError(
          who +
          ": this oracle works only with a model's own density, but the target density here was "
          "derived from a model's density. Use oracle `exact` instead.");
    }
    auto reference = reference_of(*base, who);
    return noise::add_noisy_law(
        graph, path, factor,
        std::make_shared<ControlVariatePotential>(std::move(base), batch, std::move(reference)),
        {.unbiased = true});
  }

  /// Finds the reference point once for each model, for any number of laws and graphs.
  std::shared_ptr<const ReferencePoint> reference_of(const Potential& law,
                                                     const std::string& who) const {
    const Model& model = *law.as_model();
    const std::lock_guard lock(mutex_);
    std::shared_ptr<const ReferencePoint>& found = known_[&model];
    if (found != nullptr) return found;
    auto reference = std::make_shared<const ReferencePoint>(
        law, control_variate::point_of(params_.reference, law, model, who));
    if (!std::isfinite(reference->u) || !reference->g.allFinite()) {
      throw InputError(who + ": U or its gradient is not finite at reference = \"" +
                       params_.reference + "\". Set a different reference point.");
    }
    return found = std::move(reference);
  }

  Params params_;
  mutable std::mutex mutex_;
  mutable std::map<const Model*, std::shared_ptr<const ReferencePoint>> known_;
};

}  // namespace
}  // namespace mixwell::control_variate

MIXWELL_PLUGIN(registrar) {
  registrar.add<mixwell::control_variate::ControlVariate>(
      {.id = "control-variate",
       .summary = "Minibatch estimates with less noise near a reference point, such as the mode",
       .details =
           "The estimate of U is U(r) + U_0(theta) - U_0(r) + (N/n) sum of (u_k(theta) - u_k(r)) "
           "over n cases k. The estimate of grad U is the gradient of this estimate. Both are "
           "unbiased for every theta and every fixed reference point r. They have no noise at r, "
           "and their noise grows with |theta - r|. If there are many cases, the noise near the "
           "mode is much smaller than with oracle `minibatch`. A file for r must be a draws.nc of "
           "the same model, or a CSV file with a header and one column for each coordinate. "
           "Mixwell computes r, U(r) and grad U(r) from all cases once before the run. The "
           "gradient count of the run does not include this work. An evaluation needs two "
           "minibatch gradients and counts as 2 n/N gradients. Mixwell estimates the covariance of "
           "the noise as for oracle `minibatch`, but from the gradients of u_k(theta) - u_k(r) "
           "instead of u_k(theta).",
       .sources = {"Baker, Fearnhead, Fox & Nemeth 2019, Statistics and Computing 29",
                   "Nagapetyan et al. 2017, arXiv:1706.02692"}});
}
