// Operations whose bodies take their edges as typed parameters.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <mixwell/component/component.hpp>
#include <mixwell/detail/operation.hpp>
#include <mixwell/graph/graph.hpp>

#include <array>
#include <cstddef>
#include <memory>
#include <string>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

namespace mixwell {

/// A body that calls a component. See ActsFor.
template <class F>
struct Acting : F {
  Acting(std::shared_ptr<const Component> whom, F f) : F(std::move(f)), whom_(std::move(whom)) {}
  using F::operator();
  const Component& acts_for() const noexcept { return *whom_; }

 private:
  std::shared_ptr<const Component> whom_;
};
template <class F>
Acting<F> acting_for(std::shared_ptr<const Component> whom, F body) {
  return {std::move(whom), std::move(body)};
}

/// Adds several operations with one body: the same function at different points, such as a
/// proposal's law at theta and at theta*. Because the operations share the body, the certificate
/// recognises that they compute the same function.
template <class F>
class SharedOperation {
 public:
  explicit SharedOperation(F body) : f_(std::move(body)) {}

  /// Adds an operation as add_operation does. Throws WiringError if the edges are not of the same
  /// kinds as the edges in the first call of add().
  template <class... Given>
  auto add(KernelGraph& graph, std::string name, OperationKind kind, const Traits& traits,
           const Given&... given) {
    detail::check_parameters<F, typename detail::Connection<Given>::View...>();
    std::vector<Input> inputs;
    std::vector<Output> outputs;
    const auto place = [&](const auto& one) {
      using C = detail::Connection<std::remove_cvref_t<decltype(one)>>;
      if constexpr (C::writes) {
        const std::size_t first = outputs.size();
        return detail::EdgeRange{first, C::add(one, outputs)};
      } else {
        const std::size_t first = inputs.size();
        return detail::EdgeRange{first, C::add(one, inputs)};
      }
    };
    const std::array<detail::EdgeRange, sizeof...(Given)> places{place(given)...};
    detail::require_values(name, inputs);
    using Typed = detail::TypedBody<F, Given...>;
    if (!body_) body_ = std::make_shared<Typed>(f_, places);
    const auto* const same = dynamic_cast<const Typed*>(body_.get());
    if (same == nullptr || !same->is_at(places)) detail::refuse_other_edges(name);
    const std::vector<Value> values =
        graph.add(std::move(name), kind, traits, std::move(inputs), std::move(outputs), body_);
    return [&]<std::size_t... k>(std::index_sequence<k...>) {
      auto all = std::tuple_cat(detail::written(given, values, places[k])...);
      if constexpr (std::tuple_size_v<decltype(all)> == 1) {
        return std::get<0>(std::move(all));
      } else {
        return all;
      }
    }
    (std::index_sequence_for<Given...>{});
  }

 private:
  F f_;
  std::shared_ptr<const Body> body_;
};

/// Adds an operation whose body is a lambda without `auto`,
///   [...](Columns& block, MEANING ..., edge::Out<MEANING> ...) { ... }.
/// The parameters are the edges in the given order. The body receives an Edge<M> as M, a Write<M>
/// as edge::Out<M>, an optional of either as an optional, a vector as edge::List or edge::OutList,
/// and WriteStatistics<Key> as edge::Statistics<Key>. The code does not compile if the parameters
/// differ from the edges in order, number or meaning. It also does not compile if two edges have
/// the same meaning, because a swap of these edges would not be detected. `block` may be omitted.
/// If the operation writes one edge, returns this edge. Otherwise returns a tuple of all the edges
/// that the operation writes.
/// The body is called once for each block and sweep, at the cost of a virtual call.
template <class F, class... Given>
auto add_operation(KernelGraph& graph, std::string name, OperationKind kind, const Traits& traits,
                   F body, const Given&... given) {
  SharedOperation<F> once(std::move(body));
  return once.add(graph, std::move(name), kind, traits, given...);
}

}  // namespace mixwell
