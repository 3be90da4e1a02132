// A draws.nc that is being written, from its first attribute to its name.
// SPDX-License-Identifier: Apache-2.0
#include "draft.hpp"

#include "attributes.hpp"
#include "data_group.hpp"

#include <mixwell/plugin.hpp>

#include <netcdf.h>

#include <utility>

namespace mixwell::netcdf {

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
    file_.refuse("it is of the run '" + name + "', not of '" + header.run_name + "'");
  int groups = 0;
  file_.check(nc_inq_grps(file_.id(), &groups, nullptr), "count the groups");
  const std::size_t wanted = sampling_.groups().size() + (warmup_ ? warmup_->groups().size() : 0) +
                             (header.observed.empty() ? 0 : 1) + (header.constant.empty() ? 0 : 1);
  if (static_cast<std::size_t>(groups) != wanted)
    file_.refuse("it has " + std::to_string(groups) + " groups, the run has " +
                 std::to_string(wanted));
}

void DraftFile::append(const Chunk& chunk) {
  if (chunk.warmup && !warmup_) throw RunError("got warm-up draws that are not to be recorded");
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
