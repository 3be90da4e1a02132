// Every registered recorder against the contract of recorders, and mutants against them.
// SPDX-License-Identifier: Apache-2.0
#include "composing.hpp"
#include "unit/draws_testing.hpp"

#include <mixwell/contracts/recorder.hpp>

#include <catch2/catch.hpp>
#include <netcdf.h>

#include <cstring>
#include <fstream>
#include <sstream>

using namespace mixwell;
using contracts::all_hold;
using contracts::report;
using testing::TemporaryFolder;

namespace {

void ok(int status) {
  if (status != NC_NOERR) throw RunError(nc_strerror(status));
}

std::string bits(const std::vector<double>& numbers) {
  return {reinterpret_cast<const char*>(numbers.data()), numbers.size() * sizeof(double)};
}

std::string attribute(int group, int variable, const char* name) {
  nc_type type = NC_NAT;
  std::size_t length = 0;
  ok(nc_inq_att(group, variable, name, &type, &length));
  std::string text = std::string("@") + name + " " + std::to_string(type) + " ";
  if (type != NC_STRING) {
    std::vector<double> numbers(length);
    ok(nc_get_att_double(group, variable, name, numbers.data()));
    return text + bits(numbers) + "\n";
  }
  std::vector<char*> texts(length);
  ok(nc_get_att_string(group, variable, name, texts.data()));
  for (const char* part : texts) text += std::string(part) + "|";
  nc_free_string(length, texts.data());
  return text + "\n";
}

std::string attributes(int group, int variable) {
  int count = 0;
  ok(nc_inq_varnatts(group, variable, &count));
  std::string text;
  for (int k = 0; k < count; ++k) {
    char name[NC_MAX_NAME + 1];
    ok(nc_inq_attname(group, variable, k, name));
    text += attribute(group, variable, name);
  }
  return text;
}

std::string variable(int group, int id) {
  char name[NC_MAX_NAME + 1];
  nc_type type = NC_NAT;
  int rank = 0;
  int dimensions[NC_MAX_VAR_DIMS];
  ok(nc_inq_var(group, id, name, &type, &rank, dimensions, nullptr));
  std::string text = std::string(name) + " " + std::to_string(type);
  std::size_t size = 1;
  for (int k = 0; k < rank; ++k) {
    char dimension[NC_MAX_NAME + 1];
    std::size_t length = 0;
    ok(nc_inq_dim(group, dimensions[k], dimension, &length));
    text += std::string(" ") + dimension + "=" + std::to_string(length);
    size *= length;
  }
  std::vector<double> numbers(size);
  ok(nc_get_var_double(group, id, numbers.data()));
  return text + "\n" + bits(numbers) + "\n" + attributes(group, id);
}

/// Groups, variables, dimensions, numbers and attributes, in the order of the file.
std::string group(int id) {
  char name[NC_MAX_NAME + 1];
  ok(nc_inq_grpname(id, name));
  std::string text = std::string("group ") + name + "\n" + attributes(id, NC_GLOBAL);
  int count = 0;
  ok(nc_inq_nvars(id, &count));
  for (int k = 0; k < count; ++k) text += variable(id, k);
  ok(nc_inq_grps(id, &count, nullptr));
  std::vector<int> groups(static_cast<std::size_t>(count));
  ok(nc_inq_grps(id, &count, groups.data()));
  for (const int inner : groups) text += group(inner);
  return text;
}

/// What contracts::read_contents() does not look at too: warm-up, attributes, coordinates.
std::string whole_contents(const std::string& folder) {
  std::string text = contracts::read_contents(folder);
  if (!std::filesystem::exists(folder + "/draws.nc")) return text;
  int id = -1;
  ok(nc_open((folder + "/draws.nc").c_str(), NC_NOWRITE, &id));
  text += group(id);
  ok(nc_close(id));
  return text;
}

enum class Fault {
  none,
  forgets_position,  // appends to what it finds
  ignores_state,     // begins anew
  loses_last_chunk,  // saves without it
  keeps_leftovers,
  marks_chunks,
  marks_saving,
  final_name_at_once,
  leaves_partial,
  loses_saved,
  saves_in_memory,  // writes to disk when it goes
  ends_at_finish,
  any_header,
  any_state,
  resumes_nothing,
};

/// Draws as lines of text, warm-up and sampling marked; the first line is the header.
class TextRecording final : public Recording {
 public:
  TextRecording(const RunHeader& header, Fault fault)
      : fault_(fault),
        header_(header),
        final_(header.path + "/draws.txt"),
        partial_(fault == Fault::final_name_at_once ? final_
                                                    : header.unfinished() + "/draws.txt.partial") {
    lines_ = {describe(header)};
    if (header.resume) read();
    if (!header.resume) store(partial_);
  }
  ~TextRecording() override {
    if (kept_ && fault_ == Fault::saves_in_memory) store(partial_);
    if (!kept_ && fault_ != Fault::leaves_partial) std::filesystem::remove(partial_);
  }

  void write(const Chunk& chunk) override {
    if (fault_ != Fault::forgets_position) lines_.resize(at_);
    if (fault_ == Fault::marks_chunks && chunk.draws > 1) lines_.back() += "+";
    before_ = lines_;
    for (std::int64_t draw = 0; draw < chunk.draws; ++draw) lines_.push_back(line(chunk, draw));
    at_ = lines_.size();
    if (fault_ != Fault::saves_in_memory) store(partial_);
  }

  void visit_state(StateVisitor& visitor) override {
    if (fault_ == Fault::marks_saving) lines_.back() += "+";
    std::uint64_t at = at_;
    visitor.count("lines", at);
    if (fault_ == Fault::any_state || fault_ == Fault::resumes_nothing)
      at = std::min<std::uint64_t>(at, lines_.size());
    if (at > lines_.size()) throw InputError("fewer draws than in the saved state");
    if (fault_ != Fault::ignores_state) at_ = at;
    if (fault_ == Fault::ignores_state && at != at_) at_ = 1;
    const std::vector<std::string> all = lines_;
    if (fault_ == Fault::loses_last_chunk && !before_.empty()) lines_ = before_;
    if (fault_ != Fault::saves_in_memory) store(partial_);
    lines_ = all;
    kept_ = fault_ != Fault::loses_saved;
  }

  void finish(const RunFooter& footer) override {
    if (fault_ != Fault::keeps_leftovers && fault_ != Fault::forgets_position) lines_.resize(at_);
    store(footer.folder.empty() ? final_ : footer.folder + "/draws.txt");
    if (fault_ != Fault::ends_at_finish) return;
    std::filesystem::remove(partial_);
    lines_.resize(1);
  }

 private:
  static std::string describe(const RunHeader& h) {
    std::ostringstream text;
    text << h.run_name << ' ' << h.replicates << ' ' << h.slots << ' ' << h.thin << ' ' << h.warmup
         << ' ' << h.record_warmup;
    for (const Column& c : h.columns) {
      text << ' ' << c.name << ' ' << int(c.type) << ' ' << int(c.group) << ' ' << c.once;
      for (const Index extent : c.shape) text << ',' << extent;
    }
    return text.str();
  }

  std::string line(const Chunk& chunk, std::int64_t draw) const {
    std::ostringstream text;
    text << (chunk.warmup ? "warmup" : "sampling") << std::hexfloat;
    for (std::size_t c = 0; c < chunk.data.size(); ++c) {
      const bool once = header_.columns[c].once;
      if (once && (draw > 0 || chunk.data[c] == nullptr)) continue;
      const std::int64_t width = header_.columns[c].size() * header_.chains();
      for (std::int64_t k = 0; k < width; ++k) text << ' ' << chunk.data[c][draw * width + k];
    }
    return text.str();
  }

  void read() {
    kept_ = true;
    std::ifstream in(partial_);
    if (!in && fault_ == Fault::resumes_nothing) return;
    if (!in) throw InputError(partial_ + ": no such file");
    std::vector<std::string> found;
    for (std::string text; std::getline(in, text);) found.push_back(text);
    if (fault_ != Fault::any_header && found.front() != lines_.front())
      throw InputError(partial_ + ": of another run");
    lines_ = found;
    at_ = lines_.size();
  }

  void store(const std::string& file) const {
    std::ofstream out(file);
    for (const std::string& text : lines_) out << text << '\n';
  }

  Fault fault_;
  RunHeader header_;
  std::string final_;
  std::string partial_;
  std::vector<std::string> lines_;
  std::vector<std::string> before_;
  std::size_t at_ = 1;
  bool kept_ = false;
};

class TextRecorder final : public Recorder {
 public:
  explicit TextRecorder(Fault fault) : fault_(fault) {}
  std::unique_ptr<Recording> open(const RunHeader& header) const override {
    return std::make_unique<TextRecording>(header, fault_);
  }

 private:
  Fault fault_;
};

/// The clauses that a recorder with this fault breaks.
std::string broken(Fault fault) {
  const TemporaryFolder folder;
  std::string names;
  for (const contracts::Finding& finding :
       contracts::check_recorder(TextRecorder(fault), folder.path()))
    if (!finding.holds) names += "[" + finding.clause + "]";
  return names;
}

bool breaks(Fault fault, const std::string& clause) {
  return broken(fault).find("[" + clause + "]") != std::string::npos;
}

/// The built recorder, but its saved state is forgotten.
class Forgetful final : public Recorder {
 public:
  std::unique_ptr<Recording> open(const RunHeader& header) const override {
    return std::make_unique<Wrapped>(testing::netcdf_recorder()->open(header));
  }

 private:
  class Wrapped final : public Recording {
   public:
    explicit Wrapped(std::unique_ptr<Recording> right) : right_(std::move(right)) {}
    void write(const Chunk& chunk) override { right_->write(chunk); }
    void visit_state(StateVisitor&) override {}
    void finish(const RunFooter& footer) override { right_->finish(footer); }

   private:
    std::unique_ptr<Recording> right_;
  };
};

}  // namespace

TEST_CASE("every recorder keeps the contract of recorders") {
  int recorders = 0;
  for (const Entry& entry : composing::registry().entries()) {
    if (entry.kind != Kind::recorder) continue;
    const TemporaryFolder folder;
    const std::shared_ptr<const Component> made = entry.blueprint()->make();
    const auto findings = contracts::check_recorder(dynamic_cast<const Recorder&>(*made),
                                                    folder.path(), whole_contents);
    INFO(entry.description.id << "\n" << report(findings));
    CHECK(all_hold(findings));
    ++recorders;
  }
  CHECK(recorders >= 1);
}

TEST_CASE("a recorder that forgets its position breaks the clause of restoring") {
  const TemporaryFolder folder;
  const auto findings = contracts::check_recorder(Forgetful(), folder.path());
  INFO(report(findings));
  for (const contracts::Finding& finding : findings) {
    const bool restores = finding.clause.rfind("restore", 0) == 0 ||
                          finding.clause.rfind("overwrite", 0) == 0 ||
                          finding.clause.rfind("shorten", 0) == 0;
    if (restores && finding.clause != "restore before the first draw") CHECK_FALSE(finding.holds);
  }
}

TEST_CASE("a right recorder of another format keeps the contract of recorders") {
  CHECK(broken(Fault::none).empty());
}

TEST_CASE("each fault of a recorder breaks the clause meant for it") {
  CHECK(breaks(Fault::forgets_position, "overwrite in warmup"));
  CHECK(breaks(Fault::forgets_position, "overwrite in sampling"));
  CHECK(breaks(Fault::ignores_state, "overwrite the end of warmup and the start of sampling"));
  CHECK(breaks(Fault::loses_last_chunk, "restore in sampling"));
  CHECK(broken(Fault::keeps_leftovers) == "[shorten the recording to the saved state]");
  CHECK(breaks(Fault::marks_chunks, "split"));
  CHECK(breaks(Fault::marks_saving, "saving"));
  CHECK(broken(Fault::final_name_at_once) == "[final name]");
  CHECK(broken(Fault::leaves_partial) == "[unfinished]");
  CHECK(breaks(Fault::loses_saved, "restore in warmup"));
  CHECK(breaks(Fault::saves_in_memory, "kill"));
  CHECK(breaks(Fault::ends_at_finish, "finish and continue"));
  CHECK(breaks(Fault::ends_at_finish, "finish and resume"));
  CHECK(broken(Fault::any_header) == "[different header]");
  CHECK(broken(Fault::any_state) == "[different header]");
  CHECK(breaks(Fault::resumes_nothing, "nothing to resume"));
}
