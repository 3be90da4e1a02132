// The ledger in a study's folder: opened, or made anew from the records where it is not whole.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "study/ledger.hpp"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <exception>
#include <functional>
#include <memory>
#include <string>

namespace mixwell::study {

using Remark = std::function<void(const std::string&)>;

/// To work with, by who holds the lock of the study. A ledger that is damaged is kept as
/// study.sqlite.damaged. Throws DatabaseError when the disk is full.
std::unique_ptr<Ledger> open_ledger(const std::string& folder, const Remark& remark);

/// To read, also while the study runs; what is not whole is read from the records, in memory, and
/// nothing is written. Throws InputError where there are none either.
std::unique_ptr<Ledger> read_ledger(const std::string& folder, const Remark& remark);

/// What `use` makes of that ledger. Throws InputError too where a text in it is not of the form in
/// which a study writes it: somebody else has, under a right seal.
template <class Use>
auto read_from_ledger(const std::string& folder, const Remark& remark, Use use) {
  const auto ledger = read_ledger(folder, remark);
  const auto refuse = [&](const std::exception& fault) {
    return InputError(
        fmt::format("{}: a record in it is not as a study writes it: {}", folder, fault.what()));
  };
  try {
    return use(*ledger);
  } catch (const nlohmann::ordered_json::exception& fault) {
    throw refuse(fault);
  } catch (const DatabaseError& fault) {
    if (!fault.is_damage()) throw;
    throw refuse(fault);
  }
}

}  // namespace mixwell::study
