// The draws of one phase, spread over the variables of its groups.
// SPDX-License-Identifier: Apache-2.0
#include "phase.hpp"

#include <mixwell/error.hpp>

#include <algorithm>

namespace mixwell::netcdf {
namespace {

/// Draws wait in memory until they fill chunks of the file; all columns together hold at most this,
/// or one draw of each where that is more.
constexpr Index pending_bytes = Index{32} << 20;

std::int64_t columns_of(const RunHeader& header, RecordGroup group) {
  return std::count_if(header.columns.begin(), header.columns.end(),
                       [=](const Column& column) { return column.group == group; });
}

}  // namespace

Phase::Phase(const File& file, const RunHeader& header, const std::string& prefix, Index expected)
    : file_(file), posterior_(file, header, prefix + "posterior") {
  const std::int64_t statistics = columns_of(header, RecordGroup::sample_stats);
  if (statistics > 0) stats_ = std::make_unique<Group>(file, header, prefix + "sample_stats");
  const Index share = pending_bytes / std::max<Index>(1, header.columns.size());
  for (const Column& column : header.columns) {
    const Group& group = column.group == RecordGroup::posterior ? posterior_ : *stats_;
    variables_.emplace_back(file, column, group, share, expected);
  }
  if (!file.resumed()) return;
  posterior_.expect_columns(columns_of(header, RecordGroup::posterior));
  if (stats_) stats_->expect_columns(statistics);
}

void Phase::append(const Chunk& chunk) {
  if (chunk.first_draw != draws_)
    throw RunError("draws out of order: got draw " + std::to_string(chunk.first_draw) + " of '" +
                   posterior_.name() + "' where " + std::to_string(draws_) + " was due");
  for (std::size_t c = 0; c < variables_.size(); ++c)
    variables_[c].append(chunk.data[c], chunk.draws);
  draws_ += chunk.draws;
}

void Phase::flush() {
  for (Variable& variable : variables_) {
    variable.flush();
    variable.release();
  }
}

void Phase::visit_state(StateVisitor& visitor) {
  auto draws = static_cast<std::uint64_t>(draws_);
  visitor.count(posterior_.name() + " draws", draws);
  if (draws != static_cast<std::uint64_t>(draws_)) move_to(draws);
}

void Phase::move_to(std::uint64_t draw) {
  for (const Group* group : groups()) {
    const std::int64_t held = group->draws_in_file();
    if (draw > static_cast<std::uint64_t>(held))
      file_.refuse("'" + group->name() + "' has " + std::to_string(held) +
                   " draws, but the saved state has " + std::to_string(draw));
  }
  draws_ = static_cast<std::int64_t>(draw);
  for (Variable& variable : variables_) variable.move_to(draws_);
}

void Phase::end(std::int64_t draws) {
  if (draws != draws_)
    throw RunError("'" + posterior_.name() + "' got " + std::to_string(draws_) + " draws, but " +
                   std::to_string(draws) + " are said to be recorded");
  flush();
}

bool Phase::has_leftovers() const {
  const auto all = groups();
  return std::any_of(all.begin(), all.end(),
                     [&](const Group* group) { return group->draws_in_file() > draws_; });
}

void Phase::copy(const Phase& from) {
  for (std::size_t c = 0; c < variables_.size(); ++c)
    variables_[c].copy(from.variables_[c], from.draws_);
  draws_ = from.draws_;
}

void Phase::number_draws() const {
  for (const Group* group : groups()) group->number_draws(draws_);
}

std::vector<const Group*> Phase::groups() const {
  return stats_ ? std::vector<const Group*>{&posterior_, stats_.get()}
                : std::vector<const Group*>{&posterior_};
}

}  // namespace mixwell::netcdf
