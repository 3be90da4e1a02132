// Computes the generated quantities of a model from the draws of a run.
// SPDX-License-Identifier: Apache-2.0
#include "base/clock.hpp"
#include "base/memory_limit.hpp"
#include "base/present_call.hpp"
#include "base/utf8.hpp"
#include "law/parameter_positions.hpp"

#include <mixwell/base/error.hpp>
#include <mixwell/lab/draws.hpp>
#include <mixwell/lab/generate.hpp>
#include <mixwell/lab/stop_request.hpp>
#include <mixwell/version.hpp>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <limits>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace mixwell {
namespace {

namespace fs = std::filesystem;

constexpr std::int64_t draws_together = 256;

/// The parameters of a model, read from the draws of a run.
class KeptPositions {
 public:
  KeptPositions(const std::string& run, const DrawsFile& file, const Model& model)
      : run_(run), model_(named_positions_of(model)), chains_(file.chains()) {
    for (Parameter& wanted : model_->named()) {
      const Column& column = column_of(run, file, wanted);
      const auto numbers = static_cast<double>(file.draws() * file.chains() * column.size());
      require_memory(sizeof(double) * numbers,
                     fmt::format("{}: reading the draws of `{}`", run, wanted.name));
      draws_.push_back(file.read(column, 0, column.size()));
      values_.push_back({std::move(wanted.name), std::move(wanted.shape), {}});
    }
  }

  /// Writes theta, d x 1. Returns false, and does not write theta, if a parameter of the draw is
  /// NaN.
  bool read(Index draw, Index chain, Batch theta) {
    bool is_whole = true;
    for (std::size_t k = 0; k < values_.size(); ++k) {
      std::vector<double>& values = values_[k].values;
      values.clear();
      for (Index column = chain; column < draws_[k].cols(); column += chains_) {
        values.push_back(draws_[k](draw, column));
        is_whole = is_whole && !std::isnan(values.back());
      }
    }
    if (is_whole) set_position(draw, chain, theta);
    return is_whole;
  }

 private:
  void set_position(Index draw, Index chain, Batch theta) {
    try {
      model_->position(values_, theta);
    } catch (const InputError& fault) {
      throw InputError(
          {run_, 0, 0},
          fmt::format("the model cannot use draw {} of chain {} (both counted from 0): {} Declare "
                      "the parameters with the same constraints as in the model of the run.",
                      draw, chain, fault.what()));
    }
  }

  static std::string words(const std::vector<Index>& shape) {
    return shape.empty() ? "a number" : fmt::format("an array of {}", fmt::join(shape, " x "));
  }

  static const Column& column_of(const std::string& run, const DrawsFile& file,
                                 const Parameter& wanted) {
    for (const Column& column : file.columns()) {
      if (column.group != RecordGroup::posterior || column.name != wanted.name) continue;
      if (column.shape == wanted.shape) return column;
      throw InputError({run, 0, 0},
                       fmt::format("`{0}` in the run is {1}, but the parameter `{0}` of the model "
                                   "is {2}. Use a model with the same parameters as the run.",
                                   wanted.name, words(column.shape), words(wanted.shape)));
    }
    throw InputError(
        {run, 0, 0},
        fmt::format("the run has no variable `{}`, but the model has a parameter with this name. "
                    "Use a model with the same parameters as the run.",
                    wanted.name));
  }

  std::string run_;
  std::shared_ptr<const NamedPositions> model_;
  Index chains_;
  std::vector<Eigen::MatrixXd> draws_;  ///< for each parameter: draws x (elements chains)
  std::vector<NamedValues> values_;
};

void require_capabilities(const Model& model) {
  if (model.offers<Generated>() == nullptr)
    throw InputError(
        fmt::format("model `{}` has no generated quantities. Use another model.", model.name()));
  if (named_positions_of(model) == nullptr)
    throw InputError(
        fmt::format("model `{}` cannot read parameters by name. Use another model.", model.name()));
}

/// A new folder for results. The destructor removes everything in the folder, and also the folder
/// itself if it is new, unless keep() was called.
class NewFolder {
 public:
  explicit NewFolder(std::string path) : path_(std::move(path)) {
    std::error_code error;
    is_new_ = fs::create_directories(path_, error);
    if (error)
      throw InputError({path_, 0, 0}, "cannot create the folder: " + error.message() +
                                          ". Choose another folder with --out.");
    if (!fs::is_empty(path_, error) || error)
      throw InputError({path_, 0, 0}, "this folder is not empty. Choose a new folder with --out.");
  }
  ~NewFolder() {
    if (is_kept_) return;
    std::error_code ignored;
    for (const auto& entry : fs::directory_iterator(path_, ignored))
      fs::remove_all(entry.path(), ignored);
    if (is_new_) fs::remove(path_, ignored);
  }
  NewFolder(const NewFolder&) = delete;
  NewFolder& operator=(const NewFolder&) = delete;
  void keep() noexcept { is_kept_ = true; }

 private:
  std::string path_;
  bool is_new_ = false;
  bool is_kept_ = false;
};

RunHeader header_of(const Composition& composition, const DrawsFile& file,
                    const std::string& folder) {
  RunHeader header;
  header.path = folder;
  header.run_name = as_utf8(composition.name);
  header.created_at = timestamp();
  header.version = MIXWELL_VERSION;
  header.certificate = file.certificate();
  header.replicates = file.replicates();
  header.slots = file.chains() / std::max<Index>(1, file.replicates());
  header.draws = file.draws();
  for (const Parameter& one : composition.model()->offers<Generated>()->generated())
    header.columns.push_back(
        {one.group, one.name, one.shape, RecordType::real, "", "", false, one.dims});
  header.observed = composition.model()->observed_data();
  header.constant = composition.model()->constant_data();
  header.labels = composition.model()->labels();
  composition.dims.apply(header);
  return header;
}

/// Values for several draws: [(draw chains + chain) size + element] for each column.
class GeneratedChunk {
 public:
  GeneratedChunk(const RunHeader& header, std::int64_t draws) : header_(header), draws_(draws) {
    for (const Column& column : header.columns)
      numbers_.emplace_back(static_cast<std::size_t>(draws * header.chains() * column.size()));
  }

  /// `values`: the values of all columns, one column after another.
  void set(Index draw, Index chain, const Eigen::VectorXd& values) {
    Index row = 0;
    for (std::size_t c = 0; c < numbers_.size(); ++c) {
      const Index size = header_.columns[c].size();
      std::copy_n(values.data() + row, size,
                  numbers_[c].data() + (draw * header_.chains() + chain) * size);
      row += size;
    }
  }

  Chunk chunk(std::int64_t first) const {
    Chunk chunk{.warmup = false, .first_draw = first, .draws = draws_, .data = {}};
    for (const std::vector<double>& column : numbers_) chunk.data.push_back(column.data());
    return chunk;
  }

 private:
  const RunHeader& header_;
  std::int64_t draws_;
  std::vector<std::vector<double>> numbers_;
};

/// Generated quantities of a model at the draws of a run.
class Quantities {
 public:
  Quantities(const Composition& composition, KeptPositions& positions, Index size)
      : model_(composition.model()),
        positions_(positions),
        stream_(composition.run.stream_seed(), "generate"),
        theta_(model_->dimension()),
        values_(size) {}

  /// NaN if a parameter of the draw is NaN.
  const Eigen::VectorXd& at(Index draw, Index chain) {
    if (positions_.read(draw, chain, theta_)) {
      model_->offers<Generated>()->generate(
          theta_, stream_, {static_cast<std::uint64_t>(draw), 0, static_cast<std::uint64_t>(chain)},
          values_);
    } else {
      values_.setConstant(std::numeric_limits<double>::quiet_NaN());
      ++without_parameters_;
    }
    return values_;
  }
  std::int64_t without_parameters() const noexcept { return without_parameters_; }

 private:
  std::shared_ptr<const Model> model_;
  KeptPositions& positions_;
  Stream stream_;
  Eigen::VectorXd theta_;
  Eigen::VectorXd values_;
  std::int64_t without_parameters_ = 0;
};

}  // namespace

GeneratedDraws generate_from(const std::string& run, const Composition& composition,
                             const std::string& folder, const StopRequest* stop) {
  require_capabilities(*composition.model());
  const CallMark mark("the computation of the generated quantities", composition.model().get());
  const DrawsFile file(run);
  KeptPositions positions(run, file, *composition.model());
  NewFolder made(folder);
  const RunHeader header = header_of(composition, file, folder);
  const auto recording = composition.recorders.front()->open(header);
  Index size = 0;
  for (const Column& column : header.columns) size += column.size();
  Quantities quantities(composition, positions, size);
  for (std::int64_t first = 0; first < file.draws(); first += draws_together) {
    if (is_made(stop)) throw Stopped("generating");
    GeneratedChunk chunk(header, std::min(draws_together, file.draws() - first));
    const std::int64_t end = std::min(first + draws_together, file.draws());
    for (std::int64_t draw = first; draw < end; ++draw)
      for (Index chain = 0; chain < file.chains(); ++chain)
        chunk.set(draw - first, chain, quantities.at(draw, chain));
    recording->write(chunk.chunk(first));
  }
  recording->finish({.draws = file.draws()});
  made.keep();
  return {folder, file.chains(), file.draws(), quantities.without_parameters()};
}

}  // namespace mixwell
