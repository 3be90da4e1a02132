// Bodies that do what another component makes of it.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <mixwell/component.hpp>
#include <mixwell/export.hpp>

namespace mixwell {

/// A second base of a Body that calls a component it was given, as a trajectory calls its
/// integrator and a fit its estimator. The traits of its operation are that component's word, and a
/// certificate says so where its author is an outside one. A typed body has it from its lambda's or
/// class' own member acts_for(); see acting_for.
class MIXWELL_EXPORT ActsFor {
 public:
  virtual ~ActsFor();
  virtual const Component& acts_for() const noexcept = 0;
};

}  // namespace mixwell
