// What `./dev demo` builds is what its manifest loads.
// SPDX-License-Identifier: Apache-2.0
#include "program.hpp"

#include <algorithm>
#include <regex>
#include <sstream>
#include <vector>

using namespace end_to_end;

namespace {

/// The words between the parentheses of `demo_plugins=(...)` in ./dev.
std::vector<std::string> listed() {
  const std::string text = read(MIXWELL_SOURCE_DIR "/dev");
  const std::string begin = "demo_plugins=(";
  const std::size_t from = text.find(begin) + begin.size();
  std::istringstream words(text.substr(from, text.find(')', from) - from));
  std::vector<std::string> all{std::istream_iterator<std::string>(words), {}};
  std::sort(all.begin(), all.end());
  return all;
}

/// Every `use` of an effective manifest, as the name of its plugin's library.
std::vector<std::string> used(const std::string& effective_manifest) {
  const std::regex table("\\[([a-z]+)\\.[^\\]]*\\]\nuse = \"([^\"]*)\"");
  std::vector<std::string> all;
  for (std::sregex_iterator found(effective_manifest.begin(), effective_manifest.end(), table), end;
       found != end; ++found) {
    all.push_back((*found)[1].str() + "-" + (*found)[2].str());
  }
  std::sort(all.begin(), all.end());
  return all;
}

}  // namespace

TEST_CASE("the demo builds the plugins that its manifest loads, and no others") {
  const Workplace place;
  const std::string manifest = MIXWELL_SOURCE_DIR "/examples/challenger/challenger.toml";
  REQUIRE(place.mixwell("run \"" + manifest + "\" --quiet --set run.draws=10").code == 0);
  const std::vector<std::string> plugins = used(read(place.path("out/challenger/manifest.toml")));
  CHECK(plugins.size() >= 7);
  CHECK(plugins == listed());
}
