// Names and labels of dimensions that a model declares.
// SPDX-License-Identifier: Apache-2.0
#include "support.hpp"

#include <mixwell/density.hpp>
#include <mixwell/lab/composer.hpp>

#include <string>
#include <vector>

namespace {

using namespace mixwell;
using support::contains;

/// U = |x|^2 / 2 + |y|^2 / 2, with dims and labels by number of the case.
class Dimensioned final : public Model {
 public:
  struct Params {
    std::int64_t fault = 0;
    void declare(Fields& fields) { fields.integer("fault", fault).help("which mistake"); }
  };
  explicit Dimensioned(const Params& params) : fault_(params.fault) {}

  std::vector<Parameter> parameters() const override {
    std::vector<Parameter> all{{.name = "x", .shape = {2, 3}, .dims = {"town", "year"}},
                               {.name = "y", .shape = {3}, .dims = {"year"}}};
    if (fault_ == 1) all[1].dims = {"year", "town"};
    if (fault_ == 2) all[1].dims = {"town"};
    if (fault_ == 3) all[0] = {.name = "x", .shape = {3, 3}, .dims = {"year", "year"}};
    if (fault_ == 4) all[1].dims = {"draw"};
    return all;
  }
  std::vector<Labels> labels() const override {
    if (fault_ == 5) return {{"town", {"Ulm"}}};
    if (fault_ == 6) return {{"towns", {"Ulm", "Bonn"}}};
    if (fault_ == 7) return {{"town", {"Ulm", "Bonn"}}, {"town", {"Bonn", "Ulm"}}};
    if (fault_ == 8) return {{"town", {"Ulm", "Ulm"}}};
    if (fault_ == 9) return {{"town", {"Ulm", "K\xF6ln"}}};
    if (fault_ == 10) return {{"town", {"Ulm", std::string("Ulm\0n", 5)}}};
    return {{"town", {"Ulm", "Bonn"}}};
  }

 private:
  void do_evaluate(ConstBatch theta, const Evaluation& out) const override {
    Batch g = out.gradient;
    g = theta;
    if (out.wants_potential()) out.u() = 0.5 * theta.colwise().squaredNorm();
  }
  std::int64_t fault_;
};

std::string refusal(std::int64_t fault) {
  Registry registry = Registry::load(Registry::default_folders());
  registry.add<Dimensioned>({.id = "dimensioned", .summary = "dims"});
  Composer composer("test");
  composer.add(Kind::model, "dimensioned").set("fault", fault);
  try {
    composer.compose(registry);
    return "accepted";
  } catch (const InputError& error) {
    return error.what();
  }
}

/// Two lists over one dimension.
class Shared final : public DensityModel<Shared> {
 public:
  template <class S>
  S log_density(const Values<S>& at) const {
    return std_normal_lpdf(at(a_)) + std_normal_lpdf(at(b_));
  }

 private:
  Dim town_{"town", {"Ulm", "Bonn"}};
  Vector a_ = vector("a", town_);
  Matrix b_row_ = matrix("c", town_, 2);
  Vector b_ = vector("b", town_);
};

}  // namespace

TEST_CASE("dims that fit the shapes are accepted", "[dims]") {
  CHECK(refusal(0) == "accepted");
  CHECK(Shared().labels() == std::vector<Labels>{{"town", {"Ulm", "Bonn"}}});
  CHECK(Shared().parameters()[1].dims == std::vector<std::string>{"town", ""});
}

TEST_CASE("dims and labels that do not fit are refused by name", "[dims]") {
  CHECK(contains(refusal(1), "`y` of shape {3}: it has 2 dim names (year, town)"));
  CHECK(contains(refusal(2), "its dim `town` has length 3 here and length 2 elsewhere"));
  CHECK(contains(refusal(3), "its dim `year` occurs twice"));
  CHECK(contains(refusal(4), "the name of its dim \"draw\" is reserved for draws.nc"));
  CHECK(contains(refusal(5), "the dim `town` has length 2, but 1 labels"));
  CHECK(contains(refusal(6),
                 "the dim `towns` has labels, but no recorded quantity has this dim (did "
                 "you mean \"town\"?)"));
  CHECK(contains(refusal(7), "the dim `town` has two lists of labels"));
  CHECK(contains(refusal(8), "the dim `town` has the label \"Ulm\" twice"));
  CHECK(contains(refusal(9), "the dim `town` has the label \"K\\xf6ln\" which is not valid UTF-8"));
  CHECK(contains(refusal(10), "has the label \"Ulm\\x00n\" with a zero byte"));
}
