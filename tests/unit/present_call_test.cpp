// Which component of which manifest a message names.
// SPDX-License-Identifier: Apache-2.0
#include "base/present_call.hpp"

#include <mixwell/component.hpp>

#include <catch2/catch.hpp>

#include <string>

using namespace mixwell;

TEST_CASE("a message names the component that has a path now, whatever its address was before") {
  const Component one;
  const Component other;
  introduce(one, "kernel.told", "the first");
  introduce(other, "kernel.untold", "another");
  introduce(other, "kernel.told", "the second");
  CHECK(std::string(words_for_operation("told/step", nullptr)) ==
        "the operation `told/step` of the second");
  CHECK(words_for(&one) == nullptr);
}
