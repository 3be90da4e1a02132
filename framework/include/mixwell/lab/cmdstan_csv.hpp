// The draws of a run as CSV files that read like CmdStan's.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <mixwell/base/export.hpp>
#include <mixwell/base/types.hpp>

#include <string>

namespace mixwell {

class StopRequest;

struct CmdstanCsvOptions {
  std::string
      folder{};    ///< for the files; it is made if it is not there. "" = the folder of the run
  int digits = 8;  ///< significant digits of a real number; 17 give every bit back
  const StopRequest* stop = nullptr;
};

struct CmdstanCsv {
  std::string folder;
  Index chains = 0;
  Index draws = 0;         ///< rows of sampling in each file
  Index warmup_draws = 0;  ///< rows of warm-up in each file
};

/// Writes draws_1.csv, draws_2.csv, ..., one for each chain, from the draws.nc in `run` (a folder,
/// or the file): the lines of CmdStan 2.36 as far as they are true of the run, and what Mixwell
/// adds as `# mixwell_...`. Replaces files of those names, and removes those with the numbers that
/// follow. Needs the memory of about 16 MiB of draws. Throws InputError where there are no draws,
/// and for a variable whose name a CSV file cannot have; RunError where a file cannot be written;
/// Stopped on request. All files are whole or none is replaced. Source: CmdStan User's Guide 2.36,
/// Stan CSV.
MIXWELL_EXPORT CmdstanCsv export_cmdstan_csv(const std::string& run,
                                             const CmdstanCsvOptions& options = {});

}  // namespace mixwell
