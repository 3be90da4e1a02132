// Reads draws.nc for summaries, checks and the hash of a run.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <mixwell/base/export.hpp>
#include <mixwell/base/types.hpp>
#include <mixwell/recorder.hpp>

#include <memory>
#include <string>
#include <vector>

namespace mixwell {

/// Selects the draws of the sampling phase, or the draws of a recorded warmup.
enum class DrawsPhase { sampling, warmup };

/// A draws.nc that is open for reading. Its use of memory is bounded. Use it on one thread only.
class MIXWELL_EXPORT DrawsFile {
 public:
  /// `path` is the file, or the folder with a draws.nc. Throws InputError.
  explicit DrawsFile(const std::string& path);
  DrawsFile(const std::string& path, DrawsPhase phase);
  ~DrawsFile();
  DrawsFile(DrawsFile&&) noexcept;

  Index chains() const noexcept;
  Index draws() const noexcept;
  /// Returns the number of replicates of the run, which are independent groups of chains. If the
  /// file does not number them, returns the number of chains.
  Index replicates() const;
  /// The variables over (chain, draw, ...): first those of `posterior` in the order of their
  /// declaration, then the variables of `sample_stats`, `log_likelihood` and
  /// `posterior_predictive`.
  const std::vector<Column>& columns() const noexcept;
  /// The labels of dimensions: one entry for each dimension whose elements have names.
  const std::vector<Labels>& labels() const noexcept;
  bool has(RecordGroup group, const std::string& name) const noexcept;
  bool has_warmup() const noexcept;
  /// The variables over (chain, ...) that a kernel recorded once, with the first draw of sampling.
  const std::vector<Column>& once() const noexcept;
  /// Reads the values of `column`, an element of once(), in one chain. The last index varies
  /// fastest.
  Eigen::VectorXd read_once(const Column& column, Index chain) const;
  /// Reads elements [first, first + count) of a variable, where elements are numbered with the last
  /// index fastest. Returns draws x (count * chains): element first + k is in columns [k * chains,
  /// (k + 1) * chains). All types become double. Throws InputError if the file has no such variable
  /// or element, or is damaged.
  Eigen::MatrixXd read(const Column& column, Index first, Index count = 1) const;
  /// Reads draws [first, first + count) of one chain. Element e of draw first + k is at [k * size +
  /// e].
  std::vector<double> read_chain(const Column& column, Index chain, Index first, Index count) const;
  /// Returns the number of elements (at least 1) to request in one `read` for the least disk
  /// traffic. If `first` is a multiple of this number in each read, no part of a run's file is read
  /// twice. Such a read needs at most 64 MiB of memory. If the elements in one chunk of the file
  /// need more, the limit is 512 MiB or an eighth of the memory that the process may use, whichever
  /// is smaller.
  Index elements_at_once(const Column& column) const;
  /// Returns a number that is stored with the draws (`gradients`, `sampling_time`, `warmup_time` in
  /// seconds, `tuning_steps`), or NaN.
  double attribute(const std::string& name) const noexcept;
  /// Returns a text that is stored with the draws (`name` of the run, `created_at`,
  /// `inference_library_version`, `outcome`), or "".
  std::string text(const std::string& name) const;
  /// The class of the composition that made the draws, or "" if the file does not contain it.
  std::string certificate() const;
  /// The method by which draws of the prior were made: "draws" for exact draws, or "density" for
  /// sampling the prior's density. Such draws are stored in the group `prior` and are read as
  /// `posterior`. The result is "" for draws of the posterior.
  std::string prior_by() const;
  /// Number of neighbouring chains that are not independent: the slots of a replicate if the
  /// certificate calls them coupled, otherwise 1.
  Index coupled_chains() const;
  /// SHA-256 of the arrays of `posterior` in the order of columns(), as lower-case hexadecimal.
  /// Each array is little-endian float64, chain-major (chain, draw, element).
  std::string sha256() const;

 private:
  struct Opened;
  std::unique_ptr<Opened> file_;
};

}  // namespace mixwell
