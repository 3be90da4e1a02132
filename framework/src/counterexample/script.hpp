// A counter-example as a Python script that recomputes it.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "counterexample/counter_example.hpp"

#include <string>

namespace mixwell {

/// Uses Python's fractions and nothing else; prints both probabilities. `what`: the composition and
/// its phase, in one line.
std::string script_of(const CounterExample& example, const std::string& what);

/// "x0 = 1, x1 = 0": where the difference is largest.
std::string state_in_words(const CounterExample& example);

}  // namespace mixwell
