// Whether files are forced to disk.
// SPDX-License-Identifier: Apache-2.0
#include <mixwell/files/files.hpp>

#include <unistd.h>

#include <atomic>

namespace mixwell {
namespace {

std::atomic<bool> durable{true};

}  // namespace

void write_durably(bool wanted) noexcept { durable.store(wanted); }

int force_to_disk(int descriptor) noexcept { return durable.load() ? ::fsync(descriptor) : 0; }

}  // namespace mixwell
