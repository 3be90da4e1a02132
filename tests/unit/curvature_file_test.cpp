// A preconditioner from a file: the round trip from another run, CSV texts, and every file that is
// refused.
// SPDX-License-Identifier: Apache-2.0
#include "data_making.hpp"
#include "draws_testing.hpp"
#include "support.hpp"

#include <mixwell/contracts/preconditioner.hpp>
#include <mixwell/kernel.hpp>
#include <mixwell/lab/run.hpp>
#include <mixwell/lab/sampler.hpp>

#include <netcdf.h>

#include <optional>
#include <string>
#include <vector>

using namespace mixwell;

namespace {

std::shared_ptr<const Estimator> load(const std::string& file,
                                      const std::optional<double>& chain = {}) {
  const auto blueprint = support::registry().find(Kind::estimator, "curvature-file").blueprint();
  const auto target = [&](const char* key) { return blueprint->fields().find(key)->target(); };
  *std::get<std::string*>(target("file")) = file;
  *std::get<std::optional<double>*>(target("chain")) = chain;
  return std::dynamic_pointer_cast<const Estimator>(
      std::shared_ptr<const Component>(blueprint->make()));
}

/// H of a constant preconditioner: its product with the unit vectors, exact.
Eigen::MatrixXd H_of(const Estimator& estimator, Index d) {
  const Eigen::MatrixXd identity = Eigen::MatrixXd::Identity(d, d);
  Eigen::MatrixXd out(d, d);
  Workspace scratch;
  const double none = 0.0;
  estimator.representation()->H(ConstMatrixMap(&none, 0, 1), identity, out, scratch);
  return out;
}

std::string refusal(const std::string& file, const std::optional<double>& chain = {}) {
  return making::refused([&] { load(file, chain); });
}

std::string manifest(const std::string& estimator) {
  return "mixwell = 1\n[run]\nreplicates = 3\nwarmup = 200\ndraws = 5\nseed = 9\n"
         "[model.m]\nuse = \"gaussian\"\ncovariance = \"ones-plus\"\ndimension = 3\nc = 0.5\n"
         "[kernel.k]\nuse = \"hamiltonian\"\nsteps = 10\nstep_size = 0.3\n[estimator.e]\n" +
         estimator;
}

Composition compose_with(const std::string& estimator) {
  return parse_manifest(manifest(estimator), "curvature.toml", support::registry());
}

/// A run with that estimator; the path of its draws.nc.
std::string recorded(const support::TemporaryFolder& folder, const std::string& estimator) {
  RunOptions options;
  options.folder = folder.path() + "/run";
  run(compose_with(estimator), options);
  return options.folder + "/draws.nc";
}

/// What sample_stats/inv_metric holds, as the library reads it: H of each chain.
std::vector<Eigen::MatrixXd> metrics_in(const std::string& file, Index rows, Index cols) {
  int id = -1, group = -1, variable = -1;
  std::vector<double> numbers(static_cast<std::size_t>(3 * rows * cols));
  REQUIRE(nc_open(file.c_str(), NC_NOWRITE, &id) == NC_NOERR);
  REQUIRE(nc_inq_grp_ncid(id, "sample_stats", &group) == NC_NOERR);
  REQUIRE(nc_inq_varid(group, "inv_metric", &variable) == NC_NOERR);
  REQUIRE(nc_get_var_double(group, variable, numbers.data()) == NC_NOERR);
  nc_close(id);
  std::vector<Eigen::MatrixXd> metrics;
  for (Index chain = 0; chain < 3; ++chain) {
    const ConstMatrixMap stored(numbers.data() + chain * rows * cols, cols, rows);
    metrics.push_back(cols == 1 ? Eigen::MatrixXd(stored.transpose().col(0).asDiagonal())
                                : Eigen::MatrixXd(stored.transpose()));
  }
  return metrics;
}

/// A draws.nc of 2 chains with `inv_metric` of that shape; number(chain, element).
template <class Number>
std::string made(const support::TemporaryFolder& folder, const std::vector<Index>& shape,
                 const Number& number) {
  Column metric = mixwell::testing::statistic("inv_metric");
  metric.shape = shape;
  metric.once = true;
  RunHeader h = mixwell::testing::header(folder.path(), {mixwell::testing::real("x"), metric});
  h.replicates = 2;
  mixwell::testing::write_file(h, 4, [&](std::size_t column, auto, Index chain, Index element) {
    return column == 0 ? 0.5 : number(chain, element);
  });
  return folder.path() + "/draws.nc";
}

const char* const two_by_two = "2, 0.5\n0.5, 1\n";

}  // namespace

TEST_CASE("a preconditioner that one run learnt has the same bits in the next") {
  for (const char* id : {"dense", "diagonal"}) {
    const support::TemporaryFolder folder;
    const std::string file = recorded(folder, "use = \"" + std::string(id) + "\"\n");
    const std::vector<Eigen::MatrixXd> learnt =
        metrics_in(file, 3, std::string(id) == "dense" ? 3 : 1);
    INFO(id);
    CHECK(learnt[0] != learnt[1]);
    for (Index chain = 0; chain < 3; ++chain) {
      const auto loaded = load(file, static_cast<double>(chain));
      CHECK(H_of(*loaded, 3) == learnt[static_cast<std::size_t>(chain)]);
    }
    const Eigen::MatrixXd first = learnt[0] + (learnt[1] - learnt[0]) / 2.0;
    CHECK(H_of(*load(file), 3) == Eigen::MatrixXd(first + (learnt[2] - first) / 3.0));
    CHECK(contracts::all_hold(
        contracts::check_representation(*load(file)->representation(), Eigen::MatrixXd(0, 3), 3)));
  }
}

TEST_CASE("the mean over chains that share a preconditioner has its bits") {
  const support::TemporaryFolder folder;
  const std::string file = recorded(folder, "use = \"dense\"\npool = true\n");
  CHECK(H_of(*load(file), 3) == metrics_in(file, 3, 3)[2]);
}

TEST_CASE("a loaded preconditioner is a constant and the sampler exact from the start") {
  const support::TemporaryFolder folder;
  const std::string file = recorded(folder, "use = \"dense\"\n");
  const Program learning = compose(*compose_with("use = \"dense\"\n").compositor);
  CHECK(learning.certificate.after_warmup);
  const Program loading =
      compose(*compose_with("use = \"curvature-file\"\nfile = \"" + file + "\"\n").compositor);
  CHECK(loading.certificate.now.label() == "exact");
  CHECK_FALSE(loading.certificate.after_warmup);
}

TEST_CASE("a text of one line is a diagonal and one of d lines a matrix") {
  const support::TemporaryFolder folder;
  CHECK(H_of(*load(folder.file("line", "2, 0.25 ,1e-3\n")), 3) ==
        Eigen::MatrixXd(Eigen::Vector3d(2, 0.25, 1e-3).asDiagonal()));
  Eigen::Matrix2d square;
  square << 2, 0.5, 0.5, 1;
  CHECK(H_of(*load(folder.file("square", two_by_two)), 2) == square);
  CHECK(H_of(*load(folder.file("crlf", "\r\n2,0.5\r\n0.5,1\r\n")), 2) == square);
  CHECK(H_of(*load(folder.file("one", "4")), 1) == Eigen::MatrixXd::Constant(1, 1, 4.0));
}

TEST_CASE("texts that hold no preconditioner are refused with place and value") {
  const support::TemporaryFolder folder;
  const auto refused = [&](const std::string& text, const std::string& part) {
    const std::string message = refusal(folder.file("h.csv", text));
    INFO(message);
    CHECK(support::contains(message, folder.path() + "/h.csv"));
    CHECK(support::contains(message, part));
  };
  refused("", "the file contains no numbers. Write d numbers in one line");
  refused("a,b\n1,2\n", "h.csv:1: number 1 is \"a\", which is not a finite number");
  refused("1,2\n\n1,nan\n", "h.csv:3: number 2 is \"nan\", which is not a finite number");
  refused("1,,2\n", "h.csv:1: number 2 is \"\"");
  refused("1,2\n3\n", "h.csv:2: this line has 1 numbers, but the first line has 2");
  refused("1,2\n3,4\n5,6\n", "3 lines of 2 numbers");
  refused("1,-2,3\n", "positive definite, but coordinate 2 is -2");
  refused("1,0\n0,0\n", "positive definite, but row 2, column 2 is 0");
  refused("1,0.5\n0.25,1\n", "symmetric, but row 1, column 2 is 0.5 and row 2, column 1 is 0.25");
  refused("1,2\n2,3\n",
          "row 2, column 2 is 3, and the elimination of the earlier rows reduces it to -1");
  refused("1,1\n1,1\n",
          "row 2, column 2 is 1, and the elimination of the earlier rows reduces it to 0");
  CHECK(support::contains(refusal(folder.file("fine", two_by_two), 0.0),
                          "works only with a draws.nc file"));
}

TEST_CASE("files of runs without a whole preconditioner are refused") {
  const support::TemporaryFolder folder;
  const auto refused = [&](const std::string& file, const std::optional<double>& chain,
                           const std::string& part) {
    const std::string message = refusal(file, chain);
    INFO(message);
    CHECK(support::contains(message, file));
    CHECK(support::contains(message, part));
  };
  const auto identity = [](Index, Index e) { return e % 3 == 0 ? 1.0 : 0.0; };
  refused(made(folder, {2, 3}, identity), {},
          "inv_metric has the shape 2 x 2 x 3, but for 2 chains the shape must be");
  refused(made(folder, {}, identity), {},
          "inv_metric has the shape 2, but for 2 chains the shape must be");
  refused(made(folder, {2, 2, 1}, identity), {},
          "inv_metric has the shape 2 x 2 x 2 x 1, but for 2 chains the shape must be");
  const std::string fine = made(folder, {2, 2}, identity);
  CHECK(refusal(fine) == "accepted");
  refused(fine, 2.0, "must be a whole number from 0 to 1");
  refused(fine, 0.5, "must be a whole number from 0 to 1");
  refused(
      made(folder, {2, 2}, [](Index chain, Index e) { return chain == 1 && e == 2 ? NAN : 1.0; }),
      {},
      "inv_metric of chain 1: the entries of the preconditioner must be finite, but row 2, "
      "column 1 is nan");
  refused(made(folder, {2}, [](Index, Index e) { return static_cast<double>(e); }), {},
          "positive definite, but coordinate 1 is 0");
  refused(recorded(folder, "use = \"identity\"\n"), {}, "the run recorded no preconditioner");
}

TEST_CASE("a file that was cut off is refused") {
  const support::TemporaryFolder folder;
  const std::string file = made(folder, {2}, [](Index, Index) { return 1.0; });
  CHECK(refusal(file) == "accepted");
  std::filesystem::resize_file(file, std::filesystem::file_size(file) / 2);
  CHECK(support::contains(refusal(file), file + ": cannot open it"));
  CHECK(support::contains(refusal(file), "Use the complete draws.nc of a run"));
}

TEST_CASE("a preconditioner of another dimension is refused before the run") {
  const support::TemporaryFolder folder;
  const std::string file = folder.file("h.csv", two_by_two);
  const Composition composition =
      compose_with("use = \"curvature-file\"\nfile = \"" + file + "\"\n");
  CHECK(support::contains(making::refused([&] { compose(*composition.compositor); }),
                          file + ": the file has a preconditioner for 2 coordinates, but the "
                                 "kernel that uses it moves 3"));
}

TEST_CASE("the preconditioner of a block is read by the name of its kernel, and others are named") {
  const support::TemporaryFolder folder;
  const auto blocks = [](const std::string& of_trees, const std::string& of_walk) {
    return parse_manifest(
        "mixwell = 1\n[run]\nreplicates = 3\nwarmup = 200\ndraws = 5\nseed = 9\n[model.m]\n"
        "use = \"gaussian\"\ncovariance = \"ones-plus\"\ndimension = 3\nc = 0.5\n"
        "[kernel.trees]\nuse = \"nuts\"\nestimator = \"a\"\n[kernel.walk]\n"
        "use = \"random-walk-metropolis\"\nestimator = \"b\"\ntarget_acceptance = 0.4\n"
        "[compositor.c]\nuse = \"blocks\"\n[[compositor.c.update]]\nparameters = [\"x[0:2]\"]\n"
        "kernel = \"trees\"\n[[compositor.c.update]]\nparameters = [\"x[2]\"]\nkernel = "
        "\"walk\"\n[estimator.a]\n" +
            of_trees + "[estimator.b]\n" + of_walk,
        "curvature.toml", support::registry());
  };
  RunOptions options;
  options.folder = folder.path() + "/run";
  run(blocks("use = \"dense\"\n", "use = \"diagonal\"\n"), options);
  const auto from = [&](const std::string& keys) {
    return "use = \"curvature-file\"\nfile = \"" + options.folder + "/draws.nc\"\n" + keys;
  };
  const std::string of_trees = from("kernel = \"trees\"\n");
  const std::string of_walk = from("kernel = \"walk\"\n");
  const auto says = [&](const std::string& first, const std::string& second) {
    return making::refused([&] { compose(*blocks(first, second).compositor); });
  };
  CHECK(says(of_trees, of_walk) == "accepted");
  CHECK(support::contains(says(of_trees, of_trees),
                          "2 coordinates, but the kernel that uses it moves 1"));
  const std::string unnamed = says(from(""), of_walk);
  CHECK(support::contains(unnamed, "no preconditioner `inv_metric`"));
  CHECK(support::contains(unnamed, "kernel = \"trees\", kernel = \"walk\""));
  const std::string text = folder.file("h.csv", two_by_two);
  CHECK(support::contains(
      says("use = \"curvature-file\"\nfile = \"" + text + "\"\nkernel = \"trees\"\n", of_walk),
      "works only with a draws.nc file"));
}
