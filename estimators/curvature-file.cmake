# The curvature of an earlier run is read from its draws.nc with netCDF-C.
target_link_libraries(${plugin} PRIVATE PkgConfig::netcdf)
