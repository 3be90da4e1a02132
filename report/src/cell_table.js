// The table of a study's cells, and its rows as CSV.
// SPDX-License-Identifier: Apache-2.0
import { isNumber, orderOf } from './cells.js';
import { h, section } from './dom.js';
import { digits, label, whole } from './format.js';
import { table } from './table.js';

/** Columns that come first, in this order. All other columns are between the two lists. */
const first = ['status', 'min_ess', 'min_ess_per_gradient', 'min_ess_per_second', 'gradients', 'seconds', 'acceptance', 'max_rhat', 'not_judged',
  'error_mean', 'error_covariance', 'test_error', 'divergences', 'ebfmi', 'mean_ess', 'reason', 'class'];
const last = ['outcome', 'draws', 'warmup_gradients', 'warmup_seconds', 'cell_seconds', 'attempts', 'started_at', 'ended_at', 'host', 'draws_sha256'];
/** Number of digits of an id that are shown. These digits distinguish the cells, and --only and --why accept them. */
const idDigits = 8;

/** Orders columns by meaning: the names of the cell, its results, the errors of the results, how the cell was run. */
function inOrder(study) {
  const names = ['cell', 'model', 'variant', ...study.axes, 'seed'];
  const rank = (key) => {
    const [name, early, late] = [names, first, last].map((list) => list.indexOf(key));
    if (name >= 0) return name;
    if (early >= 0) return 100 + early;
    if (late >= 0) return 400 + late;
    return study.aliased.has(key) || key.endsWith('_mcse') ? 300 : 200;
  };
  return sortedBy([...study.columns.keys()], rank);
}

/** Results come before the seed. Columns with the same value in all cells come last. */
function byWish(study, keys) {
  const results = keys.indexOf('min_ess_per_gradient');
  return sortedBy(keys, (key, k) => (study.varies(key) ? 0 : 1000) + (key === 'seed' || key === 'status' ? results + 0.5 : k));
}

function sortedBy(keys, rank) {
  const ranks = new Map(keys.map((key, k) => [key, rank(key, k)]));
  return [...keys].sort((a, b) => ranks.get(a) - ranks.get(b));
}

const texts = { cell: (x) => String(x).slice(0, idDigits), seconds: (x) => digits(x, 4), gradients: whole, min_ess: whole, seed: (x) => String(x ?? '\u2013') };

function columnOf(study, key) {
  const values = study.columns.get(key);
  const numeric = values.some((x) => typeof x === 'number');
  const text = texts[key] ?? (numeric ? (x) => (typeof x === 'string' ? x : digits(x, 4)) : (x) => String(x ?? '\u2013'));
  const value = (row) => values[row];
  const order = orderOf(key, value, (row) => study.value('status', row) !== 'done');
  return { key, label: label(key), help: key, numeric, value, order, text: (row) => text(values[row]) };
}

function saveCsv(name, study, rows) {
  const quoted = (value) => {
    const text = value === null || value === undefined ? '' : String(value);
    return /[",\n\r]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
  };
  const keys = [...study.columns.keys()];
  const lines = [keys, ...rows.map((row) => keys.map((key) => study.value(key, row)))].map((line) => line.map(quoted).join(','));
  const link = h('a', { href: URL.createObjectURL(new Blob([`${lines.join('\n')}\n`], { type: 'text/csv' })), download: `${name}.csv` });
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 1000);
}

export function cellTable(name, study) {
  const keys = inOrder(study);
  const columns = new Map(keys.map((key) => [key, columnOf(study, key)]));
  const view = table({ caption: 'Cells of the study', columns: [...columns.values()], wanted: byWish(study, keys).map((key) => columns.get(key)),
    count: study.all.length, height: 560 });
  study.onChange(() => view.show(study.rows()));
  const save = h('button', { type: 'button', class: 'quiet', onclick: () => saveCsv(name, study, view.rows()) }, 'Save rows as CSV');
  return section('table', 'Cells', 'Table', h('div', { class: 'controls' }, view.chooser, save), view.element);
}
