// Columns of tables of positions: which coordinate each column gives, in any order.
// SPDX-License-Identifier: Apache-2.0
#include "guest_models.hpp"
#include "support.hpp"

#include <mixwell/law/selection.hpp>

namespace {

using mixwell::columns_of_coordinates;
using support::contains;
using Locations = std::vector<mixwell::Index>;

std::shared_ptr<const mixwell::Model> regression(const support::TemporaryFolder& folder) {
  const std::string path =
      folder.file("t.csv", "y,len [cm],g,a\n1,2,u,1\n0,3,v,0\n1,5,w,2\n0,1,u,4\n");
  return support::make_model("use = \"logistic-regression\"\ndata = \"" + path +
                             "\"\nresponse = \"y\"\nfactors = [\"g\"]\n");
}

std::string refused(const mixwell::Model& model, const std::vector<std::string>& columns) {
  try {
    columns_of_coordinates(model, columns);
    return "accepted";
  } catch (const mixwell::InputError& fault) {
    return fault.what();
  }
}

}  // namespace

TEST_CASE("columns belong to the coordinates that they name, in any order", "[selection]") {
  const support::TemporaryFolder folder;
  const auto model = regression(folder);
  REQUIRE(mixwell::coordinate_names(model->parameters()) ==
          std::vector<std::string>{"intercept", "len [cm]", "a", "g[0]", "g[1]"});
  CHECK(columns_of_coordinates(*model, {"intercept", "len [cm]", "a", "g[0]", "g[1]"}) ==
        Locations{0, 1, 2, 3, 4});
  CHECK(columns_of_coordinates(*model, {"g[w]", "a", "g[ v ]", "len [cm]", "intercept"}) ==
        Locations{4, 3, 1, 2, 0});
  const auto matrix = guests::make_model(
      "use = \"bayesian-neural-network\"\ndata = \"" + folder.path() +
      "/t.csv\"\nresponse = \"y\"\ninputs = [\"a\", \"len [cm]\"]\nhidden = 1\n");
  std::vector<std::string> names = mixwell::coordinate_names(matrix->parameters());
  for (std::string& name : names)
    if (const auto blank = name.find(", "); blank != name.npos) name.erase(blank + 1, 1);
  CHECK(columns_of_coordinates(*matrix, names)[1] == 1);
}

TEST_CASE("columns that do not name each coordinate once are refused with the names",
          "[selection]") {
  const support::TemporaryFolder folder;
  const auto model = regression(folder);
  const std::string cure =
      ". Give the columns the names of the coordinates, in any order: intercept, len "
      "[cm], a, g[0], g[1]";
  CHECK(contains(refused(*model, {"banana", "apple"}),
                 "the column \"banana\": the model has no parameter \"banana\""));
  CHECK(contains(refused(*model, {"banana"}), cure));
  CHECK(refused(*model, {"intercept", "len [cm]", "a", "g[0]"}) ==
        "1 of 5 coordinates have no column. The first of these coordinates is `g[1]`" + cure);
  CHECK(refused(*model, {"intercept", "len [cm]", "a", "g[0]", "g[v]"}) ==
        "two columns name the coordinate `g[0]`" + cure);
  CHECK(refused(*model, {"intercept", "len [cm]", "a", "g"}) ==
        "the column \"g\" names 2 coordinates instead of one" + cure);
}
