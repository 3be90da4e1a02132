# The parts of the CmdStan CSV recorder are in the folder of its name.
file(GLOB parts CONFIGURE_DEPENDS ${CMAKE_CURRENT_LIST_DIR}/cmdstan-csv/*.cpp)
target_sources(${plugin} PRIVATE ${parts})
