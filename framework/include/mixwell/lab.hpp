// All headers for programs that embed Mixwell. To compile faster, include only those you need.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <mixwell/lab/advice.hpp>
#include <mixwell/lab/certificate.hpp>
#include <mixwell/lab/check.hpp>
#include <mixwell/lab/cmdstan_csv.hpp>
#include <mixwell/lab/composer.hpp>
#include <mixwell/lab/diagnostics.hpp>
#include <mixwell/lab/directions.hpp>
#include <mixwell/lab/distances.hpp>
#include <mixwell/lab/dot.hpp>
#include <mixwell/lab/draws.hpp>
#include <mixwell/lab/equilibrium.hpp>
#include <mixwell/lab/ess.hpp>
#include <mixwell/lab/field_target.hpp>
#include <mixwell/lab/generate.hpp>
#include <mixwell/lab/gradient_check.hpp>
#include <mixwell/lab/manifest.hpp>
#include <mixwell/lab/metropolis_change.hpp>
#include <mixwell/lab/page.hpp>
#include <mixwell/lab/registry.hpp>
#include <mixwell/lab/report.hpp>
#include <mixwell/lab/run.hpp>
#include <mixwell/lab/run_settings.hpp>
#include <mixwell/lab/sampler.hpp>
#include <mixwell/lab/stop_request.hpp>
#include <mixwell/lab/study.hpp>
#include <mixwell/lab/summary.hpp>
#include <mixwell/lab/verify.hpp>
#include <mixwell/lab/worlds.hpp>
#include <mixwell/lab/worlds_report.hpp>
#include <mixwell/plugin.hpp>
