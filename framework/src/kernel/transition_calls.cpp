// Rules for the order in which a kernel calls the functions of `Transition`, as one table.
// SPDX-License-Identifier: Apache-2.0
#include <mixwell/base/error.hpp>
#include <mixwell/kernel/transition.hpp>

#include <fmt/format.h>

#include <array>
#include <initializer_list>
#include <string_view>

namespace mixwell {

/// For one call: the calls that must come before it, and the calls that must not.
struct Transition::Order {
  Call call;
  std::string_view name;
  std::uint32_t needs = 0;  ///< calls that must come before this call
  std::uint32_t ends = 0;   ///< calls after which this call is not allowed
  std::string_view why{};   ///< the reason, and the fix

  static constexpr std::uint32_t bit(Call call) { return 1U << static_cast<std::uint32_t>(call); }
  static constexpr std::uint32_t set(std::initializer_list<Call> calls) {
    std::uint32_t all = 0;
    for (const Call call : calls) all |= bit(call);
    return all;
  }
  static const Order& of(Call call) { return table[static_cast<std::size_t>(call)]; }
  /// The name of the first call in a set.
  static std::string_view first_name(std::uint32_t calls) {
    for (const Order& row : table)
      if ((bit(row.call) & calls) != 0) return row.name;
    return {};
  }

  static const std::array<Order, 11> table;
};

const std::array<Transition::Order, 11> Transition::Order::table = {{
    {Call::take_estimates, "take_estimates", 0,
     set({Call::take_estimates, Call::takes_estimate_of, Call::metropolis, Call::finish}),
     "the other calls depend on whether the kernel accepts estimates. Call "
     "`take_estimates` first."},
    {Call::takes_estimate_of, "takes_estimate_of", 0, set({Call::finish}),
     "the transition is already complete. `TransitionKernel` calls `finish` after `transition`. Do "
     "not call `finish` in `transition`."},
    {Call::law, "law", 0, set({Call::law, Call::metropolis, Call::finish}),
     "a transition updates only one oracle, which must be set before the proposal. Call `law` "
     "once, before the proposal, and use the edge that it returns."},
    {Call::preconditioner, "preconditioner", 0,
     set({Call::preconditioner, Call::metropolis, Call::finish}),
     "a transition updates only one preconditioner, which must be set before the proposal. "
     "Call `preconditioner` once, before the proposal, and use the edge that it returns."},
    {Call::drift_correction, "drift_correction", set({Call::preconditioner}), 0,
     "the drift correction belongs to the preconditioner. Call `preconditioner` first."},
    {Call::step_size, "step_size", 0, set({Call::step_size, Call::metropolis, Call::finish}),
     "a transition adapts only one step size, which must be set before the proposal. Call "
     "`step_size` once, before the proposal, and use the edge that it returns."},
    {Call::steps, "steps", 0,
     set({Call::steps, Call::steps_by_rule, Call::metropolis, Call::finish}),
     "a transition sets its number of steps only once. Call `steps` once, before the proposal, and "
     "use the edge that it returns."},
    {Call::steps_by_rule, "steps", set({Call::step_size}),
     set({Call::steps, Call::steps_by_rule, Call::metropolis, Call::finish}),
     "this transition draws its number of steps once, by a rule that depends on the step size. "
     "Call `steps` once, after `step_size` and before the proposal."},
    {Call::momentum, "momentum", 0, set({Call::momentum, Call::metropolis, Call::finish}),
     "a transition has only one momentum, which must be set before the proposal. Call `momentum` "
     "once, before the proposal, and use the momentum that it returns."},
    {Call::metropolis, "metropolis", 0, set({Call::metropolis, Call::finish}),
     "a transition makes only one Metropolis decision. Put a second decision into another kernel, "
     "and let a compositor run that kernel after this one."},
    {Call::finish, "finish", 0, set({Call::finish}),
     "a second call would repeat the update of the oracle and the adaptation. `TransitionKernel` "
     "calls `finish` after `transition`. Do not call `finish` in `transition`."},
}};

bool Transition::has_called(Call call) const noexcept { return (calls_ & Order::bit(call)) != 0; }

void Transition::check(Call call) const {
  const Order& order = Order::of(call);
  const std::uint32_t missing = order.needs & ~calls_;
  const std::uint32_t late = order.ends & calls_;
  if (missing == 0 && late == 0) return;
  const std::string_view other = Order::first_name(missing != 0 ? missing : late);
  const std::string_view how = other == order.name ? "twice in one transition"
                               : missing != 0      ? "before"
                                                   : "after";
  throw WiringError(fmt::format("kernel `{}` calls `{}` {}{}: {}", site_.path, order.name, how,
                                other == order.name ? "" : fmt::format(" `{}`", other), order.why));
}

void Transition::note(Call call) {
  check(call);
  calls_ |= Order::bit(call);
}

}  // namespace mixwell
