// A tag that describes the memory layout. Mixwell runs only plugins whose tag equals its own tag.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <mixwell/version.hpp>

#include <Eigen/Core>

#ifndef MIXWELL_ISA
#error "MIXWELL_ISA is not defined. Build with mixwell_add_plugin() or link Mixwell::framework."
#endif

#define MIXWELL_TEXT_(x) #x
#define MIXWELL_TEXT(x) MIXWELL_TEXT_(x)

/// g++ (since 3.4) and clang++ share this ABI of symbol names, virtual tables and exceptions.
#if defined(__GXX_ABI_VERSION) && __GXX_ABI_VERSION >= 1002
#define MIXWELL_ABI_CXX_ "itanium"
#else
#error "Plugins need the Itanium C++ ABI. Build with g++ or clang++."
#endif

#if defined(__GLIBCXX__)
#define MIXWELL_ABI_LIBRARY_ "libstdc++"
#elif defined(_LIBCPP_VERSION)
#define MIXWELL_ABI_LIBRARY_ "libc++"
#else
#define MIXWELL_ABI_LIBRARY_ "unknown"
#endif

/// libstdc++ has two versions of std::string and std::list.
#if !defined(__GLIBCXX__) || _GLIBCXX_USE_CXX11_ABI
#define MIXWELL_ABI_STRINGS_ "c++11"
#else
#define MIXWELL_ABI_STRINGS_ "old"
#endif

/// _GLIBCXX_DEBUG adds members to containers, but _GLIBCXX_ASSERTIONS adds only code.
#ifdef _GLIBCXX_DEBUG
#define MIXWELL_ABI_CONTAINERS_ "debug"
#else
#define MIXWELL_ABI_CONTAINERS_ "plain"
#endif

/// The section of a plugin's file that holds the tag.
#ifdef __APPLE__
#define MIXWELL_ABI_SECTION_ "__TEXT,__mixwell_abi"
#else
#define MIXWELL_ABI_SECTION_ ".mixwell_abi"
#endif

/// `name=value;` pairs. Two builds are compatible only if all pairs are equal. eigen_alignment is
/// for heap memory, and eigen_static_alignment is for members. eigen_malloc determines which
/// functions allocate and free Eigen's memory.
#define MIXWELL_ABI_TAG \
  "mixwell=" MIXWELL_TEXT(MIXWELL_ABI_VERSION) ";c++=" MIXWELL_ABI_CXX_                           \
  ";library=" MIXWELL_ABI_LIBRARY_ ";strings=" MIXWELL_ABI_STRINGS_                               \
  ";containers=" MIXWELL_ABI_CONTAINERS_ ";isa=" MIXWELL_ISA                                      \
  ";eigen=" MIXWELL_TEXT(EIGEN_WORLD_VERSION) "." MIXWELL_TEXT(EIGEN_MAJOR_VERSION) "."           \
  MIXWELL_TEXT(EIGEN_MINOR_VERSION)                                                               \
  ";eigen_alignment=" MIXWELL_TEXT(EIGEN_MAX_ALIGN_BYTES)                                         \
  ";eigen_static_alignment=" MIXWELL_TEXT(EIGEN_MAX_STATIC_ALIGN_BYTES)                           \
  ";eigen_malloc=" MIXWELL_TEXT(EIGEN_MALLOC_ALREADY_ALIGNED)                                     \
  ";eigen_index=" MIXWELL_TEXT(EIGEN_DEFAULT_DENSE_INDEX_TYPE)                                    \
  ";eigen_order=" MIXWELL_TEXT(EIGEN_DEFAULT_MATRIX_STORAGE_ORDER_OPTION) ";"
