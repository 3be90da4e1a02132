// The part of a summary that compares the draws with a reference.
// SPDX-License-Identifier: Apache-2.0
#include "results/reference.hpp"

#include "base/slices.hpp"
#include "results/vector.hpp"

#include <mixwell/base/error.hpp>
#include <mixwell/data/data.hpp>
#include <mixwell/lab/diagnostics.hpp>
#include <mixwell/lab/distances.hpp>

#include <algorithm>
#include <iterator>
#include <limits>
#include <map>
#include <optional>
#include <unordered_set>

namespace mixwell {
namespace {

using Eigen::MatrixXd;
using Eigen::VectorXd;

constexpr const char* option = "--reference";

bool is_csv(const std::string& path) { return path.ends_with(".csv") || path.ends_with(".csv.gz"); }

ComparedDraws read_csv(const std::string& path) {
  const CsvTable table(path);
  ComparedDraws side{
      {table.columns(), MatrixXd(table.rows(), static_cast<Index>(table.columns().size()))}, {}};
  for (Index k = 0; k < side.vector.draws.cols(); ++k)
    side.vector.draws.col(k) = table.numbers(table.columns()[static_cast<std::size_t>(k)]);
  return side;
}

/// Whether a name has only numbers as indices. If an index is too large for the array, only the
/// reference has the element.
bool has_numbers_alone(const std::string& name) {
  return name.find_first_not_of("0123456789, ]", std::min(name.find('['), name.size() - 1) + 1) ==
         name.npos;
}

/// Whether the name is an array name followed by brackets. A scalar name may be followed by a unit.
bool is_about_array(const DrawnVector& here, const std::string& name) {
  return std::any_of(here.columns.begin(), here.columns.end(), [&](const Column& column) {
    return !column.shape.empty() && between_brackets(column.name, name).has_value();
  });
}

/// The name that `here` gives, by numbers, to the element `name` of a reference. Returns `name`
/// itself if `here` lacks the element. Throws InputError for an unknown label.
std::string name_here(const DrawnVector& here, const std::string& name) {
  std::optional<std::vector<Index>> found;
  try {
    found = coordinates_called(here, name);
  } catch (const InputError& fault) {
    if (has_numbers_alone(name) || !is_about_array(here, name)) return name;
    throw InputError({option, 0, 0}, fault.what());
  }
  if (!found) return name;
  if (found->size() > 1)
    throw InputError(
        {option, 0, 0},
        "the column \"" + name + "\" names " + std::to_string(found->size()) +
            " elements, but a column must name only one element, such as x[3]. Rename the column.");
  return here.names[static_cast<std::size_t>(found->front())];
}

}  // namespace

ComparedDraws read_compared_draws(const std::string& path) {
  if (is_csv(path)) return read_csv(path);
  const DrawsFile file(path);
  ComparedDraws side{read_vector(file, {}, option, option), varying_weights(file).reshaped()};
  if (side.vector.draws.rows() == 0)
    throw InputError({path, 0, 0}, "this reference has no draws. Give another reference.");
  return side;
}

VectorXd errors_of_means(const MatrixXd& draws, const MatrixXd& weights, Index chains) {
  VectorXd errors(draws.cols());
  const Index rows = draws.rows() / chains;
  for (Index k = 0; k < draws.cols(); ++k) {
    const MatrixXd x = draws.col(k).reshaped(rows, chains);
    errors(k) = weights.size() == 0
                    ? diagnostics::mcse_mean(x)
                    : diagnostics::weighted_mcse_mean(x, weights.reshaped(rows, chains));
  }
  return errors;
}

bool are_apart_from_0(const VectorXd& means, const VectorXd& errors) {
  constexpr double apart = 4.0;
  const double noise = errors.array().isFinite().select(errors.array(), 0.0).sum();
  return means.cwiseAbs().sum() > apart * noise;
}

SharedNames shared_names(const DrawnVector& here, const std::vector<std::string>& there) {
  const std::unordered_set<std::string> known(here.names.begin(), here.names.end());
  std::map<std::string, Index> places;
  for (std::size_t k = 0; k < there.size(); ++k) {
    const std::string& name = there[k];
    const auto [other, is_new] =
        places.emplace(known.contains(name) ? name : name_here(here, name), static_cast<Index>(k));
    if (!is_new)
      throw InputError({option, 0, 0},
                       "the columns \"" + there[static_cast<std::size_t>(other->second)] +
                           "\" and \"" + name + "\" name the same element. Remove one of them.");
  }
  SharedNames shared;
  for (std::size_t k = 0; k < here.names.size(); ++k) {
    const auto found = places.find(here.names[k]);
    if (found == places.end()) {
      shared.left_out.push_back(here.names[k]);
      continue;
    }
    shared.here.push_back(static_cast<Index>(k));
    shared.there.push_back(found->second);
    places.erase(found);
  }
  for (const std::string& name : there)
    if (places.contains(name)) shared.left_out.push_back(name);
  return shared;
}

namespace {

diagnostics::Moments moments_of(const ComparedDraws& side, const std::vector<Index>& columns) {
  const MatrixXd chosen = side.vector.draws(Eigen::all, columns);
  return diagnostics::moments(chosen, side.weights);
}

/// The mean of a c x c variable, by rows. `columns`: the columns of its elements.
MatrixXd mean_matrix(const ComparedDraws& side, const std::vector<Index>& columns, Index c) {
  return moments_of(side, columns).mean.reshaped(c, c).transpose();
}

const Column& matrix_column(const DrawsFile& file, const std::string& name) {
  std::vector<std::string> known;
  for (const Column& column : file.columns()) {
    if (column.group != RecordGroup::posterior) continue;
    const bool square = column.shape.size() == 2 && column.shape[0] == column.shape[1];
    if (square && column.name == name) return column;
    if (square) known.push_back(column.name);
  }
  throw InputError({"--amari " + name, 0, 0},
                   "must name a posterior variable that is a square matrix" +
                       (known.empty() ? " (there is none)" : suggestion(name, known)));
}

double amari(const DrawsFile& file, const std::string& name, const ComparedDraws& reference,
             const VectorXd& weights) {
  const Column& column = matrix_column(file, name);
  const ComparedDraws own{read_vector(file, {name}, "--amari", option), weights};
  const SharedNames shared = shared_names(own.vector, reference.vector.names);
  if (shared.here.size() != own.vector.names.size())
    throw InputError({"--amari " + name, 0, 0}, "the reference lacks the element " +
                                                    shared.left_out.front() +
                                                    ". Use a reference with this element.");
  return diagnostics::amari_distance(mean_matrix(own, shared.here, column.shape[0]),
                                     mean_matrix(reference, shared.there, column.shape[0]));
}

/// Elements selected by --of must be on both sides. Without --of, the common elements are compared.
void require_elements(const SharedNames& shared, const SummaryOptions& options,
                      std::size_t chosen) {
  if (shared.here.empty())
    throw InputError(
        {std::string(option) + " " + options.reference, 0, 0},
        "the reference has none of the variables of the draws. Name the columns of the reference "
        "after elements, such as x[3] or x[Ulm], and put a name with a comma in quotes "
        "(\"b[2,3]\").");
  if (!options.of.empty() && shared.here.size() != chosen)
    throw InputError({std::string(option) + " " + options.reference, 0, 0},
                     "the reference lacks " + shared.left_out.front() +
                         ", which --of selects. Select other variables.");
}

}  // namespace

ReferenceSummary summarise_reference(const DrawsFile& file, const SummaryOptions& options,
                                     const MatrixXd& weights) {
  const ComparedDraws own{read_vector(file, options.of, "--of", option), weights.reshaped()};
  const ComparedDraws reference = read_compared_draws(options.reference);
  SharedNames shared = shared_names(own.vector, reference.vector.names);
  require_elements(shared, options, own.vector.names.size());
  if (!options.of.empty()) shared.left_out.clear();  // names that the user did not select
  constexpr double nan = std::numeric_limits<double>::quiet_NaN();
  ReferenceSummary result{.from = options.reference,
                          .draws = reference.vector.draws.rows(),
                          .coordinates = std::ssize(shared.here),
                          .left_out = shared.left_out,
                          .rem = nan,
                          .rec = nan};
  if (own.vector.draws.rows() == 0) return result;
  const diagnostics::Moments found = moments_of(own, shared.here);
  const diagnostics::Moments wanted = moments_of(reference, shared.there);
  const MatrixXd compared = reference.vector.draws(Eigen::all, shared.there);
  if (are_apart_from_0(wanted.mean, errors_of_means(compared, reference.weights, 1)))
    result.rem = diagnostics::relative_error(found.mean, wanted.mean);
  result.rec = diagnostics::relative_error(found.covariance, wanted.covariance);
  for (const std::string& name : options.amari)
    result.amari.emplace_back(name, amari(file, name, reference, own.weights));
  return result;
}

std::vector<diagnostics::Definition> reference_definitions(const SummaryOptions& options) {
  if (options.reference.empty()) return {};
  constexpr const char* paper = "Zhang, Shahbaba & Zhao, Variational HMC, Eq. 4.1";
  std::vector<diagnostics::Definition> all = {
      {"rem",
       "sum |mean - reference mean| / sum |reference mean| (no value if sum |reference mean| is at "
       "most 4 times the sum of the Monte Carlo errors of the reference means)",
       "2", "", paper},
      {"rec", "sum |cov - reference cov| / sum |reference cov|", "1", "", paper}};
  if (!options.amari.empty())
    all.push_back(
        {"amari",
         "(sum of (row sum / row maximum - 1) over the rows of |P|, plus the same sum over its "
         "columns) / (2 c (c - 1)), where P = W W0^-1, W is the mean of the c x c matrix that "
         "--amari names, and W0 is its reference mean",
         "1", "",
         "Amari, Cichocki & Yang 1996, NIPS 8, 757-763; factor: Bach & Jordan 2002, JMLR 3, 1-48"});
  return all;
}

}  // namespace mixwell
