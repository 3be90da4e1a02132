// Reports failures of one rank to the other ranks.
// SPDX-License-Identifier: Apache-2.0
#include "base/ranks.hpp"

#include "base/host.hpp"
#include "base/memory_limit.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <exception>
#include <new>

namespace mixwell {
namespace {

// The reports of ranks when all ranks agree how to continue. The largest report decides.
constexpr std::int64_t well = 0;
constexpr std::int64_t asking = 1;
constexpr std::int64_t failed = 2;

/// A failure as bytes: the exit code, then the message. Empty if there is no failure.
std::vector<char> letter_of(ExitCode code, const std::string& message) {
  std::vector<char> letter{static_cast<char>(code)};
  letter.insert(letter.end(), message.begin(), message.end());
  return letter;
}

std::vector<char> letter_of(const std::exception_ptr& failure) {
  try {
    std::rethrow_exception(failure);
  } catch (const Error& error) {
    return letter_of(error.code(), error.what());
  } catch (const std::bad_alloc&) {
    return letter_of(ExitCode::failed, out_of_memory());
  } catch (const std::exception& error) {
    return letter_of(ExitCode::failed, error.what());
  } catch (...) {
    return letter_of(
        ExitCode::failed,
        "the code threw an exception of an unknown type, which has no message. Throw an "
        "exception derived from std::exception, or report this to the author of the component");
  }
}

/// Throws the first failure. Rank 0 rethrows its own error unchanged.
[[noreturn]] void throw_first(Ranks& ranks, const std::exception_ptr& mine) {
  std::vector<char> letter;
  if (mine && !ranks.leads()) {
    letter = letter_of(mine);
    const std::string who =
        fmt::format("rank {}, {}: ", ranks.rank(), process_on(::getpid(), host_name()));
    letter.insert(letter.begin() + 1, who.begin(), who.end());
  }
  const std::vector<std::vector<char>> all = ranks.collect(letter);
  if (!ranks.leads()) throw OtherRankFailed();
  if (mine) std::rethrow_exception(mine);
  for (const std::vector<char>& one : all) {
    if (one.empty()) continue;
    throw Error(static_cast<ExitCode>(one.front()), std::string(one.begin() + 1, one.end()));
  }
  throw OtherRankFailed();
}

}  // namespace

Ranks::~Ranks() = default;
OtherRankFailed::~OtherRankFailed() = default;

bool agree(Ranks& ranks, bool asks) {
  const std::int64_t worst = ranks.largest(asks ? asking : well);
  if (worst == failed) throw OtherRankFailed();
  return worst == asking;
}

bool together(Ranks& ranks, const std::function<void()>& work, const std::function<bool()>& asks) {
  std::exception_ptr mine;
  try {
    work();
    return agree(ranks, asks && asks());
  } catch (const OtherRankFailed&) {
    // the other ranks already wait for this rank
  } catch (...) {
    mine = std::current_exception();
    ranks.largest(failed);
  }
  throw_first(ranks, mine);
}

}  // namespace mixwell
