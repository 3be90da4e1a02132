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

/// What warm-up learns has no place among the draws of warm-up.
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

}  // namespace

Phase::Phase(const File& file, const RunHeader& header, const std::string& prefix, Index expected)
    : posterior_(file, header, prefix + "posterior") {
  const std::vector<const Column*> columns = columns_of(header, !prefix.empty());
  const auto statistics = of_group(columns, RecordGroup::sample_stats);
  if (!statistics.empty()) stats_ = std::make_unique<Group>(file, header, prefix + "sample_stats");
  const Index share = pending_bytes / std::max<Index>(1, header.columns.size());
  for (std::size_t c = 0; c < columns.size(); ++c) {
    if (columns[c] == nullptr) continue;
    const Group& group = columns[c]->group == RecordGroup::posterior ? posterior_ : *stats_;
    variables_.push_back({Variable(file, *columns[c], group, share, expected), c});
  }
  if (!file.resumed()) return;
  posterior_.expect_columns(of_group(columns, RecordGroup::posterior));
  if (stats_) stats_->expect_columns(statistics);
}

void Phase::append(const Chunk& chunk) {
  if (chunk.first_draw != draws_)
    throw RunError("draws out of order: got draw " + std::to_string(chunk.first_draw) + " of '" +
                   posterior_.name() + "' where " + std::to_string(draws_) + " was due");
  for (Placed& placed : variables_) {
    const double* data = chunk.data[placed.column];
    if (data != nullptr) placed.variable.append(data, chunk.draws);
  }
  draws_ += chunk.draws;
}

void Phase::flush() {
  for (Placed& placed : variables_) {
    placed.variable.flush();
    placed.variable.release();
  }
}

void Phase::visit_state(StateVisitor& visitor) {
  auto draws = static_cast<std::uint64_t>(draws_);
  visitor.count(posterior_.name() + " draws", draws);
  if (draws != static_cast<std::uint64_t>(draws_)) move_to(draws);
}

void Phase::move_to(std::uint64_t draw) {
  draws_ = static_cast<std::int64_t>(draw);
  for (Placed& placed : variables_) placed.variable.move_to(draw);
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
    variables_[c].variable.copy(from.variables_[c].variable, from.draws_);
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
