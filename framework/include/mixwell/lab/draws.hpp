// Reading draws.nc back: for summaries, checks and the hash of a run.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <mixwell/base/export.hpp>
#include <mixwell/base/types.hpp>
#include <mixwell/recorder.hpp>

#include <memory>
#include <string>
#include <vector>

namespace mixwell {

/// Which draws of a run: those of sampling, or those of a warm-up that was recorded.
enum class DrawsPhase { sampling, warmup };

/// A draws.nc opened for reading, in bounded memory. Used by one thread.
class MIXWELL_EXPORT DrawsFile {
 public:
  /// `path`: the file, or the folder that holds a draws.nc. Throws InputError.
  explicit DrawsFile(const std::string& path);
  DrawsFile(const std::string& path, DrawsPhase phase);
  ~DrawsFile();
  DrawsFile(DrawsFile&&) noexcept;

  Index chains() const noexcept;
  Index draws() const noexcept;
  /// Independent groups of chains: the replicates of the run; as many as chains in a file that does
  /// not number them.
  Index replicates() const;
  /// Variables over (chain, draw, ...) of `posterior` in the order they were declared, then of
  /// `sample_stats`, `log_likelihood` and `posterior_predictive`.
  const std::vector<Column>& columns() const noexcept;
  /// Of those dimensions of columns() whose elements are called by texts.
  const std::vector<Labels>& labels() const noexcept;
  bool has(RecordGroup group, const std::string& name) const noexcept;
  bool has_warmup() const noexcept;
  /// Variables over (chain, ...) that a kernel recorded once, with the first draw of sampling.
  const std::vector<Column>& once() const noexcept;
  /// The numbers of one chain, of one of once(); last index fastest.
  Eigen::VectorXd read_once(const Column& column, Index chain) const;
  /// draws x (count * chains): elements [first, first + count) of a variable, numbered with the
  /// last index fastest; element first + k in columns [k * chains, (k + 1) * chains). Any type as
  /// double. Throws InputError when the file has no such variable or element, or is damaged.
  Eigen::MatrixXd read(const Column& column, Index first, Index count = 1) const;
  /// Draws [first, first + count) of one chain: element e of draw first + k at [k * size + e].
  std::vector<double> read_chain(const Column& column, Index chain, Index first, Index count) const;
  /// Elements [first, first + elements_at_once()), first a multiple of that, are read with the
  /// least disk traffic: no part of a file of a run is read twice. At most 64 MiB, or what the
  /// elements of one chunk of the file take where that is more, up to 512 MiB and an eighth of the
  /// memory that the process may have; one element at least.
  Index elements_at_once(const Column& column) const;
  /// One number stored beside the draws (`gradients`, `sampling_time`, `warmup_time` in seconds,
  /// `tuning_steps`), or NaN.
  double attribute(const std::string& name) const noexcept;
  /// One text stored beside the draws (`name` of the run, `created_at`,
  /// `inference_library_version`, `outcome`), or "".
  std::string text(const std::string& name) const;
  /// The class of the composition that made the draws; "" if the file does not say.
  std::string certificate() const;
  /// Of draws of the prior, which stand in `prior` and are read as `posterior`: made by "draws" of
  /// it or by sampling its "density"; else "".
  std::string prior_by() const;
  /// Neighbouring chains that are not independent of one another: the slots of a replicate where
  /// the certificate calls them coupled, else 1.
  Index coupled_chains() const;
  /// SHA-256 over the arrays of `posterior` in the order of columns(), each little-endian float64,
  /// chain-major (chain, draw, element), as lower-case hexadecimal.
  std::string sha256() const;

 private:
  struct Opened;
  std::unique_ptr<Opened> file_;
};

}  // namespace mixwell
