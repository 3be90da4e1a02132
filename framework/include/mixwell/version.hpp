// Version numbers of the framework.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#define MIXWELL_VERSION "0.1.0"

/// The number of the plugin interface, which is part of the ABI tag. Raise it by one for each
/// change after which older plugins must not be loaded:
/// - A virtual function of a public header is added, removed or moved, or its arguments change.
/// - A class or struct gets a new member, or the order of its members changes.
/// - The value of an enumerator changes, or an exported function is removed or changes its meaning.
/// Do not raise it for new functions that are not virtual, or for changes to headers in
/// mixwell/lab/, which plugins do not see.
#define MIXWELL_ABI_VERSION 14
