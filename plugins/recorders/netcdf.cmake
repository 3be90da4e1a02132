# Recorder `netcdf` writes its file with netCDF-C. Its parts are in the folder netcdf/.
file(GLOB parts CONFIGURE_DEPENDS ${CMAKE_CURRENT_LIST_DIR}/netcdf/*.cpp)
target_sources(${plugin} PRIVATE ${parts})
target_link_libraries(${plugin} PRIVATE PkgConfig::netcdf PkgConfig::hdf5)
