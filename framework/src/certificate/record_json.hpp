// Reads and writes certificate.json, including the results that `verify` adds to it.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <mixwell/base/export.hpp>
#include <mixwell/lab/certificate.hpp>

#include <nlohmann/json.hpp>

namespace mixwell {

MIXWELL_INTERNAL void to_json(nlohmann::ordered_json& json, const CertificateRecord& record);
/// Throws nlohmann's exceptions.
MIXWELL_INTERNAL void from_json(const nlohmann::ordered_json& json, CertificateRecord& record);

MIXWELL_INTERNAL void to_json(nlohmann::ordered_json& json, const Tested& tested);
/// Throws nlohmann's exceptions.
MIXWELL_INTERNAL void from_json(const nlohmann::ordered_json& json, Tested& tested);

}  // namespace mixwell
