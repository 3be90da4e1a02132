// How C functions answer: exit codes, messages, texts that the caller frees.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <string>

namespace mixwell {

/// What `body` does: 0, or the exit code of what it throws, whose message mixwell_fault() has then.
/// No exception leaves it.
int answer(const std::function<void()>& body) noexcept;

/// A copy for the caller, who gives it to mixwell_free().
char* handed_out(const std::string& text);

}  // namespace mixwell
