// The instruction set that Mixwell was compiled for. The last bits of results depend on it.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <mixwell/base/error.hpp>
#include <mixwell/base/export.hpp>

#include <string>

namespace mixwell {

/// A run or a study needs a different instruction set than this process has. The program starts
/// itself again with that set if it is installed. Elsewhere the message reaches the user.
class MIXWELL_EXPORT OtherInstructionSet : public InputError {
 public:
  /// `what` says what needs `isa`, and completes a sentence: "out/a: this run began with x".
  OtherInstructionSet(std::string isa, const std::string& what);
  ~OtherInstructionSet() override;
  const std::string& isa() const noexcept { return isa_; }

 private:
  std::string isa_;
};

/// The instruction set of this build, a value of the compiler option -march.
constexpr const char* own_instruction_set() { return MIXWELL_ISA; }

/// Throws OtherInstructionSet if `isa` is neither empty nor the instruction set of this build.
MIXWELL_INTERNAL void require_instruction_set(const std::string& isa, const std::string& what);

/// The program of this installation for an instruction set. "" if it is not installed, or if this
/// installation has only one set.
MIXWELL_INTERNAL std::string program_for(const std::string& isa);

/// The program that belongs to this library, for processes that must use the same instruction set.
MIXWELL_INTERNAL std::string own_program();

}  // namespace mixwell
