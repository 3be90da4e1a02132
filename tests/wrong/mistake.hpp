// What mutants have in common: a key `mistake`, and the claim to be exact.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <mixwell/component/component.hpp>
#include <mixwell/component/fields.hpp>

#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace wrong {

/// Which line of a component is wrong; "none" is the right version.
class Mistake {
 public:
  explicit Mistake(std::string name = "none") : name_(std::move(name)) {}

  void declare(mixwell::Fields& fields, std::vector<std::string> known) {
    known.insert(known.begin(), "none");
    fields.text("mistake", name_)
        .one_of(std::move(known))
        .help("what is wrong; none is the right version");
  }
  bool is(std::string_view name) const noexcept { return name_ == name; }

 private:
  std::string name_;
};

/// Of an opaque move.
inline mixwell::Traits claims_exact() {
  mixwell::Traits traits;
  traits.invariant = true;
  return traits;
}

}  // namespace wrong
