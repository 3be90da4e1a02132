// The interface of oracles, which compute U and grad U exactly, with noise or from a surrogate.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <mixwell/component/component.hpp>
#include <mixwell/graph/graph.hpp>

#include <string>

namespace mixwell {

struct Site;

/// Turns a factor of the target into the law that a kernel uses. An oracle adds to the graph what
/// its law depends on: noise, histories and pure operations. Mixwell determines from the graph
/// whether the law is exact, noisy, conditional or learnt.
class MIXWELL_EXPORT Oracle : public Component {
 public:
  static constexpr Kind kind = Kind::oracle;
  ~Oracle() override;

  /// Returns the law, which is a value of the graph with a Potential as its function. Adds only
  /// names that begin with `path` to the graph.
  virtual Value law(KernelGraph& graph, const std::string& path, Value factor) const = 0;

  /// Returns the law that the kernel of this site uses. The default applies law() to the site's
  /// target, under `path/oracle`. Override this if the oracle needs more information about the
  /// site.
  virtual Value law_for(KernelGraph& graph, const Site& site) const;
  /// Adds to the graph the operations by which the oracle learns from the site's transition. Call
  /// this function after the transition. `before` is the slot's version at which the transition
  /// started.
  virtual void learn(KernelGraph&, const Site&, Value /*before*/) const {}
};

}  // namespace mixwell
