// Flushes files to disk with fsync, unless write_durably(false) was called.
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
