// Whether there is memory for what an input asks for, before it is asked for.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <mixwell/export.hpp>

#include <string>

namespace mixwell {

/// "" where this process may have so many bytes, else the rule that they break: "needs 6 GiB of
/// memory; this process may have 4 GiB (MIXWELL_MEMORY = 4G)". The limit is MIXWELL_MEMORY, or else
/// nine tenths of what the machine and its control groups had free when it was first asked for;
/// `ulimit` bounds both. A number beyond all integers is as good as any.
MIXWELL_EXPORT std::string broken_memory_rule(double bytes);

/// Throws ParameterError of the parameter `key`, whose value asks for so many bytes, where they
/// break that rule. For constructors, before they allocate.
MIXWELL_EXPORT void check_memory(const std::string& key, double bytes);

}  // namespace mixwell
