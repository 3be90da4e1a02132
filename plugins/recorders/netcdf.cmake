# The NetCDF recorder writes its file with netCDF-C; its parts are in the folder of its name.
file(GLOB parts CONFIGURE_DEPENDS ${CMAKE_CURRENT_LIST_DIR}/netcdf/*.cpp)
target_sources(${plugin} PRIVATE ${parts})
target_link_libraries(${plugin} PRIVATE PkgConfig::netcdf PkgConfig::hdf5)
