// What the program reads: files, and pipes of a shell. Everything else is refused without waiting.
// SPDX-License-Identifier: Apache-2.0
#include "data_making.hpp"
#include "files/reading.hpp"
#include "files/toml_file.hpp"
#include "support.hpp"

#include <mixwell/data/data.hpp>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <chrono>
#include <thread>

using namespace mixwell;
using making::refused;
using support::contains;

namespace {

/// A pipe without a name, and what reads from it.
struct Pipe {
  Pipe() { REQUIRE(::pipe(ends) == 0); }
  ~Pipe() {
    ::close(ends[0]);
    close_input();
  }
  void put(const std::string& text) const {
    REQUIRE(::write(ends[1], text.data(), text.size()) == static_cast<ssize_t>(text.size()));
  }
  void close_input() {
    if (ends[1] >= 0) ::close(ends[1]);
    ends[1] = -1;
  }
  std::string path() const { return "/dev/fd/" + std::to_string(ends[0]); }

  int ends[2] = {-1, -1};
};

std::string refused_text(const std::string& path) {
  return refused([&] { read_text_file(path, "manifest"); });
}

std::string repeated(const std::string& text, int count) {
  std::string all;
  for (int n = 0; n < count; ++n) all += text;
  return all;
}

std::string refused_toml(const std::string& text) {
  return refused([&] { parse_toml(text, "m.toml"); });
}

}  // namespace

TEST_CASE("A pipe that a shell made is read to its end") {
  Pipe pipe;
  pipe.put("mixwell = 1\n");
  std::thread writer([&] {
    std::this_thread::sleep_for(std::chrono::milliseconds(50));
    pipe.put("[run]\n");
    pipe.close_input();
  });
  const std::string text = read_text_file(pipe.path(), "manifest");
  writer.join();
  CHECK(text == "mixwell = 1\n[run]\n");
}

TEST_CASE("A table may come through a pipe, compressed or not") {
  for (const std::string& text : {std::string("x,y\n1,2\n"), making::gzipped("x,y\n1,2\n")}) {
    Pipe pipe;
    pipe.put(text);
    pipe.close_input();
    CHECK(CsvTable(pipe.path()).numbers("y") == Eigen::VectorXd::Constant(1, 2));
  }
}

TEST_CASE("Pipes with a name, folders, devices and loops of links are refused and not waited for") {
  const support::TemporaryFolder folder;
  const std::string fifo = folder.path() + "/fifo";
  REQUIRE(::mkfifo(fifo.c_str(), 0600) == 0);
  const std::string link = folder.path() + "/loop";
  REQUIRE(::symlink("loop", link.c_str()) == 0);
  const std::string to_fifo = folder.path() + "/to-fifo";
  REQUIRE(::symlink("fifo", to_fifo.c_str()) == 0);
  CHECK(contains(refused_text(fifo), "fifo: the manifest cannot be read: it is a pipe"));
  CHECK(contains(refused_text(to_fifo), "it is a pipe"));
  CHECK(contains(refused_text(folder.path()), "it is a folder"));
  CHECK(contains(refused_text("/dev/zero"), "/dev/zero: the manifest cannot be read: it is a dev"));
  CHECK(contains(refused_text(link), "Too many levels of symbolic links"));
  CHECK(contains(refused_text(std::string(5000, 'a')), "File name too long"));
  CHECK(contains(refused_text(folder.path() + "/none"), "No such file or directory"));
  CHECK(contains(refused([&] { CsvTable{fifo}; }), "fifo: the file cannot be read: it is a pipe"));
  CHECK(contains(refused([] { CsvTable{"/dev/zero"}; }), "it is a device"));
}

TEST_CASE("A text has at most as many bytes as it may") {
  const support::TemporaryFolder folder;
  const std::string path = folder.file("m.toml", std::string(100, '#'));
  CHECK(read_text_file(path, "manifest", "", 100).size() == 100);
  CHECK(contains(refused([&] { read_text_file(path, "manifest", "", 99); }),
                 "m.toml: the manifest is larger than the limit of 99 bytes"));
  const std::string large = folder.file("large.toml", std::string((16 << 20) + 1, '#'));
  CHECK(contains(refused([&] { read_toml_text(large, "manifest"); }),
                 "larger than the limit of 16777216 bytes"));
}

TEST_CASE("A line that no table has is refused with its number") {
  const support::TemporaryFolder folder;
  const std::string bomb =
      folder.file("bomb.csv.gz", making::gzipped("x\n1\n" + std::string((64 << 20) + 1, '0')));
  CHECK(contains(refused([&] { CsvTable{bomb}; }),
                 "bomb.csv.gz:3:1: this line is longer than 64 MiB"));
  const std::string cases = folder.file("cases", making::gzipped(std::string((64 << 20) + 1, '0')));
  CHECK(
      contains(refused([&] { LibsvmTable{cases}; }), "cases:1:1: this line is longer than 64 MiB"));
}

TEST_CASE("Keys and values of TOML that go too deep are refused with their line") {
  const std::string part = "a.";
  CHECK(refused_toml("x = 1\n" + repeated(part, 63) + "a = 1\n") == "accepted");
  CHECK(contains(refused_toml("x = 1\n" + repeated(part, 64) + "a = 1\n"),
                 "m.toml:2:1: a key has more than 64 parts"));
  CHECK(contains(refused_toml(repeated(part, 100000) + "a = 1\n"), "m.toml:1:1: a key has more"));
  CHECK(contains(refused_toml("\n\n[" + repeated("\"a\".", 100000) + "a]\n"), "m.toml:3:1: "));
  CHECK(contains(refused_toml("x = { " + repeated("'a' . ", 100000) + "a = 1 }\n"), "64 parts"));
  CHECK(refused_toml("x = " + repeated("[", 64) + repeated("]", 64) + "\n") == "accepted");
  CHECK(contains(refused_toml("x = \\\n" + repeated("[", 100000)), "m.toml:2:1: lists and tables"));
  CHECK(contains(refused_toml("x = " + repeated("{a=", 65)), "more than 64 deep"));
}

TEST_CASE("Dots and brackets in texts and comments are no depth") {
  const std::string dots(1000, '.');
  const std::string open(1000, '[');
  for (const std::string& inside : {dots, open}) {
    CHECK(refused_toml("x = \"" + inside + "\\\"" + inside + "\" # " + inside + "\n") ==
          "accepted");
    CHECK(refused_toml("x = '" + inside + "\\' # " + inside + "\n") == "accepted");
    CHECK(refused_toml("x = \"\"\"" + inside + "\n\"" + inside + "\\\"\"\"\"\n") == "accepted");
    CHECK(refused_toml("x = '''" + inside + "\n'" + inside + "'''\n") == "accepted");
  }
  CHECK(contains(refused_toml("x = \"\"\"\n\n\"\"\"\n" + repeated("a.", 70) + "a = 1\n"),
                 "m.toml:4:1: "));
  CHECK(refused_toml(repeated("x = [1.5, 2.5]\n[t.u]\n", 1)) == "accepted");
  std::string many = "v = [";
  for (int n = 0; n < 1000; ++n) many += "1.5, { a.b = 2.5 },\n";
  CHECK(refused_toml(many + "]\n") == "accepted");
}

TEST_CASE("Numbers beyond doubles are refused where they stand") {
  CHECK(contains(refused_toml("[run]\nstop_seconds = 1e400\n"), "m.toml:2:"));
  CHECK(contains(refused_toml("[run]\nstop_seconds = 1e400\n"), "stop_seconds"));
  CHECK(contains(refused_toml("[run]\ndraws = 99999999999999999999\n"), "draws"));
}
