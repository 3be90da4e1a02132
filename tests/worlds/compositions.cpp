// Tests random compositions of built-in components on finite worlds.
// SPDX-License-Identifier: Apache-2.0
#include "cases.hpp"
#include "compositions/choice.hpp"
#include "compositions/draft.hpp"
#include "guests.hpp"

#include <mixwell/base/error.hpp>
#include <mixwell/lab/manifest.hpp>
#include <mixwell/lab/registry.hpp>
#include <mixwell/lab/sampler.hpp>

#include <fmt/format.h>

#include <chrono>
#include <filesystem>
#include <fstream>
#include <map>

namespace mixwell::testing {
namespace {

class Compositions {
 public:
  explicit Compositions(const RandomCompositions& what)
      : what_(what), registry_(Registry::load(guests::with_default_folders())) {
    std::filesystem::create_directories(what.folder);
    ::compositions::write_fixtures(what.folder);
    models_ = ::compositions::models_of(registry_, what.folder);
    models_.usual = "banana";
  }

  void judge(std::int64_t number) {
    const std::uint64_t seed = what_.seed * 1'000'003 + static_cast<std::uint64_t>(number);
    const auto draft = ::compositions::draw(registry_, models_, seed);
    const std::string path = fmt::format("{}/{}-{}.toml", what_.folder, what_.seed, number);
    const Case found = judged_draft(draft.text, path);
    ++tally_[found.judgement];
    if (!found.finite.unread.empty()) ++unread_[general(found.finite.unread)];
    if (found.judgement == Judgement::strict) ++strict_[std::string(to_string(found.verdict.rule))];
    const bool kept = found.judgement == Judgement::hole || found.judgement == Judgement::unread ||
                      found.judgement == Judgement::strict;
    if (!kept) return;
    std::ofstream(path) << "# " << in_words(found.judgement) << "\n" << draft.text;
    if (found.judgement == Judgement::hole) fmt::print("{}: hole, {}\n", path, draft.name);
  }

  bool report() {
    for (const auto& [judgement, count] : tally_) fmt::print("{} {}, ", count, in_words(judgement));
    fmt::print("\n");
    for (const auto& [reason, count] : unread_) fmt::print("  unread {}: {}\n", count, reason);
    for (const auto& [rule, count] : strict_) fmt::print("  strict {}: rule {}\n", count, rule);
    return tally_.contains(Judgement::hole);
  }

 private:
  Case judged_draft(const std::string& text, const std::string& path) const try {
    const Program program = compose(*parse_manifest(text, path, registry_).compositor);
    return judged(program.sampling, program.certificate.now, what_.effort);
  } catch (const InputError&) {
    return {};
  }

  /// The reason without names.
  static std::string general(std::string reason) {
    for (auto open = reason.find('`'); open != std::string::npos;
         open = reason.find('`', open + 1)) {
      reason.erase(open, reason.find('`', open + 1) + 1 - open);
      reason.insert(open, "...");
    }
    return reason;
  }

  const RandomCompositions& what_;
  Registry registry_;
  ::compositions::Models models_;
  std::map<Judgement, std::int64_t> tally_;
  std::map<std::string, std::int64_t> unread_;
  std::map<std::string, std::int64_t> strict_;
};

}  // namespace

bool judge_random_compositions(const RandomCompositions& what) {
  const auto start = std::chrono::steady_clock::now();
  Compositions all(what);
  for (std::int64_t k = 0; k < what.cases; ++k) {
    const std::chrono::duration<double> passed = std::chrono::steady_clock::now() - start;
    if (passed.count() > what.seconds) break;
    all.judge(k);
  }
  return all.report();
}

}  // namespace mixwell::testing
