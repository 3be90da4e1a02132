// The main function of every Catch2 test executable.
// SPDX-License-Identifier: Apache-2.0
#if __has_include(<catch2/catch.hpp>)
#define CATCH_CONFIG_MAIN
#include <catch2/catch.hpp>
#endif
