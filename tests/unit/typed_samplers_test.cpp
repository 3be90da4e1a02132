// Samplers with auxiliaries on lines, spheres and whole numbers: verify accepts every right one,
// and detects every wrong one.
// SPDX-License-Identifier: Apache-2.0
#include "composing.hpp"
#include "verify/operations.hpp"

#include <mixwell/lab/verify.hpp>

#include <catch2/catch.hpp>

#include <algorithm>
#include <set>
#include <string>
#include <vector>

using namespace mixwell;

namespace {

const std::string quartic = "[model.m]\nuse = \"quartic\"\ndimension = 2\n";
const std::string ensemble = "[compositor.c]\nuse = \"ensemble-chain\"\nslots = 4\n";

/// Below the mistake of a kernel: more keys of it, and other tables.
struct Subject {
  std::string id;
  std::string more{};
};

const Subject stretch{"wrong-stretch", ensemble};
const Subject delayed{"wrong-delayed-rejection"};
const Subject drawn_step{"wrong-drawn-step"};
const Subject isokinetic{"wrong-isokinetic"};
const Subject other_order{"wrong-isokinetic", "direction_first = true\n"};
const Subject microcanonical{"wrong-microcanonical"};
const Subject sphere_walk{"wrong-sphere-walk"};
const std::vector<Subject> all = {stretch,     delayed,        drawn_step, isokinetic,
                                  other_order, microcanonical, sphere_walk};

Composition composed(const Subject& subject, const std::string& mistake) {
  return composing::compose(quartic + "[kernel.k]\nuse = \"" + subject.id + "\"\nmistake = \"" +
                            mistake + "\"\n" + subject.more);
}

OperationsChecked operations(const Subject& subject, const std::string& mistake = "none") {
  return check_operations(composed(subject, mistake), 0, 1e-6);
}

Verification verified(const Subject& subject, const std::string& mistake = "none") {
  VerifySettings settings{.budget = 5e5};
  settings.targets = {"own"};
  return verify(composed(subject, mistake), "test.toml", composing::registry(), settings);
}

/// "trait of operation" of those that failed.
std::set<std::string> failures(const std::vector<VerifiedOperation>& tested) {
  std::set<std::string> names;
  for (const VerifiedOperation& one : tested) {
    if (one.failed) names.insert(one.trait + " of " + one.operation);
  }
  return names;
}

bool was_tested(const OperationsChecked& checked, const std::string& trait,
                const std::string& operation) {
  return std::any_of(checked.found.begin(), checked.found.end(), [&](const auto& one) {
    return one.trait == trait && one.operation.ends_with("/" + operation);
  });
}

/// Why it was not, or empty.
std::string left_out(const OperationsChecked& checked, const std::string& trait,
                     const std::string& operation) {
  for (const VerifiedOperation& one : checked.untested) {
    if (one.trait == trait && one.operation.ends_with("/" + operation)) return one.untested;
  }
  return "";
}

}  // namespace

TEST_CASE("operations of right samplers in other spaces do what they declare") {
  for (const Subject& subject : all) {
    INFO(subject.id << " " << subject.more);
    CHECK(failures(operations(subject).found).empty());
  }
}

TEST_CASE("what lives on a sphere or takes whole numbers is tested by itself") {
  CHECK(was_tested(operations(delayed), "keeps_law", "draw-stage"));
  CHECK(was_tested(operations(microcanonical), "keeps_law", "turn"));
  const OperationsChecked walk = operations(sphere_walk);
  CHECK(was_tested(walk, "keeps_law", "draw"));
  CHECK(was_tested(walk, "volume", "walk"));
  CHECK(was_tested(walk, "involution", "walk"));
}

TEST_CASE("what has no identity of its own says why it is left to the test as a whole") {
  CHECK(left_out(operations(stretch), "keeps_law", "propose").find("line") != std::string::npos);
  CHECK(left_out(operations(isokinetic), "keeps_law", "refresh") ==
        "the density that this refresh draws from is improper");
}

TEST_CASE("a move is tested whatever the order of what it writes") {
  for (const Subject& subject : {isokinetic, other_order, drawn_step}) {
    INFO(subject.more);
    const OperationsChecked right = operations(subject);
    CHECK(was_tested(right, "involution", "trajectory"));
    CHECK(was_tested(right, "volume", "trajectory"));
  }
  for (const Subject& subject : {isokinetic, other_order}) {
    CHECK(failures(operations(subject, "kick-lost").found).count("involution of k/trajectory") ==
          1);
  }
}

TEST_CASE("an auxiliary that is said to turn and does not is told, and does not fail") {
  const OperationsChecked checked = operations(drawn_step, "declared-turning");
  CHECK(failures(checked.found).empty());
  const std::string why = left_out(checked, "involution", "trajectory");
  CHECK(why.find(".turns = false") != std::string::npos);
}

TEST_CASE("an operation in another space that does not what it declares fails by itself") {
  const struct {
    Subject subject;
    const char* mistake;
    const char* failure;
  } cases[] = {
      {delayed, "no-rejection", "keeps_law of k/draw-stage"},
      {delayed, "one-sided", "involution of k/propose"},
      {drawn_step, "wide", "keeps_law of k/draw-eps"},
      {drawn_step, "half-kick-lost", "involution of k/trajectory"},
      {microcanonical, "uneven", "keeps_law of k/turn"},
      {microcanonical, "off-sphere", "keeps_law of k/turn"},
      {sphere_walk, "leaves", "space of k/walk"},
      {sphere_walk, "stretched", "volume of k/walk"},
  };
  for (const auto& c : cases) {
    INFO(c.subject.id << " " << c.mistake);
    CHECK(failures(operations(c.subject, c.mistake).found).count(c.failure) == 1);
  }
}

TEST_CASE("verify agrees with right samplers in other spaces", "[slow]") {
  for (const Subject& subject : all) {
    INFO(subject.id << " " << subject.more);
    const Verification found = verified(subject);
    CHECK(found.agrees);
    CHECK(found.tested == (subject.id == "wrong-microcanonical" ? "asymptotic" : "exact"));
  }
}

TEST_CASE("verify catches wrong samplers in other spaces", "[slow]") {
  const struct {
    Subject subject;
    const char* mistake;
  } cases[] = {{stretch, "no-power"},         {delayed, "no-rejection"},
               {delayed, "one-sided"},        {drawn_step, "wide"},
               {drawn_step, "density-here"},  {isokinetic, "no-jacobian"},
               {other_order, "no-jacobian"},  {microcanonical, "uneven"},
               {microcanonical, "dimension"}, {sphere_walk, "stretched"}};
  for (const auto& c : cases) {
    INFO(c.subject.id << " " << c.mistake);
    CHECK(verified(c.subject, c.mistake).tested == "biased");
  }
}

TEST_CASE("an operation that fails does not end the test", "[slow]") {
  const Verification found = verified(drawn_step, "wide");
  CHECK(std::any_of(found.tests.begin(), found.tests.end(), [](const VerifiedStatistic& s) {
    return s.failed && s.name.starts_with("keeps_law");
  }));
  CHECK_FALSE(found.targets.empty());
}
