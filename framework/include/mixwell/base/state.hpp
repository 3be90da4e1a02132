// One visitor through which every stateful part declares what it carries, once.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <mixwell/base/export.hpp>
#include <mixwell/base/types.hpp>

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace mixwell {

/// Serves checkpoints, resume and tests. A part calls one method per item, always in the same
/// order and with the same names and shapes for the same configuration.
class MIXWELL_EXPORT StateVisitor {
 public:
  virtual ~StateVisitor();
  virtual void numbers(std::string_view name, Batch values) = 0;
  virtual void count(std::string_view name, std::uint64_t& value) = 0;
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

/// Writes saved items back. Throws InputError naming the first item whose name or shape differs
/// from what was saved; a text may have another length.
class MIXWELL_EXPORT StateReader final : public StateVisitor {
 public:
  explicit StateReader(std::vector<char> bytes);
  /// Whether every item was read.
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
