// A run on several ranks: rank 0 tells the other ranks what to do.
// SPDX-License-Identifier: Apache-2.0
#include "sampler/joint_run.hpp"

#include <mixwell/base/state.hpp>

#include <utility>

namespace mixwell {
namespace {

/// Visits the state on ranks that do not save it.
class NoVisitor final : public StateVisitor {
 public:
  void numbers(std::string_view, Batch) override {}
  void count(std::string_view, std::uint64_t&) override {}
  void text(std::string_view, std::string&) override {}
};

}  // namespace

JointRun::~JointRun() { send({.what = What::end}); }

void JointRun::send(RankOrder order) {
  if (ranks_.leads()) ranks_.broadcast(&order, sizeof order);
}

JointRun::RankOrder JointRun::receive() {
  RankOrder order;
  ranks_.broadcast(&order, sizeof order);
  return order;
}

void JointRun::carry_out(const std::function<void()>& work) {
  asked_to_stop_ = together(ranks_, work, [this] { return is_made(stop_); }) || asked_to_stop_;
}

void JointRun::make_samplers(const std::function<void()>& make) {
  send({.what = What::make});
  carry_out(make);
}

void JointRun::order_start() { send({.what = What::start}); }

void JointRun::order_advance(PhaseKind phase, std::int64_t sweeps, bool records) {
  send({.what = What::advance,
        .phase = static_cast<std::int64_t>(phase),
        .sweeps = sweeps,
        .records = records ? 1 : 0});
}

void JointRun::order_gather() { send({.what = What::gather}); }

void JointRun::order_restore(const std::vector<char>& state) {
  if (!ranks_.leads()) return;
  send({.what = What::restore, .bytes = static_cast<std::int64_t>(state.size())});
  std::vector<char> sent = state;
  ranks_.broadcast(sent.data(), sent.size());
  carry_out([] {});
}

void JointRun::restore(const RankOrder& order, Sampler& sampler) {
  std::vector<char> state(static_cast<std::size_t>(order.bytes));
  ranks_.broadcast(state.data(), state.size());
  carry_out([&] {
    StateReader reader(std::move(state));
    sampler.visit_state(reader);
  });
}

void JointRun::obey(const RankOrder& order, Sampler& sampler, DrawBuffers& buffers) {
  if (order.what == What::start) sampler.initialise();
  if (order.what == What::advance) {
    sampler.advance(static_cast<PhaseKind>(order.phase), order.sweeps,
                    order.records != 0 ? &buffers : nullptr);
  }
  if (order.what == What::gather) {
    NoVisitor nobody;
    sampler.visit_state(nobody);
  }
  if (order.what == What::restore) restore(order, sampler);
}

/// Rank 0 reports errors, and ends or continues the run.
void JointRun::follow(const std::function<std::unique_ptr<Sampler>()>& make) {
  std::unique_ptr<Sampler> sampler;
  DrawBuffers buffers;
  for (RankOrder order = receive(); order.what != What::end; order = receive()) {
    try {
      if (order.what == What::make)
        carry_out([&] { sampler = make(); });
      else
        obey(order, *sampler, buffers);
    } catch (const OtherRankFailed&) {
      continue;
    }
  }
}

}  // namespace mixwell
