// Every key of every plugin changes something, or is refused where it changes nothing.
// SPDX-License-Identifier: Apache-2.0
#include "allowed.hpp"
#include "base.hpp"
#include "composing.hpp"
#include "outcome.hpp"
#include "search.hpp"
#include "values.hpp"

#include <catch2/catch.hpp>

#include <algorithm>
#include <string>
#include <vector>

using namespace idle_keys;
using mixwell::Entry;
using mixwell::Kind;
using mixwell::Registry;

namespace {

const Registry& built_in() {
  static const Registry all = Registry::load(guests::with_default_folders());
  return all;
}

bool is_allowed(const Idle& idle) {
  const auto& all = allowed();
  return std::any_of(all.begin(), all.end(), [&](const Allowed& one) {
    return one.key == idle.key && (one.with == idle.with || one.with == "*");
  });
}

/// One fault for each key of the kind that is idle and not in the list.
void look_at(Kind kind) {
  for (const Entry& entry : built_in().entries()) {
    if (entry.kind != kind) continue;
    for (const Idle& idle : idle_keys_of(built_in(), entry)) {
      INFO(idle.text() << " changes nothing, and nothing says so: declare what it goes with "
                          "(Field::only_with, only_where), or refuse it");
      CHECK(is_allowed(idle));
    }
  }
}

}  // namespace

TEST_CASE("no key of a kernel is idle without a word") { look_at(Kind::kernel); }
TEST_CASE("no key of a compositor is idle without a word") { look_at(Kind::compositor); }
TEST_CASE("no key of an estimator is idle without a word") { look_at(Kind::estimator); }
TEST_CASE("no key of an oracle is idle without a word") { look_at(Kind::oracle); }
TEST_CASE("no key of an integrator is idle without a word") { look_at(Kind::integrator); }
TEST_CASE("no key of a rule of steps is idle without a word") { look_at(Kind::steps); }
TEST_CASE("no key of a recorder is idle without a word") { look_at(Kind::recorder); }
TEST_CASE("no key of a model is idle without a word") { look_at(Kind::model); }

TEST_CASE("the search for idle keys finds those of a wrong plugin, and no other") {
  const Entry& wrong = composing::registry().find(Kind::kernel, "idle-key");
  std::vector<std::string> found;
  for (const Idle& idle : idle_keys_of(composing::registry(), wrong)) found.push_back(idle.text());
  CHECK(found == std::vector<std::string>{"kernel/idle-key.boldness", "kernel/idle-key.length"});
}

TEST_CASE("no plugin is certified wrong with its defaults") {
  for (const Entry& entry : built_in().entries()) {
    const Base base = base_of(entry);
    INFO(base.manifest);
    const auto composition = mixwell::parse_manifest(base.manifest, "test.toml", built_in());
    const auto certificate = mixwell::compose(*composition.compositor).certificate;
    const bool is_wrong = certificate.now.label() == "biased" && certificate.now.proved;
    CHECK_FALSE(is_wrong);
  }
}

TEST_CASE("the table of values names keys that there are") { check_table(built_in()); }

TEST_CASE("the list of idle keys is short, and each entry has an effect where it says so") {
  CHECK(allowed().size() <= 20);
  for (const Allowed& one : allowed()) {
    INFO(one.key << " with " << one.with << ": " << one.reason);
    const std::string key =
        one.key.substr(0, one.key.find('/')) + ".subject" + one.key.substr(one.key.find('.'));
    const Outcome before = outcome_of(built_in(), one.manifest, {}, false);
    const Outcome after =
        outcome_of(built_in(), one.manifest, {{.key = key, .value = one.value}}, false);
    INFO(before.what << "\n" << after.what);
    CHECK_FALSE((before.is_refused && after.is_refused));
    CHECK(before != after);
  }
}
