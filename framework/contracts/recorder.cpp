// The contract of every Recorder.
// SPDX-License-Identifier: Apache-2.0
#include <mixwell/base/error.hpp>
#include <mixwell/base/state.hpp>
#include <mixwell/contracts/recorder.hpp>
#include <mixwell/lab/draws.hpp>

#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <filesystem>
#include <fstream>
#include <functional>
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
/// The number of draws in both phases, which are numbered together.
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
  header.draws = 8;  // fewer draws than are written, because this field is only a hint
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

/// A different number for each place and each `version`. Some numbers are NaN or infinite.
double number(const Column& column, std::int64_t place, int version) {
  if (column.type == RecordType::boolean) return static_cast<double>((place / 3 + version) % 2);
  const auto whole = static_cast<double>(place * 10 + version);
  if (column.type == RecordType::integer) return whole;
  if (place % 97 == 1 && version == 0) return std::numeric_limits<double>::quiet_NaN();
  if (place % 89 == 1 && version == 0) return -std::numeric_limits<double>::infinity();
  return 0.1 + whole / 7.0;
}

/// Writes draws [first, first + draws) of one phase.
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

/// Writes draws [from, to) of the run, at most `piece` at a time.
void write(Recording& recording, const RunHeader& header, std::int64_t from, std::int64_t to,
           std::int64_t piece = piece_draws, int version = 0) {
  while (from < to) {
    const bool warmup = from < warmup_draws;
    const std::int64_t draws = std::min({piece, to - from, warmup ? warmup_draws - from : run_end});
    write_chunk(recording, header, warmup, warmup ? from : from - warmup_draws, draws, version);
    from += draws;
  }
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

/// The recording of one run, in its own folders.
class OneRecording {
 public:
  OneRecording(const Recorder& recorder, RunHeader header)
      : recorder_(recorder), header_(std::move(header)) {}

  const RunHeader& header() const noexcept { return header_; }

  Recording& recording() { return *recording_; }

  void open() { recording_ = recorder_.open(header_); }
  /// Writes draws [from, to) of the run, at most `piece` at a time.
  void write(std::int64_t from, std::int64_t to, std::int64_t piece = piece_draws,
             int version = 0) {
    contracts::write(*recording_, header_, from, to, piece, version);
  }
  /// Writes draws that differ from those of the run.
  void write_others(std::int64_t from, std::int64_t to) { write(from, to, piece_draws, 1); }

  SavedState save() {
    StateWriter writer;
    recording_->visit_state(writer);
    return writer.bytes();
  }
  /// Abandons the open recording, and resumes from the state.
  void resume(const SavedState& state) {
    recording_.reset();
    RunHeader header = header_;
    header.resume = true;
    recording_ = recorder_.open(header);
    StateReader reader(state);
    recording_->visit_state(reader);
  }
  void finish(std::int64_t end, const std::string& folder = "") {
    RunFooter footer;
    footer.folder = folder;
    footer.complete = end == run_end;
    footer.warmup_seconds = 0.25;
    footer.sampling_seconds = 0.5;
    footer.gradients = 4000.0;
    footer.warmup_draws = std::min(end, warmup_draws);
    footer.draws = std::max<std::int64_t>(0, end - warmup_draws);
    recording_->finish(footer);
  }
  void write_and_finish(std::int64_t from, std::int64_t end) {
    write(from, end);
    finish(end);
  }
  void give_up() { recording_.reset(); }

 private:
  const Recorder& recorder_;
  RunHeader header_;
  std::unique_ptr<Recording> recording_;
};

/// Headers that each differ from the header of a run in one property.
std::vector<std::pair<std::string, RunHeader>> other_headers(const RunHeader& header) {
  std::vector<std::pair<std::string, RunHeader>> all;
  const auto add = [&](const char* what) -> RunHeader& {
    all.emplace_back(what, header);
    return all.back().second;
  };
  add("run name").run_name = "another";
  add("number of replicates").replicates = 4;
  add("number of slots").slots = 3;
  add("number of replicates and slots for the same number of chains").replicates = 6;
  all.back().second.slots = 1;
  add("thinning").thin = 3;
  add("warmup").warmup = 2;
  add("recording of warmup").record_warmup = false;
  add("name of a column").columns[0].name = "thetb";
  add("shape of a column").columns[2].shape = {4};
  add("length of a column").columns[0].shape = {4};
  add("type of a column").columns[4].type = RecordType::integer;
  add("group of a column").columns[1].group = RecordGroup::posterior;
  add("value of `once` in a column").columns[5].once = false;
  add("list of columns (with one more column)")
      .columns.push_back({RecordGroup::posterior, "y", {}, RecordType::real, "", ""});
  add("list of columns (without the last column)").columns.pop_back();
  return all;
}

bool nothing_in(const RunHeader& header) {
  return files_of(header.path).empty() && files_of(header.scratch).empty();
}

/// The state is saved after `saved` draws, and the recording is abandoned after `written`. The
/// draws in between differ from those that the resumed run writes.
struct Interruption {
  std::int64_t saved;
  std::int64_t written;
};

class Laws {
 public:
  Laws(const Recorder& recorder, std::string folder, const Contents& contents)
      : recorder_(recorder), folder_(std::move(folder)), contents_(contents) {}

  Findings all() {
    clause("split", &Laws::split);
    clause("saving", &Laws::saving);
    interruptions();
    clause("state", &Laws::state_again);
    clause("final name", &Laws::final_name);
    clause("finish and continue", &Laws::finish_and_go_on);
    clause("finish and resume", &Laws::finish_and_resume);
    clause("kill", &Laws::kill);
    clause("unfinished", &Laws::unfinished);
    clause("unfinished after saving", &Laws::unfinished_after_saving);
    clause("different header", &Laws::other_header);
    clause("nothing to resume", &Laws::nothing_there);
    return std::move(findings_);
  }

 private:
  /// `check` returns "" or what is wrong.
  using Check = std::string (Laws::*)();

  OneRecording unopened() {
    const std::string path = folder_ + "/" + std::to_string(++folders_);
    fs::create_directory(path);
    return {recorder_, header_in(path)};
  }
  OneRecording start() {
    OneRecording run = unopened();
    run.open();
    return run;
  }

  void clause(const std::string& name, const std::function<std::string()>& check) {
    std::string wrong;
    try {
      wrong = check();
    } catch (const std::exception& error) {
      wrong = std::string("the recorder threw an exception: ") + error.what();
    }
    findings_.push_back({name, wrong.empty(), wrong});
  }
  void clause(const std::string& name, Check check) {
    clause(name, [this, check] { return (this->*check)(); });
  }

  std::string contents_of(const OneRecording& run) const { return contents_(run.header().path); }

  std::string whole(std::int64_t end, std::int64_t piece = piece_draws) {
    OneRecording run = start();
    run.write(0, end, piece);
    run.finish(end);
    return contents_of(run);
  }
  std::string interrupted(const std::vector<Interruption>& interruptions, std::int64_t end) {
    OneRecording run = start();
    std::int64_t at = 0;
    for (const Interruption& stop : interruptions) {
      run.write(at, stop.saved);
      const SavedState state = run.save();
      run.write_others(stop.saved, stop.written);
      run.resume(state);
      at = stop.saved;
    }
    run.write_and_finish(at, end);
    return contents_of(run);
  }

  static std::string compare(const std::string& found, const std::string& wanted) {
    if (found == wanted) return {};
    const auto at = std::mismatch(found.begin(), found.end(), wanted.begin(), wanted.end()).first;
    return "the recorded contents differ from the expected contents from byte " +
           std::to_string(at - found.begin()) + " of " + std::to_string(wanted.size()) + " on";
  }
  std::string compare(const OneRecording& run, std::int64_t end = run_end) {
    return compare(contents_of(run), whole(end));
  }
  void same(const std::string& name, const std::vector<Interruption>& interruptions,
            std::int64_t end = run_end) {
    clause(name, [&] { return compare(interrupted(interruptions, end), whole(end)); });
  }

  std::string split() {
    const std::string wanted = whole(run_end, run_end);
    const std::string wrong = compare(whole(run_end, 1), wanted);
    return wrong.empty() ? compare(whole(run_end, 7), wanted) : wrong;
  }

  std::string saving() {
    OneRecording run = start();
    for (std::int64_t from = 0; from < run_end; from += 9) {
      run.write(from, std::min(from + 9, run_end));
      run.save();
    }
    run.finish(run_end);
    return compare(run);
  }

  void interruptions() {
    constexpr std::int64_t sampling = warmup_draws;  // where it begins
    same("restore before the first draw", {{0, 0}});
    same("restore in warmup", {{11, 11}});
    same("restore between the phases", {{sampling, sampling}});
    same("restore in sampling", {{sampling + 14, sampling + 14}});
    same("restore after the last draw", {{run_end, run_end}});
    same("restore twice", {{11, 11}, {sampling + 14, sampling + 14}});
    same("overwrite in warmup", {{11, 17}});
    same("overwrite the end of warmup and the start of sampling", {{11, sampling + 9}});
    same("overwrite in sampling", {{sampling + 14, sampling + 27}});
    same("overwrite twice", {{11, sampling + 9}, {sampling + 5, sampling + 30}});
    same("shorten the recording in warmup", {{11, sampling + 9}}, 15);
    same("shorten the recording in sampling", {{sampling + 5, sampling + 30}}, sampling + 20);
    same("shorten the recording to the saved state", {{sampling + 5, sampling + 30}}, sampling + 5);
  }

  std::string state_again() {
    OneRecording run = start();
    run.write(0, warmup_draws + 14);
    const SavedState state = run.save();
    run.write(warmup_draws + 14, warmup_draws + 19);
    const SavedState later = run.save();
    run.resume(state);
    if (run.save() != state)
      return "a state that was restored and saved again differs from the first saved state";
    return later == state ? "the saved state did not change after five more draws" : "";
  }

  std::string final_name() {
    OneRecording run = start();
    run.write(0, 30);
    run.save();
    run.write(30, 40);
    if (!files_of(run.header().path).empty())
      return "a file had its final name before finish() was called";
    run.finish(40);
    return files_of(run.header().path).empty()
               ? "no file had its final name after finish() was called"
               : "";
  }

  std::string finish_and_go_on() {
    OneRecording run = start();
    const std::string early = unopened().header().path;
    run.write(0, 30);
    run.finish(30, early);
    run.write_and_finish(30, run_end);
    const std::string wrong = compare(contents_(early), whole(30));
    return wrong.empty() ? compare(run) : wrong;
  }

  std::string finish_and_resume() {
    OneRecording run = start();
    const SavedState state = saved(run);
    run.write_and_finish(30, 35);
    const std::string wrong = compare(run, 35);
    if (!wrong.empty()) return wrong;
    run.resume(state);
    run.write_and_finish(30, run_end);
    return compare(run);
  }

  /// The killed process has written 1000 other draws after the saved state, more than any buffer
  /// should hold.
  std::string kill() {
    OneRecording run = unopened();
    const std::string file = run.header().path + "/../state";
    const pid_t child = ::fork();
    if (child == 0) die_after_saving(run.header(), file);
    int status = 0;
    if (child < 0 || ::waitpid(child, &status, 0) != child || !WIFSIGNALED(status))
      return "the child process must write draws and then end with SIGKILL, but it ended in "
             "another way";
    const std::string bytes = bytes_of(file);
    run.resume({bytes.begin(), bytes.end()});
    run.write_and_finish(30, run_end);
    return compare(run);
  }
  [[noreturn]] void die_after_saving(const RunHeader& header, const std::string& file) const {
    try {
      OneRecording run(recorder_, header);
      run.open();
      const SavedState state = saved(run);
      std::ofstream(file, std::ios::binary)
          .write(state.data(), static_cast<std::streamsize>(state.size()));
      write_chunk(run.recording(), header, false, 30 - warmup_draws, 1000, 1);
      ::raise(SIGKILL);
    } catch (const std::exception&) {
    }
    ::_exit(1);
  }

  std::string unfinished() {
    OneRecording run = start();
    run.write(0, 30);
    run.give_up();
    return nothing_in(run.header()) ? "" : "the unfinished recording left files behind";
  }

  std::string unfinished_after_saving() {
    OneRecording run = start();
    const SavedState state = saved(run);
    run.resume(state);
    run.resume(state);
    run.write_others(30, 35);
    run.resume(state);
    run.write_and_finish(30, run_end);
    return compare(run);
  }

  /// The state after thirty draws.
  static SavedState saved(OneRecording& run) {
    run.write(0, 30);
    return run.save();
  }

  static bool is_refused(OneRecording run, const SavedState& state) {
    try {
      run.resume(state);
    } catch (const InputError&) {
      return true;
    }
    return false;
  }

  std::string other_header() {
    OneRecording run = start();
    const SavedState state = saved(run);
    run.give_up();
    for (const auto& [what, other] : other_headers(run.header()))
      if (!is_refused({recorder_, other}, state))
        return "the recorder must refuse to resume a saved state when the header has a different " +
               what + ", but it resumed";
    OneRecording longer = start();
    longer.write(0, 31);
    if (!is_refused({recorder_, run.header()}, longer.save()))
      return "the recorder must refuse a saved state with more draws than were written, but it "
             "resumed";
    run.resume(state);
    run.write_and_finish(30, run_end);
    return compare(run);
  }

  std::string nothing_there() {
    OneRecording other = start();
    const SavedState state = saved(other);
    const OneRecording run = unopened();
    if (!is_refused({recorder_, run.header()}, state))
      return "the recorder must refuse to resume where nothing was recorded, but it resumed";
    return nothing_in(run.header()) ? "" : "the refused recording left files behind";
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
