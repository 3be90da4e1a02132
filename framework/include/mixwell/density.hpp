// The one header a model needs that is written as a log density: all of a plugin's, and what such a
// model is made of.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <mixwell/density/cases.hpp>
#include <mixwell/density/density_model.hpp>
#include <mixwell/density/distributions.hpp>
#include <mixwell/density/dual.hpp>
#include <mixwell/density/multivariate.hpp>
#include <mixwell/density/special.hpp>
#include <mixwell/density/values.hpp>
#include <mixwell/plugin.hpp>
