// Variables of the file: their layout, and draws that wait until they fill chunks of the file.
// SPDX-License-Identifier: Apache-2.0
#include "variable.hpp"

#include "arrays.hpp"

#include <mixwell/plugin.hpp>

#include <netcdf.h>

#include <algorithm>
#include <functional>
#include <limits>
#include <numeric>
#include <string_view>

namespace mixwell::netcdf {
namespace {

/// Largest number of doubles in a chunk of the file (512 KiB).
constexpr Index chunk_numbers = Index{1} << 16;
/// Largest number of elements of an array in one chunk. A reader of one element must read the whole
/// chunk.
constexpr Index chunk_elements = 1024;
constexpr Index chunk_draws = 8192;
/// A chunk may always have this many numbers (32 KiB), even if this exceeds the two limits above.
constexpr Index least_numbers = Index{1} << 12;
/// Limits for all draws of the elements of a chunk (128 MiB), and for all draws of its chains (64
/// MiB). A reader needs this much RAM to go through the file once by elements or by chains.
constexpr Index numbers_by_elements = Index{16} << 20;
constexpr Index numbers_by_chains = Index{8} << 20;

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

std::size_t product(const std::vector<std::size_t>& extents) {
  return std::accumulate(extents.begin(), extents.end(), std::size_t{1}, std::multiplies<>());
}

}  // namespace

NcVariable::NcVariable(const NcFile& file, const Column& column, const NcGroup& group, Index share,
                       Index expected)
    : file_(&file),
      column_(&column),
      group_(&group),
      chains_(group.chains()),
      size_(column.size()),
      expected_(expected) {
  if (file.is_read()) {
    find();
    return;
  }
  choose_depth(share);
  define();
}

std::string NcVariable::label() const {
  return "'" + column_->name + "' of group '" + group_->name() + "'";
}

void NcVariable::check(int status, const char* verb) const {
  if (status != NC_NOERR) file_->check(status, std::string(verb) + " the variable " + label());
}

void NcVariable::choose_depth(Index share) {
  if (column_->once) return;
  depth_ = std::clamp<Index>(share / (8 * chains_ * size_), 1, chunk_draws);
  if (expected_ > 0) depth_ = std::min<Index>(depth_, expected_);
}

/// Not compressed: normal draws would shrink by one sixth (deflate 1, shuffled) and take thirty
/// times as long to write.
void NcVariable::define() {
  std::vector<int> dimensions = {group_->chain_dimension()};
  if (!column_->once) dimensions.push_back(group_->draw_dimension());
  const std::vector<int> own =
      define_dimensions(*file_, group_->id(), {column_->name, column_->shape, column_->dims},
                        group_->labels(), "the variable " + label());
  dimensions.insert(dimensions.end(), own.begin(), own.end());
  check(nc_def_var(group_->id(), column_->name.c_str(), file_type(column_->type),
                   static_cast<int>(dimensions.size()), dimensions.data(), &id_),
        "define");
  if (!column_->once) set_chunks();
  define_fill();
  define_attributes();
}

void NcVariable::set_chunks() {
  const std::vector<std::size_t> chunks = chunk_shape();
  check(nc_def_var_chunking(group_->id(), id_, NC_CHUNKED, chunks.data()), "define the chunks of");
  set_cache(chunks);
}

void NcVariable::set_cache(const std::vector<std::size_t>& chunks) const {
  check(nc_set_var_chunk_cache(group_->id(), id_, product(chunks) * 8, 1, 1.0F),
        "set the cache of");
}

/// The largest number of items that have at most `all` numbers together in all draws. One item has
/// `numbers` numbers in each draw.
Index NcVariable::fitting(Index all, Index numbers) const {
  const auto draws = static_cast<double>(std::max<Index>(1, expected_));
  return static_cast<Index>(static_cast<double>(all) / (draws * static_cast<double>(numbers)));
}

/// Largest number of elements in a chunk.
Index NcVariable::most_elements() const {
  const Index most =
      std::min(std::max(chunk_elements, least_numbers / depth_), chunk_numbers / depth_);
  return std::max<Index>(1, std::min(most, fitting(numbers_by_elements, chains_)));
}

/// Largest number of chains in a chunk, with `numbers` numbers of each chain.
Index NcVariable::most_chains(Index numbers) const {
  const Index fit = std::max(fitting(numbers_by_chains, size_), least_numbers / numbers);
  const Index most = std::min(chunk_numbers / numbers, fit);
  return std::clamp<Index>(most, 1, chains_);
}

/// A chunk has all draws that are written together, then elements (last index first), then chains.
std::vector<std::size_t> NcVariable::chunk_shape() const {
  std::vector<std::size_t> shape(2 + column_->shape.size());
  shape[1] = static_cast<std::size_t>(depth_);
  Index room = most_elements();
  Index numbers = depth_;
  for (std::size_t k = column_->shape.size(); k-- > 0;) {
    const Index extent = std::min(column_->shape[k], room);
    shape[2 + k] = static_cast<std::size_t>(extent);
    room = std::max<Index>(1, room / extent);
    numbers *= extent;
  }
  shape[0] = static_cast<std::size_t>(most_chains(numbers));
  return shape;
}

/// Only reals have a fill value, because readers turn integers and booleans with a fill value into
/// floating point.
void NcVariable::define_fill() const {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  const bool real = column_->type == RecordType::real;
  check(nc_def_var_fill(group_->id(), id_, real ? NC_FILL : NC_NOFILL, real ? &nan : nullptr),
        "set the fill value of");
}

/// The name is `unit`, because xarray would read a variable with `units` "s" as a time difference.
void NcVariable::define_attributes() const {
  const Attributes attributes(*file_, group_->id(), id_);
  if (column_->type == RecordType::boolean) attributes.text("dtype", "bool");
  if (!column_->unit.empty()) attributes.text("unit", column_->unit);
  if (!column_->help.empty()) attributes.text("description", column_->help);
}

void NcVariable::find() {
  if (nc_inq_varid(group_->id(), column_->name.c_str(), &id_) != NC_NOERR)
    file_->refuse("it has no variable " + label());
  check_shape();
  if (!column_->once) find_chunks();
}

void NcVariable::find_chunks() {
  std::vector<std::size_t> chunks(2 + column_->shape.size(), 1);
  int storage = NC_CONTIGUOUS;
  check(nc_inq_var_chunking(group_->id(), id_, &storage, chunks.data()), "read the chunks of");
  if (storage != NC_CHUNKED || chunks[1] == 0)
    file_->refuse("the variable " + label() +
                  " does not have the chunked layout that Mixwell uses");
  depth_ = static_cast<Index>(chunks[1]);
  set_cache(chunks);
}

void NcVariable::check_shape() const {
  nc_type type = NC_NAT;
  int rank = 0;
  check(nc_inq_var(group_->id(), id_, nullptr, &type, &rank, nullptr, nullptr), "read");
  std::vector<int> dimensions(static_cast<std::size_t>(rank));
  check(nc_inq_vardimid(group_->id(), id_, dimensions.data()), "read the dimensions of");
  std::vector<Index> shape;
  for (std::size_t k = leading(); k < dimensions.size(); ++k) {
    std::size_t length = 0;
    check(nc_inq_dimlen(group_->id(), dimensions[k], &length), "read the dimensions of");
    shape.push_back(static_cast<Index>(length));
  }
  const bool draws = rank > 1 && dimensions[1] == group_->draw_dimension();
  if (type != file_type(column_->type) || draws == column_->once || shape != column_->shape)
    file_->refuse("the variable " + label() +
                  " differs in type or shape from the same variable of the run");
}

void NcVariable::append(const double* data, std::int64_t draws) {
  if (column_->once) return put(slab(0, 1), data);
  pending_.resize(static_cast<std::size_t>(chains_ * depth_ * size_));
  while (draws > 0) {
    const auto room = depth_ - written_ % depth_ - filled_;
    const auto taken = std::min<std::int64_t>(draws, room);
    for (std::int64_t k = 0; k < taken; ++k, data += chains_ * size_) append_draw(data);
    draws -= taken;
    if (taken == room) flush();
  }
}

void NcVariable::append_draw(const double* data) {
  for (Index c = 0; c < chains_; ++c)
    std::copy_n(data + c * size_, size_, &pending_[(c * depth_ + filled_) * size_]);
  if (column_->type != RecordType::real) check_type(data);
  ++filled_;
}

void NcVariable::check_type(const double* data) const {
  for (Index i = 0; i < chains_ * size_; ++i) {
    const std::string_view rule = column_->broken_rule(data[i]);
    if (!rule.empty())
      throw RunError("the variable " + label() + " got the value " + std::to_string(data[i]) +
                     " in draw " + std::to_string(written_ + filled_) + " of chain " +
                     std::to_string(i / size_) + ": the value must be " + std::string(rule) +
                     ". Change the component that records this variable, so that it records only "
                     "such values or declares the variable real.");
  }
}

/// Draws wait until they fill a chunk of the file, so each chunk is written only once, unless draws
/// are flushed early.
void NcVariable::flush() {
  if (filled_ == 0) return;
  for (Index c = 1; c < chains_ && filled_ < depth_; ++c)
    std::copy_n(&pending_[c * depth_ * size_], filled_ * size_, &pending_[c * filled_ * size_]);
  put(slab(written_, filled_), pending_.data());
  written_ += filled_;
  filled_ = 0;
}

void NcVariable::put(const NcBox& to, const double* numbers) const {
  check(nc_put_vara_double(group_->id(), id_, to.start.data(), to.count.data(), numbers), "write");
}

NcVariable::NcBox NcVariable::slab(std::int64_t first, std::int64_t count) const {
  NcBox slab{std::vector<std::size_t>(leading() + column_->shape.size(), 0),
             {static_cast<std::size_t>(chains_)}};
  if (!column_->once) {
    slab.start[1] = static_cast<std::size_t>(first);
    slab.count.push_back(static_cast<std::size_t>(count));
  }
  slab.count.insert(slab.count.end(), column_->shape.begin(), column_->shape.end());
  return slab;
}

/// The file stores draws chain by chain, but a chunk of a run has them draw by draw.
void NcVariable::append(const NcVariable& from, bool from_start, std::int64_t draws) {
  if (column_->once) {
    if (!from_start || draws == 0) return;
    std::vector<double> numbers(static_cast<std::size_t>(chains_ * size_));
    from.get(from.slab(0, 1), numbers.data());
    return put(slab(0, 1), numbers.data());
  }
  std::vector<double> stored(static_cast<std::size_t>(chains_ * std::min(depth_, draws) * size_));
  std::vector<double> numbers(stored.size());
  for (std::int64_t first = 0; first < draws;) {
    const auto count = std::min<std::int64_t>(depth_, draws - first);
    from.get(from.slab(first, count), stored.data());
    for (Index c = 0; c < chains_; ++c)
      for (Index k = 0; k < count; ++k)
        std::copy_n(&stored[static_cast<std::size_t>((c * count + k) * size_)], size_,
                    &numbers[static_cast<std::size_t>((k * chains_ + c) * size_)]);
    append(numbers.data(), count);
    first += count;
  }
}

void NcVariable::get(const NcBox& from, double* numbers) const {
  check(nc_get_vara_double(group_->id(), id_, from.start.data(), from.count.data(), numbers),
        "read");
}

}  // namespace mixwell::netcdf
