// The contract of every Recorder.
// SPDX-License-Identifier: Apache-2.0
#include <mixwell/contracts/recorder.hpp>
#include <mixwell/error.hpp>
#include <mixwell/lab/draws.hpp>
#include <mixwell/state.hpp>

#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <limits>
#include <memory>
#include <set>
#include <utility>
#include <vector>

namespace mixwell::contracts {
namespace {

namespace fs = std::filesystem;

constexpr std::int64_t warmup_draws = 23;
constexpr std::int64_t draw_count = 41;
/// Draws of a run are counted through both phases.
constexpr std::int64_t run_end = warmup_draws + draw_count;
constexpr std::int64_t piece_draws = 5;

using SavedState = std::vector<char>;

RunHeader header_in(const std::string& folder) {
  RunHeader header;
  header.path = folder + "/finished";
  header.scratch = folder + "/unfinished";
  fs::create_directory(header.path);
  fs::create_directory(header.scratch);
  header.run_name = "contract";
  header.created_at = "2000-01-01T00:00:00+00:00";
  header.version = "0.0.0";
  header.replicates = 3;
  header.slots = 2;
  header.thin = 2;
  header.warmup = warmup_draws * header.thin;
  header.draws = 8;  // fewer than come: it is a hint
  header.record_warmup = true;
  const auto posterior = RecordGroup::posterior;
  const auto stats = RecordGroup::sample_stats;
  header.columns = {{posterior, "theta", {3}, RecordType::real, "m", "a vector"},
                    {stats, "n_steps", {}, RecordType::integer, "", ""},
                    {posterior, "field", {2, 2}, RecordType::real, "", ""},
                    {stats, "diverging", {}, RecordType::boolean, "", ""},
                    {posterior, "x", {}, RecordType::real, "", ""},
                    {stats, "inv_metric", {2}, RecordType::real, "", "", true}};
  return header;
}

/// Another number for each place and each `version` of it; NaN and infinities among them.
double number(const Column& column, std::int64_t place, int version) {
  if (column.type == RecordType::boolean) return static_cast<double>((place / 3 + version) % 2);
  const auto whole = static_cast<double>(place * 10 + version);
  if (column.type == RecordType::integer) return whole;
  if (place % 97 == 1 && version == 0) return std::numeric_limits<double>::quiet_NaN();
  if (place % 89 == 1 && version == 0) return -std::numeric_limits<double>::infinity();
  return 0.1 + whole / 7.0;
}

/// Draws [first, first + draws) of one phase.
void write_chunk(Recording& recording, const RunHeader& header, bool warmup, std::int64_t first,
                 std::int64_t draws, int version) {
  Chunk chunk{warmup, first, draws, {}};
  std::vector<std::vector<double>> numbers;
  for (const Column& column : header.columns) {
    const std::int64_t width = header.chains() * column.size();
    if (column.once && (warmup || first > 0)) {
      chunk.data.push_back(nullptr);
      continue;
    }
    const std::int64_t rows = column.once ? 1 : draws;
    std::vector<double> all;
    for (std::int64_t k = first * width; k < (first + rows) * width; ++k)
      all.push_back(number(column, warmup ? k : k + 1000, version));
    numbers.push_back(std::move(all));
    chunk.data.push_back(numbers.back().data());
  }
  recording.write(chunk);
}

/// Draws [from, to) of the run, at most `piece` at a time.
void write(Recording& recording, const RunHeader& header, std::int64_t from, std::int64_t to,
           std::int64_t piece = piece_draws, int version = 0) {
  while (from < to) {
    const bool warmup = from < warmup_draws;
    const std::int64_t draws = std::min({piece, to - from, warmup ? warmup_draws - from : run_end});
    write_chunk(recording, header, warmup, warmup ? from : from - warmup_draws, draws, version);
    from += draws;
  }
}

void finish(Recording& recording, std::int64_t end, const std::string& folder = "") {
  RunFooter footer;
  footer.folder = folder;
  footer.complete = end == run_end;
  footer.warmup_seconds = 0.25;
  footer.sampling_seconds = 0.5;
  footer.gradients = 4000.0;
  footer.warmup_draws = std::min(end, warmup_draws);
  footer.draws = std::max<std::int64_t>(0, end - warmup_draws);
  recording.finish(footer);
}

SavedState save(Recording& recording) {
  StateWriter writer;
  recording.visit_state(writer);
  return writer.bytes();
}

void restore(Recording& recording, const SavedState& state) {
  StateReader reader(state);
  recording.visit_state(reader);
}

std::set<std::string> files_of(const std::string& folder) {
  std::set<std::string> names;
  for (const auto& entry : fs::directory_iterator(folder))
    names.insert(entry.path().filename().string());
  return names;
}

std::string bytes_of(const std::string& file) {
  std::ifstream in(file, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

std::string all_draws(const std::string& path) {
  const DrawsFile file(path);
  std::string text = file.sha256() + "\n";
  for (const Column& column : file.columns()) {
    text += column.name + "\n";
    const Eigen::MatrixXd draws = file.read(column, 0, column.size());
    text.append(reinterpret_cast<const char*>(draws.data()),
                sizeof(double) * static_cast<std::size_t>(draws.size()));
  }
  return text;
}

/// State saved after `saved` draws, given up after `written`; those in between are other draws than
/// the resumed run writes.
struct Interruption {
  std::int64_t saved;
  std::int64_t written;
};

class Laws {
 public:
  Laws(const Recorder& recorder, std::string folder, const Contents& contents)
      : recorder_(recorder), folder_(std::move(folder)), contents_(contents) {}

  Findings all() {
    split();
    saving();
    restoring();
    overwriting();
    shortening();
    state_again();
    final_name();
    finishing();
    killing();
    unfinished();
    other_header();
    nothing_there();
    return std::move(findings_);
  }

 private:
  std::string new_folder() {
    const std::string path = folder_ + "/" + std::to_string(++folders_);
    fs::create_directory(path);
    return path;
  }

  std::unique_ptr<Recording> resume(RunHeader header) const {
    header.resume = true;
    return recorder_.open(header);
  }

  /// `check` returns "" or what is wrong.
  template <class Check>
  void clause(const std::string& name, const Check& check) {
    std::string wrong;
    try {
      wrong = check();
    } catch (const std::exception& error) {
      wrong = std::string("threw: ") + error.what();
    }
    findings_.push_back({name, wrong.empty(), wrong});
  }

  std::string whole(std::int64_t end, std::int64_t piece = piece_draws) {
    const RunHeader header = header_in(new_folder());
    const auto recording = recorder_.open(header);
    write(*recording, header, 0, end, piece);
    finish(*recording, end);
    return contents_(header.path);
  }

  std::string interrupted(const std::vector<Interruption>& interruptions, std::int64_t end) {
    const RunHeader header = header_in(new_folder());
    auto recording = recorder_.open(header);
    std::int64_t at = 0;
    for (const Interruption& stop : interruptions) {
      write(*recording, header, at, stop.saved);
      const SavedState state = save(*recording);
      write(*recording, header, stop.saved, stop.written, piece_draws, 1);
      recording.reset();
      recording = resume(header);
      restore(*recording, state);
      at = stop.saved;
    }
    write(*recording, header, at, end);
    finish(*recording, end);
    return contents_(header.path);
  }

  static std::string compare(const std::string& found, const std::string& wanted) {
    if (found == wanted) return {};
    const auto at = std::mismatch(found.begin(), found.end(), wanted.begin(), wanted.end()).first;
    return "contents differ from byte " + std::to_string(at - found.begin()) + " of " +
           std::to_string(wanted.size()) + " on";
  }

  void same(const std::string& name, const std::vector<Interruption>& interruptions,
            std::int64_t end = run_end) {
    clause(name, [&] { return compare(interrupted(interruptions, end), whole(end)); });
  }

  void split() {
    clause("split", [&] {
      const std::string wanted = whole(run_end, run_end);
      const std::string wrong = compare(whole(run_end, 1), wanted);
      return wrong.empty() ? compare(whole(run_end, 7), wanted) : wrong;
    });
  }

  void saving() {
    clause("saving", [&] {
      const RunHeader header = header_in(new_folder());
      const auto recording = recorder_.open(header);
      for (std::int64_t from = 0; from < run_end; from += 9) {
        write(*recording, header, from, std::min(from + 9, run_end));
        save(*recording);
      }
      finish(*recording, run_end);
      return compare(contents_(header.path), whole(run_end));
    });
  }

  void restoring() {
    same("restore before the first draw", {{0, 0}});
    same("restore in warm-up", {{11, 11}});
    same("restore between the phases", {{warmup_draws, warmup_draws}});
    same("restore in sampling", {{warmup_draws + 14, warmup_draws + 14}});
    same("restore after the last draw", {{run_end, run_end}});
    same("restore twice", {{11, 11}, {warmup_draws + 14, warmup_draws + 14}});
  }

  void overwriting() {
    same("overwrite in warm-up", {{11, 17}});
    same("overwrite from warm-up into sampling", {{11, warmup_draws + 9}});
    same("overwrite in sampling", {{warmup_draws + 14, warmup_draws + 27}});
    same("overwrite twice", {{11, warmup_draws + 9}, {warmup_draws + 5, warmup_draws + 30}});
  }

  void shortening() {
    same("shorten in warm-up", {{11, warmup_draws + 9}}, 15);
    same("shorten in sampling", {{warmup_draws + 5, warmup_draws + 30}}, warmup_draws + 20);
    same("shorten to the saved state", {{warmup_draws + 5, warmup_draws + 30}}, warmup_draws + 5);
  }

  void state_again() {
    clause("state", [&]() -> std::string {
      const RunHeader header = header_in(new_folder());
      auto recording = recorder_.open(header);
      write(*recording, header, 0, warmup_draws + 14);
      const SavedState state = save(*recording);
      write(*recording, header, warmup_draws + 14, warmup_draws + 19);
      const SavedState later = save(*recording);
      recording.reset();
      recording = resume(header);
      restore(*recording, state);
      if (save(*recording) != state) return "saved again it differs";
      return later == state ? "it is the same five draws later" : "";
    });
  }

  void final_name() {
    clause("final name", [&]() -> std::string {
      const RunHeader header = header_in(new_folder());
      const auto recording = recorder_.open(header);
      write(*recording, header, 0, 30);
      save(*recording);
      write(*recording, header, 30, 40);
      if (!files_of(header.path).empty()) return "a file is there before finish";
      finish(*recording, 40);
      return files_of(header.path).empty() ? "finish leaves no file" : "";
    });
  }

  void finishing() {
    clause("finish and go on", [&]() -> std::string {
      const RunHeader header = header_in(new_folder());
      const std::string early = new_folder();
      const auto recording = recorder_.open(header);
      write(*recording, header, 0, 30);
      finish(*recording, 30, early);
      write(*recording, header, 30, run_end);
      finish(*recording, run_end);
      const std::string wrong = compare(contents_(early), whole(30));
      return wrong.empty() ? compare(contents_(header.path), whole(run_end)) : wrong;
    });
    clause("finish and resume", [&]() -> std::string {
      const RunHeader header = header_in(new_folder());
      auto recording = recorder_.open(header);
      write(*recording, header, 0, 30);
      const SavedState state = save(*recording);
      write(*recording, header, 30, 35);
      finish(*recording, 35);
      const std::string wrong = compare(contents_(header.path), whole(35));
      if (!wrong.empty()) return wrong;
      recording = resume(header);
      restore(*recording, state);
      write(*recording, header, 30, run_end);
      finish(*recording, run_end);
      return compare(contents_(header.path), whole(run_end));
    });
  }

  /// Two pieces of other draws follow the saved state, more than any buffer should hold.
  void killing() {
    clause("kill", [&]() -> std::string {
      const RunHeader header = header_in(new_folder());
      const pid_t child = ::fork();
      if (child == 0) die_after_saving(header);
      int status = 0;
      if (child < 0 || ::waitpid(child, &status, 0) != child || !WIFSIGNALED(status))
        return "the process that was to be killed ended in another way";
      const std::string bytes = bytes_of(header.path + "/../state");
      const auto recording = resume(header);
      restore(*recording, {bytes.begin(), bytes.end()});
      write(*recording, header, 30, run_end);
      finish(*recording, run_end);
      return compare(contents_(header.path), whole(run_end));
    });
  }

  [[noreturn]] void die_after_saving(const RunHeader& header) const {
    try {
      const auto recording = recorder_.open(header);
      write(*recording, header, 0, 30);
      const SavedState state = save(*recording);
      std::ofstream(header.path + "/../state", std::ios::binary)
          .write(state.data(), static_cast<std::streamsize>(state.size()));
      write_chunk(*recording, header, false, 30 - warmup_draws, 1000, 1);
      ::raise(SIGKILL);
    } catch (const std::exception&) {
    }
    ::_exit(1);
  }

  void unfinished() {
    clause("unfinished", [&]() -> std::string {
      const RunHeader header = header_in(new_folder());
      {
        const auto recording = recorder_.open(header);
        write(*recording, header, 0, 30);
      }
      return nothing_in(header) ? "" : "something is left behind";
    });
    clause("unfinished after saving", [&]() -> std::string {
      const RunHeader header = header_in(new_folder());
      const SavedState state = saved(header);
      for (int k = 0; k < 2; ++k) {
        const auto given_up = resume(header);
        restore(*given_up, state);
        if (k == 1) write(*given_up, header, 30, 35, piece_draws, 1);
      }
      const auto recording = resume(header);
      restore(*recording, state);
      write(*recording, header, 30, run_end);
      finish(*recording, run_end);
      return compare(contents_(header.path), whole(run_end));
    });
  }

  static bool nothing_in(const RunHeader& header) {
    return files_of(header.path).empty() && files_of(header.scratch).empty();
  }

  /// Thirty draws.
  SavedState saved(const RunHeader& header) const {
    const auto recording = recorder_.open(header);
    write(*recording, header, 0, 30);
    return save(*recording);
  }

  static std::vector<std::pair<std::string, RunHeader>> others(const RunHeader& header) {
    std::vector<std::pair<std::string, RunHeader>> all;
    const auto add = [&](const char* what) -> RunHeader& {
      all.emplace_back(what, header);
      return all.back().second;
    };
    add("run name").run_name = "another";
    add("number of replicates").replicates = 4;
    add("number of slots").slots = 3;
    add("split of chains into slots").replicates = 6;
    all.back().second.slots = 1;
    add("thinning").thin = 3;
    add("warm-up").warmup = 2;
    add("recording of warm-up").record_warmup = false;
    add("name of a column").columns[0].name = "thetb";
    add("shape of a column").columns[2].shape = {4};
    add("length of a column").columns[0].shape = {4};
    add("type of a column").columns[4].type = RecordType::integer;
    add("group of a column").columns[1].group = RecordGroup::posterior;
    add("number of times that a column comes").columns[5].once = false;
    add("column more")
        .columns.push_back({RecordGroup::posterior, "y", {}, RecordType::real, "", ""});
    add("column less").columns.pop_back();
    return all;
  }

  template <class Action>
  static bool refused(const Action& action) {
    try {
      action();
    } catch (const InputError&) {
      return true;
    }
    return false;
  }

  void other_header() {
    clause("other header", [&]() -> std::string {
      const RunHeader header = header_in(new_folder());
      const SavedState state = saved(header);
      for (const auto& [what, other] : others(header))
        if (!refused([&, &o = other] { restore(*resume(o), state); }))
          return "another " + what + " is not refused";
      const RunHeader longer = header_in(new_folder());
      const auto recording = recorder_.open(longer);
      write(*recording, longer, 0, 31);
      const SavedState further = save(*recording);
      if (!refused([&] { restore(*resume(header), further); }))
        return "a state of more draws is not refused";
      const auto resumed = resume(header);
      restore(*resumed, state);
      write(*resumed, header, 30, run_end);
      finish(*resumed, run_end);
      return compare(contents_(header.path), whole(run_end));
    });
  }

  void nothing_there() {
    clause("nothing there", [&]() -> std::string {
      const SavedState state = saved(header_in(new_folder()));
      const RunHeader header = header_in(new_folder());
      if (!refused([&] { restore(*resume(header), state); })) return "not refused";
      return nothing_in(header) ? "" : "something is left behind";
    });
  }

  const Recorder& recorder_;
  std::string folder_;
  const Contents& contents_;
  int folders_ = 0;
  Findings findings_;
};

}  // namespace

std::string read_contents(const std::string& folder) {
  std::string text;
  for (const std::string& name : files_of(folder)) {
    const std::string path = folder + "/" + name;
    text += name + "\n" + (name == "draws.nc" ? all_draws(path) : bytes_of(path)) + "\n";
  }
  return text;
}

Findings check_recorder(const Recorder& recorder, const std::string& folder,
                        const Contents& contents) {
  return Laws(recorder, folder, contents).all();
}

}  // namespace mixwell::contracts
