// Checks the certificate of a composition on finite worlds (docs/worlds.md).
// SPDX-License-Identifier: Apache-2.0
#include "app/modules.hpp"

namespace mixwell::app {

void mixwell_read_on_worlds(const Program& program, const std::string& name, bool wants_example,
                            WorldsReport& report) {
  report = worlds_report(program, name, wants_example);
}

}  // namespace mixwell::app
