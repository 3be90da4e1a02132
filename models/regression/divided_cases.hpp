// Cases whose file is read in shards, each by the process that has it.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "keys.hpp"
#include "labelled_design.hpp"
#include "likelihood.hpp"
#include "table.hpp"

#include <mixwell/plugin.hpp>

#include <cstddef>
#include <deque>
#include <limits>
#include <memory>
#include <set>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

namespace mixwell::regression {

/// A training table, its design, and where the data are divided the sum over the cases, of which
/// the table has none then.
struct LoadedCases {
  Table table;
  LabelledDesign design;
  std::shared_ptr<const SumOfCases> sum;
};

inline LoadedCases whole_cases(const Source& source, const Recipe& recipe) {
  Table table = training_table(source);
  LabelledDesign design(table, recipe, source.classes);
  return {std::move(table), std::move(design), nullptr};
}

/// The cases of a shard; `out` is set, not added to.
template <class Link>
class ShardLikelihood final : public SumOfCases {
 public:
  explicit ShardLikelihood(const Cases& cases)
      : likelihood_(cases.x, cases.positive, cases.numbers) {}

  Index terms() const noexcept override { return likelihood_.cases(); }
  void evaluate(ConstBatch theta, const Evaluation& out) const override {
    Batch gradient = out.gradient;
    if (out.wants_potential()) out.u().setZero();
    if (out.wants_gradient()) gradient.setZero();
    likelihood_.add_to(theta, out);
  }
  void evaluate_terms(ConstBatch theta, ConstBatch indices, const Evaluation& out) const override {
    likelihood_.evaluate_terms(theta, indices, out);
  }
  void gradients_of_terms(ConstBatch theta, ConstBatch indices, Batch out,
                          Workspace& scratch) const override {
    likelihood_.gradients_of_terms(theta, indices, out, scratch);
  }

 private:
  Likelihood<Link> likelihood_;
};

namespace detail {

/// What `read` makes of a shard's part of the file. Where it is wrong, it is read again with its
/// lines counted, and the message tells the line.
template <class Read>
auto read_part(Index shard, const Read& read) {
  try {
    return read(FilePart{shard, DataShards::count, false});
  } catch (const InputError&) {
    return read(FilePart{shard, DataShards::count, true});
  }
}

/// All of them as wide as the largest index anywhere in the file.
inline std::vector<Table> libsvm_parts(const Source& source, DataShards& shards) {
  std::deque<LibsvmTable> files;
  Eigen::MatrixXd largest(1, shards.end() - shards.first());
  for (Index k = 0; k < largest.cols(); ++k) {
    files.push_back(read_part(shards.first() + k, [&](const FilePart& part) {
      return LibsvmTable(source.data, 0, part);
    }));
    largest(0, k) = static_cast<double>(files.back().largest_index());
  }
  const auto width = static_cast<Index>(shards.gather(largest, "largest indices").maxCoeff());
  std::vector<Table> tables;
  for (; !files.empty(); files.pop_front())
    tables.push_back(libsvm_table(files.front(), width, source.classes));
  return tables;
}

inline std::vector<Table> csv_parts(const Source& source, const DataShards& shards) {
  std::vector<Table> tables;
  for (Index shard = shards.first(); shard < shards.end(); ++shard) {
    tables.push_back(read_part(shard, [&](const FilePart& part) {
      return csv_table(CsvTable(source.data, part), source, nullptr);
    }));
    // A text for each case, for labels that the training data do not have: these are they.
    tables.back().place = [path = source.data](Index) { return path; };
  }
  return tables;
}

/// Of the shards that this process has.
inline std::vector<Table> own_parts(const Source& source, DataShards& shards) {
  switch (source.read_as()) {
    case Format::csv:
      return csv_parts(source, shards);
    case Format::libsvm:
      return libsvm_parts(source, shards);
    case Format::idx:
      throw ParameterError("format",
                           "\"idx\" files are not divided; take run.ranks = \"replicates\"");
  }
  throw std::logic_error("a format without a reader");
}

inline std::string as_lines(const std::vector<std::string>& texts) {
  std::string all;
  for (const std::string& text : texts) all += text + '\n';
  return all;
}

/// No shard's file may have other columns.
inline void require_same_columns(const std::vector<Table>& own, DataShards& shards) {
  std::vector<std::string> names;
  for (const Table& table : own) names.push_back(as_lines(table.names));
  for (const std::string& of_shard : shards.gather(names)) {
    if (of_shard != names.front())
      throw InputError(own.front().path +
                       ": another rank reads other columns; give all ranks the same files");
  }
}

/// The union of what `texts_in` finds in the table of each shard.
template <class Set, class TextsIn>
Set gathered(const std::vector<Table>& own, DataShards& shards, const TextsIn& texts_in) {
  std::vector<std::string> texts;
  for (const Table& table : own) {
    const Set& here = texts_in(table);
    texts.push_back(as_lines({here.begin(), here.end()}));
  }
  Set all;
  for (const std::string& of_shard : shards.gather(texts)) {
    for (std::size_t at = 0; at < of_shard.size();) {
      const std::size_t end = of_shard.find('\n', at);
      all.insert(of_shard.substr(at, end - at));
      at = end + 1;
    }
  }
  return all;
}

/// Rows that all shards have left out.
inline DroppedRows gathered_dropped(const std::vector<Table>& own, DataShards& shards) {
  Eigen::MatrixXd dropped(1, std::ssize(own));
  for (Index k = 0; k < dropped.cols(); ++k)
    dropped(0, k) = static_cast<double>(own[static_cast<std::size_t>(k)].dropped.count);
  const auto texts = [](const Table& table) -> const auto& { return table.dropped.texts; };
  return {static_cast<Index>(shards.gather(dropped, "numbers of rows").sum()),
          gathered<std::set<std::string>>(own, shards, texts)};
}

/// The scale of the columns of all shards: sums over cases shard by shard, then over the shards.
class SharedScale {
 public:
  SharedScale(const std::vector<Table>& own, const Design& plain, DataShards& shards)
      : own_(own), plain_(plain), shards_(shards) {}

  Scale scale() const {
    const Index d = plain_.column_count();
    const Eigen::MatrixXd least = of_all([](Index, const auto& x) { return -largest(-x); });
    const Eigen::MatrixXd most = of_all([](Index, const auto& x) { return largest(x); });
    const Eigen::MatrixXd sums = of_all([](Index, const auto& x) { return x.sum(); });
    const double cases = of_all([](Index, const auto& x) { return double(x.size()); }).row(0).sum();
    Scale scale{sums.rowwise().sum().transpose() / cases, Eigen::RowVectorXd::Ones(d), {}};
    for (Index j = 0; j < d; ++j) {
      if (least.row(j).minCoeff() != most.row(j).maxCoeff()) continue;
      scale.constant.push_back(j);
      scale.mean[j] = most.row(j).maxCoeff();
    }
    const Eigen::MatrixXd squares =
        of_all([&](Index j, const auto& x) { return (x - scale.mean[j]).square().sum(); });
    scale.sd = (squares.rowwise().sum().transpose() / (cases - 1)).array().sqrt();
    for (const Index j : scale.constant) scale.sd[j] = 1.0;
    return scale;
  }

 private:
  template <class Numbers>
  static double largest(const Numbers& x) {
    return x.size() == 0 ? -std::numeric_limits<double>::infinity() : x.maxCoeff();
  }

  /// figure(j, column j of a shard): columns x shards.
  template <class Figure>
  Eigen::MatrixXd of_all(const Figure& figure) const {
    Eigen::MatrixXd mine(plain_.column_count(), std::ssize(own_));
    for (Index k = 0; k < mine.cols(); ++k) {
      const Eigen::ArrayXXd columns = plain_.columns(own_[static_cast<std::size_t>(k)]);
      for (Index j = 0; j < mine.rows(); ++j) mine(j, k) = figure(j, columns.col(j));
    }
    return shards_.gather(mine, "columns");
  }

  const std::vector<Table>& own_;
  const Design& plain_;
  DataShards& shards_;
};

/// Path, names and labels of the tables of all shards, and no case.
inline Table without_cases(const std::vector<Table>& own, DataShards& shards) {
  const Table& one = own.front();
  Table all;
  all.path = one.path;
  all.names = one.names;
  all.labels_of = one.labels_of;
  all.inputs.resize(0, one.inputs.cols());
  all.has_row_names = one.has_row_names;
  require_same_columns(own, shards);
  const auto labels = [](const Table& table) -> const auto& { return table.all_labels; };
  all.all_labels = gathered<LabelSet>(own, shards, labels);
  all.dropped = gathered_dropped(own, shards);
  if (all.all_labels.empty())
    throw InputError(all.path + ": no rows" +
                     (all.dropped.count > 0 ? " without a missing value" : ""));
  if (all.names.empty()) require_inputs(all);
  return all;
}

inline void refuse_factors(const Source& source) {
  if (!source.factors.empty())
    throw ParameterError("factors",
                         "are not there where data are divided (run.ranks = \"data\"); make a "
                         "column of 0 and 1 for each level but one");
}

}  // namespace detail

/// Each process reads the parts of `source.data` that are its shards', and keeps only their rows.
/// Cases are those of all parts, in the order of the file. Columns are scaled with means and
/// deviations over all.
template <class Link>
LoadedCases divided_cases(const Source& source, const Recipe& recipe, DataShards& shards) {
  detail::refuse_factors(source);
  std::vector<Table> own = detail::own_parts(source, shards);
  Table all = detail::without_cases(own, shards);
  Recipe plain = recipe;
  plain.standardize = false;
  const LabelledDesign unscaled(all, plain, source.classes);
  Scale scale;
  if (recipe.standardize) scale = detail::SharedScale(own, unscaled, shards).scale();
  LabelledDesign design(all, recipe, source.classes, std::move(scale));
  std::vector<std::unique_ptr<const SumOfCases>> terms;
  for (Table& table : own) {
    terms.push_back(std::make_unique<ShardLikelihood<Link>>(design.cases(table)));
    table = Table();
  }
  return {std::move(all), std::move(design), shards.hold(std::move(terms))};
}

}  // namespace mixwell::regression
