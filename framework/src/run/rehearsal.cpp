// Finds every error that a run would report before its first sweep, without starting the run.
// SPDX-License-Identifier: Apache-2.0
#include "run/rehearsal.hpp"

#include "base/clock.hpp"
#include "base/present_call.hpp"
#include "base/utf8.hpp"
#include "component/locations.hpp"
#include "results/table.hpp"

#include <mixwell/base/error.hpp>
#include <mixwell/law/portions.hpp>
#include <mixwell/version.hpp>

#include <fmt/format.h>
#include <stdlib.h>

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <memory>
#include <string>
#include <system_error>
#include <utility>

namespace mixwell {
namespace {

namespace fs = std::filesystem;

/// A temporary folder of this process; removed when the object is destroyed.
class ScratchFolder {
 public:
  ScratchFolder() : path_((fs::temp_directory_path() / "mixwell-check-XXXXXX").string()) {
    if (::mkdtemp(path_.data()) == nullptr)
      throw RunError(
          fmt::format("cannot create the temporary folder {}: {}. Set TMPDIR to a folder "
                      "with write permission.",
                      path_, std::strerror(errno)));
  }
  ~ScratchFolder() {
    std::error_code ignored;
    fs::remove_all(path_, ignored);
  }
  ScratchFolder(const ScratchFolder&) = delete;
  ScratchFolder& operator=(const ScratchFolder&) = delete;

  const std::string& path() const noexcept { return path_; }

 private:
  std::string path_;
};

}  // namespace

RunHeader run_header(const Composition& composition, const Verdict& verdict,
                     const std::vector<Column>& columns) {
  RunHeader header;
  header.run_name = as_utf8(composition.name);
  header.version = MIXWELL_VERSION;
  header.certificate = verdict.label();
  header.joint = verdict.coupled ? "coupled" : "product";
  const Model& model = whole_of(*composition.model());
  if (composition.run.prior) header.prior = model.offers<Prior>() != nullptr ? "draws" : "density";
  header.replicates = composition.run.replicates;
  header.slots = static_cast<Index>(composition.compositor->slots().size());
  header.warmup = composition.run.warmup;
  header.thin = composition.run.thin;
  header.draws = composition.run.draws;
  header.record_warmup = composition.run.record_warmup;
  header.columns = columns;
  for (Column& column : header.columns) {
    column.unit = as_utf8(column.unit);
    column.help = as_utf8(column.help);
  }
  header.observed = model.observed_data();
  header.constant = model.constant_data();
  header.labels = model.labels();
  composition.dims.apply(header);
  return header;
}

void check_summary_rows(const Composition& composition, const RunHeader& header) {
  check_row_names(composition.run.summary_rows, header.columns, header.labels,
                  place_in_run(*composition.compositor, "summary_rows") + "[run] summary_rows");
}

void check_warmup_columns(const Composition& composition, const DrawChunks& warmup,
                          const DrawChunks& sampling) {
  if (!composition.run.record_warmup || warmup.columns() == sampling.columns()) return;
  throw InputError(place_in_run(*composition.compositor, "record_warmup") +
                   "[run] record_warmup = true: warmup and sampling record different variables in "
                   "this composition. Set record_warmup = false.");
}

void check_summary_memory(const RunSettings& settings, Index chains) {
  const StopSettings& stop = settings.stop;
  if (stop.gradients || stop.seconds || stop.min_ess || stop.mcse) return;
  require_row_memory(static_cast<double>(settings.draws) * static_cast<double>(chains),
                     fmt::format("run.draws = {}", settings.draws));
}

void rehearse(const Composition& composition, Program program) {
  const Verdict verdict = program.certificate.now;
  Sampler sampler(composition.compositor, composition.run, std::move(program));
  sampler.initialise();
  const auto slots = static_cast<Index>(composition.compositor->slots().size());
  const auto chunks_of = [&](PhaseKind phase) {
    return DrawChunks(sampler.graph(phase), *composition.model(), slots,
                      composition.run.replicates);
  };
  const DrawChunks chunks = chunks_of(PhaseKind::sampling);
  check_warmup_columns(composition, chunks_of(PhaseKind::warmup), chunks);
  RunHeader header = run_header(composition, verdict, chunks.columns());
  check_summary_rows(composition, header);
  check_summary_memory(composition.run, slots * composition.run.replicates);
  const ScratchFolder folder;
  header.path = folder.path();
  header.scratch = folder.path();
  header.created_at = timestamp();
  for (const auto& recorder : composition.recorders) {
    const CallMark mark("the opening of the recorder's files", recorder.get());
    recorder->open(header);
  }
}

}  // namespace mixwell
