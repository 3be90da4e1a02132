// Where the methods of a composition were published.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <mixwell/lab/certificate.hpp>
#include <mixwell/lab/manifest.hpp>
#include <mixwell/lab/registry.hpp>

#include <string>
#include <vector>

namespace mixwell::app {

/// Where the method of one component was published.
struct Publication {
  std::string component;  ///< "kernel nuts"
  std::string source;
};

/// Of the kernels, compositor, integrators, oracles, estimators and rules of steps in use, in this
/// order, the first of Description::sources: each work (authors and year) once, and none that the
/// certificate cites already. Remarks in parentheses and after a semicolon are left out. Empty
/// where the certificate promises nothing, and where no kernel has a part in the draws (run.prior).
std::vector<Publication> published(const Composition& composition, const Certificate& certificate,
                                   const Registry& registry);

}  // namespace mixwell::app
