# Headers that most files read are compiled once for each target of many files. Plugins are not
# compiled so, as outsiders' are not. Off, every file has to include what it uses, as ./dev lint
# sees them.
option(MIXWELL_PRECOMPILE "Precompile the headers that most files include" ON)

set(mixwell_common_headers
  <algorithm> <cmath> <filesystem> <functional> <map> <memory> <optional> <string> <vector>
  <Eigen/Dense>)

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
