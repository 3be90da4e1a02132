// Recorder `netcdf`: draws.nc, an InferenceData file that ArviZ and xarray open, streamed.
// SPDX-License-Identifier: Apache-2.0
#include <fcntl.h>
#include <netcdf.h>
#include <unistd.h>
#include <mixwell/plugin.hpp>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cmath>
#include <cstdio>
#include <cstring>
#include <functional>
#include <limits>
#include <numeric>
#include <set>
#include <string_view>
#include <utility>

/// HDF5's own; weak, as netCDF can be built without HDF5. Must come before HDF5 is first used.
extern "C" __attribute__((weak)) int H5dont_atexit(void);

namespace mixwell {
namespace {

/// Draws wait in memory until they fill chunks of the file; all columns together hold at most this,
/// or one draw of each where that is more.
constexpr Index pending_bytes = Index{32} << 20;
/// Numbers in a chunk of the file: 512 KiB of doubles.
constexpr Index chunk_numbers = Index{1} << 16;
/// At most so many elements of an array in one chunk: a reader of one element reads that much more.
constexpr Index chunk_elements = 1024;
constexpr Index chunk_draws = 8192;

/// The system errors that explain a failed write better than the library's "HDF error".
bool explains(int error) {
  constexpr std::array errors = {ENOSPC, EDQUOT, EFBIG,   EIO,    EROFS,  EACCES,
                                 EPERM,  ENOENT, ENOTDIR, EMFILE, ENFILE, ENAMETOOLONG};
  return std::find(errors.begin(), errors.end(), error) != errors.end();
}

std::string cure(int error) {
  if (error == ENOSPC || error == EDQUOT || error == EFBIG)
    return "free some space or lift the limit, write to another disk (--out), or record less "
           "(run.thin, run.draws)";
  return "check the folder, its permissions and its disk, or write elsewhere (--out)";
}

/// A NetCDF-4 file under a temporary name, removed unless committed.
class File {
 public:
  explicit File(const std::string& folder) : folder_(folder), final_(folder + "/draws.nc") {
    errno = 0;
    const int status = nc_create(partial_.c_str(), NC_NETCDF4 | NC_CLOBBER, &id_);
    if (status == NC_NOERR) return;
    const int error = errno;
    discard();
    fail(status, error, "make the file");
  }
  File(const File&) = delete;
  File& operator=(const File&) = delete;
  ~File() {
    if (committed_) return;
    if (id_ >= 0 && !broken_) nc_close(id_);
    discard();
  }

  int id() const noexcept { return id_; }

  /// Throws RunError unless the status of a netCDF call says that all is well.
  void check(int status, const std::string& action) const {
    if (status != NC_NOERR) {
      broken_ = true;
      fail(status, errno, action);
    }
    errno = 0;
  }

  /// All bytes on the disk, then the final name.
  void commit() {
    check(nc_sync(id_), "write the last of the file");
    check(nc_close(std::exchange(id_, -1)), "close the file");
    sync();
    if (std::rename(partial_.c_str(), final_.c_str()) != 0) fail(errno, errno, "rename the file");
    committed_ = true;
    sync_folder();
  }

 private:
  void sync() const {
    const int descriptor = ::open(partial_.c_str(), O_RDONLY);
    const bool synced = descriptor >= 0 && ::fsync(descriptor) == 0;
    const int error = errno;
    if (descriptor >= 0) ::close(descriptor);
    if (!synced) fail(error, error, "force the file to disk");
  }

  /// Gives the space back even where a broken file stays open.
  void discard() const {
    if (::truncate(partial_.c_str(), 0) == 0) std::remove(partial_.c_str());
  }

  /// Makes the new name outlive a power cut; where a file system refuses, the file is whole all the
  /// same.
  void sync_folder() const {
    const int descriptor = ::open(folder_.c_str(), O_RDONLY | O_DIRECTORY);
    if (descriptor < 0) return;
    ::fsync(descriptor);
    ::close(descriptor);
  }

  /// What the system said comes first: netCDF calls every failure to make a file EACCES.
  [[noreturn]] void fail(int status, int error, const std::string& action) const {
    const int code = explains(error) ? error : std::max(status, 0);
    const std::string cause = code > 0 ? std::strerror(code) : nc_strerror(status);
    throw RunError(partial_ + ": cannot " + action + ": " + cause +
                   "; nothing was left under the name draws.nc; " + cure(code));
  }

  std::string folder_;
  std::string final_;
  std::string partial_ = final_ + ".partial";
  int id_ = -1;
  bool committed_ = false;
  /// HDF5 could not write, so it cannot close the file either: an attempt would free half of it.
  mutable bool broken_ = false;
};

/// Attributes of a group, or of one of its variables.
class Attributes {
 public:
  Attributes(const File& file, int group, int variable = NC_GLOBAL)
      : file_(file), group_(group), variable_(variable) {}

  void text(const char* name, const std::string& value) const { texts(name, {value.c_str()}); }
  void texts(const char* name, std::vector<const char*> values) const {
    check(nc_put_att_string(group_, variable_, name, values.size(), values.data()), name);
  }
  /// Nothing for NaN.
  void number(const char* name, double value) const {
    if (std::isnan(value)) return;
    check(nc_put_att_double(group_, variable_, name, NC_DOUBLE, 1, &value), name);
  }
  void integer(const char* name, std::int64_t value) const {
    const long long number = value;
    check(nc_put_att_longlong(group_, variable_, name, NC_INT64, 1, &number), name);
  }

 private:
  void check(int status, const char* name) const {
    file_.check(status, std::string("write the attribute '") + name + "'");
  }

  const File& file_;
  int group_;
  int variable_;
};

nc_type file_type(RecordType type) {
  switch (type) {
    case RecordType::integer:
      return NC_INT64;
    case RecordType::boolean:
      return NC_BYTE;
    case RecordType::real:
      break;
  }
  return NC_DOUBLE;
}

/// "" if a number is one of its type, else what it should be.
std::string_view broken_type(RecordType type, double value) {
  constexpr double largest = 9007199254740992.0;
  if (type == RecordType::boolean && value != 0.0 && value != 1.0) return "0 or 1";
  if (type == RecordType::integer && !(std::abs(value) <= largest && value == std::floor(value)))
    return "a whole number of at most 2^53";
  return {};
}

/// One group of one phase, with the coordinates every group has.
struct Group {
  std::string name;
  Index chains = 1;
  int id = -1;
  int chain_dimension = -1;
  int draw_dimension = -1;
  int draw_variable = -1;
};

/// One variable (chain, draw, ...) and its draws that are not in the file yet.
class Variable {
 public:
  /// `share`: bytes this variable may keep in memory; `expected` draws, 0 = unknown.
  Variable(const File& file, const Column& column, const Group& group, Index share, Index expected)
      : file_(&file),
        column_(&column),
        group_(&group),
        chains_(group.chains),
        size_(column.size()) {
    depth_ = std::clamp<Index>(share / (8 * chains_ * size_), 1, chunk_draws);
    if (expected > 0) depth_ = std::min<Index>(depth_, expected);
    define();
  }

  std::int64_t draws() const noexcept { return written_ + filled_; }

  /// `data`: draws x chains x elements.
  void append(const double* data, std::int64_t draws) {
    pending_.resize(static_cast<std::size_t>(chains_ * depth_ * size_));
    while (draws > 0) {
      const auto taken = std::min<std::int64_t>(draws, depth_ - filled_);
      for (std::int64_t k = 0; k < taken; ++k, data += chains_ * size_) append_draw(data);
      draws -= taken;
      if (filled_ == depth_) flush();
    }
  }

  /// Writes what is pending: the chunks of the file are aligned with what fits, so each is written
  /// once, except that the last may be incomplete.
  void flush() {
    if (filled_ == 0) return;
    for (Index c = 1; c < chains_ && filled_ < depth_; ++c)
      std::copy_n(&pending_[c * depth_ * size_], filled_ * size_, &pending_[c * filled_ * size_]);
    std::vector<std::size_t> start(2 + column_->shape.size(), 0);
    std::vector<std::size_t> count(start);
    start[1] = static_cast<std::size_t>(written_);
    count[0] = static_cast<std::size_t>(chains_);
    count[1] = static_cast<std::size_t>(filled_);
    std::copy(column_->shape.begin(), column_->shape.end(), count.begin() + 2);
    check(nc_put_vara_double(group_->id, id_, start.data(), count.data(), pending_.data()),
          "write");
    written_ += filled_;
    filled_ = 0;
  }

  void release() { pending_ = {}; }

 private:
  std::string label() const { return "'" + column_->name + "' of group '" + group_->name + "'"; }
  void check(int status, const char* verb) const {
    if (status != NC_NOERR) file_->check(status, std::string(verb) + " the variable " + label());
  }

  /// Not compressed: normal draws shrink by a sixth (deflate 1, shuffled), at thirty times the
  /// time.
  void define() {
    std::vector<int> dimensions = {group_->chain_dimension, group_->draw_dimension};
    for (std::size_t k = 0; k < column_->shape.size(); ++k) dimensions.push_back(dimension(k));
    check(nc_def_var(group_->id, column_->name.c_str(), file_type(column_->type),
                     static_cast<int>(dimensions.size()), dimensions.data(), &id_),
          "define");
    const std::vector<std::size_t> chunks = chunk_shape();
    check(nc_def_var_chunking(group_->id, id_, NC_CHUNKED, chunks.data()), "define the chunks of");
    check(nc_set_var_chunk_cache(group_->id, id_, numbers(chunks) * 8, 1, 1.0F),
          "set the cache of");
    define_fill();
    define_attributes();
  }

  static std::size_t numbers(const std::vector<std::size_t>& extents) {
    return std::accumulate(extents.begin(), extents.end(), std::size_t{1}, std::multiplies<>());
  }

  /// Dimension and integer coordinate `<name>_dim_<k>`.
  int dimension(std::size_t k) const {
    const std::string name = column_->name + "_dim_" + std::to_string(k);
    const auto length = static_cast<std::size_t>(column_->shape[k]);
    int dimension = -1;
    int coordinate = -1;
    check(nc_def_dim(group_->id, name.c_str(), length, &dimension), "define a dimension of");
    check(nc_def_var(group_->id, name.c_str(), NC_INT64, 1, &dimension, &coordinate),
          "define a coordinate of");
    std::vector<long long> index(length);
    std::iota(index.begin(), index.end(), 0);
    check(nc_put_var_longlong(group_->id, coordinate, index.data()), "write a coordinate of");
    return dimension;
  }

  /// All draws that are written together; then elements, last index first; then chains; as many as
  /// `chunk_numbers` allows.
  std::vector<std::size_t> chunk_shape() const {
    std::vector<std::size_t> shape(2 + column_->shape.size());
    shape[1] = static_cast<std::size_t>(depth_);
    Index room = std::max<Index>(1, std::min(chunk_elements, chunk_numbers / depth_));
    Index numbers = depth_;
    for (std::size_t k = column_->shape.size(); k-- > 0;) {
      const Index extent = std::min(column_->shape[k], room);
      shape[2 + k] = static_cast<std::size_t>(extent);
      room = std::max<Index>(1, room / extent);
      numbers *= extent;
    }
    shape[0] = static_cast<std::size_t>(std::clamp<Index>(chunk_numbers / numbers, 1, chains_));
    return shape;
  }

  /// Only reals have a fill value: a reader would turn integers and booleans that have one into
  /// floating point.
  void define_fill() const {
    const double nan = std::numeric_limits<double>::quiet_NaN();
    const bool real = column_->type == RecordType::real;
    check(nc_def_var_fill(group_->id, id_, real ? NC_FILL : NC_NOFILL, real ? &nan : nullptr),
          "set the fill value of");
  }

  /// `unit`, not `units`: xarray would take a variable with units of "s" for a time difference.
  void define_attributes() const {
    const Attributes attributes(*file_, group_->id, id_);
    if (column_->type == RecordType::boolean) attributes.text("dtype", "bool");
    if (!column_->unit.empty()) attributes.text("unit", column_->unit);
    if (!column_->help.empty()) attributes.text("description", column_->help);
  }

  void append_draw(const double* data) {
    for (Index c = 0; c < chains_; ++c)
      std::copy_n(data + c * size_, size_, &pending_[(c * depth_ + filled_) * size_]);
    if (column_->type != RecordType::real) check_type(data);
    ++filled_;
  }

  void check_type(const double* data) const {
    for (Index i = 0; i < chains_ * size_; ++i) {
      const std::string_view rule = broken_type(column_->type, data[i]);
      if (!rule.empty())
        throw RunError(
            "the variable " + label() + " got the value " + std::to_string(data[i]) + " in draw " +
            std::to_string(draws()) + " of chain " + std::to_string(i / size_) + ": it must be " +
            std::string(rule) +
            "; the component that records it must write such numbers or declare it real");
    }
  }

  const File* file_;
  const Column* column_;
  const Group* group_;
  Index chains_;
  Index size_;
  Index depth_ = 1;  ///< draws that are written together
  int id_ = -1;
  std::vector<double> pending_;  ///< chains x depth x elements
  Index filled_ = 0;
  std::int64_t written_ = 0;
};

/// Warm-up or sampling: the groups posterior and sample_stats of it.
class Phase {
 public:
  Phase(const File& file, const RunHeader& header, const std::string& prefix, Index expected)
      : file_(file), header_(header) {
    const Index share = pending_bytes / std::max<Index>(1, header.columns.size());
    define_group(posterior_, prefix + "posterior");
    if (uses(RecordGroup::sample_stats)) define_group(stats_, prefix + "sample_stats");
    for (const Column& column : header.columns)
      variables_.emplace_back(file, column, group_of(column), share, expected);
  }
  Phase(const Phase&) = delete;
  Phase& operator=(const Phase&) = delete;

  void append(const Chunk& chunk) {
    if (chunk.first_draw != draws_)
      throw RunError("draws out of order: got draw " + std::to_string(chunk.first_draw) + " of '" +
                     posterior_.name + "' where " + std::to_string(draws_) + " was due");
    for (std::size_t c = 0; c < variables_.size(); ++c)
      variables_[c].append(chunk.data[c], chunk.draws);
    draws_ += chunk.draws;
  }

  void flush() {
    for (Variable& variable : variables_) {
      variable.flush();
      variable.release();
    }
  }

  /// All draws written, and their coordinate; throws RunError if there are not as many as `draws`.
  void finish(std::int64_t draws) {
    if (draws != draws_)
      throw RunError("'" + posterior_.name + "' got " + std::to_string(draws_) + " draws, but " +
                     std::to_string(draws) + " are said to be recorded");
    flush();
    for (const Group* group : groups()) number_draws(*group);
  }

  std::vector<const Group*> groups() const {
    return stats_.id < 0 ? std::vector{&posterior_} : std::vector{&posterior_, &stats_};
  }

 private:
  bool uses(RecordGroup group) const {
    return std::any_of(header_.columns.begin(), header_.columns.end(),
                       [=](const Column& column) { return column.group == group; });
  }
  const Group& group_of(const Column& column) const {
    return column.group == RecordGroup::posterior ? posterior_ : stats_;
  }
  void check(int status, const Group& group) const {
    file_.check(status, "define the group '" + group.name + "'");
  }

  void define_group(Group& group, const std::string& name) {
    group.name = name;
    group.chains = header_.chains();
    const auto chains = static_cast<std::size_t>(group.chains);
    check(nc_def_grp(file_.id(), name.c_str(), &group.id), group);
    check(nc_def_dim(group.id, "chain", chains, &group.chain_dimension), group);
    check(nc_def_dim(group.id, "draw", NC_UNLIMITED, &group.draw_dimension), group);
    check(nc_def_var(group.id, "draw", NC_INT64, 1, &group.draw_dimension, &group.draw_variable),
          group);
    define_chains(group, "chain", [](Index chain, Index) { return chain; });
    define_chains(group, "replicate", [](Index chain, Index slots) { return chain / slots; });
    define_chains(group, "slot", [](Index chain, Index slots) { return chain % slots; });
    const Attributes attributes(file_, group.id);
    attributes.texts("sample_dims", {"chain", "draw"});
    attributes.text("coordinates", "replicate slot");  // to xarray: these are no variables
    attributes.text("created_at", header_.created_at);
    attributes.text("creation_library", "mixwell");
    attributes.text("creation_library_version", header_.version);
    attributes.text("creation_library_language", "C++");
    attributes.text("inference_library", "mixwell");
    attributes.text("inference_library_version", header_.version);
    attributes.integer("tuning_steps", header_.warmup);
    attributes.integer("thin", header_.thin);
  }

  /// Variable over chains: number(chain, slots).
  template <class Number>
  void define_chains(const Group& group, const char* name, Number number) {
    int id = -1;
    check(nc_def_var(group.id, name, NC_INT64, 1, &group.chain_dimension, &id), group);
    std::vector<long long> numbers;
    for (Index chain = 0; chain < header_.chains(); ++chain)
      numbers.push_back(number(chain, header_.slots));
    check(nc_put_var_longlong(group.id, id, numbers.data()), group);
  }

  void number_draws(const Group& group) const {
    std::vector<long long> numbers(chunk_numbers);
    for (std::int64_t first = 0; first < draws_; first += chunk_numbers) {
      const auto start = static_cast<std::size_t>(first);
      const auto count = static_cast<std::size_t>(std::min(draws_ - first, chunk_numbers));
      std::iota(numbers.begin(), numbers.end(), first);
      file_.check(
          nc_put_vara_longlong(group.id, group.draw_variable, &start, &count, numbers.data()),
          "write the coordinate 'draw' of group '" + group.name + "'");
    }
  }

  const File& file_;
  const RunHeader& header_;
  Group posterior_;
  Group stats_;
  std::vector<Variable> variables_;
  std::int64_t draws_ = 0;
};

/// Throws RunError where a name cannot be one of a NetCDF variable, or is taken.
void check_name(const std::string& name, const std::string& taken_by) {
  const bool control =
      std::any_of(name.begin(), name.end(), [](unsigned char c) { return c < 32 || c == 127; });
  std::string rule;
  if (name.empty() || name.size() > NC_MAX_NAME) rule = "must have 1 to 256 characters";
  if (control || name.find('/') != std::string::npos)
    rule = "must have no '/' and no control characters";
  if (!name.empty() && (name.front() == ' ' || name.back() == ' '))
    rule = "must not begin or end with a space";
  if (!taken_by.empty()) rule = "is the name of " + taken_by + " already";
  if (!rule.empty())
    throw RunError("cannot record a variable named '" + name + "': the name " + rule +
                   "; rename it where the model or kernel declares it");
}

/// All names of one group, those of coordinates included.
void check_names(const std::vector<Column>& columns, RecordGroup group) {
  std::set<std::string> coordinates = {"chain", "draw", "sample", "replicate", "slot"};
  for (const Column& column : columns)
    for (std::size_t k = 0; k < column.shape.size() && column.group == group; ++k)
      coordinates.insert(column.name + "_dim_" + std::to_string(k));
  std::set<std::string> names;
  for (const Column& column : columns) {
    if (column.group != group) continue;
    const bool coordinate = coordinates.count(column.name) > 0;
    const bool twice = !names.insert(column.name).second;
    check_name(column.name, coordinate ? "a coordinate" : twice ? "another variable" : "");
    if (column.size() < 1)
      throw RunError("cannot record the variable '" + column.name + "': it has no elements");
  }
}

RunHeader checked(const RunHeader& header) {
  check_names(header.columns, RecordGroup::posterior);
  check_names(header.columns, RecordGroup::sample_stats);
  return header;
}

class NetcdfRecording final : public Recording {
 public:
  explicit NetcdfRecording(const RunHeader& header)
      : header_(checked(header)),
        file_(header_.path),
        sampling_(file_, header_, "", header_.draws) {
    if (header_.record_warmup) {
      const Index expected = (header_.warmup + header_.thin - 1) / header_.thin;
      warmup_ = std::make_unique<Phase>(file_, header_, "warmup_", expected);
    }
    const Attributes root(file_, file_.id());
    root.text("name", header_.run_name);
    root.text("created_at", header_.created_at);
    root.text("creation_library", "mixwell");
    root.text("creation_library_version", header_.version);
  }

  void write(const Chunk& chunk) override {
    if (chunk.warmup && !warmup_) throw RunError("got warm-up draws that are not to be recorded");
    if (!chunk.warmup && warmup_) warmup_->flush();
    (chunk.warmup ? *warmup_ : sampling_).append(chunk);
  }

  void finish(const RunFooter& footer) override {
    if (warmup_) warmup_->finish(footer.warmup_draws);
    sampling_.finish(footer.draws);
    Attributes(file_, file_.id()).text("outcome", footer.complete ? "complete" : "interrupted");
    for (const Group* group : sampling_.groups()) {
      const Attributes attributes(file_, group->id);
      attributes.number("sampling_time", footer.sampling_seconds);
      attributes.number("warmup_time", footer.warmup_seconds);
      attributes.number("gradients", footer.gradients);
    }
    file_.commit();
  }

 private:
  RunHeader header_;
  File file_;
  Phase sampling_;
  std::unique_ptr<Phase> warmup_;
};

class NetcdfRecorder final : public Recorder {
 public:
  struct Params {
    void declare(Fields&) {}
  };
  explicit NetcdfRecorder(const Params&) {}
  std::unique_ptr<Recording> open(const RunHeader& header) const override {
    return std::make_unique<NetcdfRecording>(header);
  }
};

}  // namespace
}  // namespace mixwell

MIXWELL_PLUGIN(registrar) {
  // A file on a full disk cannot be closed. HDF5 would try again when the program exits, and crash.
  if (H5dont_atexit != nullptr) H5dont_atexit();
  registrar.add<mixwell::NetcdfRecorder>({
      .id = "netcdf",
      .summary = "draws.nc: InferenceData in NetCDF-4, opened by ArviZ and xarray",
      .details =
          "Groups posterior and sample_stats, and warmup_posterior and warmup_sample_stats with\n"
          "run.record_warmup; each has its own dimensions chain, draw and <name>_dim_<k>, their\n"
          "coordinates, and replicate(chain) and slot(chain), with chain = replicate * slots + "
          "slot.\n"
          "Reals are float64, integers int64, booleans int8 with dtype = \"bool\"; units stand in\n"
          "the attribute `unit`. Draws stream to disk; memory stays below about 100 MB whatever\n"
          "their number. The file is draws.nc.partial until it is whole.",
      .sources = {"ArviZ documentation, InferenceData schema specification"},
  });
}
