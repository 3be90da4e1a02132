// Preconditioners that are fitted to a memory are refused if the composition provides none.
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
  return dynamic_cast<const FittedPreconditioner*>(blueprint->make().get()) != nullptr;
}

}  // namespace

TEST_CASE("a quasi-Newton estimator without a memory is refused where it stands, with its cure") {
  for (const std::string id : {"lbfgs", "bfgs", "product-form"}) {
    for (const std::string kind :
         {"hamiltonian", "nuts", "langevin", "random-walk-metropolis", "metropolis-gaussian"}) {
      for (const std::string& compositor : others()) {
        const std::string message = refusal(bowl + estimator(id) + kernel(kind) + compositor);
        INFO(id << " " << kind << "\n" << compositor << message);
        CHECK(contains(message, "estimator `e` needs a memory with at least 2 points"));
        CHECK(contains(message, "\n  while composing [estimator.e] (test.toml:5:1)"));
        CHECK(contains(message, "[compositor.NAME] with use = \"ensemble-chain\""));
        CHECK(contains(message,
                       "for a single chain: use = \"ensemble-chain\", slots = 1, memory = "
                       "\"own-history\", freeze_after_warmup = true"));
      }
    }
  }
}

namespace {

/// The text between two texts in a message; empty if they are missing.
std::string between(const std::string& message, const std::string& first, const std::string& last) {
  const std::size_t at = message.find(first);
  if (at == std::string::npos) return {};
  const std::size_t from = at + first.size();
  return message.substr(from, message.find(last, from) - from);
}

std::string lines_of(std::string keys) {
  for (std::size_t at = keys.find(", "); at != std::string::npos; at = keys.find(", "))
    keys.replace(at, 2, "\n");
  return keys + "\n";
}

/// The ids in `"a" or "b"`.
std::vector<std::string> ids_in(const std::string& words) {
  std::vector<std::string> all;
  for (std::size_t at = 0; (at = words.find('"', at)) != std::string::npos;) {
    const std::size_t end = words.find('"', at + 1);
    all.push_back(words.substr(at, end + 1 - at));
    at = end + 1;
  }
  return all;
}

/// The fix that a message about a missing memory proposes.
struct Cures {
  explicit Cures(const std::string& message)
      : compositors(ids_in(between(message, "[compositor.NAME] with use = ", " ("))),
        single(
            "[compositor.c]\n" +
            lines_of("use = " + between(message, "for a single chain: use = ", "true") + "true")),
        with_history(lines_of(between(message, "kernel `k` also needs ", "\n"))) {}

  std::vector<std::string> compositors;
  std::string single;
  std::string with_history;  ///< lines of the kernel's table
};

bool lacks_memory(const std::string& message) {
  return contains(message, ", but kernel `k` has no memory. Without");
}

/// Manifests that a message proposes instead of `body`, which ends with the kernel's table.
void apply_cures(const std::string& body, const std::string& message) {
  const Cures cures(message);
  INFO(body << message << "\n" << cures.single << cures.with_history);
  CHECK(refusal(body + cures.with_history + cures.single) == "accepted");
  CHECK(cures.compositors.size() >= 3);
  for (const std::string& id : cures.compositors) {
    const std::string compositor = "[compositor.c]\nuse = " + id + "\n";
    CHECK((refusal(body + compositor) == "accepted" ||
           refusal(body + cures.with_history + compositor) == "accepted"));
  }
}

}  // namespace

TEST_CASE("what the refusal proposes is accepted for every kernel and estimator") {
  std::vector<std::string> kernels;
  for (const Entry& made : composing::registry().entries()) {
    if (made.kind != Kind::kernel) continue;
    for (const Entry& fitted : composing::registry().entries()) {
      if (fitted.kind != Kind::estimator || !is_fitted(fitted)) continue;
      const std::string body =
          bowl + estimator(fitted.description.id) + kernel(made.description.id);
      const std::string message = refusal(body);
      if (!lacks_memory(message)) continue;
      kernels.push_back(made.description.id);
      apply_cures(body, message);
    }
  }
  for (const char* id :
       {"hamiltonian", "nuts", "langevin", "random-walk-metropolis", "metropolis-gaussian"})
    CHECK(std::count(kernels.begin(), kernels.end(), id) >= 3);
}

TEST_CASE("what the refusal proposes for a single chain is exact after warm-up") {
  for (const std::string id :
       {"hamiltonian", "nuts", "random-walk-metropolis", "metropolis-gaussian"}) {
    const std::string body = bowl + estimator("lbfgs") + kernel(id);
    const Cures cures(refusal(body));
    CHECK(composing::verdict(body + cures.with_history + cures.single).label() == "exact");
    const auto composition = composing::compose(body + cures.with_history + cures.single);
    CHECK(compose(*composition.compositor).certificate.label() == "exact after warm-up");
  }
}

TEST_CASE("a kernel within another one is told which memory is passed on") {
  const std::string inner = bowl + estimator("lbfgs") + kernel("hamiltonian") +
                            "oracle = \"exact\"\nstep_size = 0.1\n[oracle.exact]\nuse = "
                            "\"exact\"\n[oracle.flat]\nuse = \"tempered\"\nbeta = 0.6\n";
  const std::string blocks =
      "[kernel.outer]\nuse = \"blocks\"\n[[kernel.outer.update]]\nparameters = "
      "[\"x[0]\"]\nkernel = \"k\"\n[[kernel.outer.update]]\nparameters = [\"x[1]\"]\nkernel = "
      "\"k\"\n";
  const std::string delayed =
      "[kernel.outer]\nuse = \"delayed-acceptance\"\nkernels = [\"k\"]\noracle = \"flat\"\n";
  for (const std::string& outer : {blocks, delayed}) {
    const std::string body = inner + outer + "[compositor.c]\nkernel = \"outer\"\nuse = ";
    for (const std::string& rest :
         {std::string("\"chain\"\n"),
          std::string("\"ensemble-chain\"\nfreeze_after_warmup = true\n"),
          std::string("\"ensemble-chain\"\nslots = 1\nmemory = \"own-history\"\n")}) {
      const std::string message = refusal(body + rest);
      INFO(body << rest << message);
      CHECK(contains(message,
                     "Kernel `outer` calls other kernels. It can pass only one kind of memory to "
                     "them: the current values of other slots"));
      const std::string cure = between(message, "[compositor.NAME] with use = ", "\n");
      CHECK(refusal(body + lines_of(cure)) == "accepted");
    }
  }
}

TEST_CASE("keys about a memory that no kernel reads are refused") {
  const std::string body = bowl + kernel("hamiltonian") + "[compositor.c]\nuse = ";
  const auto refused = [&](const std::string& kernels, const std::string& keys,
                           const std::string& key) {
    const std::string message = refusal(kernels + keys + "\n");
    INFO(keys << "\n" << message);
    CHECK(contains(message, "test.toml:"));
    CHECK(contains(
        message,
        "compositor.c." + key +
            ": has no effect here, because no kernel fits a preconditioner to the memory"));
  };
  for (const std::string key :
       {"memory = \"all\"", "memory = \"own-history\"", "memory = \"published\"",
        "schedule = \"two-groups\"", "freeze_after_warmup = true"})
    refused(body, "\"ensemble-chain\"\n" + key, key);
  refused(body, "\"lagged\"\nmemory = \"displacements\"", "memory = \"displacements\"");
  refused(body, "\"pilot-chain\"\nhistory = 7", "history = 7");
  const std::string in_blocks =
      bowl + kernel("nuts") +
      "[kernel.b]\nuse = \"blocks\"\n[[kernel.b.update]]\nparameters = [\"x[0]\"]\nkernel = "
      "\"k\"\n[[kernel.b.update]]\nparameters = [\"x[1]\"]\nkernel = \"k\"\n[compositor.c]\nkernel "
      "= \"b\"\nuse = ";
  refused(in_blocks, "\"ensemble-chain\"\nmemory = \"all\"", "memory = \"all\"");
  for (const std::string compositor : {"\"ensemble-chain\"", "\"lagged\"", "\"pilot-chain\""})
    CHECK(refusal(body + compositor + "\n") == "accepted");
}

TEST_CASE("keys about a memory are accepted where a kernel or an oracle reads one") {
  const std::string two_groups =
      "[compositor.c]\nuse = \"ensemble-chain\"\nslots = 6\nschedule = "
      "\"two-groups\"\n";
  CHECK(refusal(bowl + estimator("lbfgs") + kernel("nuts") + two_groups) == "accepted");
  CHECK(refusal(bowl + kernel("metropolis-gaussian") + "mean = \"slot\"\n" + two_groups) ==
        "accepted");
  CHECK(refusal(bowl + kernel("hamiltonian") +
                "ratio = \"target\"\n[oracle.o]\nuse = \"surrogate\"\nfit_to = \"memory\"\n" +
                two_groups) == "accepted");
}

TEST_CASE("a memory of a single point, which makes no pair, is refused too") {
  const std::string few = "[compositor.c]\nuse = \"ensemble-chain\"\nslots = ";
  const std::string rest = bowl + estimator("lbfgs") + kernel("hamiltonian");
  const std::string message = refusal(rest + few + "2\n");
  INFO(message);
  CHECK(contains(message, "the memory of kernel `x0/k` has only 1"));
  CHECK(contains(message, "Use more slots, or a longer history"));
  CHECK(contains(refusal(rest + few + "3\nschedule = \"two-groups\"\n"), "Use more slots"));
  CHECK(refusal(rest + few + "3\n") == "accepted");
  CHECK(refusal(bowl + estimator("lbfgs") + kernel("metropolis-gaussian") + few + "2\n") ==
        "accepted");  // the other slot's point, and its own
}

namespace {

/// Needs three points, whatever it makes of them.
class ThreePoints final : public FittedPreconditioner {
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
  CHECK_THROWS_WITH(refuses("2"), Catch::Contains("a memory with at least 3 points"));
  CHECK_NOTHROW(refuses("3"));
}

TEST_CASE("every registered estimator that is fitted is refused without a memory") {
  std::int64_t seen = 0;
  for (const Entry& entry : composing::registry().entries()) {
    if (entry.kind != Kind::estimator || !is_fitted(entry)) continue;
    const std::string message =
        refusal(bowl + estimator(entry.description.id) + kernel("hamiltonian"));
    INFO(entry.description.id << "\n" << message);
    CHECK(contains(message, ", but kernel `k` has no memory. Without"));
    ++seen;
  }
  CHECK(seen >= 3);
}
