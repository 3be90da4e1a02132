// The part of a summary about a reference that the draws are compared with.
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

/// A number beyond the array is an element that the reference alone has.
bool has_numbers_alone(const std::string& name) {
  return name.find_first_not_of("0123456789, ]", std::min(name.find('['), name.size() - 1) + 1) ==
         name.npos;
}

/// Whether brackets stand behind the name of an array; a scalar's name may be followed by a unit.
bool is_about_array(const DrawnVector& here, const std::string& name) {
  return std::any_of(here.columns.begin(), here.columns.end(), [&](const Column& column) {
    return !column.shape.empty() && between_brackets(column.name, name).has_value();
  });
}

/// What the element `name` of a reference is called by numbers in `here`, or `name` itself where
/// `here` lacks it. Throws InputError for an unknown label.
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
    throw InputError({option, 0, 0}, "the column \"" + name + "\" names " +
                                         std::to_string(found->size()) +
                                         " elements; one of draws is of one, such as x[3]");
  return here.names[static_cast<std::size_t>(found->front())];
}

}  // namespace

ComparedDraws read_compared_draws(const std::string& path) {
  if (is_csv(path)) return read_csv(path);
  const DrawsFile file(path);
  ComparedDraws side{read_vector(file, {}, option, option), varying_weights(file).reshaped()};
  if (side.vector.draws.rows() == 0)
    throw InputError({path, 0, 0}, "holds no draws to compare with");
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
                           "\" and \"" + name + "\" name the same element; give one of them");
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

/// The mean of a c x c variable, rows by the first index. `columns`: places of its elements.
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
                   "no square matrix of that name in the posterior" +
                       (known.empty() ? " (it has none)" : suggestion(name, known)));
}

double amari(const DrawsFile& file, const std::string& name, const ComparedDraws& reference,
             const VectorXd& weights) {
  const Column& column = matrix_column(file, name);
  const ComparedDraws own{read_vector(file, {name}, "--amari", option), weights};
  const SharedNames shared = shared_names(own.vector, reference.vector.names);
  if (shared.here.size() != own.vector.names.size())
    throw InputError({"--amari " + name, 0, 0},
                     "the reference lacks its element " + shared.left_out.front());
  return diagnostics::amari_distance(mean_matrix(own, shared.here, column.shape[0]),
                                     mean_matrix(reference, shared.there, column.shape[0]));
}

/// Elements that were asked for by --of must be on both sides; else those of both are compared.
void require_elements(const SharedNames& shared, const SummaryOptions& options,
                      std::size_t chosen) {
  if (shared.here.empty())
    throw InputError({std::string(option) + " " + options.reference, 0, 0},
                     "has none of the variables of the draws; its columns are elements such as "
                     "x[3], x[Ulm] by label, or \"b[2,3]\" in quotes");
  if (!options.of.empty() && shared.here.size() != chosen)
    throw InputError({std::string(option) + " " + options.reference, 0, 0},
                     "lacks " + shared.left_out.front() + ", which --of chooses");
}

}  // namespace

ReferenceSummary summarise_reference(const DrawsFile& file, const SummaryOptions& options,
                                     const MatrixXd& weights) {
  const ComparedDraws own{read_vector(file, options.of, "--of", option), weights.reshaped()};
  const ComparedDraws reference = read_compared_draws(options.reference);
  SharedNames shared = shared_names(own.vector, reference.vector.names);
  require_elements(shared, options, own.vector.names.size());
  if (!options.of.empty()) shared.left_out.clear();  // by choice
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
       "sum |mean - reference mean| / sum |reference mean|; none where the reference's means are "
       "within 4 of their Monte Carlo errors of 0",
       "2", "", paper},
      {"rec", "sum |cov - reference cov| / sum |reference cov|", "1", "", paper}};
  if (!options.amari.empty())
    all.push_back(
        {"amari",
         "of P = mean W W0^-1: excess of row sums of |P| over row maxima, and of columns, "
         "over 2 c (c - 1)",
         "1", "",
         "Amari, Cichocki & Yang 1996, NIPS 8, 757-763; factor: Bach & Jordan 2002, JMLR "
         "3, 1-48"});
  return all;
}

}  // namespace mixwell
