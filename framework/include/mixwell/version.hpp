// Version numbers of the framework.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#define MIXWELL_VERSION "0.1.0"

/// The number of the plugin interface, which is part of the ABI tag. Raise it by one whenever
/// plugins compiled earlier must no longer be loaded: a virtual function of a public header is
/// added, removed, moved or gets other arguments; a class or struct gets another member or another
/// order of members; an enumerator moves; an exported function disappears or changes its meaning.
/// Do not raise it for new functions that are not virtual, or for headers in mixwell/lab/, which
/// plugins do not see.
#define MIXWELL_ABI_VERSION 14
