# The NetCDF recorder writes its file with netCDF-C.
target_link_libraries(${plugin} PRIVATE PkgConfig::netcdf)
