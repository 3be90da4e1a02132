// A visitor that saves or restores state, so an object needs only one function for both tasks.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <mixwell/base/export.hpp>
#include <mixwell/base/types.hpp>

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace mixwell {

/// Checkpoints, resumed runs and tests use this visitor. An object calls one method of the visitor
/// for each item of its state. For the same configuration, the names, shapes and order of the items
/// are always the same.
class MIXWELL_EXPORT StateVisitor {
 public:
  virtual ~StateVisitor();
  /// Saves or restores all elements of a matrix.
  virtual void numbers(std::string_view name, Batch values) = 0;
  /// Saves or restores a whole number.
  virtual void count(std::string_view name, std::uint64_t& value) = 0;
  /// Saves or restores a string.
  virtual void text(std::string_view name, std::string& value) = 0;
};

/// Copies every visited item into `bytes()`, with its name and shape.
class MIXWELL_EXPORT StateWriter final : public StateVisitor {
 public:
  void numbers(std::string_view name, Batch values) override;
  void count(std::string_view name, std::uint64_t& value) override;
  void text(std::string_view name, std::string& value) override;
  const std::vector<char>& bytes() const noexcept { return bytes_; }

 private:
  void header(std::string_view name, Index rows, Index cols);
  std::vector<char> bytes_;
};

/// Restores the items that a StateWriter saved. Throws an InputError that names the first item
/// whose name or shape does not match the saved item. The length of a string may differ.
class MIXWELL_EXPORT StateReader final : public StateVisitor {
 public:
  explicit StateReader(std::vector<char> bytes);
  /// True if every item was read.
  bool at_end() const noexcept { return at_ == bytes_.size(); }
  void numbers(std::string_view name, Batch values) override;
  void count(std::string_view name, std::uint64_t& value) override;
  void text(std::string_view name, std::string& value) override;

 private:
  void expect(std::string_view name, Index rows, Index cols);
  void take(void* to, std::size_t size);
  std::vector<char> bytes_;
  std::size_t at_ = 0;
};

}  // namespace mixwell
