// What a study does not compute again: hashes of files, and plans of cells.
// SPDX-License-Identifier: Apache-2.0
#include "study/remembered.hpp"

#include "study/records.hpp"

namespace mixwell::study {

Remembered::Remembered(std::string folder) : folder_(std::move(folder)) {
  if (folder_.empty()) return;
  const auto texts = use_record(record_file(folder_, RecordKind::plans), [](const Json& rows) {
    return rows.at("texts").get<std::map<std::string, std::string>>();
  });
  if (texts) texts_ = *texts;
}

std::string Remembered::text(const std::string& key) const {
  const auto found = texts_.find(key);
  return found == texts_.end() ? "" : found->second;
}

void Remembered::know(const std::string& key, const std::string& text) {
  texts_[key] = text;
  is_new_ = true;
}

void Remembered::keep() {
  if (folder_.empty() || !is_new_) return;
  write_record(record_file(folder_, RecordKind::plans), {{"texts", texts_}});
  is_new_ = false;
}

}  // namespace mixwell::study
