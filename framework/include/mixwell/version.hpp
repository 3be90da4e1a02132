// Versions of the framework.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#define MIXWELL_VERSION "0.1.0"

/// The number of the plugin interface, a part of the ABI tag. It is raised by one whenever a plugin
/// that was compiled before must not be loaded any more: a virtual function of a public header is
/// added, removed, moved or given other arguments; a class or struct gets another member or another
/// order of members; an enumerator moves; an exported function goes or means something else. New
/// functions that are not virtual, and headers of mixwell/lab/, which plugins do not see, leave it.
#define MIXWELL_ABI_VERSION 14
