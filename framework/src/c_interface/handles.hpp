// What the handles of the C interface are.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <mixwell/lab.h>
#include <mixwell/lab/manifest.hpp>
#include <mixwell/lab/registry.hpp>
#include <mixwell/lab/stop_request.hpp>

#include <string>

struct mixwell_registry {
  mixwell::Registry all;
};

struct mixwell_composition {
  mixwell::Composition made;
  std::string path;  ///< as parse_manifest() takes it
};

struct mixwell_stop {
  mixwell::StopRequest request;
};
