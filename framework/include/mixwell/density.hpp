// The only header that a model written as a log density needs. It includes plugin.hpp.
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
