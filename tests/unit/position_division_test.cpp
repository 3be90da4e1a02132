// Coordinates divided among ranks: the density of the whole, the bits of one process, and what may
// not be divided.
// SPDX-License-Identifier: Apache-2.0
#include "graph/row_runs.hpp"
#include "sampler/joint_run.hpp"
#include "support.hpp"
#include "thread_ranks.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

using namespace mixwell;
using support::on_ranks;
using support::sampler_of;
using support::TemporaryFolder;
using support::ThreadRanks;
using support::World;

namespace {

constexpr int users = 13;
constexpr int items = 9;

/// Two ratings in three; user 7 has none of item 2 or 5.
std::string ratings_text() {
  std::string text;
  for (int i = 1; i <= users; ++i)
    for (int j = 1; j <= items; ++j)
      if ((5 * i + 7 * j) % 3 != 0)
        text += fmt::format("{}::{}::{}\n", i, j, 3.0 + std::round(2.0 * std::sin(i * j)));
  return text;
}

struct Parts {
  std::string run{};
  std::string model{};
  std::string oracle = "use = \"strata\"\nstrata = 4\n";
  std::string estimator{};
  std::string kernel = "use = \"langevin\"\nstep_size = 1e-3\n";
  std::string compositor = "use = \"chain\"\n";
};

class Case {
 public:
  explicit Case(Parts parts = {})
      : parts_(std::move(parts)), data_(folder_.file("ratings.dat", ratings_text())) {}

  std::string manifest(const std::string& ranks) const {
    return "mixwell = 1\n[run]\nreplicates = 3\nwarmup = 3\ndraws = 6\nthin = 2\nallow = "
           "[\"biased\"]\n" +
           parts_.run + "ranks = \"" + ranks +
           "\"\n[model.ratings]\nuse = \"matrix-factorisation\"\ndata = \"" + data_ +
           "\"\nrank = 3\nbiases = false\nprior = \"fixed\"\nprecision = 2\nfolds = 10\n" +
           parts_.model + "[oracle.some]\n" + parts_.oracle +
           (parts_.estimator.empty() ? "" : "[estimator.curvature]\n" + parts_.estimator) +
           "[kernel.k]\n" + parts_.kernel + "[compositor.main]\n" + parts_.compositor;
  }
  /// One thread after another, as plugins are found and loaded on the way.
  Composition composed(const std::string& ranks, Ranks* among = nullptr) const {
    static std::mutex one_at_a_time;
    const std::lock_guard<std::mutex> turn(one_at_a_time);
    return parse_manifest(manifest(ranks), "test.toml", support::registry(), {}, among);
  }

 private:
  Parts parts_;
  TemporaryFolder folder_;
  std::string data_;
};

using Draws = std::vector<std::vector<double>>;

/// With a state that is saved and read back on the way.
Draws drawn_by(Sampler& sampler) {
  DrawBuffers draws;
  sampler.advance(PhaseKind::warmup, 2);
  StateWriter state;
  sampler.visit_state(state);
  sampler.advance(PhaseKind::warmup, 1);
  StateReader reader(state.bytes());
  sampler.visit_state(reader);
  sampler.advance(PhaseKind::warmup, 1);
  DrawBuffers none;
  sampler.advance(PhaseKind::sampling, 1, &none);  // a draw is every second sweep
  CHECK(none.draws == 0);
  sampler.advance(PhaseKind::sampling, 11, &draws);
  return draws.data;
}

Draws drawn_alone(const Case& of, const std::string& ranks = "coordinates") {
  const Composition composition = of.composed(ranks);
  const auto sampler = sampler_of(composition);
  sampler->initialise();
  return drawn_by(*sampler);
}

template <class Kind = ThreadRanks>
Draws drawn_by_ranks(const Case& of, int count) {
  World world(count);
  Draws found;
  on_ranks(count, [&](int rank) {
    Kind ranks(world, rank);
    const Composition composition = of.composed("coordinates", &ranks);
    JointRun joint(ranks, nullptr);
    with_threads(1, [&] {
      if (rank != 0) return joint.follow([&] { return sampler_of(composition, &joint); });
      std::unique_ptr<Sampler> sampler;
      joint.make_samplers([&] { sampler = sampler_of(composition, &joint); });
      sampler->initialise();
      found = drawn_by(*sampler);
    });
  });
  return found;
}

double largest_difference(const Draws& a, const Draws& b) {
  REQUIRE(a.size() == b.size());
  double most = 0.0;
  for (std::size_t r = 0; r < a.size(); ++r) {
    REQUIRE(a[r].size() == b[r].size());
    for (std::size_t k = 0; k < a[r].size(); ++k)
      most = std::max(most, std::abs(a[r][k] - b[r][k]));
  }
  return most;
}

/// A potential of points that far away is not a number.
bool same_or_both_nan(const Draws& a, const Draws& b) {
  const auto same = [](double x, double y) { return x == y || (std::isnan(x) && std::isnan(y)); };
  return std::ranges::equal(a, b, [&](const std::vector<double>& x, const std::vector<double>& y) {
    return std::ranges::equal(x, y, same);
  });
}

/// Whether all recorded positions, which are the longest buffer, equal those of the first draw.
bool first_position_stays(const Draws& draws) {
  const std::vector<double>& positions =
      *std::ranges::max_element(draws, {}, &std::vector<double>::size);
  const std::ptrdiff_t a_draw = std::ssize(positions) / 6;
  return std::equal(positions.begin() + a_draw, positions.end(), positions.begin());
}

std::string refusal_of(const Case& of) {
  try {
    of.composed("coordinates");
    return "accepted";
  } catch (const InputError& error) {
    return error.what();
  }
}

const Parts psgld{.estimator =
                      "use = \"rms-diagonal\"\nalpha = 0.9\nlambda = 1\ngamma = \"none\"\n"};
const std::string lbfgs = "use = \"lbfgs\"\ngamma = 0.1\nregularisation = 10\n";
const Parts displacements{
    .estimator = lbfgs, .compositor = "use = \"lagged\"\nslots = 3\nmemory = \"displacements\"\n"};
const Parts cross{.estimator = lbfgs,
                  .compositor = "use = \"lagged\"\nslots = 3\nmemory = \"cross\"\n"};

/// Wrong: blocks of one rank's users and another's arrive in each other's place.
class SwappingRanks final : public ThreadRanks {
 public:
  using ThreadRanks::ThreadRanks;
  void exchange(const std::vector<Outgoing>& out, const std::vector<Incoming>& in) override {
    std::vector<Incoming> turned = in;
    if (in.size() > 1 && in[0].bytes == in[1].bytes) std::swap(turned[0].data, turned[1].data);
    ThreadRanks::exchange(out, turned);
  }
};

/// Wrong: inner products are of this rank's rows.
class DeafRanks final : public ThreadRanks {
 public:
  using ThreadRanks::ThreadRanks;
  void share(void* data, const std::vector<std::size_t>& ends) override {
    std::vector<char> ignored(static_cast<const char*>(data),
                              static_cast<const char*>(data) + ends.back());
    ThreadRanks::share(ignored.data(), ends);
  }
};

}  // namespace

TEST_CASE("a block has the owner in whose range it is") {
  for (const int ranks : {1, 2, 3, 5, 8}) {
    World world(ranks);
    ThreadRanks first(world, 0);
    const Portions processes(&first);
    for (const Index blocks : {8, 9, 13}) {
      for (Index b = 0; b < blocks; ++b) {
        const int owner = processes.owner(b, blocks);
        CHECK(processes.first_block(owner, blocks) <= b);
        CHECK(b < processes.first_block(owner + 1, blocks));
      }
    }
  }
}

TEST_CASE("numbers of a stream can be drawn from any even row on") {
  const Stream stream(3, "rows");
  Eigen::MatrixXd all(31, 4);
  Eigen::MatrixXd uniforms(31, 4);
  stream.normals({5, 1, 2}, all);
  stream.uniforms({5, 1, 2}, uniforms);
  for (const Index first : {0, 2, 16, 30}) {
    for (const Index count : {Index{1}, 31 - first}) {
      Eigen::MatrixXd some(count, 4);
      stream.normals({5, 1, 2, static_cast<std::uint64_t>(first)}, some);
      CHECK(some == all.middleRows(first, count));
      stream.uniforms({5, 1, 2, static_cast<std::uint64_t>(first)}, some);
      CHECK(some == uniforms.middleRows(first, count));
    }
  }
  Eigen::MatrixXd one(1, 1);
  CHECK_THROWS_AS(stream.normals({0, 0, 0, 1}, one), std::out_of_range);
  CHECK_THROWS_AS(stream.normals({0, 0, 0, std::uint64_t{1} << 37}, one), std::out_of_range);
}

TEST_CASE("a portion that is all of a factorisation has its law") {
  const Case of;
  const auto whole = of.composed("replicates").model();
  const Composition divided = of.composed("coordinates");
  const auto portion = divided.model();
  REQUIRE(portion->offers<PortionOfModel>() != nullptr);
  REQUIRE(portion->dimension() == whole->dimension());
  CHECK(coordinate_names(whole_of(*portion).parameters()) == coordinate_names(whole->parameters()));
  const Eigen::MatrixXd theta = Eigen::MatrixXd::NullaryExpr(
      whole->dimension(), 2, [](Index i, Index j) { return std::sin(double(1 + i + 5 * j)); });
  const RowRuns rows(portion->offers<PortionOfModel>()->coordinates);
  Eigen::MatrixXd own(theta.rows(), theta.cols());
  rows.take(theta, own);
  const support::Evaluated wanted = support::evaluate(*whole, theta);
  const support::Evaluated found = support::evaluate(*portion, own);
  Eigen::MatrixXd g(theta.rows(), theta.cols());
  rows.put(found.g, g);
  CHECK((found.u - wanted.u).norm() < 1e-12 * wanted.u.norm());
  CHECK((g - wanted.g).norm() < 1e-12 * wanted.g.norm());

  const SumOfTerms& sum = *whole->offers<SumOfTerms>();
  REQUIRE(portion->offers<SumOfTerms>()->terms() == sum.terms());
  for (Index n = 0; n < sum.terms(); ++n)
    CHECK(portion->offers<SumOfTerms>()->stratum(n, 4) == sum.stratum(n, 4));
  Workspace scratch;
  const Eigen::MatrixXd indices = Eigen::MatrixXd::NullaryExpr(
      11, 2, [&](Index k, Index j) { return double((7 * k + 3 * j) % sum.terms()); });
  Eigen::RowVectorXd u(2);
  Eigen::RowVectorXd same(2);
  sum.evaluate_terms(theta, indices, {u.data(), g, scratch});
  Eigen::MatrixXd own_g(theta.rows(), theta.cols());
  portion->offers<SumOfTerms>()->evaluate_terms(own, indices, {same.data(), own_g, scratch});
  CHECK((same - u).norm() < 1e-12 * u.norm());
  Eigen::MatrixXd back(theta.rows(), theta.cols());
  rows.put(own_g, back);
  CHECK((back - g).norm() < 1e-12 * g.norm());
  portion->offers<SumOfTerms>()->evaluate_terms(
      own, indices, Evaluation::of_potential(same.data(), own, scratch));
  CHECK((same - u).norm() < 1e-12 * u.norm());
}

TEST_CASE(
    "ranks that divide coordinates draw what one process draws, and that is what is drawn "
    "without") {
  const Parts cyclic{.oracle = "use = \"strata\"\nstrata = 4\norder = \"cyclic\"\n"};
  const Parts full{.oracle = "use = \"exact\"\n"};
  for (const Parts& parts : {Parts{}, cyclic, full, psgld, displacements, cross}) {
    const Case of(parts);
    const Draws alone = drawn_alone(of);
    CHECK(largest_difference(alone, drawn_alone(of, "replicates")) < 1e-9);
    for (const int ranks : {2, 3, 4}) CHECK(drawn_by_ranks(of, ranks) == alone);
  }
}

TEST_CASE("blocks in each other's place, and inner products of one rank's rows, are seen") {
  const Case of(displacements);
  const Draws alone = drawn_alone(of);
  REQUIRE(drawn_by_ranks(of, 2) == alone);
  CHECK(drawn_by_ranks<DeafRanks>(of, 2) != alone);
  CHECK(drawn_by_ranks<SwappingRanks>(of, 2) != alone);
}

TEST_CASE("samplers with different divisions take turns in one thread with the bits of each") {
  const Case a(displacements);
  const Case b(psgld);
  const auto next = [](Sampler& sampler) {
    DrawBuffers draws;
    sampler.advance(PhaseKind::sampling, 2, &draws);
    return draws.data;
  };
  const auto in_turn = [&](const std::vector<std::unique_ptr<Sampler>>& samplers) {
    for (const auto& sampler : samplers) sampler->initialise();
    std::vector<std::vector<Draws>> found(samplers.size());
    for (int k = 0; k < 3; ++k)
      for (std::size_t s = 0; s < samplers.size(); ++s) found[s].push_back(next(*samplers[s]));
    return found;
  };
  const auto alone = [&](const Case& of, const std::string& ranks) {
    std::vector<std::unique_ptr<Sampler>> one;
    one.push_back(sampler_of(of.composed(ranks)));
    return in_turn(one).front();
  };
  World world(2);
  std::vector<std::vector<Draws>> found;
  on_ranks(2, [&](int rank) {
    ThreadRanks ranks(world, rank);
    const Composition divided = a.composed("coordinates", &ranks);
    JointRun joint(ranks, nullptr);
    if (rank != 0) return joint.follow([&] { return sampler_of(divided, &joint); });
    std::vector<std::unique_ptr<Sampler>> samplers(1);
    joint.make_samplers([&] { samplers.front() = sampler_of(divided, &joint); });
    samplers.push_back(sampler_of(b.composed("coordinates")));
    samplers.push_back(sampler_of(a.composed("replicates")));
    with_threads(1, [&] { found = in_turn(samplers); });
  });
  CHECK(found.at(0) == alone(a, "coordinates"));
  CHECK(found.at(1) == alone(b, "coordinates"));
  CHECK(found.at(2) == alone(a, "replicates"));
  CHECK(found.at(0) != found.at(2));  // their sums are formed otherwise
}

TEST_CASE("a transition that ends nowhere in one rank's rows is dropped in all") {
  Parts wild;
  wild.kernel = "use = \"langevin\"\nstep_size = 1e200\n";
  const Case of(wild);
  const Draws alone = drawn_alone(of);
  CHECK(first_position_stays(alone));
  CHECK(same_or_both_nan(drawn_by_ranks(of, 3), alone));
}

TEST_CASE("a saved state of other ranks is refused with their number") {
  const Case of;
  const Composition composition = of.composed("coordinates");
  const auto sampler = sampler_of(composition);
  sampler->initialise();
  StateWriter writer;
  std::uint64_t two = 2;
  writer.count("ranks", two);
  StateReader reader(writer.bytes());
  CHECK_THROWS_WITH(sampler->visit_state(reader),
                    Catch::Contains("was started with 2 ranks") &&
                        Catch::Contains("Continue the run with 2 ranks"));
}

TEST_CASE("what takes whole positions is refused where coordinates are divided") {
  CHECK(refusal_of(Case({.model = "blocks = 10\n"})).find("must be at most 9") !=
        std::string::npos);
  CHECK_THAT(
      refusal_of(Case({.kernel = "use = \"hamiltonian\"\nsteps = 2\nstep_size = 0.1\n"})),
      Catch::Contains("[integrator.leapfrog] needs the whole position with its current settings"));
  Parts limits = displacements;
  limits.estimator += "eigenvalues = [0.01, 1]\n";
  CHECK(refusal_of(Case(limits)).find("[estimator.curvature]") != std::string::npos);
  Parts gamma = psgld;
  gamma.estimator = "use = \"rms-diagonal\"\n";
  CHECK(refusal_of(Case(gamma)).find("[estimator.curvature]") != std::string::npos);
  const Case strata({.oracle = "use = \"strata\"\nstrata = 3\n"});
  try {
    compose(*strata.composed("coordinates").compositor);
    FAIL("three strata of four blocks");
  } catch (const InputError& error) {
    CHECK_THAT(error.what(), Catch::Contains("Set the oracle's strata = 4"));
  }
}
