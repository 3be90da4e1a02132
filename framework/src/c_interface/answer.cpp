// How C functions answer: exit codes, messages, texts that the caller frees.
// SPDX-License-Identifier: Apache-2.0
#include "c_interface/answer.hpp"

#include "base/memory.hpp"
#include "base/utf8.hpp"

#include <mixwell/error.hpp>
#include <mixwell/lab.h>

#include <hdf5.h>

#include <cstdlib>
#include <cstring>
#include <exception>
#include <new>

namespace mixwell {
namespace {

thread_local std::string fault;

int fail(ExitCode code, const std::string& message) {
  fault = as_utf8(message);  // a foreign exception may say anything
  return static_cast<int>(code);
}

/// netCDF asks HDF5 for attributes that need not be there. HDF5 prints that they are not, in every
/// thread but the first, in which netCDF has silenced it.
void silence_hdf5() {
  thread_local const bool silent = H5Eset_auto2(H5E_DEFAULT, nullptr, nullptr) >= 0;
  (void)silent;
}

}  // namespace

int answer(const std::function<void()>& body) noexcept try {
  silence_hdf5();
  body();
  return 0;
} catch (const Error& error) {
  return fail(error.code(), error.what());
} catch (const std::bad_alloc&) {
  return fail(ExitCode::failed, out_of_memory());
} catch (const std::exception& error) {
  return fail(ExitCode::failed, error.what());
} catch (...) {
  return fail(ExitCode::failed, "an exception of an unknown type");
}

char* handed_out(const std::string& text) {
  auto* const copy = static_cast<char*>(std::malloc(text.size() + 1));
  if (copy == nullptr) throw std::bad_alloc();
  std::memcpy(copy, text.c_str(), text.size() + 1);
  return copy;
}

}  // namespace mixwell

const char* mixwell_fault() { return mixwell::fault.c_str(); }

void mixwell_free(char* text) { std::free(text); }
