// Lines of a data file, plain or gzipped.
// SPDX-License-Identifier: Apache-2.0
#include "data/text.hpp"
#include "files/input_file.hpp"

#include <mixwell/text_lines.hpp>

namespace mixwell {

TextLines::TextLines(const std::string& path, const std::string& wanted)
    : path_(path), file_(std::make_unique<InputFile>(path, wanted)) {}
TextLines::~TextLines() = default;

bool TextLines::next() {
  if (!file_->next_line(line_)) return false;
  if (!line_.empty() && line_.back() == '\r') line_.pop_back();
  require_utf8(line_, [&] { return place() + ": the line " + in_quotes(line_); });
  return true;
}

std::string TextLines::place() const { return mixwell::place(path_, file_->line_number()); }

}  // namespace mixwell
