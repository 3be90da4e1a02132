// Which component of which manifest a message names.
// SPDX-License-Identifier: Apache-2.0
#include "component/locations.hpp"

#include <catch2/catch.hpp>

#include <optional>
#include <string>

using namespace mixwell;

TEST_CASE("a message names the latest component that has a path and lives") {
  const auto told = [] { return std::string(words_for_operation("told/step", nullptr)); };
  std::optional<Component> earlier(std::in_place);
  introduce(*earlier, {"kernel.told", nullptr}, "the first");
  {
    const Component later;
    introduce(later, {"kernel.untold", nullptr}, "another");
    CHECK(told() == "the operation `told/step` of the first");
    introduce(later, {"kernel.told", nullptr}, "the second");
    CHECK(told() == "the operation `told/step` of the second");
    CHECK(words_for(&later) == std::string("the second"));
    CHECK(words_for(&*earlier) == std::string("the first"));
  }
  CHECK(told() == "the operation `told/step` of the first");
  const Component* const gone = &*earlier;
  earlier.reset();
  CHECK(words_for(gone) == nullptr);
  CHECK(words_for(nullptr) == nullptr);
}
