// Sets the starting values of slots.
// SPDX-License-Identifier: Apache-2.0
#include "sampler/initial_state.hpp"

#include "base/present_call.hpp"
#include "component/locations.hpp"
#include "law/parameter_positions.hpp"

#include <mixwell/base/error.hpp>
#include <mixwell/data/data.hpp>
#include <mixwell/kernel.hpp>
#include <mixwell/law/capabilities.hpp>
#include <mixwell/law/portions.hpp>
#include <mixwell/law/selection.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <memory>

namespace mixwell {
namespace {

constexpr const char* cure =
    "Choose other starting points with `init` in [run] (\"prior\", \"exact\", { "
    "uniform = 0.5 }, { value = [...] }), or check the model and its data.";

/// Describes how one position starts.
struct Start {
  const Init& init;
  const Model& model;
  const Stream& stream;
  Address at;
  Index slot;  ///< index of the position among `slots`
  Index slots;
};

std::string place_of_init(const Start& start) { return place_in_run(start.model, "init"); }

void from_values(const Start& start, MatrixMap theta) {
  const std::vector<double>& values = start.init.value;
  const auto n = static_cast<Index>(values.size());
  if (n != 1 && n != theta.rows()) {
    throw InputError(
        place_of_init(start) +
        fmt::format("[run] init gives {} values, but the model has {} coordinates. Give one number "
                    "for all coordinates, or one number for each coordinate.",
                    n, theta.rows()));
  }
  for (Index i = 0; i < theta.rows(); ++i) {
    theta.row(i).setConstant(values[static_cast<std::size_t>(n == 1 ? 0 : i)]);
  }
}

/// The columns of the table that hold the coordinates.
std::vector<std::string> coordinate_columns(const CsvTable& table, const Model& model) {
  try {
    std::vector<std::string> columns;
    for (const Index place : columns_of_coordinates(model, table.columns()))
      columns.push_back(table.columns()[static_cast<std::size_t>(place)]);
    return columns;
  } catch (const InputError& fault) {
    throw InputError({table.path(), 0, 0}, fault.what());
  }
}

/// Reads one row for each chain, or one row for all chains. The number of a chain is replicate *
/// slots + slot.
void from_csv(const Start& start, const std::string& path, MatrixMap theta) {
  const CsvTable table(path);
  const Index chains = start.slots * theta.cols();
  if (table.rows() != 1 && table.rows() != chains)
    throw InputError({path, 0, 0}, fmt::format("the file has {} rows. It must have 1 row for all "
                                               "chains, or {} rows (one for each chain).",
                                               table.rows(), chains));
  for (const std::string& column : table.columns())
    table.find(column);  // throws if two columns have the same name
  const std::vector<std::string> columns = coordinate_columns(table, start.model);
  for (Index i = 0; i < theta.rows(); ++i) {
    const Eigen::VectorXd column = table.numbers(columns[static_cast<std::size_t>(i)]);
    for (Index j = 0; j < theta.cols(); ++j) {
      theta(i, j) = column(table.rows() == 1 ? 0 : j * start.slots + start.slot);
    }
  }
}

bool is_json(const std::string& path) { return path.ends_with(".json"); }

/// Replaces coordinates that are NaN by the model's default starting values.
void draw_what_is_left_out(const Start& start, MatrixMap theta) {
  if (!theta.array().isNaN().any()) return;
  Eigen::MatrixXd drawn(theta.rows(), theta.cols());
  start.model.initial(start.stream, start.at, drawn);
  theta = theta.array().isNaN().select(drawn, theta);
}

/// Reads one file for each chain, or one file for all chains.
void from_json(const Start& start, MatrixMap theta) {
  const std::vector<std::string>& paths = start.init.files;
  const std::string& first = paths.front();
  const std::shared_ptr<const NamedPositions> positions = named_positions_of(start.model);
  if (positions == nullptr)
    throw InputError({first, 0, 0}, fmt::format("[run] init: model `{}` cannot read JSON. Give a "
                                                "CSV file with a column for each coordinate.",
                                                start.model.name()));
  const auto count = static_cast<Index>(paths.size());
  if (count != 1 && count != start.slots * theta.cols())
    throw InputError({first, 0, 0}, fmt::format("[run] init gives {} files. Give 1 file for all "
                                                "chains, or {} files (one for each chain).",
                                                count, start.slots * theta.cols()));
  for (Index j = 0; j < theta.cols(); ++j) {
    const Index file = count == 1 ? 0 : j * start.slots + start.slot;
    positions->read_position(paths[static_cast<std::size_t>(file)], theta.col(j));
  }
  draw_what_is_left_out(start, theta);
}

void from_files(const Start& start, MatrixMap theta) {
  const std::vector<std::string>& paths = start.init.files;
  if (std::all_of(paths.begin(), paths.end(), is_json)) return from_json(start, theta);
  if (paths.size() > 1)
    throw InputError(place_of_init(start) +
                     "[run] init: a list of files must contain JSON files, one for each chain. "
                     "Give one CSV file for all chains, or a list of JSON files.");
  from_csv(start, paths.front(), theta);
}

void from_exact(const Start& start, MatrixMap theta) {
  const ExactSampler* const exact = start.model.offers<ExactSampler>();
  if (exact == nullptr) {
    throw InputError(
        place_of_init(start) +
        fmt::format(
            "[run] init = \"exact\": model `{}` offers no exact draws. Use init = \"model\".",
            start.model.name()));
  }
  exact->draw(start.stream, start.at, theta);
}

void from_prior(const Start& start, MatrixMap theta) {
  const Prior* const prior = start.model.offers<Prior>();
  if (prior == nullptr) {
    throw InputError(place_of_init(start) +
                     fmt::format("[run] init = \"prior\": model `{}` offers no draws from its "
                                 "prior. Use init = \"model\".",
                                 start.model.name()));
  }
  prior->draw(start.stream, start.at, theta);
}

/// Coordinates that take whole numbers keep the start that the model gives.
void uniformly(const Start& start, MatrixMap theta) {
  Eigen::MatrixXd uniform(theta.rows(), theta.cols());
  start.stream.uniforms(start.at, uniform);
  uniform.array() = start.init.uniform * (2.0 * uniform.array() - 1.0);
  const std::vector<Index> real = real_coordinates(start.model.parameters());
  if (std::ssize(real) < theta.rows()) start.model.initial(start.stream, start.at, theta);
  for (const Index i : real) theta.row(i) = uniform.row(i);
}

/// Throws InputError if a coordinate that takes whole numbers starts at another number or outside
/// of its bounds.
void check_whole_numbers(const Start& start, const MatrixMap& theta) {
  const std::vector<Parameter> parameters = start.model.parameters();
  const auto whole = whole_numbers(parameters);
  for (std::size_t i = 0; i < whole.size(); ++i) {
    if (!whole[i]) continue;
    const auto [least, most] = *whole[i];
    for (Index j = 0; j < theta.cols(); ++j) {
      const double value = theta(static_cast<Index>(i), j);
      const bool is_right = value == std::round(value) && value >= static_cast<double>(least) &&
                            value <= static_cast<double>(most);
      if (is_right) continue;
      throw InputError(fmt::format(
          "[run] init: `{}` of replicate {} is {}, but it must be a whole number from {} to {}. {}",
          coordinate_names(parameters)[i], j, value, least, most, cure));
    }
  }
}

void set_position(const Start& start, MatrixMap theta) {
  switch (start.init.how) {
    case Init::How::model:
      return start.model.initial(start.stream, start.at, theta);
    case Init::How::exact:
      return from_exact(start, theta);
    case Init::How::prior:
      return from_prior(start, theta);
    case Init::How::uniform:
      return uniformly(start, theta);
    case Init::How::file:
      return from_files(start, theta);
    case Init::How::value:
      return from_values(start, theta);
  }
}

Eigen::MatrixXd whole_position(const Start& start, Index replicates) {
  Eigen::MatrixXd theta = Eigen::MatrixXd::Zero(start.model.dimension(), replicates);
  const MatrixMap all(theta.data(), theta.rows(), theta.cols());
  set_position(start, all);
  check_whole_numbers(start, all);
  return theta;
}

Eigen::MatrixXd own_rows(const PortionOfModel& portion, const Eigen::MatrixXd& whole) {
  Eigen::MatrixXd own(std::ssize(portion.coordinates), whole.cols());
  RowRuns(portion.coordinates).take(whole, own);
  return own;
}

[[noreturn]] void not_finite(const Model& model, const std::string& slot, Index replicate,
                             const std::string& what, double value, ConstBatch theta) {
  std::string position;
  const auto names = coordinate_names(model.parameters());
  for (Index i = 0; i < std::min<Index>(theta.rows(), 8); ++i) {
    position += fmt::format("{}{} = {:.6g}", i == 0 ? "" : ", ", names[static_cast<std::size_t>(i)],
                            theta(i, replicate));
  }
  const std::string why = model.trouble_at(theta.col(replicate));
  throw InputError(
      fmt::format("model `{}`: {} is {} at the starting point of replicate {} ({}: {}{}){}. {}",
                  model.name(), what, value, replicate, slot, position,
                  theta.rows() > 8 ? ", ..." : "", why.empty() ? "" : ": " + why, cure));
}

void check_start(const Model& model, const std::string& slot, ConstBatch theta, ConstRow u,
                 ConstBatch g, Index first) {
  for (Index j = 0; j < u.cols(); ++j) {
    for (Index i = 0; i < g.rows(); ++i) {
      if (!std::isfinite(g(i, j))) {
        const auto what =
            fmt::format("the derivative of U (minus the log density) with respect to `{}`",
                        coordinate_names(model.parameters())[static_cast<std::size_t>(i)]);
        not_finite(model, slot, first + j, what, g(i, j), theta);
      }
    }
    if (!std::isfinite(u(j))) not_finite(model, slot, first + j, "U", u(j), theta);
  }
}

double evaluate_start(const Law& law, const Model& model, const std::string& slot, MatrixMap theta,
                      Index block_width) {
  Workspace scratch;
  for (Index first = 0; first < theta.cols(); first += block_width) {
    const Index width = std::min(block_width, theta.cols() - first);
    const Workspace::Frame frame(scratch);
    RowMap u = scratch.row(width);
    MatrixMap g = scratch.matrix(theta.rows(), width);
    law.evaluate(theta.middleCols(first, width), {u.data(), g, scratch});
    check_start(model, slot, theta, u, g, first);
  }
  return static_cast<double>(theta.cols()) * law.potential().gradient_cost();
}

/// The position whose slots are exactly those of the factor, or "".
std::string position_of(const KernelGraph& graph, const Factor& factor) {
  const std::string& first = graph[factor.slots.front()].position;
  const bool all_of_it = slots_of(graph, first) == factor.slots;
  return all_of_it ? first : "";
}

}  // namespace

/// Whether anything reads a slot of the position.
bool is_read(const KernelGraph& graph, const std::string& position, const Storage& storage) {
  const std::vector<Variable> slots = slots_of(graph, position);
  return std::any_of(slots.begin(), slots.end(),
                     [&](Variable slot) { return storage.has(graph[slot].name); });
}

double set_initial_state(const KernelGraph& graph, const Model& model, const RunSettings& settings,
                         std::uint64_t sweep, Storage& storage) {
  const CallMark mark("the search for starting points", &model);
  const std::vector<std::string> names = positions(graph);
  std::map<std::string, Eigen::MatrixXd> starts;
  const auto count = std::ssize(names);
  for (Index k = 0; k < count; ++k) {
    const std::string& name = names[static_cast<std::size_t>(k)];
    require_whole_position(graph, name, model);
    if (!is_read(graph, name, storage)) continue;
    Eigen::MatrixXd& theta = starts[name];
    const Stream stream(settings.stream_seed(), "init/" + name);
    const Start start{settings.init, whole_of(model), stream, {sweep, 0, 0}, k, count};
    theta = whole_position(start, settings.replicates);
    if (const auto* const portion = model.offers<PortionOfModel>())
      theta = own_rows(*portion, theta);
    visit_slots(graph, name, storage,
                [&](const RowRuns& rows, MatrixMap slot) { rows.take(theta, slot); });
  }
  double gradients = 0.0;
  for (const Factor& factor : graph.factors()) {
    const ValueInfo& law = graph[factor.law];
    const auto start = starts.find(position_of(graph, factor));
    if (start == starts.end() || law.kind != ValueKind::constant) continue;
    // A density that is known only through an estimate is not evaluated.
    if (graph.offered<EstimatedDensity>(factor.law) != nullptr) continue;
    Eigen::MatrixXd& theta = start->second;
    const Law at(static_cast<const Potential&>(*law.function),
                 ConstMatrixMap(nullptr, 0, theta.cols()));
    gradients += evaluate_start(at, model, start->first, {theta.data(), theta.rows(), theta.cols()},
                                settings.block_width);
  }
  return gradients;
}

}  // namespace mixwell
