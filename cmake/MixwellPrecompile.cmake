# Headers that most files read are compiled once for each target of many files (not nlohmann/json.hpp:
# whatever is compiled with it takes 0.9 s longer, used or not), and mixwell/plugin.hpp once for all
# plugins of this tree: of a small plugin it is nearly all there is to compile. Off, every file has to
# include what it uses, as ./dev lint sees them, and as plugins from outside do.
option(MIXWELL_PRECOMPILE "Precompile the headers that most files include" ON)

set(mixwell_common_headers
  <algorithm> <cmath> <filesystem> <functional> <map> <memory> <optional> <string> <vector>
  <Eigen/Core>)

# mixwell_precompile(<target> <header>...): the common ones and these, for this target.
function(mixwell_precompile target)
  if(MIXWELL_PRECOMPILE)
    target_precompile_headers(${target} PRIVATE ${mixwell_common_headers} ${ARGN})
  endif()
endfunction()

# mixwell_precompile_as(<target> <other>): those of another target that is compiled alike.
function(mixwell_precompile_as target other)
  if(MIXWELL_PRECOMPILE)
    target_precompile_headers(${target} REUSE_FROM ${other})
  endif()
endfunction()

# mixwell_precompile_plugin(<target>): that of all plugins.
function(mixwell_precompile_plugin target)
  if(NOT MIXWELL_PRECOMPILE)
    return()
  endif()
  if(NOT TARGET mixwell_plugin_headers)
    file(CONFIGURE OUTPUT ${PROJECT_BINARY_DIR}/plugin_headers.cpp CONTENT "" @ONLY)
    add_library(mixwell_plugin_headers OBJECT ${PROJECT_BINARY_DIR}/plugin_headers.cpp)
    target_link_libraries(mixwell_plugin_headers PRIVATE Mixwell::framework mixwell_warnings)
    target_precompile_headers(mixwell_plugin_headers PRIVATE <mixwell/plugin.hpp>)
  endif()
  target_precompile_headers(${target} REUSE_FROM mixwell_plugin_headers)
endfunction()
