// Where the files of a cell are while it runs: in its folder, or on a disk of the node.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

namespace mixwell::study {

/// The folder that a cell runs in. With a disk of the node that is a folder of this process there,
/// which begins with the checkpoint that the cell has left, and whose files go to the cell's own
/// folder when the run has ended or was suspended. A process that is killed leaves what the folder
/// had before; its files on the node are the node's to tidy.
class CellPlace {
 public:
  /// `scratch` "": the cell's own folder. Throws RunError where the disk takes nothing.
  CellPlace(const std::string& cell_folder, const std::string& scratch);
  ~CellPlace();
  CellPlace(const CellPlace&) = delete;
  CellPlace& operator=(const CellPlace&) = delete;

  const std::string& folder() const noexcept { return folder_; }

  /// All files into the cell's own folder, instead of those that it had, on the disk before
  /// they have their names. Throws RunError.
  void bring_home() const;

 private:
  bool is_away() const noexcept { return folder_ != home_; }
  std::string home_;
  std::string folder_;
};

}  // namespace mixwell::study
