// Export of a run's draws to CSV files in the format of CmdStan.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <mixwell/base/export.hpp>
#include <mixwell/base/types.hpp>

#include <string>

namespace mixwell {

class StopRequest;

/// Options of export_cmdstan_csv.
struct CmdstanCsvOptions {
  std::string folder{};  ///< folder for the files, created if missing; "" = the folder of the run
  int digits = 8;        ///< significant digits of a real number; 17 preserve every bit
  const StopRequest* stop = nullptr;
};

/// The files that export_cmdstan_csv has written.
struct CmdstanCsv {
  std::string folder;
  Index chains = 0;
  Index draws = 0;         ///< sampling rows in each file
  Index warmup_draws = 0;  ///< warmup rows in each file
};

/// Writes draws_1.csv, draws_2.csv, ..., one for each chain, from the draws.nc in `run` (a folder,
/// or the file). The files contain the comment lines of CmdStan 2.36 that apply to the run. Lines
/// that Mixwell adds begin with `# mixwell_`. Replaces existing files with these names. If an
/// earlier export had more chains, removes the files of the additional chains. Keeps about 16 MiB
/// of draws in memory at a time. Throws InputError if there are no draws, or if a CSV file cannot
/// contain the name of a variable. Throws RunError if a file cannot be written, and Stopped if
/// `options.stop` ends the export. Either all files are replaced or none. Source: CmdStan User's
/// Guide 2.36, Stan CSV.
MIXWELL_EXPORT CmdstanCsv export_cmdstan_csv(const std::string& run,
                                             const CmdstanCsvOptions& options = {});

}  // namespace mixwell
