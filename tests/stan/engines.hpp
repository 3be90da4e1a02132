// Tests that ask real engines of Stan end as skipped where there are none.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "../../models/stan/compile.hpp"
#include "../../models/stan/interpret.hpp"

#include <cstdlib>
#include <iostream>
#include <string>

namespace engines {

[[noreturn]] inline void skip(const std::string& why) {
  std::cout << "skipped: " << why << "\n";
  std::exit(77);
}

inline void need_stanli() {
  if (mixwell::stan::Stanli::find().empty())
    skip("no stanli: `python3 -m pip install stanli`, or MIXWELL_STANLI");
}

inline void need_compiler() {
  if (mixwell::stan::Package::find().empty())
    skip("no httpstan: `python3 -m pip install httpstan`");
}

}  // namespace engines
