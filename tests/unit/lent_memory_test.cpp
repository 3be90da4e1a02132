// Curvatures that are fitted to a memory are refused where the composition lends them none.
// SPDX-License-Identifier: Apache-2.0
#include "composing.hpp"
#include "support.hpp"

#include <mixwell/estimator.hpp>

#include <catch2/catch.hpp>

#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

using namespace mixwell;
using composing::refusal;
using support::contains;

namespace {

const std::string bowl = "[model.m]\nuse = \"quartic\"\ndimension = 2\n";

std::string estimator(const std::string& id) { return "[estimator.e]\nuse = \"" + id + "\"\n"; }

std::string kernel(const std::string& id) { return "[kernel.k]\nuse = \"" + id + "\"\n"; }

/// Compositors that lend no memory, each with a kernel `k`.
const std::vector<std::string>& others() {
  static const std::vector<std::string> all = {
      "",
      "[compositor.c]\nuse = \"chain\"\n",
      "[compositor.c]\nuse = \"cycle\"\nkernels = [\"k\", \"k\"]\n",
      "[compositor.c]\nuse = \"mixture\"\nkernels = [\"k\", \"k\"]\n",
      "[compositor.c]\nuse = \"tempering\"\n",
      "[compositor.c]\nuse = \"blocks\"\n[[compositor.c.update]]\nparameters = [\"x\"]\nkernel = "
      "\"k\"\n"};
  return all;
}

/// Made with its defaults; one that cannot be is read from a file.
bool is_fitted(const Entry& entry) {
  const auto blueprint = entry.blueprint();
  const auto& fields = blueprint->fields().all();
  if (std::any_of(fields.begin(), fields.end(), [](const Field& f) { return f.is_required(); }))
    return false;
  return dynamic_cast<const FittedCurvature*>(blueprint->make().get()) != nullptr;
}

}  // namespace

TEST_CASE("a quasi-Newton estimator without a memory is refused where it stands, with its cure") {
  for (const std::string id : {"lbfgs", "bfgs", "product-form"}) {
    for (const std::string kind :
         {"hamiltonian", "nuts", "langevin", "random-walk-metropolis", "metropolis-gaussian"}) {
      for (const std::string& compositor : others()) {
        const std::string message = refusal(bowl + estimator(id) + kernel(kind) + compositor);
        INFO(id << " " << kind << "\n" << compositor << message);
        CHECK(contains(message, "estimator `e` is fitted to at least 2 points of a memory"));
        CHECK(contains(message, "\n  while composing [estimator.e] (test.toml:5:1)"));
        CHECK(contains(message, "[compositor.NAME] with use = \"ensemble-chain\""));
        CHECK(contains(message,
                       "for a single chain: use = \"ensemble-chain\", slots = 1, memory = "
                       "\"own-history\", freeze_after_warmup = true"));
      }
    }
  }
}

TEST_CASE("what the refusal proposes for a single chain is accepted and exact after warm-up") {
  const std::string single =
      "[compositor.c]\nuse = \"ensemble-chain\"\nslots = 1\nmemory = "
      "\"own-history\"\nfreeze_after_warmup = true\n";
  const auto composition = composing::compose(bowl + estimator("lbfgs") + kernel("hamiltonian") +
                                              "steps = 4\n" + single);
  const Certificate certificate = compose(*composition.compositor).certificate;
  CHECK(certificate.label() == "exact after warm-up");
}

TEST_CASE("a memory of a single point, which makes no pair, is refused too") {
  const std::string few = "[compositor.c]\nuse = \"ensemble-chain\"\nslots = ";
  const std::string rest = bowl + estimator("lbfgs") + kernel("hamiltonian");
  const std::string message = refusal(rest + few + "2\n");
  INFO(message);
  CHECK(contains(message, "for kernel `x0/k` there are 1"));
  CHECK(contains(message, "Use more slots, or a longer history"));
  CHECK(contains(refusal(rest + few + "3\nschedule = \"two-groups\"\n"), "Use more slots"));
  CHECK(refusal(rest + few + "3\n") == "accepted");
  CHECK(refusal(bowl + estimator("lbfgs") + kernel("metropolis-gaussian") + few + "2\n") ==
        "accepted");  // the other slot's point, and its own
}

namespace {

/// Needs three points, whatever it makes of them.
class ThreePoints final : public FittedCurvature {
 public:
  struct Params {
    void declare(Fields&) {}
  };
  explicit ThreePoints(const Params&) {}
  Traits traits() const override { return {}; }
  Index fewest_points() const noexcept override { return 3; }
  Index rows(Index, Index) const override { return 1; }
  void fit(const Memory&, Batch numbers, Workspace&) const override { numbers.setOnes(); }
  std::shared_ptr<const Representation> representation() const override { return like_; }

 private:
  std::shared_ptr<const Representation> like_ =
      std::dynamic_pointer_cast<const Estimator>(
          std::shared_ptr<const Component>(
              composing::registry().find(Kind::estimator, "identity").blueprint()->make()))
          ->representation();
};

}  // namespace

TEST_CASE("a history with fewer points than an estimator needs is refused") {
  Registry registry = composing::registry();
  registry.add<ThreePoints>({.id = "three-points", .summary = "needs three points"});
  const auto refuses = [&](const std::string& history) {
    const Composition made = parse_manifest(
        "mixwell = 1\n" + bowl + estimator("three-points") + kernel("hamiltonian") +
            "steps = 4\n[compositor.c]\nuse = \"ensemble-chain\"\nslots = 1\nmemory = "
            "\"own-history\"\nfreeze_after_warmup = true\nhistory = " +
            history + "\n",
        "test.toml", registry);
    compose(*made.compositor);
  };
  CHECK_THROWS_WITH(refuses("2"), Catch::Contains("at least 3 points of a memory"));
  CHECK_NOTHROW(refuses("3"));
}

TEST_CASE("every registered estimator that is fitted is refused without a memory") {
  std::int64_t seen = 0;
  for (const Entry& entry : composing::registry().entries()) {
    if (entry.kind != Kind::estimator || !is_fitted(entry)) continue;
    const std::string message =
        refusal(bowl + estimator(entry.description.id) + kernel("hamiltonian"));
    INFO(entry.description.id << "\n" << message);
    CHECK(contains(message, "of a memory, and kernel `k` has no memory here"));
    ++seen;
  }
  CHECK(seen >= 3);
}
