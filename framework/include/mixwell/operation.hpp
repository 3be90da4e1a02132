// Operations whose bodies take their edges as parameters.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <mixwell/acts_for.hpp>
#include <mixwell/edge.hpp>
#include <mixwell/export.hpp>
#include <mixwell/graph.hpp>
#include <mixwell/statistic.hpp>

#include <array>
#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

namespace mixwell {
namespace edge {

// Not defined: their names are the first line of the compiler's message.
template <std::size_t parameter, class TheBodyTakes, class TheEdgeIs>
struct the_body_does_not_take_this_edge;
template <std::size_t the_body_takes, std::size_t there_are_edges>
struct the_number_of_edges_differs;
template <class Edge>
struct two_edges_of_one_meaning_need_tags;
template <class Body>
struct the_body_must_be_a_lambda_without_auto;

}  // namespace edge

namespace detail {

/// What an operation finds where an edge is given: whether it writes, and what the body sees.
template <class Given>
struct Connection;

/// What the body sees of one edge, of one or none, of a list.
template <class Meaning>
struct One {
  using View = Meaning;
  static View see(const Block& block, std::size_t first, std::size_t) { return {block, first}; }
};
template <class Meaning>
struct Maybe {
  using View = std::optional<Meaning>;
  static View see(const Block& block, std::size_t first, std::size_t count) {
    return count == 0 ? View() : View(std::in_place, block, first);
  }
};
template <class Meaning>
struct Many {
  using View = edge::List<Meaning>;
  static View see(const Block& block, std::size_t first, std::size_t count) {
    return {block, first, count};
  }
};

template <class Meaning>
concept IsCarried = requires {
  Meaning::carried;
};

template <class Meaning>
struct Connection<Edge<Meaning>> : One<Meaning> {
  static constexpr bool writes = false;
  static std::size_t add(const Edge<Meaning>& edge, std::vector<Input>& inputs) {
    inputs.push_back({edge.value, Meaning::role, IsCarried<Meaning>});
    return 1;
  }
};

template <class Meaning>
struct Connection<std::optional<Edge<Meaning>>> : Maybe<Meaning> {
  static constexpr bool writes = false;
  static std::size_t add(const std::optional<Edge<Meaning>>& edge, std::vector<Input>& inputs) {
    return edge ? Connection<Edge<Meaning>>::add(*edge, inputs) : 0;
  }
};

template <class Meaning>
struct Connection<std::vector<Edge<Meaning>>> : Many<Meaning> {
  static constexpr bool writes = false;
  static std::size_t add(const std::vector<Edge<Meaning>>& edges, std::vector<Input>& inputs) {
    for (const Edge<Meaning>& edge : edges) Connection<Edge<Meaning>>::add(edge, inputs);
    return edges.size();
  }
};

template <class Meaning>
struct Connection<Write<Meaning>> : One<edge::Out<Meaning>> {
  using Written = Edge<Meaning>;
  static constexpr bool writes = true;
  static std::size_t add(const Write<Meaning>& write, std::vector<Output>& outputs) {
    outputs.push_back(write.output);
    return 1;
  }
  static Written written(const std::vector<Value>& values, std::size_t first, std::size_t) {
    return {values[first]};
  }
};

template <class Meaning>
struct Connection<std::optional<Write<Meaning>>> : Maybe<edge::Out<Meaning>> {
  using Written = std::optional<Edge<Meaning>>;
  static constexpr bool writes = true;
  static std::size_t add(const std::optional<Write<Meaning>>& write, std::vector<Output>& outputs) {
    return write ? Connection<Write<Meaning>>::add(*write, outputs) : 0;
  }
  static Written written(const std::vector<Value>& values, std::size_t first, std::size_t count) {
    return count == 0 ? Written() : Written(Edge<Meaning>{values[first]});
  }
};

template <class Meaning>
struct Connection<std::vector<Write<Meaning>>> : Many<edge::Out<Meaning>> {
  using Written = std::vector<Edge<Meaning>>;
  static constexpr bool writes = true;
  static std::size_t add(const std::vector<Write<Meaning>>& all, std::vector<Output>& outputs) {
    for (const Write<Meaning>& write : all) outputs.push_back(write.output);
    return all.size();
  }
  static Written written(const std::vector<Value>& values, std::size_t first, std::size_t count) {
    Written all;
    for (std::size_t k = first; k < first + count; ++k) all.push_back({values[k]});
    return all;
  }
};

template <class Key>
struct Connection<WriteStatistics<Key>> : One<edge::Statistics<Key>> {
  using Written = WrittenStatistics<Key>;
  static constexpr bool writes = true;
  static std::size_t add(const WriteStatistics<Key>& write, std::vector<Output>& outputs) {
    for (const StatisticRow<Key>& row : write.table) {
      outputs.push_back(Output::derived(write.path + "/" + row.what.name, 1));
    }
    return write.table.size();
  }
  static Written written(const std::vector<Value>& values, std::size_t first, std::size_t count) {
    const auto begin = values.begin() + static_cast<std::ptrdiff_t>(first);
    return {{begin, begin + static_cast<std::ptrdiff_t>(count)}};
  }
};

/// Parameter types of a body.
template <class Call>
struct Parameters;
template <class Body, class... P>
struct Parameters<void (Body::*)(P...) const> {
  using Types = std::tuple<std::remove_cvref_t<P>...>;
};
template <class Body, class... P>
struct Parameters<void (Body::*)(P...) const noexcept> : Parameters<void (Body::*)(P...) const> {};

template <class Taken, class View, std::size_t parameter>
constexpr void require_same() {
  if constexpr (!std::is_same_v<Taken, View>) {
    edge::the_body_does_not_take_this_edge<parameter, Taken, View> mismatch;
  }
}

template <class View, class... All>
constexpr void require_one() {
  if constexpr ((std::size_t{std::is_same_v<View, All>} + ...) != 1) {
    edge::two_edges_of_one_meaning_need_tags<View> twice;
  }
}

template <class F>
constexpr bool takes_block() {
  using Types = typename Parameters<decltype(&F::operator())>::Types;
  if constexpr (std::tuple_size_v<Types> == 0) {
    return false;
  } else {
    return std::is_same_v<std::tuple_element_t<0, Types>, Columns>;
  }
}

template <class F, class... View>
constexpr void check_parameters() {
  if constexpr (!requires { &F::operator(); }) {
    edge::the_body_must_be_a_lambda_without_auto<F> wrong;
  } else {
    using Types = typename Parameters<decltype(&F::operator())>::Types;
    constexpr std::size_t before = takes_block<F>() ? 1 : 0;
    constexpr std::size_t taken = std::tuple_size_v<Types> - before;
    if constexpr (taken != sizeof...(View)) {
      edge::the_number_of_edges_differs<taken, sizeof...(View)> wrong;
    } else {
      [&]<std::size_t... k>(std::index_sequence<k...>) {
        (require_same<std::tuple_element_t<k + before, Types>, View, k + 1>(), ...);
      }
      (std::index_sequence_for<View...>{});
      (require_one<View, View...>(), ...);
    }
  }
}

/// Where the values of each edge are among the inputs or the outputs of an operation.
struct EdgeRange {
  std::size_t first = 0;
  std::size_t count = 0;
  bool operator==(const EdgeRange&) const = default;
};

/// Its function, and for whom it acts, if it says so.
template <class F>
class BodyOf : public Body {
 public:
  explicit BodyOf(F f) : f_(std::move(f)) {}

 protected:
  F f_;
};
template <class F>
requires requires(const F& f) { f.acts_for(); }
class BodyOf<F> : public Body, public ActsFor {
 public:
  explicit BodyOf(F f) : f_(std::move(f)) {}
  const Component& acts_for() const noexcept final { return f_.acts_for(); }

 protected:
  F f_;
};

template <class F, class... Given>
class TypedBody final : public BodyOf<F> {
 public:
  TypedBody(F f, const std::array<EdgeRange, sizeof...(Given)>& places)
      : BodyOf<F>(std::move(f)), places_(places) {}
  void run(Block& block) const override { call(block, std::index_sequence_for<Given...>{}); }
  bool is_at(const std::array<EdgeRange, sizeof...(Given)>& places) const {
    return places_ == places;
  }

 private:
  template <std::size_t... k>
  void call(Block& block, std::index_sequence<k...>) const {
    if constexpr (takes_block<F>()) {
      this->f_(block, Connection<Given>::see(block, places_[k].first, places_[k].count)...);
    } else {
      this->f_(Connection<Given>::see(block, places_[k].first, places_[k].count)...);
    }
  }

  std::array<EdgeRange, sizeof...(Given)> places_;
};

/// What the operation wrote through one edge, as a tuple of one or none.
template <class Given>
auto written(const std::vector<Value>& values, const EdgeRange& place) {
  if constexpr (Connection<Given>::writes) {
    return std::make_tuple(Connection<Given>::written(values, place.first, place.count));
  } else {
    return std::tuple<>();
  }
}

/// Throws WiringError, which names the operation and the role, for an edge that leads nowhere.
MIXWELL_EXPORT void require_values(const std::string& operation, const std::vector<Input>& inputs);
[[noreturn]] MIXWELL_EXPORT void refuse_other_edges(const std::string& operation);

}  // namespace detail

/// A body that calls a component: see ActsFor.
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

/// Several operations with one body: the same function at different points, as a proposal's law is
/// at theta and at theta*. The certificate knows them for the same by their body.
template <class F>
class SharedOperation {
 public:
  explicit SharedOperation(F body) : f_(std::move(body)) {}

  /// As add_operation. Throws WiringError where other edges are there than the first time.
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
      auto all = std::tuple_cat(detail::written<Given>(values, places[k])...);
      if constexpr (std::tuple_size_v<decltype(all)> == 1) {
        return std::get<0>(std::move(all));
      } else if constexpr (std::tuple_size_v<decltype(all)> > 1) {
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
///   [...](Columns& block, MEANING ..., edge::Out<MEANING> ...) { ... },
/// whose parameters are its edges in the order given: an Edge<M> is seen as M, a Write<M> as
/// edge::Out<M>, an optional of either as an optional, a vector as edge::List or edge::OutList,
/// WriteStatistics<Key> as edge::Statistics<Key>. Another order, number or meaning does not
/// compile, nor do two edges of one meaning; `block` may be left out. Returns what it wrote:
/// nothing, one edge, or a tuple. The body is called once a block and sweep, at the cost of a
/// virtual call.
template <class F, class... Given>
auto add_operation(KernelGraph& graph, std::string name, OperationKind kind, const Traits& traits,
                   F body, const Given&... given) {
  SharedOperation<F> once(std::move(body));
  return once.add(graph, std::move(name), kind, traits, given...);
}

}  // namespace mixwell
