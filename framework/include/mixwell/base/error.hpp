// The errors Mixwell throws before a run, and the exit codes they end in.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <mixwell/base/export.hpp>

#include <span>
#include <stdexcept>
#include <string>
#include <string_view>

namespace mixwell {

enum class ExitCode { ok = 0, failed = 1, bad_input = 2, refused = 3, disagrees = 4 };

/// Where in a text file a thing stands; line 0 = the whole file or a command line argument.
struct Location {
  std::string file;
  int line = 0;
  int column = 0;
};

/// "file:line:column", "file", or "" when nothing is known.
MIXWELL_EXPORT std::string to_string(const Location& where);

/// Any failure with a message a user can act on: what, where, value, rule, cure.
class MIXWELL_EXPORT Error : public std::runtime_error {
 public:
  Error(ExitCode code, const std::string& message);
  ~Error() override;
  ExitCode code() const noexcept { return code_; }

 private:
  ExitCode code_;
};

/// A manifest, data file, plugin or argument that breaks a rule. Exit code 2.
class MIXWELL_EXPORT InputError : public Error {
 public:
  explicit InputError(const std::string& message);
  InputError(const Location& where, const std::string& message);
  ~InputError() override;
};

/// A component's constructor says that the value of one parameter breaks a rule that involves
/// others; the framework adds file, line and column.
class MIXWELL_EXPORT ParameterError : public InputError {
 public:
  ParameterError(std::string key, const std::string& rule);
  ~ParameterError() override;
  const std::string& key() const noexcept { return key_; }
  const std::string& rule() const noexcept { return rule_; }

 private:
  std::string key_;
  std::string rule_;
};

/// The body of an operation takes one of its edges for another.
class MIXWELL_EXPORT WiringError : public InputError {
 public:
  using InputError::InputError;
  ~WiringError() override;
};

/// The run itself failed (disk, plugin). Exit code 1.
class MIXWELL_EXPORT RunError : public Error {
 public:
  explicit RunError(const std::string& message);
  ~RunError() override;
};

/// The certificate forbids the composition. Exit code 3.
class MIXWELL_EXPORT Refused : public Error {
 public:
  explicit Refused(const std::string& message);
  ~Refused() override;
};

/// The candidate nearest to `word` in edit distance (a swap of neighbours is one edit), or "" if
/// none is within a third of its length (at least 2 edits allowed, but never all of the longer
/// word). O(|word| * total length of the candidates).
MIXWELL_EXPORT std::string nearest(std::string_view word, std::span<const std::string> candidates);

/// ` (did you mean "x"?)` for the nearest candidate, else ` (known: a, b, c)`.
MIXWELL_EXPORT std::string suggestion(std::string_view word,
                                      std::span<const std::string> candidates);

}  // namespace mixwell
