// The cells of a study and the cells that match the filter. Calls listeners after each change.
// SPDX-License-Identifier: Apache-2.0
import { distinct, groupBy, isNumber, unpack } from './cells.js';
import { later } from './later.js';

const notMetrics = new Set(['seed', 'attempts', 'cell']);

/** Adds the metrics for comparing methods, if the table does not have them. */
function addEfficiency(columns) {
  for (const [key, below] of [['min_ess_per_gradient', 'gradients'], ['min_ess_per_second', 'seconds']])
    if (!columns.has(key) && columns.has('min_ess') && columns.has(below))
      columns.set(key, columns.get('min_ess').map((ess, row) => (isNumber(ess) && columns.get(below)[row] > 0 ? ess / columns.get(below)[row] : null)));
}

/** The axes in the order of the study, each replaced by its alias if it has one. */
function nameAxes({ axes, aliases }, columns) {
  const nameOf = new Map(aliases.filter(({ name }) => columns.has(name)).flatMap(({ name, axes: own }) => own.map((key) => [key, name])));
  return [...new Set(axes.map((key) => nameOf.get(key) ?? key))].filter((key) => columns.has(key));
}

/**
 * Makes these members from the page's data: `columns` by name, `value(key, row)`, `axes` (an alias replaces its axis),
 * `groupings` (the axes and everything else in which cells differ), `metrics`, the chosen `rows()` and `rowsByModel()`.
 * `choose(rows)` calls the listeners of `onChange` at once, and the listeners of `onChangeLater` in idle time.
 */
export function studyCells(data) {
  const columns = unpack(data);
  addEfficiency(columns);
  const axes = nameAxes(data, columns);
  const all = [...Array(data.rows).keys()];
  const value = (key, row) => columns.get(key)?.[row];
  const isKnown = (v) => v !== null && v !== undefined;
  const isMetric = (key) => !notMetrics.has(key) && !axes.includes(key) && !data.axes.includes(key) && !key.endsWith('_mcse') && columns.get(key).some(isNumber);
  const point = (row) => axes.map((key) => [key, value(key, row)]).filter(([, v]) => isKnown(v));
  const [atOnce, whenIdle] = [[], []];
  let chosen = all;
  let byModel = null;
  let points = null;
  return {
    columns, value, all, axes, point,
    varies: (key) => distinct(columns.get(key) ?? []).length > 1,
    metrics: [...columns.keys()].filter(isMetric),
    /** Axes and aliases. */
    aliased: new Set(data.axes.filter((key) => !axes.includes(key))),
    groupings: ['variant', 'model', ...axes, 'seed'].filter((key, k, list) => columns.has(key) && list.indexOf(key) === k),
    name: (row) => ['model', 'variant', ...axes].map((key) => value(key, row)).filter(isKnown).concat(`seed ${value('seed', row)}`).join(', '),
    /** A number that is equal for rows with the same values of all axes. */
    pointOf(row) {
      if (points === null) {
        const numbers = new Map();
        points = all.map((one) => {
          const text = JSON.stringify(point(one));
          if (!numbers.has(text)) numbers.set(text, numbers.size);
          return numbers.get(text);
        });
      }
      return points[row];
    },
    rows: () => chosen,
    rowsByModel() {
      byModel ??= groupBy(chosen, (row) => value('model', row));
      return byModel;
    },
    choose(rows) {
      chosen = rows;
      byModel = null;
      for (const listener of atOnce) listener();
      whenIdle.forEach(later);
    },
    onChange: (listener) => atOnce.push(listener),
    onChangeLater: (listener) => whenIdle.push(listener),
  };
}
