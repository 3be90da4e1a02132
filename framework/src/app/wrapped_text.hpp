// Text for a terminal: how wide it is, and lines that fit.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string>

namespace mixwell::app {

/// Columns of the terminal that standard output is, at least 60; 100 where it is none.
std::size_t terminal_width();

/// The text in lines of at most `width` characters, broken at spaces: a word that is longer stands
/// alone. Each line begins with `indent` spaces, which count; lines of the text stay apart. Without
/// the last line's end.
std::string wrapped(const std::string& text, std::size_t width, std::size_t indent = 0);

}  // namespace mixwell::app
