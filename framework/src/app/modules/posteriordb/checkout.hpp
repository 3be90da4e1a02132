// A checkout of posteriordb: posteriors with reference draws, their programs and data.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

namespace mixwell::app::posteriordb {

/// A posterior that has reference draws. Paths are absolute; `data` may be "", for none.
struct Posterior {
  std::string name;
  std::string program;    ///< Stan
  std::string data;       ///< zipped JSON
  std::string reference;  ///< zipped JSON: a list of chains, each NAME -> list of draws
};

/// All of them, by name. `folder`: of the checkout, or its posterior_database. Throws InputError
/// for a folder that is none, and for one that lacks what it names.
std::vector<Posterior> posteriors_with_reference(const std::string& folder);

/// The only file of a ZIP archive, at most 1 GiB. Throws InputError.
std::string unzipped(const std::string& path);

}  // namespace mixwell::app::posteriordb
