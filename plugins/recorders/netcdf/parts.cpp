// Writes draws to a sequence of files, so that an interrupted run can be continued.
// SPDX-License-Identifier: Apache-2.0
#include "parts.hpp"

#include "arrays.hpp"

#include <mixwell/plugin.hpp>

#include <cstdio>
#include <limits>
#include <utility>

namespace mixwell::netcdf {
namespace {

/// A file with more variables has a dimension `draw` of fixed length. If this length is not fixed,
/// netCDF asks every variable for its length before it reads one variable: 1 s for 1000 variables,
/// 3 h for 10^5.
constexpr std::size_t many_variables = 500;

}  // namespace

Parts::Parts(RunHeader header) : header_(std::move(header)) {
  check_names(header_.columns);
  if (!header_.resume) begin_part({});
  if (header_.resume)
    saved_ = std::numeric_limits<std::uint64_t>::max();  // unknown until the saved state is read
}

Parts::~Parts() {
  draft_.reset();
  remove_from(saved_);
}

std::string Parts::name(std::uint64_t part) const {
  const std::string first = header_.unfinished() + "/draws.nc.partial";
  return part == 0 ? first : first + "." + std::to_string(part);
}

/// The number of draws that are still expected. Returns 0 (any number) if fewer than `least` are
/// expected, or if there are few variables.
DrawCounts Parts::room_for(const DrawCounts& least) const {
  if (header_.columns.size() <= many_variables) return {};
  const auto room = [](std::int64_t expected, std::int64_t needed) {
    return expected < needed ? 0 : expected;
  };
  return {header_.record_warmup ? room(warmup_draws(header_) - end_.warmup, least.warmup) : 0,
          room(header_.draws - end_.sampling, least.sampling)};
}

bool Parts::fits(const Chunk& chunk) const {
  const DrawCounts there{end_.warmup - last_.warmup, end_.sampling - last_.sampling};
  const auto fit = [&](std::int64_t room, std::int64_t held) {
    return room == 0 || held + chunk.draws <= room;
  };
  return chunk.warmup ? fit(room_.warmup, there.warmup) : fit(room_.sampling, there.sampling);
}

/// Whether a part that begins with the first draw and holds `draws` has no room for more draws.
bool Parts::is_full(const DrawCounts& draws) const {
  const auto full = [](std::int64_t room, std::int64_t held) { return room == 0 || room == held; };
  return full(room_.warmup, draws.warmup) && full(room_.sampling, draws.sampling);
}

/// A chunk of the file uses its whole room from the first draw on. So a part is sized for the
/// number of draws in the last part, because the number of draws between saved states is nearly
/// constant.
void Parts::begin_part(const DrawCounts& least) {
  part_header_ = header_;
  if (end_.sampling > last_.sampling) part_header_.draws = end_.sampling - last_.sampling;
  last_ = end_;
  room_ = room_for(least);
  draft_ =
      std::make_unique<DraftFile>(part_header_, name(closed_), NcFile::Mode::make, end_, room_);
}

void Parts::append(const Chunk& chunk) {
  if (draft_ && !fits(chunk)) end_part();
  if (!draft_) begin_part({chunk.warmup ? chunk.draws : 0, chunk.warmup ? 0 : chunk.draws});
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
        name(0), "it and the files after it contain " + std::to_string(found.sampling) +
                     " draws and " + std::to_string(found.warmup) +
                     " warmup draws, but the saved state expects " +
                     std::to_string(draws.sampling) + " and " + std::to_string(draws.warmup)));
  closed_ = parts;
  end_ = draws;
  remove_from(parts);
}

template <class Use>
DrawCounts Parts::read(std::uint64_t parts, const Use& use) const {
  DrawCounts end;
  for (std::uint64_t part = 0; part < parts; ++part) {
    const DraftFile draft(header_, name(part), NcFile::Mode::read, end, {});
    use(draft);
    end = draft.end();
  }
  return end;
}

void Parts::publish(const RunFooter& footer) {
  const std::string& folder = footer.folder.empty() ? header_.path : footer.folder;
  const std::string final_name = folder + "/draws.nc";
  const DrawCounts all{footer.warmup_draws, footer.draws};
  if (!draft_ && closed_ == 0) begin_part({});
  if (closed_ == 0 && footer.folder.empty() && is_full(all)) {
    draft_->publish(footer, final_name);
    draft_.reset();
    return;
  }
  end_part();
  DraftFile whole(header_, folder + "/draws.nc.partial.copy", NcFile::Mode::make, {},
                  header_.columns.size() > many_variables ? all : DrawCounts{});
  read(closed_, [&whole](const DraftFile& part) { whole.append(part); });
  whole.publish(footer, final_name);
}

void Parts::remove_from(std::uint64_t part) const {
  while (std::remove(name(part).c_str()) == 0) ++part;
}

}  // namespace mixwell::netcdf
