// Finds statistics that cannot be computed from the draws of a run, and chains that never moved.
// SPDX-License-Identifier: Apache-2.0
#include "base/acceptance_rate.hpp"
#include "results/element_names.hpp"
#include "results/table.hpp"
#include "results/vector.hpp"

#include <mixwell/lab/diagnostics.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

namespace mixwell {
namespace {

/// The number of draws that a row summarises, per chain and in total.
struct Size {
  Index draws;
  Index chains;
  Index all() const { return draws * chains; }
};

std::vector<std::string> missing_figures(const RowFigures& row) {
  std::vector<std::string> names;
  for (const StandardFigure& figure : standard_figures)
    if (std::isnan(row.standard.*figure.value)) names.emplace_back(figure.name);
  return names;
}

bool is_of_ranks(const std::string& figure) { return figure == "rhat"; }

/// The reason why draws that are finite and not constant have no such figure.
std::string reason_of_finite(const std::string& figure, Index draws) {
  constexpr Index for_rhat = 4;  // 2 draws per half chain; 3 for `for_ess`
  constexpr Index for_ess = 6;
  if (draws < (is_of_ranks(figure) ? for_rhat : for_ess))
    return fmt::format(
        "chains of {} draws are too short: R-hat needs at least {} draws, and an effective sample "
        "size needs at least {}",
        draws, for_rhat, for_ess);
  if (figure == "ess_tail")
    return "too many draws are equal, so one of the two tails contains either no draws or all "
           "draws";
  if (is_of_ranks(figure)) return "all draws have the same distance from their median";
  if (figure == "mcse_sd") return "all draws have the same distance from their mean";
  return "the weight of a draw is negative or not finite, or all weights are 0";
}

/// The cause of a missing figure. Rows with the same cause are reported together.
enum class MissingCause { nan, infinite, other };

MissingCause cause_of(const RowFigures& row) {
  if (row.nan_draws > 0) return MissingCause::nan;
  return row.infinite_draws > 0 ? MissingCause::infinite : MissingCause::other;
}

std::string reason_of(const RowFigures& row, const std::string& figure, const Size& size) {
  if (row.nan_draws > 0) return fmt::format("{} of {} draws are NaN", row.nan_draws, size.all());
  if (row.infinite_draws > 0)
    return fmt::format("{} of {} draws are infinite", row.infinite_draws, size.all());
  return reason_of_finite(figure, size.draws);
}

/// Collects the entries of not_judged(), one element after another.
class Entries {
 public:
  Entries(const DrawsFile& file, const SummaryTable& table)
      : file_(file), table_(table), size_{file.draws(), file.chains()} {}

  void add(std::size_t place) {
    const RowFigures& row = table_.rows()[place];
    if (row.constant) return;
    std::vector<std::string> figures = missing_figures(row);
    if (figures.empty()) return;
    const MissingCause cause = cause_of(row);
    for (std::size_t k = 0; k < all_.size(); ++k) {
      if (causes_[k] != cause || all_[k].figures != figures) continue;
      ++all_[k].more;
      return;
    }
    causes_.push_back(cause);
    all_.push_back({name_of(place), 0, figures, reason_of(row, figures.front(), size_),
                    row.nan_draws + row.infinite_draws});
  }

  std::vector<NotJudged> take() { return std::move(all_); }

 private:
  std::string name_of(std::size_t place) const {
    const auto [column, element] = table_.element_of(place);
    return labelled_name(column, element, file_.labels());
  }

  const DrawsFile& file_;
  const SummaryTable& table_;
  Size size_;
  std::vector<MissingCause> causes_;
  std::vector<NotJudged> all_;
};

void add_sampler(const DrawsFile& file, std::vector<NotJudged>& all) {
  const auto rates = recorded_statistic(file, acceptance_rate);
  if (rates && !rates->allFinite())
    all.push_back(
        {.figures = {"acceptance"},
         .because = fmt::format("{} of {} transitions have no finite acceptance rate",
                                rates->size() - rates->array().isFinite().count(), rates->size())});
  const auto energy = recorded_statistic(file, "energy");
  if (!energy || !diagnostics::ebfmi(*energy).array().isNaN().any()) return;
  const bool finite = energy->allFinite();
  all.push_back(
      {.figures = {"ebfmi"},
       .because = finite ? "the energy of a chain never changed" : "some energies are not finite"});
}

bool is_still(const Eigen::VectorXd& lp) { return lp.size() > 1 && lp.minCoeff() == lp.maxCoeff(); }

bool has_real_constant(const SummaryTable& table) {
  for (std::size_t row = 0; row < table.rows().size(); ++row)
    if (table.rows()[row].constant && table.element_of(row).column.type == RecordType::real)
      return true;
  return false;
}

}  // namespace

std::vector<NotJudged> not_judged(const DrawsFile& file, const SummaryTable& table) {
  Entries entries(file, table);
  for (std::size_t row = 0; row < table.rows().size(); ++row) entries.add(row);
  std::vector<NotJudged> all = entries.take();
  add_sampler(file, all);
  return all;
}

std::optional<std::int64_t> still_chains(const DrawsFile& file, const SummaryTable& table) {
  const auto lp = recorded_statistic(file, "lp");
  if (!lp || !lp->allFinite()) return std::nullopt;
  const bool flat = lp->minCoeff() == lp->maxCoeff() && !has_real_constant(table);
  if (flat) return std::nullopt;
  std::int64_t count = 0;
  for (const auto& chain : lp->colwise()) count += is_still(chain) ? 1 : 0;
  return count;
}

std::string NotJudged::who() const {
  const std::string first = variable.empty() ? "the sampler" : variable;
  return more == 0 ? first : fmt::format("{} and {} more", first, more);
}

bool NotJudged::lacks(const std::string& figure) const noexcept {
  return std::find(figures.begin(), figures.end(), figure) != figures.end();
}

}  // namespace mixwell
