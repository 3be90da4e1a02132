# Third-party libraries: what plugin authors see (Eigen, threads), and what the framework hides.
find_package(Eigen3 3.4 REQUIRED NO_MODULE)
find_package(Threads REQUIRED)
find_package(Boost 1.74 REQUIRED)
find_package(TBB REQUIRED)
find_package(tomlplusplus 3 REQUIRED)
find_package(fmt REQUIRED)
find_package(nlohmann_json 3 REQUIRED)
find_package(OpenSSL REQUIRED COMPONENTS Crypto)
find_package(ZLIB REQUIRED)
find_package(SQLite3 REQUIRED)
find_package(CLI11 REQUIRED)
find_path(LBFGS_INCLUDE_DIR lbfgs.h REQUIRED)
find_library(LBFGS_LIBRARY lbfgs REQUIRED)
find_package(PkgConfig REQUIRED)
pkg_check_modules(netcdf REQUIRED IMPORTED_TARGET netcdf)
pkg_check_modules(hdf5 REQUIRED IMPORTED_TARGET hdf5) # what NetCDF-4 is written with
pkg_check_modules(libzip REQUIRED IMPORTED_TARGET libzip)

# With an MPI `mpirun mixwell run` divides a run among processes: a module of its own, without which all
# else is the same.
option(MIXWELL_MPI "Divide runs among processes of MPI, where there is one" ON)
set(MPI_CXX_SKIP_MPICXX TRUE) # its C functions alone are used
if(MIXWELL_MPI AND NOT SKBUILD)
  find_package(MPI QUIET COMPONENTS CXX)
endif()

# What the framework is made with and its users never see: third-party libraries, private headers.
add_library(mixwell_private INTERFACE)
target_include_directories(mixwell_private INTERFACE ${PROJECT_SOURCE_DIR}/framework/src)
target_include_directories(mixwell_private SYSTEM INTERFACE
  ${LBFGS_INCLUDE_DIR} ${netcdf_INCLUDE_DIRS})
target_compile_definitions(mixwell_private INTERFACE TOML_HEADER_ONLY=0 TOML_SHARED_LIB=1)
target_link_libraries(mixwell_private INTERFACE
  Boost::headers TBB::tbb tomlplusplus::tomlplusplus fmt::fmt
  nlohmann_json::nlohmann_json OpenSSL::Crypto ZLIB::ZLIB SQLite::SQLite3 ${LBFGS_LIBRARY} ${CMAKE_DL_LIBS})

# NetCDF brings 58 libraries, so that it is loaded when a file is first read or written
# (framework/src/files/netcdf_library.cpp), by the name under which programs find it.
list(GET netcdf_LINK_LIBRARIES 0 netcdf_library)
if(APPLE) # where programs find a library by its path
  set(MIXWELL_NETCDF_LIBRARY ${netcdf_library})
else()
  execute_process(COMMAND ${CMAKE_OBJDUMP} -p ${netcdf_library} OUTPUT_VARIABLE netcdf_headers)
  if(NOT netcdf_headers MATCHES "SONAME +([^ \n]+)")
    message(FATAL_ERROR "${netcdf_library} is no shared library with a name")
  endif()
  set(MIXWELL_NETCDF_LIBRARY ${CMAKE_MATCH_1})
endif()
