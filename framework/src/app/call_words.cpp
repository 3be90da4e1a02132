// What a thread is doing, written to standard error by functions that signal handlers may call.
// SPDX-License-Identifier: Apache-2.0
#include "app/call_words.hpp"

#include "base/present_call.hpp"

#include <unistd.h>

#include <cstring>

namespace mixwell::app {

void tell(const char* text) noexcept {
  for (std::size_t left = std::strlen(text); left > 0;) {
    const ssize_t n = ::write(STDERR_FILENO, text, left);
    if (n <= 0) return;
    text += n;
    left -= static_cast<std::size_t>(n);
  }
}

void tell_of(const PresentCall& call) noexcept {
  const char* const component = words_for(call.component());
  if (call.task() == nullptr && component == nullptr) return tell(" outside of calls into plugins");
  if (call.task() != nullptr) {
    tell(" in ");
    tell(call.task());
  }
  if (component == nullptr) return;
  tell(call.task() == nullptr ? " in " : ", in ");
  tell(component);
}

}  // namespace mixwell::app
