// A model whose U is summed over shards of its cases. Each rank sums its own shards.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <mixwell/base/export.hpp>
#include <mixwell/law/portions.hpp>
#include <mixwell/model.hpp>

#include <memory>

namespace mixwell {

/// The same model as `whole`, but U and its gradient are summed over 64 shards. A shard is a
/// stretch of cases, and the order of the sums is fixed, so the bits do not depend on the number of
/// ranks. All ranks evaluate the model together at the same theta. Each rank does everything else,
/// including minibatches, with all cases. Null if `whole` is not a sum over cases. Throws
/// InputError if there are more ranks than shards.
MIXWELL_INTERNAL std::shared_ptr<Model> sum_of_shards(std::shared_ptr<const Model> whole,
                                                      std::shared_ptr<Portions> processes);

}  // namespace mixwell
