// The contract of every composition.
// SPDX-License-Identifier: Apache-2.0
#include <mixwell/contracts/sampler.hpp>
#include <mixwell/lab/sampler.hpp>

#include <cstring>
#include <string>
#include <vector>

namespace mixwell::contracts {
namespace {

using Recorded = std::vector<double>;

void append(Recorded& all, const DrawBuffers& buffers, std::size_t record) {
  all.insert(all.end(), buffers.data[record].begin(), buffers.data[record].end());
}

/// Everything that calls of the given lengths record, record by record.
std::vector<Recorded> recorded(Sampler& sampler, PhaseKind phase,
                               const std::vector<std::int64_t>& calls) {
  std::vector<Recorded> all;
  for (const std::int64_t sweeps : calls) {
    DrawBuffers buffers;
    sampler.advance(phase, sweeps, &buffers);
    all.resize(buffers.data.size());
    for (std::size_t r = 0; r < all.size(); ++r) append(all[r], buffers, r);
  }
  return all;
}

bool same_bits(const std::vector<Recorded>& a, const std::vector<Recorded>& b) {
  if (a.size() != b.size()) return false;
  for (std::size_t r = 0; r < a.size(); ++r) {
    if (a[r].size() != b[r].size()) return false;
    if (!a[r].empty() && std::memcmp(a[r].data(), b[r].data(), sizeof(double) * a[r].size()) != 0) {
      return false;
    }
  }
  return true;
}

Sampler make(const Composition& composition, std::int64_t seed) {
  RunSettings settings = composition.run;
  settings.seed = seed;
  settings.thin = 1;
  return {composition.compositor, settings, compose(*composition.compositor)};
}

Finding restores(const Composition& composition, PhaseKind phase) {
  Sampler original = make(composition, 5);
  original.initialise();
  original.advance(PhaseKind::warmup, 13);
  if (phase == PhaseKind::sampling) original.advance(PhaseKind::sampling, 9);
  StateWriter saved;
  original.visit_state(saved);
  Sampler fresh = make(composition, 5);
  StateReader reader(saved.bytes());
  fresh.visit_state(reader);
  const bool same = same_bits(recorded(original, phase, {10}), recorded(fresh, phase, {10}));
  const bool counted = original.gradients() == fresh.gradients() &&
                       original.divergence_count() == fresh.divergence_count() &&
                       original.divergences().size() == fresh.divergences().size();
  return {std::string("restore in ") + (phase == PhaseKind::warmup ? "warmup" : "sampling"),
          same && counted,
          std::to_string(saved.bytes().size()) + " bytes of state" +
              (counted ? ""
                       : ". The restored sampler and the original have different counts of "
                         "gradients or divergences")};
}

std::vector<Recorded> whole_run(const Composition& composition, std::int64_t seed,
                                const std::vector<std::int64_t>& calls, int threads) {
  std::vector<Recorded> all;
  with_threads(threads, [&] {
    Sampler sampler = make(composition, seed);
    sampler.initialise();
    all = recorded(sampler, PhaseKind::warmup, calls);
    const std::vector<Recorded> rest = recorded(sampler, PhaseKind::sampling, calls);
    all.insert(all.end(), rest.begin(), rest.end());
  });
  return all;
}

}  // namespace

Findings check_sampler(const Composition& composition) {
  Findings findings;
  findings.push_back(restores(composition, PhaseKind::warmup));
  findings.push_back(restores(composition, PhaseKind::sampling));
  const auto reference = whole_run(composition, 5, {20}, 1);
  findings.push_back({"split", same_bits(reference, whole_run(composition, 5, {1, 7, 12}, 1)), ""});
  findings.push_back({"threads", same_bits(reference, whole_run(composition, 5, {20}, 2)), ""});
  findings.push_back({"seed", !same_bits(reference, whole_run(composition, 6, {20}, 1)), ""});
  const Program program = compose(*composition.compositor);
  const Sampler sampler = make(composition, 5);
  const bool agrees =
      certify(sampler.graph(PhaseKind::sampling)).label() == program.certificate.now.label() &&
      certify(sampler.graph(PhaseKind::warmup)).label() == program.certificate.warmup.label();
  findings.push_back({"certified", agrees, program.certificate.now.label()});
  return findings;
}

}  // namespace mixwell::contracts
