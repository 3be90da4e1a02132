// What a study does not compute again: hashes of files, and plans of cells.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <string>

namespace mixwell::study {

/// Texts by keys, which name all that a text depends on.
class Remembered {
 public:
  /// With what the study in this folder has kept; "" = of this process only.
  explicit Remembered(std::string folder);

  /// "" if not known.
  std::string text(const std::string& key) const;
  void know(const std::string& key, const std::string& text);
  /// Into the study's folder, where something is new. Throws WriteError.
  void keep();

 private:
  std::string folder_;
  std::map<std::string, std::string> texts_;
  bool is_new_ = false;
};

}  // namespace mixwell::study
