// The ledger in a study's folder: opened, or made anew from the records where it is not whole.
// SPDX-License-Identifier: Apache-2.0
#include "study/ledger_file.hpp"

#include "study/lock.hpp"

#include <fmt/format.h>

#include <filesystem>

namespace mixwell::study {
namespace {

namespace fs = std::filesystem;

std::string file_in(const std::string& folder) { return folder + "/study.sqlite"; }

bool has_records(const std::string& folder) {
  return fs::exists(record_file(folder, RecordKind::study, "")) ||
         !recorded_keys(folder, RecordKind::cell).empty();
}

bool is_busy(const std::string& folder) {
  try {
    check_unlocked(folder, study_lock());
    return false;
  } catch (const InputError&) {
    return true;
  }
}

/// What `open` returns; nothing if what it finds is damaged.
template <class Open>
std::unique_ptr<Ledger> unless_damaged(Open open) {
  try {
    return open();
  } catch (const DatabaseError& fault) {
    if (!fault.is_damage()) throw;
  }
  return nullptr;
}

/// With what SQLite keeps beside it.
void set_aside(const std::string& file) {
  for (const char* const suffix : {"", "-wal", "-shm"}) {
    std::error_code not_there;
    fs::rename(file + suffix, file + ".damaged" + suffix, not_there);
  }
}

std::string trouble_with(const std::string& file, bool is_behind = false) {
  const char* const trouble = !fs::exists(file) ? "not there" : is_behind ? "behind" : "damaged";
  return fmt::format("{} was {}", file, trouble);
}

}  // namespace

std::unique_ptr<Ledger> open_ledger(const std::string& folder, const Remark& remark) {
  const std::string file = file_in(folder);
  const std::string trouble = trouble_with(file);
  const bool blank = !fs::exists(file) || (fs::is_regular_file(file) && fs::is_empty(file));
  const auto open = [&] { return std::make_unique<Ledger>(file, Database::Access::write, folder); };
  auto ledger = unless_damaged([&] {
    auto found = open();
    return blank || found->holds() ? std::move(found) : nullptr;
  });
  if (ledger == nullptr) {
    set_aside(file);
    ledger = open();
  }
  const std::size_t cells = ledger->take_records(folder);
  if (ledger->is_new() && has_records(folder)) {
    remark(fmt::format("{}: it is made anew from the folders of the {} cells that have ended",
                       trouble, cells));
  }
  return ledger;
}

std::unique_ptr<Ledger> read_ledger(const std::string& folder, const Remark& remark) {
  const std::string file = file_in(folder);
  bool is_behind = false;  // of what workers have done
  auto ledger = unless_damaged([&]() -> std::unique_ptr<Ledger> {
    if (!fs::exists(file)) return nullptr;
    const bool was_busy = is_busy(folder);
    auto found = std::make_unique<Ledger>(file, Database::Access::read, "");
    found->database().execute("BEGIN");  // one moment of a study that may be running
    if (!found->holds()) return nullptr;
    const bool agrees = was_busy || found->agrees_with(folder) || is_busy(folder);
    is_behind = !agrees;
    return agrees ? std::move(found) : nullptr;
  });
  if (ledger != nullptr) return ledger;
  if (!has_records(folder)) {
    throw InputError(fmt::format("{}: {}; `mixwell study STUDY.toml` makes it", file,
                                 fs::exists(file)
                                     ? "this is no ledger, and there are no cells beside it"
                                     : "no such ledger"));
  }
  ledger = std::make_unique<Ledger>(":memory:", Database::Access::write, "");
  const std::size_t cells = ledger->take_records(folder);
  remark(
      fmt::format("{}: this is from the folders of the {} cells that have ended; `mixwell "
                  "study` makes the ledger anew",
                  trouble_with(file, is_behind), cells));
  return ledger;
}

}  // namespace mixwell::study
