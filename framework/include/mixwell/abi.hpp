// The tag by which a plugin proves, before any of its code runs, that it was built like the host.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <mixwell/version.hpp>

#include <Eigen/Core>

#ifndef MIXWELL_ISA
#error "MIXWELL_ISA is not defined: build with mixwell_add_plugin() or link Mixwell::framework"
#endif

#define MIXWELL_TEXT_(x) #x
#define MIXWELL_TEXT(x) MIXWELL_TEXT_(x)

/// `name=value;` pairs; two builds fit together only if all are equal.
#define MIXWELL_ABI_TAG \
  "mixwell=" MIXWELL_ABI_VERSION ";eigen=" MIXWELL_TEXT(EIGEN_WORLD_VERSION) "." MIXWELL_TEXT( \
      EIGEN_MAJOR_VERSION) "." MIXWELL_TEXT(EIGEN_MINOR_VERSION) ";alignment=" MIXWELL_TEXT(   \
      EIGEN_MAX_ALIGN_BYTES) ";isa=" MIXWELL_ISA ";compiler=" __VERSION__                      \
                             ";libstdc++=" MIXWELL_TEXT(__GLIBCXX__) ";c++=" MIXWELL_TEXT(     \
                                 __cplusplus) ";"
