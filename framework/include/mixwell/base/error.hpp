// The errors that Mixwell throws, and the exit codes of the program.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <mixwell/base/export.hpp>

#include <span>
#include <stdexcept>
#include <string>
#include <string_view>

namespace mixwell {

/// Exit codes of the program. `refused`: the certificate forbids the composition. `disagrees`: a
/// test found a difference.
enum class ExitCode { ok = 0, failed = 1, bad_input = 2, refused = 3, disagrees = 4 };

/// A location in a text file. Line 0 means the whole file or a command line argument.
struct Location {
  std::string file;
  int line = 0;
  int column = 0;
};

/// Returns "file:line:column", "file", or "" if the location is unknown.
MIXWELL_EXPORT std::string to_string(const Location& where);

/// Any failure with a message that a user can act on. The message gives the problem, its location,
/// the value, the rule and the fix.
class MIXWELL_EXPORT Error : public std::runtime_error {
 public:
  Error(ExitCode code, const std::string& message);
  ~Error() override;
  ExitCode code() const noexcept { return code_; }

 private:
  ExitCode code_;
};

/// A manifest, data file, plugin or argument breaks a rule. Exit code 2.
class MIXWELL_EXPORT InputError : public Error {
 public:
  explicit InputError(const std::string& message);
  InputError(const Location& where, const std::string& message);
  ~InputError() override;
};

/// Thrown by a component's constructor if the value of one parameter breaks a rule that involves
/// other parameters. The framework adds the file, line and column. `rule`, for example "must be at
/// least 1", completes a sentence that begins with the key.
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

/// The C++ code of a component breaks a rule of the framework. For example, the body of an
/// operation uses an edge in a role that it does not have.
class MIXWELL_EXPORT WiringError : public InputError {
 public:
  using InputError::InputError;
  ~WiringError() override;
};

/// The run itself failed, for example because of the disk or a plugin. Exit code 1.
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

/// Returns the candidate with the smallest edit distance to `word`. A swap of neighbouring letters
/// counts as one edit. The distance must be at most a third of the word's length (at most 2 for
/// short words). It must also be less than the length of the longer of the two words. Returns "" if
/// no candidate is near enough. O(|word| * total length of the candidates).
MIXWELL_EXPORT std::string nearest(std::string_view word, std::span<const std::string> candidates);

/// Returns ` (did you mean "x"?)` with the nearest candidate, or ` (known: a, b, c)` if none is
/// near.
MIXWELL_EXPORT std::string suggestion(std::string_view word,
                                      std::span<const std::string> candidates);

}  // namespace mixwell
