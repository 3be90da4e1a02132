// A file that several processes write at the same time is always whole when it is read.
// SPDX-License-Identifier: Apache-2.0
#include "base/host.hpp"
#include "files/whole_file.hpp"
#include "support.hpp"

#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <set>
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

TEST_CASE("What a writer that was killed has left is removed, and nothing else") {
  const support::TemporaryFolder folder;
  const pid_t gone = ::fork();
  if (gone == 0) ::_exit(0);
  ::waitpid(gone, nullptr, 0);
  const std::string host = mixwell::host_name();
  const std::set<std::string> kept = {
      "record.json", "record.json.partial",
      "record.json.partial-" + host + "-" + std::to_string(::getpid()),
      "record.json.partial-elsewhere-17"};
  const std::set<std::string> left = {"record.json.partial-" + host + "-" + std::to_string(gone),
                                      "record.json.partial-longago-17"};
  for (const auto& names : {kept, left}) {
    for (const std::string& name : names) std::ofstream(folder.path() + "/" + name) << "a";
  }
  std::filesystem::last_write_time(
      folder.path() + "/record.json.partial-longago-17",
      std::filesystem::file_time_type::clock::now() - std::chrono::hours(2));
  mixwell::remove_abandoned(folder.path());
  std::set<std::string> found;
  for (const auto& entry : std::filesystem::directory_iterator(folder.path()))
    found.insert(entry.path().filename().string());
  CHECK(found == kept);
  mixwell::remove_abandoned(folder.path() + "/nowhere");
}
