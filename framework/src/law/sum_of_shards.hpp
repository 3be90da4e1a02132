// A model whose U is added up shard by shard of its cases, each shard by the rank that has it.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <mixwell/base/export.hpp>
#include <mixwell/law/portions.hpp>
#include <mixwell/model.hpp>

#include <memory>

namespace mixwell {

/// The same model as `whole`, with U and its gradient summed up over 64 shards, stretches of its
/// cases, in their order: bits do not depend on the number of ranks. All ranks evaluate it together
/// at the same theta. All else each of them does with all cases, minibatches too. Null where
/// `whole` is no sum over cases. Throws InputError where there are more ranks than shards.
MIXWELL_INTERNAL std::shared_ptr<Model> sum_of_shards(std::shared_ptr<const Model> whole,
                                                      std::shared_ptr<Portions> processes);

}  // namespace mixwell
