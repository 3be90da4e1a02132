// Reads the variables and attributes of draws.nc, and computes the hash of the draws.
// SPDX-License-Identifier: Apache-2.0
#include "base/memory_limit.hpp"
#include "files/netcdf_library.hpp"
#include "files/reading.hpp"
#include "files/sha256.hpp"

#include <mixwell/base/error.hpp>
#include <mixwell/files/files.hpp>
#include <mixwell/lab/draws.hpp>

#include <fmt/format.h>
#include <netcdf.h>

#include <algorithm>
#include <array>
#include <bit>
#include <filesystem>
#include <functional>
#include <limits>
#include <map>
#include <optional>
#include <set>
#include <system_error>
#include <utility>

namespace mixwell {
namespace {

static_assert(std::endian::native == std::endian::little, "sha256() needs a little-endian machine");

constexpr Index piece_numbers = Index{8} << 20;  ///< 64 MiB of doubles
/// A piece may be larger than `piece_numbers` if this avoids reading a chunk of the file twice. It
/// then has at most 512 MiB, and at most this share of the memory limit of the process.
constexpr Index widest_piece_numbers = Index{64} << 20;
constexpr double widest_piece_share = 0.125;
constexpr Index block_numbers = Index{1} << 20;  ///< 8 MiB, the amount read at a time

constexpr std::array groups = {RecordGroup::posterior, RecordGroup::sample_stats,
                               RecordGroup::log_likelihood, RecordGroup::posterior_predictive};

std::string find_file(const std::string& path) {
  namespace fs = std::filesystem;
  std::error_code ignored;
  const bool is_folder = fs::is_directory(path, ignored);
  const fs::path file = is_folder ? fs::path(path) / "draws.nc" : fs::path(path);
  const std::string why = why_no_file(file.string());
  if (why.empty()) return file.string();
  const std::string run = file.parent_path().string();
  const bool cut = fs::exists(file.string() + ".partial", ignored) ||
                   fs::exists(run + "/resume/draws.nc.partial", ignored);
  const bool absent = !fs::exists(fs::symlink_status(file, ignored));
  throw InputError(file.string() + ": " +
                   (absent ? "this file does not exist" : "cannot read this file: " + why) +
                   (cut ? fmt::format(". The run in this folder stopped early or is still active. "
                                      "Continue a stopped run with `mixwell run --resume {}`, or "
                                      "run its manifest again.",
                                      run)
                        : ". Give a draws.nc file, or a run folder that contains draws.nc."));
}

std::string text_attribute(int group, int variable, const char* name) {
  char* text = nullptr;
  if (nc_get_att_string(group, variable, name, &text) != NC_NOERR) return {};
  std::string result = text != nullptr ? text : "";
  nc_free_string(1, &text);
  return result;
}

RecordType record_type(int group, int variable, nc_type type) {
  if (type == NC_DOUBLE || type == NC_FLOAT) return RecordType::real;
  const bool boolean = text_attribute(group, variable, "dtype") == "bool";
  return boolean ? RecordType::boolean : RecordType::integer;
}

/// A box in an array of any dimension.
struct Slab {
  std::vector<std::size_t> start;
  std::vector<std::size_t> count;
  Index elements = 0;
};

/// The largest box that begins at element `first` (last index fastest) and consists of the elements
/// [first, first + n) for some n <= count. The box consists of whole rows, planes, ... if they fit.
Slab first_slab(const std::vector<Index>& shape, Index first, Index count) {
  Slab slab{std::vector<std::size_t>(shape.size()), std::vector<std::size_t>(shape.size(), 1), 1};
  Index inner = 1;
  for (const Index extent : shape) inner *= extent;
  bool found = false;
  for (std::size_t k = 0; k < shape.size(); ++k) {
    inner /= shape[k];
    const Index at = first / inner % shape[k];
    slab.start[k] = static_cast<std::size_t>(at);
    if (found) slab.count[k] = static_cast<std::size_t>(shape[k]);
    if (found || first % inner != 0 || count < inner) continue;
    const Index rows = std::min(count / inner, shape[k] - at);
    slab.count[k] = static_cast<std::size_t>(rows);
    slab.elements = rows * inner;
    found = true;
  }
  return slab;
}

}  // namespace

struct DrawsFile::Opened {
  struct StoredVariable {
    int group = -1;
    int id = -1;
    /// Size of a chunk of the file: chains, draws and consecutive elements.
    Index chains = 1;
    Index draws = 1;
    Index elements = 1;
    bool is_chunked = false;

    std::size_t chunk_bytes() const {
      return sizeof(double) * static_cast<std::size_t>(chains * draws * elements);
    }
  };

  Opened(const std::string& name, DrawsPhase which)
      : path(name), prefix_(which == DrawsPhase::warmup ? warmup_prefix : "") {
    leave_files_at_exit();
    const NetcdfTurn turn;
    nc_set_chunk_cache(std::size_t{1} << 16, 1, 1.0F);  // a small cache for unread variables
    check(nc_open(path.c_str(), NC_NOWRITE, &id), "open it");
    try {
      read_structure();
    } catch (...) {
      nc_close(id);
      throw;
    }
  }
  Opened(const Opened&) = delete;
  Opened& operator=(const Opened&) = delete;
  ~Opened() {
    const NetcdfTurn turn;
    nc_close(id);
  }

  void check(int status, const std::string& action) const {
    if (status == NC_NOERR) return;
    throw InputError(path + ": cannot " + action + ": " + nc_strerror(status) +
                     ". Use the complete draws.nc of a run");
  }

  /// A text attribute of the first group that has it, otherwise of the file. "" if neither has it.
  std::string text(const char* name) const {
    const NetcdfTurn turn;
    for (const int group : group_ids) {
      const std::string found = text_attribute(group, NC_GLOBAL, name);
      if (!found.empty()) return found;
    }
    return text_attribute(id, NC_GLOBAL, name);
  }

  bool has_warmup() const noexcept {
    int group_id = -1;
    const NetcdfTurn turn;
    return find_group(warmup_prefix, RecordGroup::posterior, false, group_id) == NC_NOERR ||
           find_group(warmup_prefix, RecordGroup::posterior, true, group_id) == NC_NOERR;
  }

  /// NC_NOERR if the file has the group.
  int find_group(const std::string& prefix, RecordGroup group, bool of_prior, int& group_id) const {
    const std::string name = prefix + std::string(name_in_file(group, of_prior));
    return nc_inq_grp_ncid(id, name.c_str(), &group_id);
  }

  void read_structure() {
    int group_id = -1;
    const bool of_prior =
        find_group(prefix_, RecordGroup::posterior, false, group_id) != NC_NOERR &&
        find_group(prefix_, RecordGroup::posterior, true, group_id) == NC_NOERR;
    for (const RecordGroup group : groups) {
      if (find_group(prefix_, group, of_prior, group_id) == NC_NOERR)
        read_group(group, group_id);
      else if (group == RecordGroup::posterior)
        check(NC_ENOGRP, "find the group '" + prefix_ + "posterior'");
    }
  }

  void read_group(RecordGroup group, int group_id) {
    read_lengths(group, group_id);
    int count = 0;
    check(nc_inq_varids(group_id, &count, nullptr), "list its variables");
    std::vector<int> ids(static_cast<std::size_t>(count));
    check(nc_inq_varids(group_id, &count, ids.data()), "list its variables");
    for (const int variable : ids) read_variable(group, group_id, variable);
  }

  void read_lengths(RecordGroup group, int group_id) {
    group_ids.push_back(group_id);
    const Index old_chains = std::exchange(chains, length(group_id, "chain"));
    const Index old_draws = std::exchange(draws, length(group_id, "draw"));
    if (group == RecordGroup::posterior || (chains == old_chains && draws == old_draws)) return;
    throw InputError(path + ": '" + std::string(to_string(group)) + "' has " +
                     std::to_string(chains) + " chains of " + std::to_string(draws) +
                     " draws, but 'posterior' has " + std::to_string(old_chains) + " of " +
                     std::to_string(old_draws) + ". Use the complete draws.nc of a run");
  }

  Index length(int group_id, const char* dimension) const {
    int dimension_id = -1;
    check(nc_inq_dimid(group_id, dimension, &dimension_id),
          std::string("find the dimension '") + dimension + "'");
    return extent(group_id, dimension_id);
  }

  Index extent(int group_id, int dimension) const {
    std::size_t length = 0;
    check(nc_inq_dimlen(group_id, dimension, &length), "read its dimensions");
    return static_cast<Index>(length);
  }

  std::string dimension_name(int group_id, int dimension) const {
    std::array<char, NC_MAX_NAME + 1> name{};
    check(nc_inq_dimname(group_id, dimension, name.data()), "read its dimensions");
    return name.data();
  }

  /// Stores variables over (chain, draw, ...) and over (chain, ...). Other variables are
  /// coordinates.
  void read_variable(RecordGroup group, int group_id, int variable) {
    std::array<char, NC_MAX_NAME + 1> name{};
    std::array<int, NC_MAX_VAR_DIMS> dimensions{};
    nc_type type = NC_NAT;
    int rank = 0;
    check(nc_inq_var(group_id, variable, name.data(), &type, &rank, dimensions.data(), nullptr),
          "read its variables");
    if (rank < 1 || dimension_name(group_id, dimensions[0]) != "chain") return;
    if (is_chain_number(name.data())) return;
    Column column{group, name.data(), {}, record_type(group_id, variable, type), {}, {}};
    column.once = rank < 2 || dimension_name(group_id, dimensions[1]) != "draw";
    const int leading = column.once ? 1 : 2;
    for (int k = leading; k < rank; ++k) {
      const int dimension = dimensions[static_cast<std::size_t>(k)];
      column.shape.push_back(extent(group_id, dimension));
      column.dims.push_back(named_dimension(group_id, dimension, column, k - leading));
    }
    if (std::all_of(column.dims.begin(), column.dims.end(), std::mem_fn(&std::string::empty)))
      column.dims.clear();
    column.unit = text_attribute(group_id, variable, "unit");
    column.help = text_attribute(group_id, variable, "description");
    if (column.once) {
      once.push_back(std::move(column));
      once_ids.emplace_back(group_id, variable);
      return;
    }
    variables.push_back(stored_variable(group_id, variable, column));
    places[group].emplace(column.name, columns.size());
    columns.push_back(std::move(column));
  }

  /// Returns the name of dimension k and reads the labels of the dimension. Returns "" if the
  /// dimension belongs only to this column.
  std::string named_dimension(int group_id, int dimension, const Column& column, int k) {
    const std::string name = dimension_name(group_id, dimension);
    if (name == column.name + "_dim_" + std::to_string(k)) return {};
    if (known_dims_.insert(name).second) read_labels(group_id, dimension, name);
    return name;
  }

  /// Reads the coordinate variable of the dimension, if it contains texts.
  void read_labels(int group_id, int dimension, const std::string& name) {
    int variable = -1;
    if (nc_inq_varid(group_id, name.c_str(), &variable) != NC_NOERR) return;
    std::array<int, NC_MAX_VAR_DIMS> dimensions{};
    nc_type type = NC_NAT;
    int rank = 0;
    check(nc_inq_var(group_id, variable, nullptr, &type, &rank, dimensions.data(), nullptr),
          "read its coordinates");
    if (type != NC_STRING || rank != 1 || dimensions[0] != dimension) return;
    std::vector<char*> texts(static_cast<std::size_t>(extent(group_id, dimension)));
    check(nc_get_var_string(group_id, variable, texts.data()),
          "read the coordinate '" + name + "'");
    Labels found{name, {}};
    for (const char* const text : texts) found.labels.emplace_back(text == nullptr ? "" : text);
    nc_free_string(texts.size(), texts.data());
    labels.push_back(std::move(found));
  }

  static bool is_chain_number(const std::string& name) {
    return name == "chain" || name == "replicate" || name == "slot";
  }

  StoredVariable stored_variable(int group_id, int variable, const Column& column) const {
    std::vector<std::size_t> extents(2 + column.shape.size(), 1);
    int storage = NC_CONTIGUOUS;
    check(nc_inq_var_chunking(group_id, variable, &storage, extents.data()), "read its chunks");
    StoredVariable stored{group_id, variable};
    stored.is_chunked = storage == NC_CHUNKED;
    if (!stored.is_chunked) return stored;
    stored.chains = static_cast<Index>(extents[0]);
    stored.draws = static_cast<Index>(extents[1]);
    for (std::size_t k = 2; k < extents.size(); ++k)
      stored.elements *= static_cast<Index>(extents[k]);
    return stored;
  }

  std::optional<std::size_t> find(RecordGroup group, const std::string& name) const noexcept {
    const auto names = places.find(group);
    if (names == places.end()) return std::nullopt;
    const auto found = names->second.find(name);
    return found == names->second.end() ? std::nullopt : std::optional(found->second);
  }

  std::size_t index_of(const Column& column) const {
    const auto index = find(column.group, column.name);
    if (index) return *index;
    throw InputError(
        path + ": this file has no variable '" + column.name +
        "' with the dimensions `chain` and `draw`. Choose a variable that this file contains.");
  }

  /// Reads chain[1] chains from chain[0] on, draw[1] draws from draw[0] on, and one box of
  /// elements, in file order.
  std::vector<double> read(std::size_t column, std::array<Index, 2> chain,
                           std::array<Index, 2> draw, const Slab& slab) const {
    std::vector<std::size_t> start = {static_cast<std::size_t>(chain[0]),
                                      static_cast<std::size_t>(draw[0])};
    std::vector<std::size_t> count = {static_cast<std::size_t>(chain[1]),
                                      static_cast<std::size_t>(draw[1])};
    start.insert(start.end(), slab.start.begin(), slab.start.end());
    count.insert(count.end(), slab.count.begin(), slab.count.end());
    std::vector<double> numbers(count[0] * count[1] * static_cast<std::size_t>(slab.elements));
    if (numbers.empty()) return numbers;
    const StoredVariable& variable = variables[column];
    const NetcdfTurn turn;
    keep_chunks_of(column);
    check(
        nc_get_vara_double(variable.group, variable.id, start.data(), count.data(), numbers.data()),
        "read the variable '" + columns[column].name + "'");
    return numbers;
  }

  /// Limits the cache to one chunk of the last variable read. By default HDF5 keeps chunks of every
  /// variable.
  void keep_chunks_of(std::size_t column) const {
    if (kept_ == column) return;
    if (kept_) set_cache(variables[*kept_], 0);
    set_cache(variables[column], variables[column].chunk_bytes());
    kept_ = column;
  }

  void set_cache(const StoredVariable& variable, std::size_t bytes) const {
    if (!variable.is_chunked) return;
    check(nc_set_var_chunk_cache(variable.group, variable.id, bytes, bytes == 0 ? 0 : 1, 1.0F),
          "set its cache");
  }

  /// The number of draws to read at a time for these chains and elements, in whole chunks of the
  /// file.
  Index block_draws(std::size_t column, Index numbers_of_draw) const {
    const Index most = std::max<Index>(1, block_numbers / numbers_of_draw);
    const Index chunk = variables[column].draws;
    const bool some =
        chunk * numbers_of_draw <= 8 * block_numbers;  // other writers may use larger chunks
    return some ? std::max(chunk, most / chunk * chunk) : most;
  }

  void hash(std::size_t column, Sha256& sha) const;

  std::string path;
  int id = -1;
  Index chains = 0;
  Index draws = 0;
  std::vector<int> group_ids;
  std::vector<Column> columns;
  std::vector<Column> once;
  std::vector<std::pair<int, int>> once_ids;  ///< group and variable of `once`
  std::vector<Labels> labels;
  std::vector<StoredVariable> variables;                             ///< for each of `columns`
  std::map<RecordGroup, std::map<std::string, std::size_t>> places;  ///< index in `columns` by name

 private:
  static constexpr const char* warmup_prefix = "warmup_";

  std::string prefix_;
  std::set<std::string> known_dims_;
  mutable std::optional<std::size_t> kept_;
};

/// Reads several whole chains at a time if they are short or share chunks of the file. Otherwise
/// reads one chain in parts.
void DrawsFile::Opened::hash(std::size_t column, Sha256& sha) const {
  const Index size = columns[column].size();
  const Slab all = first_slab(columns[column].shape, 0, size);
  const Index whole = std::max<Index>(1, draws * size);
  const Index shared = variables[column].chains;
  const Index fit = block_numbers / whole;
  const Index together =
      shared * whole <= 8 * block_numbers ? std::max(shared, fit / shared * shared) : 1;
  const Index rows = together * whole <= 8 * block_numbers ? draws : block_draws(column, size);
  for (Index chain = 0; chain < chains; chain += together)
    for (Index draw = 0; draw < draws; draw += rows) {
      const std::vector<double> numbers = read(column, {chain, std::min(together, chains - chain)},
                                               {draw, std::min(rows, draws - draw)}, all);
      sha.add({reinterpret_cast<const char*>(numbers.data()), numbers.size() * sizeof(double)});
    }
}

DrawsFile::DrawsFile(const std::string& path) : DrawsFile(path, DrawsPhase::sampling) {}
DrawsFile::DrawsFile(const std::string& path, DrawsPhase phase)
    : file_(std::make_unique<Opened>(find_file(path), phase)) {}
DrawsFile::~DrawsFile() = default;
DrawsFile::DrawsFile(DrawsFile&&) noexcept = default;

Index DrawsFile::chains() const noexcept { return file_->chains; }
Index DrawsFile::draws() const noexcept { return file_->draws; }
Index DrawsFile::replicates() const {
  int variable = -1;
  const int group = file_->group_ids.front();
  const NetcdfTurn turn;
  if (nc_inq_varid(group, "replicate", &variable) != NC_NOERR) return file_->chains;
  std::vector<long long> numbers(static_cast<std::size_t>(file_->chains));
  file_->check(nc_get_var_longlong(group, variable, numbers.data()), "read 'replicate'");
  return static_cast<Index>(std::set<long long>(numbers.begin(), numbers.end()).size());
}

const std::vector<Column>& DrawsFile::columns() const noexcept { return file_->columns; }

const std::vector<Labels>& DrawsFile::labels() const noexcept { return file_->labels; }

bool DrawsFile::has(RecordGroup group, const std::string& name) const noexcept {
  return file_->find(group, name).has_value();
}

bool DrawsFile::has_warmup() const noexcept { return file_->has_warmup(); }

const std::vector<Column>& DrawsFile::once() const noexcept { return file_->once; }

Eigen::VectorXd DrawsFile::read_once(const Column& column, Index chain) const {
  const auto found = std::find(file_->once.begin(), file_->once.end(), column);
  if (found == file_->once.end())
    throw InputError(
        file_->path + ": this file has no variable '" + column.name +
        "' with dimension `chain` and without dimension `draw`. Choose a variable that "
        "this file contains.");
  const auto [group, id] = file_->once_ids[static_cast<std::size_t>(found - file_->once.begin())];
  std::vector<std::size_t> start(1 + column.shape.size(), 0);
  start[0] = static_cast<std::size_t>(chain);
  std::vector<std::size_t> count = {1};
  count.insert(count.end(), column.shape.begin(), column.shape.end());
  Eigen::VectorXd numbers(column.size());
  const NetcdfTurn turn;
  file_->check(nc_get_vara_double(group, id, start.data(), count.data(), numbers.data()),
               "read the variable '" + column.name + "'");
  return numbers;
}

std::vector<double> DrawsFile::read_chain(const Column& column, Index chain, Index first,
                                          Index count) const {
  const std::size_t index = file_->index_of(column);
  const Column& stored = file_->columns[index];
  return file_->read(index, {chain, 1}, {first, count}, first_slab(stored.shape, 0, stored.size()));
}

Index DrawsFile::elements_at_once(const Column& column) const {
  const Index chunk = file_->variables[file_->index_of(column)].elements;
  const Index numbers = std::max<Index>(1, file_->draws * file_->chains);
  const Index elements = piece_numbers / numbers;
  if (elements >= chunk) return elements / chunk * chunk;
  const double share = widest_piece_share * memory_limit().bytes / sizeof(double);
  const double widest = std::min(static_cast<double>(widest_piece_numbers), share);
  return std::clamp<Index>(static_cast<Index>(widest / static_cast<double>(numbers)), 1, chunk);
}

Eigen::MatrixXd DrawsFile::read(const Column& column, Index first, Index count) const {
  const std::size_t index = file_->index_of(column);
  const Column& stored = file_->columns[index];
  if (first < 0 || count < 0 || first + count > stored.size())
    throw InputError(file_->path + ": '" + stored.name + "' has " + std::to_string(stored.size()) +
                     " elements, so there is no element " + std::to_string(first + count - 1) +
                     ". Use a smaller index.");
  const Index chains = file_->chains;
  const Index draws = file_->draws;
  Eigen::MatrixXd result(draws, count * chains);
  for (Index done = 0; done < count;) {
    const Slab slab = first_slab(stored.shape, first + done, count - done);
    const Index elements = slab.elements;
    const Index block = file_->block_draws(index, chains * elements);
    for (Index draw = 0; draw < draws; draw += block) {
      const Index rows = std::min(block, draws - draw);
      const std::vector<double> numbers = file_->read(index, {0, chains}, {draw, rows}, slab);
      for (Index c = 0; c < chains; ++c) {
        const Eigen::Map<const Eigen::MatrixXd> of_chain(numbers.data() + c * rows * elements,
                                                         elements, rows);
        for (Index e = 0; e < elements; ++e)
          result.col((done + e) * chains + c).segment(draw, rows) = of_chain.row(e);
      }
    }
    done += elements;
  }
  return result;
}

double DrawsFile::attribute(const std::string& name) const noexcept {
  double value = 0.0;
  const NetcdfTurn turn;
  for (const int group : file_->group_ids)
    if (nc_get_att_double(group, NC_GLOBAL, name.c_str(), &value) == NC_NOERR) return value;
  return std::numeric_limits<double>::quiet_NaN();
}

std::string DrawsFile::text(const std::string& name) const { return file_->text(name.c_str()); }
std::string DrawsFile::certificate() const { return file_->text("certificate"); }
std::string DrawsFile::prior_by() const { return file_->text("prior_by"); }

Index DrawsFile::coupled_chains() const {
  return file_->text("joint") == "coupled" ? chains() / replicates() : 1;
}

std::string DrawsFile::sha256() const {
  Sha256 sha;
  for (std::size_t c = 0; c < file_->columns.size(); ++c)
    if (file_->columns[c].group == RecordGroup::posterior) file_->hash(c, sha);
  return sha.hexadecimal();
}

}  // namespace mixwell
