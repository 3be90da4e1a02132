// Claims on cells: two living processes never hold the same claim, and claims of dead ones are
// taken over.
// SPDX-License-Identifier: Apache-2.0
#include "study/claims.hpp"
#include "support.hpp"

#include <signal.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <exception>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <set>
#include <thread>
#include <vector>

namespace {

namespace fs = std::filesystem;
using mixwell::study::Claims;

constexpr double for_ever = 1000.0;

/// A process that claims `names`, reports it in the file `ready` and lives until it is killed.
pid_t holder(const std::string& folder, const std::set<std::string>& names) {
  const pid_t child = ::fork();
  if (child != 0) return child;
  Claims claims(folder, for_ever);
  for (const std::string& name : names) claims.take(name);
  // Its identity must not change while it lives, but its memory does.
  std::vector<char> more(64 << 20, 'x');
  std::ofstream(folder + "/.ready") << more.back();
  for (;;) ::pause();
}

void wait_until_ready(const std::string& folder) {
  while (!fs::exists(folder + "/.ready")) std::this_thread::sleep_for(std::chrono::milliseconds(5));
}

void kill(pid_t process) {
  ::kill(process, SIGKILL);
  ::waitpid(process, nullptr, 0);
}

/// As if a process on an unknown machine held the claim, and had been silent for this many seconds.
void put_elsewhere(const std::string& claim, double silent) {
  std::string words;
  {
    std::ifstream in(claim);
    std::getline(in, words);
  }
  const std::size_t machine = words.find("\"machine\":\"") + 11;
  std::ofstream(claim) << words.insert(machine, "other ") << "\n";
  fs::last_write_time(claim, fs::file_time_type::clock::now() -
                                 std::chrono::milliseconds(static_cast<int>(1000 * silent)));
}

/// Asks 300 times for one of five claims, and then until it gets one; 0 if nobody else held it
/// meanwhile.
int take_turns(const std::string& folder, int which) {
  try {
    int taken = 0;
    Claims mine(folder + "/claims", for_ever);
    for (int k = 0; k < 300 || (taken == 0 && k < 1'000'000); ++k) {
      const std::string name = std::to_string((k + 7 * which) % 5);
      if (!mine.take(name)) continue;
      // A second holder would find this there.
      const std::string held = folder + "/held/" + name;
      if (::mkdir(held.c_str(), 0755) != 0) return 1;
      if (k % 3 == 0) std::this_thread::yield();
      if (::rmdir(held.c_str()) != 0) return 2;
      mine.release(name);
      ++taken;
    }
    return taken > 0 ? 0 : 3;
  } catch (const std::exception& error) {  // of a child, and not of the test
    std::cerr << error.what() << "\n";
    return 4;
  }
}

}  // namespace

TEST_CASE("What one holds no other gets until it is given back") {
  const support::TemporaryFolder folder;
  Claims one(folder.path() + "/claims", for_ever);
  Claims two(folder.path() + "/claims", for_ever);
  CHECK(one.take("a"));
  CHECK_FALSE(two.take("a"));
  CHECK_FALSE(one.take("a"));
  CHECK(two.take("b"));
  CHECK(two.holder("a").value() ==
        "process " + std::to_string(::getpid()) + " on " +
            two.holder("b").value().substr(two.holder("b").value().rfind(' ') + 1));
  one.release("a");
  CHECK_FALSE(one.holder("a"));
  CHECK(two.take("a"));
  CHECK_FALSE(one.is_lost("a"));
}

TEST_CASE("A process that lives keeps its claim, and one that is dead has none") {
  const support::TemporaryFolder folder;
  const pid_t child = holder(folder.path(), {"a"});
  wait_until_ready(folder.path());
  Claims claims(folder.path(), for_ever);
  for (int k = 0; k < 20; ++k) REQUIRE_FALSE(claims.take("a"));
  kill(child);
  CHECK(claims.take("a"));
  CHECK(fs::exists(folder.path() + "/a/2"));
  CHECK_FALSE(fs::exists(folder.path() + "/a/1"));
}

TEST_CASE("A claim of another machine is dead when it was silent for too long, and not before") {
  const support::TemporaryFolder folder;
  const pid_t child = holder(folder.path(), {"a", "b"});
  wait_until_ready(folder.path());
  kill(child);
  put_elsewhere(folder.path() + "/a/1", 5.0);
  put_elsewhere(folder.path() + "/b/1", 15.0);
  Claims claims(folder.path(), 10.0);
  CHECK_FALSE(claims.take("a"));
  CHECK(claims.is_quiet("a"));
  CHECK(claims.take("b"));
  CHECK_FALSE(claims.is_quiet("b"));
}

TEST_CASE("Who was halted for too long finds that its claim is lost") {
  const support::TemporaryFolder folder;
  Claims slow(folder.path(), 0.4);
  REQUIRE(slow.take("a"));
  put_elsewhere(folder.path() + "/a/1", 10.0);
  Claims quick(folder.path(), 0.2);  // asks between two beats of the other
  bool taken = false;
  for (int k = 0; k < 200 && !taken; ++k) {
    put_elsewhere(folder.path() + "/a/1", 10.0);
    taken = quick.take("a");
  }
  REQUIRE(taken);
  for (int k = 0; k < 100 && !slow.is_lost("a"); ++k)
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
  CHECK(slow.is_lost("a"));
  slow.release("a");
  CHECK(quick.holder("a"));
}

TEST_CASE("Of many that ask at once, again and again, never two hold the same") {
  const support::TemporaryFolder folder;
  fs::create_directories(folder.path() + "/held");
  std::vector<pid_t> all;
  for (int p = 0; p < 6; ++p) {
    const pid_t child = ::fork();
    if (child != 0) {
      all.push_back(child);
      continue;
    }
    ::_exit(take_turns(folder.path(), p));
  }
  for (const pid_t child : all) {
    int status = 0;
    ::waitpid(child, &status, 0);
    CHECK(WIFEXITED(status));
    CHECK(WEXITSTATUS(status) == 0);
  }
}
