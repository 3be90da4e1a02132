// The other side of a study: a process that looks at manifests and runs them, one after another.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <mixwell/lab/manifest.hpp>

#include <nlohmann/json.hpp>

#include <string>
#include <vector>

namespace mixwell::study {

/// Requests: {"do": "plan" | "run" | "trial", "text", "path", "changes"}, text and path of the base
/// manifest, and "threads"; for a plan also "estimate", for a run "folder", "keep" and perhaps
/// "reference" ({"id", "paths"}), for a trial "budget" and "objective". And {"do": "compare",
/// "folder", "reference"}, which makes no component.
///
/// Says {"status": "ready"} first. Answers: {"status": "done" | "failed" | "suspended" | "disk" |
/// "bad-input", "reason"} and what the request asks for. A plan: "manifest" (effective),
/// "libraries", "files" ({"named", "path"}), "class", "refused", with "estimate" its "cost". A run:
/// the columns of the ledger, "reference" the id of what it was compared with; "reference_reason"
/// why that cannot be compared with.
nlohmann::ordered_json changes_json(const std::vector<Override>& changes);
std::vector<Override> changes_from(const nlohmann::ordered_json& json);

/// The descriptor that a worker answers on.
inline constexpr int answer_descriptor = 3;

}  // namespace mixwell::study
