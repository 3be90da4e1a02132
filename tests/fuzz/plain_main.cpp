// The main function of a fuzz target without libFuzzer. It runs every file of a corpus, and then
// simple mutations of them for some seconds, always the same ones. It fails at the first finding:
// an exception that is not Mixwell's, a signal, a sanitizer's report, an input that takes too long
// or too much memory.
// SPDX-License-Identifier: Apache-2.0
#include "fuzzing.hpp"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/time.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <random>
#include <typeinfo>
#include <vector>

namespace {

using Bytes = std::vector<std::uint8_t>;
using Clock = std::chrono::steady_clock;

/// Of the processor; of the clock ten times as many, as other tests run beside this one.
constexpr int most_seconds = 5 * MIXWELL_TIME_FACTOR;
constexpr long most_kilobytes = 1 << 20;
constexpr std::size_t most_bytes = 1 << 16;

/// The input that is looked at, in a file that outlives the process.
class Present {
 public:
  explicit Present(std::string path) : path_(std::move(path)) {
    const int file = ::open(path_.c_str(), O_RDWR | O_CREAT | O_TRUNC, 0644);
    if (file < 0 || ::ftruncate(file, most_bytes) != 0) fail();
    bytes_ = ::mmap(nullptr, most_bytes, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
    if (bytes_ == MAP_FAILED) fail();
    ::close(file);
  }
  void show(const Bytes& input) {
    std::memcpy(bytes_, input.data(), input.size());
    size_ = input.size();
  }
  /// From a handler of signals too.
  void keep() const { (void)!::truncate(path_.c_str(), static_cast<off_t>(size_)); }
  void forget() const { ::unlink(path_.c_str()); }
  const char* path() const { return path_.c_str(); }

 private:
  [[noreturn]] void fail() const {
    std::perror(path_.c_str());
    std::exit(2);
  }
  std::string path_;
  void* bytes_ = nullptr;
  std::size_t size_ = 0;
};

Present* present = nullptr;

[[noreturn]] void report(const char* what, const char* more = "") {
  std::fprintf(stderr, "finding: %s%s; the input is in %s\n", what, more, present->path());
  present->keep();
  std::_Exit(1);
}

void on_signal(int signal) {
  if (signal == SIGALRM || signal == SIGPROF) report("an input takes too long");
  report("signal ", sigabbrev_np(signal));
}

#ifdef __SANITIZE_ADDRESS__
constexpr std::array signals = {SIGALRM, SIGPROF};  // its own report of a crash says more
#else
constexpr std::array signals = {SIGALRM, SIGPROF, SIGABRT, SIGSEGV, SIGBUS, SIGFPE, SIGILL};
#endif

void set_timers(int seconds) {
  const itimerval of_processor = {{0, 0}, {seconds, 0}};
  ::setitimer(ITIMER_PROF, &of_processor, nullptr);
  ::alarm(static_cast<unsigned>(10 * seconds));
}

/// Of the process so far; what a sanitizer needs is in it.
long kilobytes() {
  rusage used = {};
  ::getrusage(RUSAGE_SELF, &used);
  return used.ru_maxrss;
}

void look_at(const Bytes& input) {
  present->show(input);
  set_timers(most_seconds);
  try {
    LLVMFuzzerTestOneInput(input.data(), input.size());
  } catch (const std::exception& foreign) {
    report(typeid(foreign).name(), (std::string(": ") + foreign.what()).c_str());
  }
  set_timers(0);
  if (kilobytes() > most_kilobytes) report("an input takes more than 1 GiB");
}

Bytes bytes_of(const std::filesystem::path& path) {
  std::ifstream in(path, std::ios::binary);
  Bytes bytes{std::istreambuf_iterator<char>(in), {}};
  bytes.resize(std::min(bytes.size(), most_bytes));
  return bytes;
}

std::vector<Bytes> corpus_of(const std::filesystem::path& folder) {
  std::vector<std::filesystem::path> paths;
  for (const auto& entry : std::filesystem::directory_iterator(folder)) paths.push_back(entry);
  std::sort(paths.begin(), paths.end());
  std::vector<Bytes> corpus;
  for (const auto& path : paths) corpus.push_back(bytes_of(path));
  return corpus;
}

/// Simple changes of an input, drawn from a fixed seed.
class Mutator {
 public:
  explicit Mutator(const std::vector<Bytes>& corpus) : corpus_(corpus) {}

  Bytes next() {
    Bytes bytes = any_input();
    for (std::size_t changes = 1 + below(4); changes > 0; --changes) change(bytes);
    bytes.resize(std::min(bytes.size(), most_bytes));
    return bytes;
  }

 private:
  std::size_t below(std::size_t end) { return random_() % end; }
  std::ptrdiff_t place(const Bytes& bytes) {
    return static_cast<std::ptrdiff_t>(below(bytes.size() + 1));
  }
  const Bytes& any_input() { return corpus_[below(corpus_.size())]; }

  /// A stretch of an input, of 8 bytes in the mean.
  Bytes stretch_of(const Bytes& bytes) {
    const auto begin = bytes.begin() + place(bytes);
    const auto left = static_cast<std::size_t>(bytes.end() - begin);
    return {begin, begin + static_cast<std::ptrdiff_t>(std::min(left, 1 + below(16)))};
  }

  void change(Bytes& bytes) {
    constexpr std::string_view telling = "0-9.eE+:,\"'=[]{}\n\r\t #\x7f\x80\xff";
    const std::size_t kind = below(6);
    const auto at = bytes.begin() + place(bytes);
    const Bytes other = stretch_of(kind == 0 ? bytes : any_input());
    if (kind <= 1) {
      bytes.insert(at, other.begin(), other.end());
    } else if (kind == 2) {
      bytes.insert(at, static_cast<std::uint8_t>(telling[below(telling.size())]));
    } else if (at == bytes.end()) {
      return;
    } else if (kind == 3) {
      const auto left = static_cast<std::size_t>(bytes.end() - at);
      bytes.erase(at, at + static_cast<std::ptrdiff_t>(std::min(left, 1 + below(16))));
    } else if (kind == 4) {
      *at = static_cast<std::uint8_t>(*at ^ 1U << below(8));
    } else {
      *at = static_cast<std::uint8_t>(random_());
    }
  }

  const std::vector<Bytes>& corpus_;
  std::mt19937_64 random_{1};
};

long look_at_mutations(const std::vector<Bytes>& corpus, double seconds) {
  Mutator mutator(corpus);
  long count = 0;
  for (const auto end = Clock::now() + std::chrono::duration<double>(seconds); Clock::now() < end;
       ++count)
    look_at(mutator.next());
  return count;
}

}  // namespace

int main(int count, char** words) {
  if (count != 4) {
    std::fprintf(stderr, "usage: %s CORPUS SECONDS FILE_FOR_A_FINDING\n", words[0]);
    return 2;
  }
  const std::vector<Bytes> corpus = corpus_of(words[1]);
  Present input(words[3]);
  present = &input;
  for (const int signal : signals) std::signal(signal, &on_signal);
  for (const Bytes& bytes : corpus) look_at(bytes);
  const long mutations = look_at_mutations(corpus, std::atof(words[2]));
  std::printf("%zu inputs and %ld mutations of them: no finding\n", corpus.size(), mutations);
  input.forget();
  return corpus.empty() ? 1 : 0;
}
