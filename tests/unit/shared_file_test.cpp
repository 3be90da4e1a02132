// A file that several processes write at a time is whole whenever it is read.
// SPDX-License-Identifier: Apache-2.0
#include "files/whole_file.hpp"
#include "support.hpp"

#include <sys/wait.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

namespace {

constexpr int writers = 4;

std::string text_of(int writer) { return std::string(5000, static_cast<char>('a' + writer)); }

/// 0 if all went well.
int write_often(const std::string& path, int writer) {
  try {
    for (int k = 0; k < 300; ++k)
      mixwell::write_shared_file(path, text_of(writer), mixwell::Flush::later);
    return 0;
  } catch (...) {  // of a child, and not of the test
    return 1;
  }
}

bool is_whole(const std::string& text) {
  for (int writer = 0; writer < writers; ++writer)
    if (text == text_of(writer)) return true;
  return false;
}

}  // namespace

TEST_CASE("A file that several processes write at a time is whole whenever it is read") {
  const support::TemporaryFolder folder;
  const std::string path = folder.path() + "/record.json";
  mixwell::write_shared_file(path, text_of(0));
  std::vector<pid_t> all;
  for (int writer = 0; writer < writers; ++writer) {
    const pid_t child = ::fork();
    if (child == 0) ::_exit(write_often(path, writer));
    all.push_back(child);
  }
  for (int k = 0; k < 200; ++k) {
    std::ifstream in(path, std::ios::binary);
    REQUIRE(is_whole({std::istreambuf_iterator<char>(in), {}}));
  }
  for (const pid_t child : all) {
    int status = 0;
    ::waitpid(child, &status, 0);
    CHECK(status == 0);
  }
  for (const auto& entry : std::filesystem::directory_iterator(folder.path()))
    CHECK(entry.path().filename() == "record.json");
}
