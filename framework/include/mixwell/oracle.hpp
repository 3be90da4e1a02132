// Where U and grad U come from: exact, minibatch, noisy, surrogate.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <mixwell/component/component.hpp>
#include <mixwell/graph/graph.hpp>

#include <string>

namespace mixwell {

struct Site;

/// Turns a factor of the target into the law that a kernel uses. Whether the result is exact,
/// noisy, conditional or learnt is read off the graph: an oracle adds the pure operations, noise
/// and histories that its law depends on.
class MIXWELL_EXPORT Oracle : public Component {
 public:
  static constexpr Kind kind = Kind::oracle;
  ~Oracle() override;

  /// A value whose function is a Potential. `path` prefixes the names of what it adds.
  virtual Value law(KernelGraph& graph, const std::string& path, Value factor) const = 0;

  /// The law for the kernel of a site: of its target, under `path/oracle`, unless the oracle needs
  /// to know more of the site.
  virtual Value law_for(KernelGraph& graph, const Site& site) const;
  /// After the site's transition, which found the slot at `before`: what the oracle learns from it.
  virtual void learn(KernelGraph&, const Site&, Value /*before*/) const {}
};

}  // namespace mixwell
