// What a study keeps of a run.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "study/task.hpp"

namespace mixwell::study {

/// All but host, time and errors.
CellFigures cell_figures(const RunResult& result);

}  // namespace mixwell::study
