// Loads libnetcdf only when it is first used, because libnetcdf loads 58 more libraries, and most
// programs that link libmixwell never read a draw. This file defines the functions of <netcdf.h>
// that the framework calls. These definitions are visible only in the framework, and pass each call
// on to libnetcdf.
// SPDX-License-Identifier: Apache-2.0
#include "files/netcdf_library.hpp"

#include <mixwell/base/error.hpp>

#include <dlfcn.h>
#include <fmt/format.h>
#include <netcdf.h>
#include <netcdf_mem.h>

namespace mixwell {
namespace {

constexpr const char* name_of_library = MIXWELL_NETCDF_LIBRARY;

void* loaded() {
  void* const library = ::dlopen(name_of_library, RTLD_NOW | RTLD_LOCAL);
  if (library != nullptr) return library;
  const char* const why = ::dlerror();
  throw RunError(
      fmt::format("{} cannot be loaded: {}. Mixwell needs this library to read and write draws. "
                  "Install it (Debian: libnetcdf19)",
                  name_of_library, why == nullptr ? "the system gave no reason" : why));
}

/// Throws RunError.
void* needed(const char* name) {
  if (void* const function = netcdf_function(name)) return function;
  throw RunError(fmt::format("{} has no function {}. Install a different version of this library",
                             name_of_library, name));
}

}  // namespace

void* netcdf_function(const char* name) {
  static void* const library = loaded();
  return ::dlsym(library, name);
}

}  // namespace mixwell

#define HAND_ON(result, name, parameters, arguments)                                          \
  result name parameters {                                                                    \
    static auto* const real = reinterpret_cast<result(*) parameters>(mixwell::needed(#name)); \
    return real arguments;                                                                    \
  }

extern "C" {

HAND_ON(int, nc_close, (int file), (file))
HAND_ON(int, nc_close_memio, (int file, NC_memio* memory), (file, memory))
HAND_ON(int, nc_create_mem, (const char* path, int mode, size_t size, int* file),
        (path, mode, size, file))
HAND_ON(int, nc_def_dim, (int group, const char* name, size_t length, int* dimension),
        (group, name, length, dimension))
HAND_ON(int, nc_def_var,
        (int group, const char* name, nc_type type, int rank, const int* dimensions, int* variable),
        (group, name, type, rank, dimensions, variable))
HAND_ON(int, nc_enddef, (int file), (file))
HAND_ON(int, nc_free_string, (size_t count, char** texts), (count, texts))
HAND_ON(int, nc_get_att_double, (int group, int variable, const char* name, double* value),
        (group, variable, name, value))
HAND_ON(int, nc_get_att_string, (int group, int variable, const char* name, char** text),
        (group, variable, name, text))
HAND_ON(int, nc_get_var_longlong, (int group, int variable, long long* numbers),
        (group, variable, numbers))
HAND_ON(int, nc_get_var_string, (int group, int variable, char** texts), (group, variable, texts))
HAND_ON(int, nc_get_vara,
        (int group, int variable, const size_t* start, const size_t* count, void* numbers),
        (group, variable, start, count, numbers))
HAND_ON(int, nc_get_vara_double,
        (int group, int variable, const size_t* start, const size_t* count, double* numbers),
        (group, variable, start, count, numbers))
HAND_ON(int, nc_inq_dimid, (int group, const char* name, int* dimension), (group, name, dimension))
HAND_ON(int, nc_inq_dimlen, (int group, int dimension, size_t* length), (group, dimension, length))
HAND_ON(int, nc_inq_dimname, (int group, int dimension, char* name), (group, dimension, name))
HAND_ON(int, nc_inq_grp_ncid, (int file, const char* name, int* group), (file, name, group))
HAND_ON(int, nc_inq_grpname, (int group, char* name), (group, name))
HAND_ON(int, nc_inq_grps, (int group, int* count, int* groups), (group, count, groups))
HAND_ON(const char*, nc_inq_libvers, (void), ())
HAND_ON(int, nc_inq_type, (int group, nc_type type, char* name, size_t* size),
        (group, type, name, size))
HAND_ON(int, nc_inq_var,
        (int group, int variable, char* name, nc_type* type, int* rank, int* dimensions,
         int* attributes),
        (group, variable, name, type, rank, dimensions, attributes))
HAND_ON(int, nc_inq_var_chunking, (int group, int variable, int* storage, size_t* extents),
        (group, variable, storage, extents))
HAND_ON(int, nc_inq_vardimid, (int group, int variable, int* dimensions),
        (group, variable, dimensions))
HAND_ON(int, nc_inq_varid, (int group, const char* name, int* variable), (group, name, variable))
HAND_ON(int, nc_inq_varids, (int group, int* count, int* variables), (group, count, variables))
HAND_ON(int, nc_open, (const char* path, int mode, int* file), (path, mode, file))
HAND_ON(int, nc_put_att_string,
        (int group, int variable, const char* name, size_t count, const char** texts),
        (group, variable, name, count, texts))
HAND_ON(int, nc_put_var_double, (int group, int variable, const double* numbers),
        (group, variable, numbers))
HAND_ON(int, nc_put_var_string, (int group, int variable, const char** texts),
        (group, variable, texts))
HAND_ON(int, nc_set_chunk_cache, (size_t bytes, size_t elements, float preemption),
        (bytes, elements, preemption))
HAND_ON(int, nc_set_var_chunk_cache,
        (int group, int variable, size_t bytes, size_t elements, float preemption),
        (group, variable, bytes, elements, preemption))
HAND_ON(const char*, nc_strerror, (int status), (status))

}  // extern "C"
