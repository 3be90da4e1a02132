// Connects the edges of an operation with the parameters of its body.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <mixwell/base/export.hpp>
#include <mixwell/component/component.hpp>
#include <mixwell/graph/edge.hpp>
#include <mixwell/graph/graph.hpp>
#include <mixwell/graph/statistic.hpp>

#include <array>
#include <cstddef>
#include <optional>
#include <string>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

namespace mixwell {
namespace edge {

// These types are not defined. Their names appear in the first line of the compiler's error
// message.
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

/// The place of an edge's values among the inputs or the outputs of an operation.
struct EdgeRange {
  std::size_t first = 0;
  std::size_t count = 0;
  bool operator==(const EdgeRange&) const = default;
};

template <class Meaning>
concept IsCarried = requires {
  Meaning::carried;
};

/// Describes how an operation uses one edge: whether it writes the edge, the type that the body
/// receives, and the value that the operation returns for the edge.
template <class Given>
struct Connection;

template <class Meaning>
struct Connection<Edge<Meaning>> {
  static constexpr bool writes = false;
  using Listed = Meaning;
  using View = Meaning;
  using Written = Edge<Meaning>;
  static View see(const ColumnBlock& block, const EdgeRange& at) {
    return {edge::Port{block, at.first}};
  }
  static std::size_t add(const Edge<Meaning>& edge, std::vector<Input>& inputs) {
    inputs.push_back({edge.value, Meaning::role, IsCarried<Meaning>});
    return 1;
  }
};

template <class Meaning>
struct Connection<Write<Meaning>> {
  static constexpr bool writes = true;
  using Listed = edge::Out<Meaning>;
  using View = Listed;
  using Written = Edge<Meaning>;
  static View see(const ColumnBlock& block, const EdgeRange& at) {
    return {edge::Port{block, at.first}};
  }
  static std::size_t add(const Write<Meaning>& write, std::vector<Output>& outputs) {
    outputs.push_back(write.output);
    return 1;
  }
  static Written written(const Write<Meaning>&, const std::vector<Value>& values,
                         const EdgeRange& at) {
    return {values[at.first]};
  }
};

/// One edge or no edge.
template <class Given>
struct Connection<std::optional<Given>> {
  using One = Connection<Given>;
  static constexpr bool writes = One::writes;
  using View = std::optional<typename One::View>;
  using Written = std::optional<typename One::Written>;
  static View see(const ColumnBlock& block, const EdgeRange& at) {
    return at.count == 0 ? View() : View(One::see(block, at));
  }
  static std::size_t add(const std::optional<Given>& given, auto& all) {
    return given ? One::add(*given, all) : 0;
  }
  static Written written(const std::optional<Given>& given, const std::vector<Value>& values,
                         const EdgeRange& at) {
    return given ? Written(One::written(*given, values, at)) : Written();
  }
};

template <class Given>
struct Connection<std::vector<Given>> {
  using One = Connection<Given>;
  static constexpr bool writes = One::writes;
  using View = edge::List<typename One::Listed>;
  using Written = std::vector<typename One::Written>;
  static View see(const ColumnBlock& block, const EdgeRange& at) {
    return {block, at.first, at.count};
  }
  static std::size_t add(const std::vector<Given>& given, auto& all) {
    for (const Given& one : given) One::add(one, all);
    return given.size();
  }
  static Written written(const std::vector<Given>& given, const std::vector<Value>& values,
                         const EdgeRange& at) {
    Written all;
    for (std::size_t k = 0; k < at.count; ++k) {
      all.push_back(One::written(given[k], values, {at.first + k, 1}));
    }
    return all;
  }
};

template <class Key>
struct Connection<WriteStatistics<Key>> {
  static constexpr bool writes = true;
  using View = edge::Statistics<Key>;
  using Written = WrittenStatistics<Key>;
  static View see(const ColumnBlock& block, const EdgeRange& at) { return {block, at.first}; }
  static std::size_t add(const WriteStatistics<Key>& write, std::vector<Output>& outputs) {
    for (const StatisticRow<Key>& row : write.table) {
      outputs.push_back(Output::derived(write.path + "/" + row.what.name, 1));
    }
    return write.table.size();
  }
  static Written written(const WriteStatistics<Key>& write, const std::vector<Value>& values,
                         const EdgeRange& at) {
    const auto begin = values.begin() + static_cast<std::ptrdiff_t>(at.first);
    return {write.table, {begin, begin + static_cast<std::ptrdiff_t>(at.count)}};
  }
};

/// The parameter types of a body.
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

/// Stores the function of a body, and forwards acts_for() if the function has it.
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
  void run(ColumnBlock& block) const override { call(block, std::index_sequence_for<Given...>{}); }
  bool is_at(const std::array<EdgeRange, sizeof...(Given)>& places) const {
    return places_ == places;
  }

 private:
  template <std::size_t... k>
  void call(ColumnBlock& block, std::index_sequence<k...>) const {
    if constexpr (takes_block<F>()) {
      this->f_(block, Connection<Given>::see(block, places_[k])...);
    } else {
      this->f_(Connection<Given>::see(block, places_[k])...);
    }
  }

  std::array<EdgeRange, sizeof...(Given)> places_;
};

/// Returns the edge that the operation wrote, as a tuple of one element, or an empty tuple for an
/// edge that is only read.
template <class Given>
auto written(const Given& given, const std::vector<Value>& values, const EdgeRange& place) {
  if constexpr (Connection<Given>::writes) {
    return std::make_tuple(Connection<Given>::written(given, values, place));
  } else {
    return std::tuple<>();
  }
}

/// Throws a WiringError that names the operation and the role if an edge has no value.
MIXWELL_EXPORT void require_values(const std::string& operation, const std::vector<Input>& inputs);
[[noreturn]] MIXWELL_EXPORT void refuse_other_edges(const std::string& operation);

}  // namespace detail
}  // namespace mixwell
