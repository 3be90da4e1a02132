// The draws of a run that goes on.
// SPDX-License-Identifier: Apache-2.0
#include "parts.hpp"

#include "../shared/disk.hpp"
#include "names.hpp"

#include <mixwell/plugin.hpp>

#include <cstdio>
#include <limits>
#include <utility>

namespace mixwell::netcdf {

Parts::Parts(RunHeader header) : header_(std::move(header)) {
  check_names(header_.columns);
  if (!header_.resume) begin_part();
  if (header_.resume) saved_ = std::numeric_limits<std::uint64_t>::max();  // it is not read yet
}

Parts::~Parts() {
  draft_.reset();
  remove_from(saved_);
}

std::string Parts::name(std::uint64_t part) const {
  const std::string first = header_.unfinished() + "/draws.nc.partial";
  return part == 0 ? first : first + "." + std::to_string(part);
}

/// A chunk of the file takes its whole room from the first draw in it: saved states come after
/// about as many draws each.
void Parts::begin_part() {
  part_header_ = header_;
  if (end_.sampling > last_.sampling) part_header_.draws = end_.sampling - last_.sampling;
  last_ = end_;
  draft_ = std::make_unique<DraftFile>(part_header_, name(closed_), NcFile::Mode::make, end_);
}

void Parts::append(const Chunk& chunk) {
  if (!draft_) begin_part();
  draft_->append(chunk);
  end_ = draft_->end();
}

void Parts::end_part() {
  if (!draft_) return;
  draft_->close();
  draft_.reset();
  ++closed_;
}

void Parts::visit_state(StateVisitor& visitor) {
  end_part();
  std::uint64_t parts = closed_;
  auto warmup = static_cast<std::uint64_t>(end_.warmup);
  auto sampling = static_cast<std::uint64_t>(end_.sampling);
  visitor.count("netcdf parts", parts);
  visitor.count("netcdf warm-up draws", warmup);
  visitor.count("netcdf draws", sampling);
  const DrawCounts wanted{static_cast<std::int64_t>(warmup), static_cast<std::int64_t>(sampling)};
  if (parts != closed_ || !(wanted == end_)) go_back(parts, wanted);
  saved_ = closed_;
}

void Parts::go_back(std::uint64_t parts, const DrawCounts& draws) {
  const DrawCounts found = read(parts, [](const DraftFile&) {});
  if (!(found == draws))
    throw InputError(disk::cannot_continue(
        name(0), "it and the files that follow it hold " + std::to_string(found.sampling) +
                     " draws and " + std::to_string(found.warmup) +
                     " of warm-up, but the saved state has " + std::to_string(draws.sampling) +
                     " and " + std::to_string(draws.warmup)));
  closed_ = parts;
  end_ = draws;
  remove_from(parts);
}

template <class Use>
DrawCounts Parts::read(std::uint64_t parts, const Use& use) const {
  DrawCounts end;
  for (std::uint64_t part = 0; part < parts; ++part) {
    const DraftFile draft(header_, name(part), NcFile::Mode::read, end);
    use(draft);
    end = draft.end();
  }
  return end;
}

void Parts::publish(const RunFooter& footer) {
  const std::string& folder = footer.folder.empty() ? header_.path : footer.folder;
  const std::string final_name = folder + "/draws.nc";
  if (closed_ == 0 && footer.folder.empty()) {
    if (!draft_) begin_part();
    draft_->publish(footer, final_name);
    draft_.reset();
    return;
  }
  end_part();
  DraftFile whole(header_, folder + "/draws.nc.partial.copy", NcFile::Mode::make, {});
  read(closed_, [&whole](const DraftFile& part) { whole.append(part); });
  whole.publish(footer, final_name);
}

void Parts::remove_from(std::uint64_t part) const {
  while (std::remove(name(part).c_str()) == 0) ++part;
}

}  // namespace mixwell::netcdf
