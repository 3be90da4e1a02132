// Every registered component against the contract of its interface, and mutants against them.
// SPDX-License-Identifier: Apache-2.0
#include "composing.hpp"
#include "unit/support.hpp"

#include <mixwell/contracts/integrator.hpp>
#include <mixwell/contracts/preconditioner.hpp>
#include <mixwell/contracts/sampler.hpp>

#include <catch2/catch.hpp>

#include <algorithm>
#include <string>
#include <vector>

using namespace mixwell;
using contracts::all_hold;
using contracts::report;

namespace {

template <class T>
std::shared_ptr<const T> made_with_defaults(const Entry& entry) {
  return std::dynamic_pointer_cast<const T>(
      std::shared_ptr<const Component>(entry.blueprint()->make()));
}

bool is_wrong(const Entry& entry) {
  return entry.library.find("/tests/wrong/") != std::string::npos;
}

bool broken(const contracts::Findings& findings, const std::string& clause) {
  return std::any_of(findings.begin(), findings.end(), [&](const contracts::Finding& f) {
    return !f.holds && f.clause.rfind(clause, 0) == 0;
  });
}

bool wants_file(const Entry& entry) {
  const auto blueprint = entry.blueprint();
  const auto& fields = blueprint->fields().all();
  return std::any_of(fields.begin(), fields.end(),
                     [](const Field& field) { return field.is_file() && field.is_required(); });
}

/// CSV texts in the dimension of check_estimator: a diagonal, and a matrix.
std::vector<std::string> preconditioners_of_six() {
  std::vector<std::string> texts = {"1,2,0.25,1e-4,7,30\n", ""};
  for (int i = 0; i < 6; ++i) {
    for (int j = 0; j < 6; ++j) {
      texts[1] += (j == 0 ? "" : ",") + std::to_string(i == j ? 2.0 + i : 1.0 / (1 + i + j));
    }
    texts[1] += "\n";
  }
  return texts;
}

const char* gaussian = "[model.g]\nuse = \"gaussian\"\ndimension = 3\n";

Composition with(const std::string& kernel, const std::string& run = "") {
  return composing::compose("[run]\nreplicates = 21\n" + run + gaussian + "[kernel.k]\n" + kernel);
}

}  // namespace

namespace {

/// An estimator of preconditioners, as it should be.
bool is_preconditioner(const Entry& entry) {
  return entry.kind == Kind::estimator && entry.description.purpose.empty() && !is_wrong(entry);
}

}  // namespace

TEST_CASE("every integrator keeps the contract of its traits") {
  for (const Entry& entry : composing::registry().entries()) {
    if (entry.kind != Kind::integrator || is_wrong(entry)) continue;
    const auto findings = contracts::check_integrator(*made_with_defaults<Integrator>(entry));
    INFO(entry.description.id << "\n" << report(findings));
    CHECK(all_hold(findings));
  }
}

TEST_CASE("an integrator that asks for the noise of the gradient keeps its contract") {
  for (const char* const from : {"fixed", "empirical-diagonal", "empirical-full"}) {
    const Composition composition = composing::compose(
        std::string(gaussian) +
        "[oracle.o]\nuse = \"noisy\"\n[integrator.i]\nuse = "
        "\"euler-maruyama-friction\"\nnoise_from "
        "= \"" +
        from +
        "\"\n[kernel.k]\nuse = \"hamiltonian\"\nmetropolis = false\nsteps = 5\nstep_size = 0.1\n");
    int seen = 0;
    for (const auto& component : composition.components) {
      const auto* const integrator = dynamic_cast<const Integrator*>(component.get());
      if (integrator == nullptr) continue;
      const auto findings = contracts::check_integrator(*integrator);
      INFO(from << "\n" << report(findings));
      CHECK(all_hold(findings));
      ++seen;
    }
    CHECK(seen == 1);
  }
}

TEST_CASE("an integrator that forgets a half-step breaks reversibility and order") {
  const Entry& entry = composing::registry().find(Kind::integrator, "wrong-leapfrog");
  const auto findings = contracts::check_integrator(*made_with_defaults<Integrator>(entry));
  INFO(report(findings));
  CHECK(broken(findings, "involution"));
  CHECK(broken(findings, "order"));
}

TEST_CASE("every estimator keeps the contract of estimators and preconditioners") {
  for (const Entry& entry : composing::registry().entries()) {
    if (!is_preconditioner(entry) || wants_file(entry)) continue;
    const auto findings = contracts::check_estimator(*made_with_defaults<Estimator>(entry));
    INFO(entry.description.id << "\n" << report(findings));
    CHECK(all_hold(findings));
  }
}

TEST_CASE(
    "every estimator that reads a file keeps the contract of estimators and preconditioners") {
  const support::TemporaryFolder folder;
  int count = 0;
  for (const Entry& entry : composing::registry().entries()) {
    if (entry.kind != Kind::estimator || is_wrong(entry) || !wants_file(entry)) continue;
    ++count;
    for (const std::string& text : preconditioners_of_six()) {
      const auto blueprint = entry.blueprint();
      *std::get<std::string*>(blueprint->fields().find("file")->target()) =
          folder.file("curvature.csv", text);
      const std::shared_ptr<const Component> made = blueprint->make();
      const auto findings =
          contracts::check_estimator(*std::dynamic_pointer_cast<const Estimator>(made));
      INFO(entry.description.id << "\n" << text << report(findings));
      CHECK(all_hold(findings));
    }
  }
  CHECK(count == 1);
}

TEST_CASE("quasi-Newton estimators obey the secant equations and sample their covariances") {
  for (const char* id : {"bfgs", "lbfgs", "product-form"}) {
    const Entry& entry = composing::registry().find(Kind::estimator, id);
    const auto findings =
        contracts::check_quasi_newton(*made_with_defaults<FittedPreconditioner>(entry));
    INFO(id << "\n" << report(findings));
    CHECK(all_hold(findings));
  }
}

namespace {

/// The integrator `leapfrog`.
std::shared_ptr<const Integrator> leapfrog() {
  return made_with_defaults<Integrator>(composing::registry().find(Kind::integrator, "leapfrog"));
}

/// H where S and S' belong.
class MisprintedFactor final : public Representation {
 public:
  explicit MisprintedFactor(std::shared_ptr<const Representation> of) : of_(std::move(of)) {}
  void H(const Numbers& n, ConstBatch v, Batch out, Workspace& w) const override {
    of_->H(n, v, out, w);
  }
  void B(const Numbers& n, ConstBatch v, Batch out, Workspace& w) const override {
    of_->B(n, v, out, w);
  }
  void S(const Numbers& n, ConstBatch z, Batch out, Workspace& w) const override {
    of_->H(n, z, out, w);
  }
  void St(const Numbers& n, ConstBatch v, Batch out, Workspace& w) const override {
    of_->H(n, v, out, w);
  }
  void C(const Numbers& n, ConstBatch z, Batch out, Workspace& w) const override {
    of_->C(n, z, out, w);
  }
  void log_det_H(const Numbers& n, Index d, Row out, Workspace& w) const override {
    of_->log_det_H(n, d, out, w);
  }

 private:
  std::shared_ptr<const Representation> of_;
};

/// Other estimators with misprinted representations.
class MisprintedConstant final : public ConstantPreconditioner {
 public:
  explicit MisprintedConstant(const Estimator& of)
      : how_(std::make_shared<MisprintedFactor>(of.representation())) {}
  std::shared_ptr<const Representation> representation() const override { return how_; }

 private:
  std::shared_ptr<const Representation> how_;
};

class MisprintedFit final : public FittedPreconditioner {
 public:
  explicit MisprintedFit(std::shared_ptr<const FittedPreconditioner> of)
      : of_(std::move(of)), how_(std::make_shared<MisprintedFactor>(of_->representation())) {}
  Traits traits() const override { return of_->traits(); }
  std::shared_ptr<const Representation> representation() const override { return how_; }
  Index rows(Index d, Index points) const override { return of_->rows(d, points); }
  void fit(const Memory& memory, Batch numbers, Workspace& scratch) const override {
    of_->fit(memory, numbers, scratch);
  }

 private:
  std::shared_ptr<const FittedPreconditioner> of_;
  std::shared_ptr<const Representation> how_;
};

class MisprintedLearner final : public LearntPreconditioner {
 public:
  explicit MisprintedLearner(std::shared_ptr<const LearntPreconditioner> of)
      : of_(std::move(of)), how_(std::make_shared<MisprintedFactor>(of_->representation())) {}
  std::shared_ptr<const Representation> representation() const override { return how_; }
  Forgets forgets() const noexcept override { return of_->forgets(); }
  Scope scope() const noexcept override { return of_->scope(); }
  Eigen::VectorXd initial(Index d) const override { return of_->initial(d); }
  std::vector<Index> shape(Index d) const override { return of_->shape(d); }
  void observe(Batch state, ConstBatch theta) const override { of_->observe(state, theta); }
  void close_window(Batch state, Index d, Workspace& scratch) const override {
    of_->close_window(state, d, scratch);
  }

 private:
  std::shared_ptr<const LearntPreconditioner> of_;
  std::shared_ptr<const Representation> how_;
};

std::shared_ptr<const Estimator> misprinted(const std::shared_ptr<const Estimator>& of) {
  if (auto fitted = std::dynamic_pointer_cast<const FittedPreconditioner>(of)) {
    return std::make_shared<MisprintedFit>(std::move(fitted));
  }
  if (auto learnt = std::dynamic_pointer_cast<const LearntPreconditioner>(of)) {
    return std::make_shared<MisprintedLearner>(std::move(learnt));
  }
  return std::make_shared<MisprintedConstant>(*of);
}

}  // namespace

namespace {

/// Another estimator with a multiple of its Gamma.
class MisprintedGamma final : public OwnPreconditioner {
 public:
  MisprintedGamma(std::shared_ptr<const OwnPreconditioner> of, double factor)
      : of_(std::move(of)), factor_(factor) {}
  Traits traits() const override { return of_->traits(); }
  std::shared_ptr<const Representation> representation() const override {
    return of_->representation();
  }
  Index rows(Index d) const override { return of_->rows(d); }
  Index state_rows(Index d) const noexcept override { return of_->state_rows(d); }
  bool sees_present() const noexcept override { return of_->sees_present(); }
  void observe(const Here& here, Batch state) const override { of_->observe(here, state); }
  void fit(const Potential& target, ConstBatch theta, ConstBatch state, Batch numbers,
           Workspace& scratch) const override {
    of_->fit(target, theta, state, numbers, scratch);
  }
  bool has_drift_correction() const noexcept override { return true; }
  Traits drift_correction_traits() const override { return of_->drift_correction_traits(); }
  void drift_correction(const Potential& target, ConstBatch theta, ConstBatch state,
                        ConstBatch numbers, Batch out, Workspace& scratch) const override {
    of_->drift_correction(target, theta, state, numbers, out, scratch);
    out *= factor_;
  }

 private:
  std::shared_ptr<const OwnPreconditioner> of_;
  double factor_;
};

}  // namespace

TEST_CASE("a Gamma of the wrong sign or size breaks the clause of drift corrections", "[slow]") {
  int count = 0;
  for (const Entry& entry : composing::registry().entries()) {
    if (!is_preconditioner(entry) || wants_file(entry)) continue;
    const auto own =
        std::dynamic_pointer_cast<const OwnPreconditioner>(made_with_defaults<Estimator>(entry));
    if (own == nullptr) continue;
    ++count;
    for (const double factor : {-1.0, 0.0, 0.999, 2.0}) {
      INFO(entry.description.id << ", Gamma times " << factor);
      const auto findings = contracts::check_estimator(MisprintedGamma(own, factor));
      CHECK(broken(findings, "Gamma matches H"));
    }
  }
  CHECK(count == 3);
}

TEST_CASE("a bound that is not there breaks the clause of bounds") {
  for (const char* id : {"wrong-secant", "wrong-drift-correction"}) {
    const Entry& entry = composing::registry().find(Kind::estimator, id);
    const auto blueprint = entry.blueprint();
    *std::get<std::string*>(blueprint->fields().find("mistake")->target()) = "bound";
    const std::shared_ptr<const Component> made = blueprint->make();
    CHECK(broken(contracts::check_estimator(*std::dynamic_pointer_cast<const Estimator>(made)),
                 "bounded where"));
    CHECK_FALSE(
        broken(contracts::check_estimator(*made_with_defaults<Estimator>(entry)), "bounded"));
  }
}

TEST_CASE("a preconditioner that jumps breaks the clause of continuity") {
  const Entry& entry = composing::registry().find(Kind::estimator, "wrong-drift-correction");
  const auto blueprint = entry.blueprint();
  *std::get<std::string*>(blueprint->fields().find("mistake")->target()) = "jump";
  const std::shared_ptr<const Component> made = blueprint->make();
  const auto findings =
      contracts::check_estimator(*std::dynamic_pointer_cast<const Estimator>(made));
  INFO(report(findings));
  CHECK(broken(findings, "H is continuous"));
  CHECK_FALSE(broken(findings, "Gamma matches H"));
}

TEST_CASE("limits on the spectrum are the bound that quasi-Newton estimators declare") {
  for (const char* id : {"bfgs", "lbfgs", "product-form"}) {
    INFO(id);
    const Entry& entry = composing::registry().find(Kind::estimator, id);
    CHECK(made_with_defaults<FittedPreconditioner>(entry)->traits().bound == Bound::unknown);
    const auto blueprint = entry.blueprint();
    *std::get<std::optional<Interval>*>(blueprint->fields().find("eigenvalues")->target()) =
        Interval(0.1, 10.0);
    const auto limited = std::dynamic_pointer_cast<const FittedPreconditioner>(
        std::shared_ptr<const Component>(blueprint->make()));
    CHECK(limited->traits().bound == Bound::global);
    const auto findings = contracts::check_estimator(*limited);
    INFO(report(findings));
    CHECK(all_hold(findings));
  }
}

TEST_CASE("coupling factor is the kernel of coupling mass in other coordinates") {
  int count = 0;
  for (const Entry& entry : composing::registry().entries()) {
    if (!is_preconditioner(entry) || wants_file(entry)) continue;
    const auto estimator = made_with_defaults<Estimator>(entry);
    if (dynamic_cast<const OwnPreconditioner*>(estimator.get()) != nullptr)
      continue;  // no flow takes it
    const auto findings = contracts::check_couplings(*estimator, *leapfrog());
    INFO(entry.description.id << "\n" << report(findings));
    CHECK(all_hold(findings));
    if (estimator->representation()->is_identity()) continue;
    ++count;
    const auto wrong = contracts::check_couplings(*misprinted(estimator), *leapfrog());
    INFO(report(wrong));
    CHECK(broken(wrong, "with couplings `factor` and `mass`, trajectories end at the same point"));
    CHECK(broken(wrong, "the momentum with coupling `factor`"));
    CHECK(broken(wrong, "with couplings `factor` and `mass`, the energy errors are equal"));
  }
  CHECK(count >= 5);
}

/// Kernels that ask something of their model move a part of one that offers it.
Composition with_kernel(const std::string& id) {
  const auto block = [&](const std::string& model, const std::string& own, const std::string& rest,
                         const std::string& others) {
    return composing::compose(
        "[run]\nseed = 5\nreplicates = 40\nwarmup = 10\ndraws = 20\n[model.m]\n" + model +
        "[kernel.k]\nuse = \"" + id + "\"\n[kernel.rest]\nuse = \"" + rest +
        "\"\n[compositor.c]\nuse = \"blocks\"\n[[compositor.c.update]]\nparameters = " + own +
        "\nkernel = \"k\"\n[[compositor.c.update]]\nparameters = " + others +
        "\nkernel = \"rest\"\n");
  };
  if (id == "conditional" || id == "gibbs") {
    return block("use = \"changepoint\"\ncounts = [4, 5, 2, 1, 0]\n", "[\"k\"]", "conditional",
                 "[\"before\", \"after\"]");
  }
  if (id == "elliptical-slice" || id == "pcn") {
    return block("use = \"normal-groups\"\nvalues = [2, 1, 0]\nsds = [1, 1, 1]\n", "[\"theta\"]",
                 "random-walk-metropolis", "[\"mu\", \"tau\"]");
  }
  if (id == "prior-metropolis") {
    return block("use = \"stable-factorisation\"\nalpha = [1.5]\nranks = [1]\ndata = \"" +
                     std::string(MIXWELL_SOURCE_DIR) + "/papers/hamcmc/examples/mixture.csv\"\n",
                 "[\"angle\", \"energy\"]", "random-walk-metropolis",
                 "[\"row_factors\", \"column_factors\"]");
  }
  if (id == "delayed-acceptance") {
    return with("use = \"" + id +
                "\"\nkernels = [\"stage\"]\noracle = \"flat\"\n"
                "[kernel.stage]\nuse = \"random-walk-metropolis\"\noracle = \"exact\"\n"
                "[oracle.flat]\nuse = \"tempered\"\n[oracle.exact]\nuse = \"exact\"\n"
                "[compositor.c]\nuse = \"chain\"\nkernel = \"k\"\n");
  }
  if (id == "subsampled-metropolis") {
    return composing::compose(
        "[run]\nseed = 5\nreplicates = 40\nwarmup = 10\ndraws = 20\n[model.m]\nuse = "
        "\"linear-gaussian\"\ndimension = 3\ncases = 100\n[kernel.k]\nuse = "
        "\"subsampled-metropolis\"\nscale = 0.1\nsize = 30\n");
  }
  if (id == "fisher-scoring") {
    return composing::compose(
        "[run]\nseed = 5\nreplicates = 40\nwarmup = 20\ndraws = 20\n[model.m]\nuse = "
        "\"linear-gaussian\"\ndimension = 3\ncases = 40\n[oracle.o]\nuse = \"minibatch\"\nsize = "
        "10\n[kernel.k]\nuse = \"fisher-scoring\"\nstep_size = 0.01\n");
  }
  if (id == "blocks") {
    return with(
        "use = \"blocks\"\n[[kernel.k.update]]\nparameters = [\"x[0]\"]\nkernel = \"walk\"\n"
        "[[kernel.k.update]]\nparameters = [\"x[1:]\"]\nkernel = \"walk\"\n"
        "[kernel.walk]\nuse = \"random-walk-metropolis\"\n[compositor.c]\nuse = \"chain\"\n"
        "kernel = \"k\"\n");
  }
  return with("use = \"" + id + "\"\n");
}

TEST_CASE("every built-in kernel keeps the contract of compositions") {
  for (const Entry& entry : composing::registry().entries()) {
    if (entry.kind != Kind::kernel || is_wrong(entry)) continue;
    const auto findings = contracts::check_sampler(with_kernel(entry.description.id));
    INFO(entry.description.id << "\n" << report(findings));
    CHECK(all_hold(findings));
  }
}

TEST_CASE("Hamiltonian variants keep the contract of compositions") {
  for (const char* variant :
       {"steps = 10\ntarget_acceptance = 0.8\n",
        "steps = 10\ntarget_acceptance = 0.8\npool = true\n",
        "steps_jitter = [1, 9]\nstep_size_jitter = [0.5, 1.5]\n",
        "steps = 10\nmetropolis = false\n", "target_acceptance = 0.7\nsteps_jitter = [2, 5]\n"}) {
    const auto findings =
        contracts::check_sampler(with("use = \"hamiltonian\"\n" + std::string(variant)));
    INFO(variant << report(findings));
    CHECK(all_hold(findings));
  }
}

TEST_CASE("learnt preconditioner keeps the contract of compositions, in and between its windows") {
  for (const char* estimator : {"diagonal", "dense"}) {
    for (const char* pool : {"pool = false\n", "pool = true\n"}) {
      for (const char* kernel :
           {"use = \"nuts\"\n", "use = \"nuts\"\npool = true\n",
            "use = \"hamiltonian\"\ntarget_acceptance = 0.8\nsteps_jitter = [1, 9]\n",
            "use = \"random-walk-metropolis\"\ntarget_acceptance = 0.3\n"}) {
        const auto findings = contracts::check_sampler(
            with(std::string(kernel) + "[estimator.e]\nuse = \"" + estimator + "\"\n" + pool,
                 "warmup = 20\n"));
        INFO(estimator << " " << pool << kernel << report(findings));
        CHECK(all_hold(findings));
      }
    }
  }
}

TEST_CASE("ensembles that fit their preconditioner keep the contract of compositions", "[slow]") {
  for (const char* estimator : {"bfgs", "lbfgs", "product-form"}) {
    for (const char* schedule : {"sequential", "two-groups"}) {
      for (const char* kernel :
           {"use = \"hamiltonian\"\nsteps_jitter = [1, 5]\n",
            "use = \"hamiltonian\"\ncoupling = \"factor\"\ntarget_acceptance = 0.8\n",
            "use = \"nuts\"\n"}) {
        const auto findings = contracts::check_sampler(
            with(std::string(kernel) + "[estimator.e]\nuse = \"" + estimator +
                     "\"\n[compositor.c]\nuse = \"ensemble-chain\"\nslots = 6\nschedule = \"" +
                     schedule + "\"\n",
                 "warmup = 20\n"));
        INFO(estimator << " " << schedule << "\n" << kernel << report(findings));
        CHECK(all_hold(findings));
      }
    }
  }
}

TEST_CASE("preconditioner from a file keeps the contract of compositions") {
  const support::TemporaryFolder folder;
  for (const char* text : {"2,0.5,3\n", "2,0.5,0\n0.5,1,0\n0,0,3\n"}) {
    for (const char* coupling : {"mass", "factor"}) {
      const auto findings = contracts::check_sampler(
          with("use = \"hamiltonian\"\nsteps = 10\ncoupling = \"" + std::string(coupling) +
               "\"\n[estimator.e]\nuse = \"curvature-file\"\nfile = \"" +
               folder.file("curvature.csv", text) + "\"\n"));
      INFO(text << coupling << report(findings));
      CHECK(all_hold(findings));
    }
  }
}

TEST_CASE("Gaussian proposals keep the contract of compositions, alone and in ensembles") {
  const std::string kernel = "use = \"metropolis-gaussian\"\n";
  const std::string ensemble = "[compositor.c]\nuse = \"ensemble-chain\"\nslots = 4\n";
  for (const std::string& variant :
       {kernel + "target_acceptance = 0.6\n[estimator.e]\nuse = \"dense\"\npool = true\n",
        kernel + "step_size_jitter = [0.5, 1]\n[estimator.e]\nuse = \"bfgs\"\n" + ensemble,
        kernel + "own = false\nmean = \"slot\"\n[estimator.e]\nuse = \"lbfgs\"\n" + ensemble +
            "schedule = \"two-groups\"\n",
        kernel + "[kernel.walk]\nuse = \"random-walk-metropolis\"\n[estimator.e]\nuse = "
                 "\"dense\"\n[compositor.c]\nuse = \"mixture\"\n"}) {
    const auto findings = contracts::check_sampler(with(variant, "warmup = 20\n"));
    INFO(variant << report(findings));
    CHECK(all_hold(findings));
  }
}

TEST_CASE("metrics as masses keep the contract of compositions") {
  for (const char* variant :
       {"use = \"riemannian\"\ntarget_acceptance = 0.8\n",
        "use = \"riemannian\"\nsteps_jitter = [1, 9]\nstep_size_jitter = [0.5, 1.5]\n",
        "use = \"riemannian\"\n[kernel.walk]\nuse = \"random-walk-metropolis\"\n[compositor.c]\n"
        "use = \"mixture\"\n"}) {
    for (const char* model : {gaussian, "[model.q]\nuse = \"quartic\"\ndimension = 2\n"}) {
      const auto findings = contracts::check_sampler(composing::compose(
          "[run]\nreplicates = 21\nwarmup = 20\n" + std::string(model) + "[kernel.k]\n" + variant));
      INFO(variant << model << report(findings));
      CHECK(all_hold(findings));
    }
  }
}

TEST_CASE("cycles and mixtures keep the contract of compositions") {
  for (const char* compositor :
       {"use = \"cycle\"\n", "use = \"cycle\"\nkernels = [\"k\", \"walk\", \"k\"]\n",
        "use = \"mixture\"\n", "use = \"mixture\"\nweights = [1, 9]\n"}) {
    const auto findings = contracts::check_sampler(
        with("use = \"nuts\"\n[kernel.walk]\nuse = \"random-walk-metropolis\"\n"
             "target_acceptance = 0.3\n[estimator.e]\nuse = \"dense\"\n[compositor.c]\n" +
                 std::string(compositor),
             "warmup = 20\n"));
    INFO(compositor << report(findings));
    CHECK(all_hold(findings));
  }
}

TEST_CASE("a step size that a mixture would learn from all replicates is refused") {
  const Composition composition = with(
      "use = \"nuts\"\npool = true\n[kernel.walk]\nuse = \"random-walk-metropolis\"\n"
      "[compositor.c]\nuse = \"mixture\"\n");
  CHECK_THROWS_WITH(contracts::check_sampler(composition), Catch::Contains("Set pool = false"));
}

TEST_CASE("blocks that are not full keep the contract of compositions") {
  for (const char* run : {"block_width = 16\n", "block_width = 64\n"}) {
    const auto findings =
        contracts::check_sampler(with("use = \"hamiltonian\"\nsteps_jitter = [1, 9]\n", run));
    INFO(run << report(findings));
    CHECK(all_hold(findings));
  }
}
