// Shared by tests that write and read draws.nc.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "temporary_folder.hpp"

#include <mixwell/base/error.hpp>
#include <mixwell/lab/draws.hpp>
#include <mixwell/lab/registry.hpp>

#include <algorithm>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

namespace mixwell::testing {

/// The built plugin `recorder/netcdf` with its defaults.
inline std::shared_ptr<const Recorder> netcdf_recorder() {
  static const Registry registry = Registry::load({MIXWELL_BUILD_DIR "/lib/mixwell/plugins"});
  const auto made = registry.find(Kind::recorder, "netcdf").blueprint()->make();
  return std::dynamic_pointer_cast<const Recorder>(made);
}

inline Column real(std::string name, std::vector<Index> shape = {}) {
  return {RecordGroup::posterior, std::move(name), std::move(shape), RecordType::real, "", ""};
}
inline Column statistic(std::string name, RecordType type = RecordType::real) {
  return {RecordGroup::sample_stats, std::move(name), {}, type, "", ""};
}

inline RunHeader header(const std::string& folder, std::vector<Column> columns) {
  RunHeader h;
  h.path = folder;
  h.run_name = "test";
  h.created_at = "2000-01-01T00:00:00+00:00";
  h.version = "0.0.0";
  h.columns = std::move(columns);
  return h;
}

/// number(column, draw, chain, element) for every draw that is written. For a column that is
/// `once`, only for draw 0 of sampling.
template <class Number>
void write_draws(Recording& recording, const RunHeader& h, const Number& number, bool warmup,
                 std::int64_t first, std::int64_t draws) {
  std::vector<std::vector<double>> numbers(h.columns.size());
  Chunk chunk{warmup, first, draws, {}};
  for (std::size_t c = 0; c < h.columns.size(); ++c) {
    const bool once = h.columns[c].once;
    const std::int64_t rows = once ? std::int64_t{!warmup && first == 0 && draws > 0} : draws;
    for (std::int64_t draw = first; draw < first + rows; ++draw)
      for (Index chain = 0; chain < h.chains(); ++chain)
        for (Index e = 0; e < h.columns[c].size(); ++e)
          numbers[c].push_back(number(c, draw, chain, e));
    chunk.data.push_back(once && rows == 0 ? nullptr : numbers[c].data());
  }
  recording.write(chunk);
}

inline RunFooter footer(std::int64_t draws, std::int64_t warmup_draws = 0) {
  RunFooter f;
  f.warmup_seconds = 0.25;
  f.sampling_seconds = 0.5;
  f.gradients = 4000.0;
  f.draws = draws;
  f.warmup_draws = warmup_draws;
  return f;
}

inline std::vector<char> state_of(Recording& recording) {
  StateWriter writer;
  recording.visit_state(writer);
  return writer.bytes();
}

/// What was suspended, restored from a saved state.
inline std::unique_ptr<Recording> resumed(RunHeader h, std::vector<char> state) {
  h.resume = true;
  auto recording = netcdf_recorder()->open(h);
  StateReader reader(std::move(state));
  recording->visit_state(reader);
  return recording;
}

/// A whole draws.nc, written `piece` draws at a time.
template <class Number>
void write_file(const RunHeader& h, std::int64_t draws, const Number& number,
                std::int64_t piece = 100) {
  const auto recording = netcdf_recorder()->open(h);
  for (std::int64_t first = 0; first < draws; first += piece)
    write_draws(*recording, h, number, false, first, std::min(piece, draws - first));
  recording->finish(footer(draws));
}

}  // namespace mixwell::testing
