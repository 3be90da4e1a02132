// State visitors: one saves the state of an object, the other restores the saved state.
// SPDX-License-Identifier: Apache-2.0
#include "base/utf8.hpp"

#include <mixwell/base/error.hpp>
#include <mixwell/base/state.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <cstring>

namespace mixwell {
namespace {

void append(std::vector<char>& bytes, const void* from, std::size_t size) {
  const char* begin = static_cast<const char*>(from);
  bytes.insert(bytes.end(), begin, begin + size);
}

}  // namespace

StateVisitor::~StateVisitor() = default;

void StateWriter::header(std::string_view name, Index rows, Index cols) {
  const std::uint64_t head[3] = {name.size(), static_cast<std::uint64_t>(rows),
                                 static_cast<std::uint64_t>(cols)};
  append(bytes_, head, sizeof head);
  append(bytes_, name.data(), name.size());
}

void StateWriter::numbers(std::string_view name, Batch values) {
  header(name, values.rows(), values.cols());
  append(bytes_, values.data(), sizeof(double) * static_cast<std::size_t>(values.size()));
}

void StateWriter::count(std::string_view name, std::uint64_t& value) {
  header(name, 0, 0);
  append(bytes_, &value, sizeof value);
}

void StateWriter::text(std::string_view name, std::string& value) {
  std::uint64_t size = value.size();
  count(name, size);
  append(bytes_, value.data(), value.size());
}

StateReader::StateReader(std::vector<char> bytes) : bytes_(std::move(bytes)) {}

void StateReader::take(void* to, std::size_t size) {
  if (size > bytes_.size() - at_)
    throw InputError("the saved state is incomplete. Start a new run");
  std::memcpy(to, bytes_.data() + at_, size);
  at_ += size;
}

void StateReader::expect(std::string_view name, Index rows, Index cols) {
  std::uint64_t head[3];
  take(head, sizeof head);
  std::string found(std::min<std::size_t>(head[0], bytes_.size() - at_), '\0');
  take(found.data(), found.size());
  if (found != name || head[1] != static_cast<std::uint64_t>(rows) ||
      head[2] != static_cast<std::uint64_t>(cols)) {
    throw InputError(fmt::format(
        "the saved state does not fit this run: the run needs `{}` ({} x {}), but the "
        "saved state has `{}` ({} x {}). A different composition saved this state. Continue with "
        "that composition, or start a new run",
        name, rows, cols, found, head[1], head[2]));
  }
}

void StateReader::numbers(std::string_view name, Batch values) {
  expect(name, values.rows(), values.cols());
  take(values.data(), sizeof(double) * static_cast<std::size_t>(values.size()));
}

void StateReader::count(std::string_view name, std::uint64_t& value) {
  expect(name, 0, 0);
  take(&value, sizeof value);
}

void StateReader::text(std::string_view name, std::string& value) {
  std::uint64_t size = 0;
  count(name, size);
  value.resize(std::min<std::uint64_t>(size, bytes_.size() - at_));
  take(value.data(), size);
  if (!is_utf8(value))
    throw InputError(fmt::format(
        "the saved state is damaged: its text `{}` is not UTF-8. Start a new run", name));
}

}  // namespace mixwell
