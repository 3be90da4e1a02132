// The model `normal-groups`: U of its parts given the rest.
// SPDX-License-Identifier: Apache-2.0
#include "block_of_model.hpp"

#include <string>
#include <vector>

using support::block_of;
using support::make_model;
using support::off_the_whole;

TEST_CASE("any part of means of groups has the U that it has in the whole") {
  const auto model = make_model(
      "use = \"normal-groups\"\nvalues = [28, 8, -3, 7, -1, 1, 18, 12]\n"
      "sds = [15, 10, 16, 11, 9, 11, 10, 18]\nprior_mean = 2\ntau_shape = 1.5\ntau_scale = 3\n");
  const std::vector<std::vector<std::string>> parts = {{"mu"},
                                                       {"tau"},
                                                       {"mu", "tau"},
                                                       {"theta[2]"},
                                                       {"theta[1:6]"},
                                                       {"theta[::2]"},
                                                       {"mu", "theta[:5]"},
                                                       {"tau", "theta[3]"},
                                                       {"mu", "tau", "theta[6:]"}};
  for (const auto& names : parts) {
    INFO(names.front() << " and " << names.size() - 1 << " more");
    CHECK(off_the_whole(*model, names) < 1e-13);
  }
  CHECK_FALSE(block_of(*model, {"theta"}));
  CHECK_FALSE(block_of(*model, {"mu", "theta[:6]"}));
}
