// Starts or continues an incomplete draws.nc file, appends draws, and renames the complete file.
// SPDX-License-Identifier: Apache-2.0
#include "draft.hpp"

#include "arrays.hpp"

#include <mixwell/plugin.hpp>

#include <netcdf.h>

#include <algorithm>
#include <set>
#include <utility>

namespace mixwell::netcdf {
namespace {

/// Draws wait in RAM until they fill chunks of the file. All columns together hold at most this
/// many bytes, or one draw of each column if that is more.
constexpr Index pending_bytes = Index{32} << 20;

/// Columns that are written once, after warmup, are not among the warmup draws.
std::vector<const Column*> columns_of(const RunHeader& header, bool warmup) {
  std::vector<const Column*> columns;
  for (const Column& column : header.columns)
    columns.push_back(warmup && column.once ? nullptr : &column);
  return columns;
}

std::vector<const Column*> of_group(const std::vector<const Column*>& columns, RecordGroup group) {
  std::vector<const Column*> found;
  for (const Column* column : columns)
    if (column != nullptr && column->group == group) found.push_back(column);
  return found;
}

/// The posterior, which every file has, and all groups that have variables.
std::set<RecordGroup> groups_of(const std::vector<const Column*>& columns) {
  std::set<RecordGroup> groups = {RecordGroup::posterior};
  for (const Column* column : columns)
    if (column != nullptr) groups.insert(column->group);
  return groups;
}

/// The expected number of draws, limited to the room, so that no chunk of the file is larger than
/// the room.
Index draws_expected(const PhaseLength& length) {
  if (length.room == 0 || length.expected == 0) return std::max(length.room, length.expected);
  return std::min(length.room, length.expected);
}

}  // namespace

PhaseGroups::PhaseGroups(const NcFile& file, const RunHeader& header, const std::string& prefix,
                         const PhaseLength& length, std::int64_t first)
    : first_(first), end_(first) {
  const std::vector<const Column*> columns = columns_of(header, !prefix.empty());
  for (const RecordGroup group : groups_of(columns))
    groups_.try_emplace(group, file, header,
                        prefix + std::string(name_in_file(group, !header.prior.empty())),
                        length.room);
  const Index share = pending_bytes / std::max<Index>(1, header.columns.size());
  const Index expected = draws_expected(length);
  for (std::size_t c = 0; c < columns.size(); ++c) {
    if (columns[c] == nullptr) continue;
    const NcGroup& group = groups_.at(columns[c]->group);
    variables_.push_back({NcVariable(file, *columns[c], group, share, expected), c});
  }
  if (!file.is_read()) return;
  for (const auto& [group, in_file] : groups_) {
    in_file.expect_columns(of_group(columns, group));
    end_ = std::max(end_, first_ + in_file.draws_in_file());
  }
}

void PhaseGroups::append(const Chunk& chunk) {
  if (chunk.first_draw != end_)
    throw RunError("draws are out of order: the recorder received draw " +
                   std::to_string(chunk.first_draw) + " of '" + name() +
                   "', but the next draw must be draw " + std::to_string(end_) +
                   ". This is a bug in Mixwell. Please report it.");
  for (Placed& placed : variables_) {
    const double* data = chunk.data[placed.column];
    if (data != nullptr) placed.variable.append(data, chunk.draws);
  }
  end_ += chunk.draws;
}

void PhaseGroups::append(const PhaseGroups& from) {
  for (std::size_t c = 0; c < variables_.size(); ++c)
    variables_[c].variable.append(from.variables_[c].variable, from.first_ == 0,
                                  from.end_ - from.first_);
  end_ = from.end_;
}

void PhaseGroups::flush() {
  for (Placed& placed : variables_) {
    placed.variable.flush();
    placed.variable.release();
  }
}

void PhaseGroups::expect(std::int64_t draws) const {
  if (draws != end_)
    throw RunError("'" + name() + "' got " + std::to_string(end_) + " draws, but " +
                   std::to_string(draws) +
                   " should have arrived. This is a bug in Mixwell. Please report it.");
}

void PhaseGroups::number_draws() const {
  for (const NcGroup* group : groups()) group->number_draws(end_);
}

void PhaseGroups::tell_draws() const {
  for (const NcGroup* group : groups()) group->tell_draws(end_ - first_);
}

std::vector<const NcGroup*> PhaseGroups::groups() const {
  std::vector<const NcGroup*> all;
  for (const auto& [group, in_file] : groups_) all.push_back(&in_file);
  return all;
}

Index warmup_draws(const RunHeader& header) {
  return (header.warmup + header.thin - 1) / header.thin;
}

DraftFile::DraftFile(const RunHeader& header, std::string name, NcFile::Mode mode,
                     const DrawCounts& first, const DrawCounts& room)
    : file_(std::move(name), mode, header.columns.size()),
      sampling_(file_, header, "", {header.draws, room.sampling}, first.sampling) {
  if (header.record_warmup) {
    const PhaseLength length{warmup_draws(header), room.warmup};
    warmup_ = std::make_unique<PhaseGroups>(file_, header, "warmup_", length, first.warmup);
  }
  if (file_.is_read())
    check_root(header);
  else
    define_root(header);
}

void DraftFile::define_root(const RunHeader& header) const {
  const Attributes root(file_);
  root.text("name", header.run_name);
  root.text("created_at", header.created_at);
  root.text("creation_library", "mixwell");
  root.text("creation_library_version", header.version);
  define_data_group(file_, "observed_data", header.observed, header.labels);
  define_data_group(file_, "constant_data", header.constant, header.labels);
}

void DraftFile::check_root(const RunHeader& header) const {
  const std::string name = Attributes(file_).text_in_file("name");
  if (name != header.run_name)
    file_.refuse("it belongs to the run '" + name + "', not to '" + header.run_name + "'");
  int groups = 0;
  file_.check(nc_inq_grps(file_.id(), &groups, nullptr), "count the groups");
  const std::size_t wanted = sampling_.groups().size() + (warmup_ ? warmup_->groups().size() : 0) +
                             (header.observed.empty() ? 0 : 1) + (header.constant.empty() ? 0 : 1);
  if (static_cast<std::size_t>(groups) != wanted)
    file_.refuse("it has " + std::to_string(groups) + " groups, but the run has " +
                 std::to_string(wanted));
}

void DraftFile::append(const Chunk& chunk) {
  if (chunk.warmup && !warmup_)
    throw RunError(
        "the recorder received warmup draws, but this run does not record warmup draws. This is a "
        "bug in Mixwell. Please report it.");
  if (!chunk.warmup && warmup_) warmup_->flush();
  (chunk.warmup ? *warmup_ : sampling_).append(chunk);
}

void DraftFile::append(const DraftFile& from) {
  if (warmup_) warmup_->append(*from.warmup_);
  sampling_.append(from.sampling_);
}

DrawCounts DraftFile::end() const { return {warmup_ ? warmup_->end() : 0, sampling_.end()}; }

void DraftFile::flush() {
  if (warmup_) warmup_->flush();
  sampling_.flush();
}

void DraftFile::close() {
  flush();
  if (warmup_) warmup_->tell_draws();
  sampling_.tell_draws();
  file_.close();
}

void DraftFile::publish(const RunFooter& footer, const std::string& name) {
  if (warmup_) warmup_->expect(footer.warmup_draws);
  sampling_.expect(footer.draws);
  flush();
  if (warmup_) warmup_->number_draws();
  sampling_.number_draws();
  Attributes(file_).text("outcome", footer.complete ? "complete" : "interrupted");
  for (const NcGroup* group : sampling_.groups()) {
    const Attributes attributes(file_, group->id());
    attributes.number("sampling_time", footer.sampling_seconds);
    attributes.number("warmup_time", footer.warmup_seconds);
    attributes.number("gradients", footer.gradients);
  }
  file_.close_as(name);
}

}  // namespace mixwell::netcdf
