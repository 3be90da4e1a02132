// The operations that optimisers are made of.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <mixwell/plugin.hpp>

#include <string>
#include <tuple>
#include <utility>

namespace mixwell::optimiser {

/// A matrix a column: d * d numbers.
struct MatrixNumbers : edge::Numbers<Role::parameter> {
  using Numbers::Numbers;
};

enum class Search { gradient_norm, flag };

/// Adds the move of an optimiser, of which `table` says the norm of the gradient and another
/// number.
template <class F>
void add_move(Transition& t, Edge<edge::Law> law, const std::string& name, F body,
              const StatisticTable<Search, 2>& table) {
  Traits traits;
  traits.optimises = true;
  const auto at = t.evaluation(law);
  const auto statistics = t.statistics(table);
  const auto written =
      t.add(name, OperationKind::move, traits, std::move(body), t.position(), law, at.u, at.g,
            t.next(), t.next_potential(law), t.next_gradient(law), statistics);
  t.record(statistics, std::get<WrittenStatistics<Search>>(written));
}

/// Records the Hessian of the law at the slot's newest version, only in recorded sweeps.
inline void record_hessian(Transition& t, Edge<edge::Law> law) {
  const Index d = t.dimension();
  const auto numbers = t.add(
      "hessian", OperationKind::pure, {},
      [](Columns& block, edge::Law of, edge::PointPosition theta, edge::Out<MatrixNumbers> out) {
        for (Index j = 0; j < theta.cols(); ++j) {
          const ColumnLaw column(of, j, block.scratch());
          MatrixMap(out.col(j).data(), theta.rows(), theta.rows()) = hessian(column, theta.col(j));
        }
      },
      law, Edge<edge::PointPosition>{t.position().value},
      t.derived<MatrixNumbers>("hessian", d * d));
  t.graph().record({.group = RecordGroup::sample_stats,
                    .name = recorded_name(t.site(), "hessian"),
                    .shape = {d, d},
                    .unit = "nats / theta^2",
                    .help = "second derivatives of U, by central differences of its gradient",
                    .slot = t.site().number,
                    .value = numbers.value});
}

}  // namespace mixwell::optimiser
