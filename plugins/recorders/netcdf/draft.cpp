// A draws.nc that is being written, from its first attribute to its name.
// SPDX-License-Identifier: Apache-2.0
#include "draft.hpp"

#include "attributes.hpp"

#include <mixwell/error.hpp>

#include <netcdf.h>

namespace mixwell::netcdf {

Draft::Draft(const RunHeader& header, File::Mode mode)
    : file_(header.path, mode), sampling_(file_, header, "", header.draws) {
  if (header.record_warmup) {
    const Index expected = (header.warmup + header.thin - 1) / header.thin;
    warmup_ = std::make_unique<Phase>(file_, header, "warmup_", expected);
  }
  if (file_.resumed())
    check_root(header);
  else
    define_root(header);
}

void Draft::define_root(const RunHeader& header) const {
  const Attributes root(file_);
  root.text("name", header.run_name);
  root.text("created_at", header.created_at);
  root.text("creation_library", "mixwell");
  root.text("creation_library_version", header.version);
}

void Draft::check_root(const RunHeader& header) const {
  const std::string name = Attributes(file_).text_in_file("name");
  if (name != header.run_name)
    file_.refuse("it is of the run '" + name + "', not of '" + header.run_name + "'");
  int groups = 0;
  file_.check(nc_inq_grps(file_.id(), &groups, nullptr), "count the groups");
  const std::size_t wanted = sampling_.groups().size() * (warmup_ ? 2 : 1);
  if (static_cast<std::size_t>(groups) != wanted)
    file_.refuse("it has " + std::to_string(groups) + " groups, the run has " +
                 std::to_string(wanted));
}

std::string Draft::created_at() const { return Attributes(file_).text_in_file("created_at"); }

void Draft::append(const Chunk& chunk) {
  if (chunk.warmup && !warmup_) throw RunError("got warm-up draws that are not to be recorded");
  file_.claim();
  if (!chunk.warmup && warmup_) warmup_->flush();
  (chunk.warmup ? *warmup_ : sampling_).append(chunk);
}

void Draft::flush() {
  if (warmup_) warmup_->flush();
  sampling_.flush();
}

void Draft::visit_state(StateVisitor& visitor) {
  flush();
  file_.sync();
  if (warmup_) warmup_->visit_state(visitor);
  sampling_.visit_state(visitor);
}

void Draft::suspend() {
  flush();
  file_.suspend();
}

void Draft::end(const RunFooter& footer) {
  if (warmup_) warmup_->end(footer.warmup_draws);
  sampling_.end(footer.draws);
  file_.claim();
}

bool Draft::has_leftovers() const {
  return sampling_.has_leftovers() || (warmup_ && warmup_->has_leftovers());
}

void Draft::copy(const Draft& from) {
  if (warmup_) warmup_->copy(*from.warmup_);
  sampling_.copy(from.sampling_);
}

void Draft::publish(const RunFooter& footer) {
  if (warmup_) warmup_->number_draws();
  sampling_.number_draws();
  Attributes(file_).text("outcome", footer.complete ? "complete" : "interrupted");
  for (const Group* group : sampling_.groups()) {
    const Attributes attributes(file_, group->id());
    attributes.number("sampling_time", footer.sampling_seconds);
    attributes.number("warmup_time", footer.warmup_seconds);
    attributes.number("gradients", footer.gradients);
  }
  file_.commit();
}

}  // namespace mixwell::netcdf
