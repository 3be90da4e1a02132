// The report of a study: one filter for the table and all figures.
// SPDX-License-Identifier: Apache-2.0
import { checkbox, h, section, select } from './dom.js';
import { distinct, groupBy, isNumber, unpack } from './cells.js';
import { digits, grouped, label, seconds, whole } from './format.js';
import { parseFilter } from './filter.js';
import { table } from './table.js';
import { compared, efficiency, errorCurves, explorer, paperFigure } from './study_figures.js';

const statuses = ['done', 'failed', 'running', 'pending'];
const provenance = new Set(['draws_sha256', 'attempts', 'started_at', 'ended_at', 'host', 'warmup_gradients', 'warmup_seconds', 'cell_seconds', 'draws']);
/** Above this ratio of largest and smallest an axis begins as logarithmic. */
const wideRange = 5;
const notMetrics = new Set(['seed', 'attempts', 'cell']);

/** Cells, their values, and the rows that the filter leaves; whoever listens is told of changes. */
function makeStudy(data) {
  const columns = unpack(data);
  // A table may come without them; they are what methods are compared by.
  for (const [key, below] of [['min_ess_per_gradient', 'gradients'], ['min_ess_per_second', 'seconds']])
    if (!columns.has(key) && columns.has('min_ess') && columns.has(below))
      columns.set(key, columns.get('min_ess').map((ess, row) => (isNumber(ess) && columns.get(below)[row] > 0 ? ess / columns.get(below)[row] : null)));
  const all = [...Array(data.rows).keys()];
  const value = (key, row) => columns.get(key)?.[row];
  const isMetric = (key) => !notMetrics.has(key) && !data.axes.includes(key) && !key.endsWith('_mcse') && columns.get(key).some(isNumber);
  const varies = (key) => distinct(columns.get(key) ?? []).length > 1;
  let chosen = all;
  const listeners = [];
  return {
    columns, value, all, varies,
    rows: () => chosen,
    metrics: [...columns.keys()].filter(isMetric),
    axes: ['variant', 'model', ...data.axes, 'seed'].filter((key, k, list) => columns.has(key) && list.indexOf(key) === k),
    name: (row) => ['model', 'variant', ...data.axes].map((key) => value(key, row)).filter((v) => v !== null && v !== undefined).concat(`seed ${value('seed', row)}`).join(', '),
    choose(rows) {
      chosen = rows;
      for (const listener of listeners) listener();
    },
    onChange: (listener) => listeners.push(listener),
  };
}

function counts(study) {
  const of = (status) => study.all.filter((row) => study.value('status', row) === status).length;
  return statuses.map((status) => [status, of(status)]);
}

function heading(data, study) {
  const found = counts(study);
  const words = found.filter(([, n]) => n > 0).map(([status, n]) => `${grouped(n)} ${status}`).join(' · ');
  return [
    h('p', { class: 'kicker' }, 'Mixwell study'),
    h('h1', {}, data.name),
    h('p', { class: 'facts' }, `${grouped(data.rows)} cells: ${words}`),
    h('div', { class: 'share', role: 'img', 'aria-label': words }, found.map(([status, n]) => (n ? h('span', { class: status, style: `flex:${n}` }) : null))),
  ];
}

function filterBar(study) {
  const said = h('span', { role: 'status', class: 'note' });
  const box = h('input', { type: 'search', id: 'filter', placeholder: 'variant=hmc min_ess>400 -failed', 'aria-describedby': 'filter-help', oninput: () => narrow() });
  const getters = new Map([...study.columns].map(([key, values]) => [key, (row) => values[row]]));
  let waiting = null;
  const narrow = () => {
    clearTimeout(waiting);
    waiting = setTimeout(() => {
      study.choose(study.all.filter(parseFilter(box.value, getters)));
      said.textContent = `${grouped(study.rows().length)} of ${grouped(study.all.length)} cells`;
    }, study.all.length > 2000 ? 150 : 0);
  };
  said.textContent = `${grouped(study.all.length)} cells`;
  return { set(text) { box.value = text; narrow(); box.focus(); },
    element: h('p', { class: 'controls' }, h('span', { class: 'control wide' }, h('label', { for: 'filter' }, 'Filter'), box), said) };
}

function keyFigure(name, value, unit = '') {
  return h('div', {}, h('dt', {}, name), h('dd', {}, value, unit ? h('span', { class: 'unit' }, ` ${unit}`) : null));
}

function overview(data, study) {
  const sum = (key) => study.rows().reduce((total, row) => total + (isNumber(study.value(key, row)) ? study.value(key, row) : 0), 0);
  const keys = h('dl', { class: 'keys' });
  const fill = () => keys.replaceChildren(
    keyFigure('cells', grouped(study.rows().length)),
    keyFigure('variants', String(distinct(study.rows().map((row) => study.value('variant', row))).length)),
    keyFigure('models', String(distinct(study.rows().map((row) => study.value('model', row))).length)),
    keyFigure('gradients', whole(sum('gradients'))),
    keyFigure('sampling time', seconds(sum('seconds'))),
    keyFigure('failed', grouped(study.rows().filter((row) => study.value('status', row) === 'failed').length)));
  study.onChange(fill);
  fill();
  return section('overview', 'At a glance', 'Overview', keys,
    h('p', { class: 'note', id: 'filter-help' },
      'The filter above rules the table and every figure. Words may stand anywhere in a row; columns compare with = != < > <= >=, and - leaves out: ',
      h('code', {}, 'variant=hmc min_ess>400 -failed'), '. Words with spaces go in double quotes.'));
}

const options = (keys) => keys.map((key) => [key, label(key)]);
const colourOptions = (study) => [['', 'nothing'], ...options(study.axes.filter((key) => key !== 'seed'))];

function preferred(list, ...wishes) {
  return wishes.find((wish) => list.includes(wish)) ?? list[0];
}

function explorerSection(data, study) {
  const numeric = data.axes.find((key) => study.varies(key) && study.columns.get(key).every((v) => v === null || isNumber(v)));
  const axis = numeric ?? data.axes.find(study.varies) ?? (study.varies('variant') ? 'variant' : 'model');
  const colour = ['variant', 'model', ...data.axes].find((key) => key !== axis && study.varies(key)) ?? '';
  const wide = (key) => {
    const values = distinct(study.columns.get(key));
    return values[0] > 0 && values[values.length - 1] / values[0] >= wideRange;
  };
  const choice = { metric: preferred(study.metrics, 'min_ess_per_gradient', 'min_ess'), axis, colour, logX: Boolean(numeric) && wide(axis), logY: true };
  const said = h('p', { class: 'note', role: 'status' });
  const view = explorer(study, choice, said);
  const update = () => view.update(`${label(choice.metric)} against ${label(choice.axis)}${choice.colour ? `, coloured by ${label(choice.colour)}` : ''}`);
  const set = (key) => (value) => { choice[key] = value; update(); };
  study.onChange(update);
  return section('explore', 'Any metric against any axis', 'Explore',
    h('p', { class: 'controls' },
      select('Metric', options(study.metrics), choice.metric, set('metric')),
      select('against', options([...study.axes, ...study.metrics]), choice.axis, set('axis')),
      select('Colour', colourOptions(study), choice.colour, set('colour')),
      checkbox('log metric', choice.logY, set('logY')), checkbox('log axis', choice.logX, set('logX'))),
    view.element, said);
}

function efficiencySection(study) {
  const metrics = ['min_ess_per_gradient', 'min_ess_per_second'].filter((key) => study.metrics.includes(key));
  if (metrics.length === 0) return null;
  const choice = { colour: study.varies('model') ? 'model' : '', log: true };
  const views = metrics.map((metric) => efficiency(study, metric, choice));
  const update = () => views.forEach((view) => view.update());
  const set = (key) => (value) => { choice[key] = value; update(); };
  study.onChange(update);
  return section('efficiency', 'Effective draws for the cost', 'Efficiency',
    h('p', { class: 'controls' }, select('Colour', colourOptions(study), choice.colour, set('colour')), checkbox('log scale', choice.log, set('log'))),
    h('div', { class: 'two' }, views.map((view) => view.element)),
    h('p', { class: 'note' }, 'Means over the cells of a variant, seeds and axes alike (the filter narrows them), with 95 % intervals: of two cells or more '
      + "from their spread, of a single one from its own Monte Carlo error. Gradients and seconds are those of sampling, without warm-up."));
}

function curveSection(data, study) {
  if (data.curves.length === 0) return null;
  const choice = { error: 'error_mean', cost: 'gradients', colour: study.varies('variant') ? 'variant' : '' };
  const said = h('p', { class: 'note', role: 'status' });
  const view = errorCurves(study, data.curves, choice, said);
  const update = () => view.update(`${label(choice.error)} against ${choice.cost}`);
  const set = (key) => (value) => { choice[key] = value; update(); };
  study.onChange(update);
  return section('errors', 'Error against cost', 'Errors',
    h('p', { class: 'controls' },
      select('Error', options(['error_mean', 'error_covariance']), choice.error, set('error')),
      select('against', options(['gradients', 'seconds']), choice.cost, set('cost')),
      select('Colour', colourOptions(study), choice.colour, set('colour'))),
    view.element, said);
}

const heads = (...names) => h('thead', {}, h('tr', {}, names.map((n) => h('th', { scope: 'col', class: n.startsWith('#') ? 'number' : '' }, n.replace('#', '')))));
const plainTable = (caption, head, rows) => h('div', { class: 'table panel', tabindex: '0', role: 'region', 'aria-label': `${caption}; scrolls` },
  h('table', { class: 'plain' }, h('caption', {}, caption), head, h('tbody', {}, rows)));
const number = (text) => h('td', { class: 'number' }, text);

function paperSection(data, study) {
  if (data.paper.length === 0) return null;
  const row = (p) => h('tr', {}, h('th', { scope: 'row' }, p.name), h('td', {}, label(p.metric)), number(digits(p.value, 4)),
    number(p.found ? `${digits(p.found.mean, 4)}${p.found.half === null ? '' : ` \u00b1 ${digits(p.found.half, 2)}`}` : 'not measured'),
    number(p.found && p.value !== 0 ? digits(p.found.mean / p.value, 3) : '\u2013'), number(String(p.found?.n ?? 0)), h('td', {}, p.source));
  const holder = h('div');
  const fill = () => holder.replaceChildren(plainTable('Published figures and what was measured',
    heads('where', 'metric', '#published', '#measured', '#ratio', '#cells', 'source'), compared(study, data.paper).map(row)));
  const view = paperFigure(study, data.paper);
  study.onChange(() => { fill(); view.update(); });
  fill();
  return section('paper', 'Published and measured', 'Paper', view.element, holder,
    h('p', { class: 'note' }, 'Published figures are as the study file states them. Intervals are 95 %, as above.'));
}

function failedSection(study, filter) {
  const mostNamed = 5;
  const failed = study.all.filter((row) => study.value('status', row) === 'failed');
  if (failed.length === 0) return section('failed', 'Failed cells', 'Failed', h('p', { class: 'calm' }, 'None.'));
  const reasons = [...groupBy(failed, (row) => study.value('reason', row) ?? 'no reason recorded')].sort((a, b) => b[1].length - a[1].length);
  const named = (rows) => rows.slice(0, mostNamed).map((row) => study.name(row)).join('; ') + (rows.length > mostNamed ? `; ${rows.length - mostNamed} more` : '');
  return section('failed', 'Failed cells', 'Failed',
    plainTable('Reasons of failed cells', heads('reason', '#cells', 'which'),
      reasons.map(([reason, rows]) => h('tr', {}, h('th', { scope: 'row' }, reason), number(grouped(rows.length)), h('td', {}, named(rows))))),
    h('button', { type: 'button', class: 'quiet', onclick: () => filter.set('status=failed') }, 'Show only these'));
}

const valuesText = (values) => Object.entries(values ?? {}).map(([key, value]) => `${key} = ${typeof value === 'object' ? JSON.stringify(value) : value}`).join(', ');

function tuneSection(data) {
  const trials = Array.isArray(data.tune) ? data.tune : [];
  if (trials.length === 0) return null;
  const groups = groupBy([...trials.keys()], (k) => JSON.stringify([trials[k].model, trials[k].variant, trials[k].axes]));
  const rows = [...groups.values()].map((members) => {
    const own = members.map((k) => trials[k]);
    const winner = own.find((t) => t.winner);
    const sum = (key) => own.reduce((total, t) => total + (t[key] ?? 0), 0);
    return h('tr', {}, h('th', { scope: 'row' }, [own[0].model, own[0].variant, valuesText(own[0].axes)].filter(Boolean).join(', ')),
      h('td', {}, winner ? valuesText(winner.values) : 'none chosen'), number(digits(winner?.score, 3)), h('td', {}, own[0].objective ?? ''),
      number(String(own.length)), number(whole(sum('gradients'))), number(seconds(sum('seconds'))));
  });
  return section('tuning', 'What tuning chose, and what it cost', 'Tuning',
    plainTable('Tuning', heads('for', 'chosen', '#score', 'objective', '#trials', '#gradients', '#time'), rows));
}

function cellTable(data, study) {
  const texts = { seconds: (x) => digits(x, 4), gradients: whole, min_ess: whole, seed: (x) => String(x ?? '\u2013') };
  const column = (key) => {
    const values = study.columns.get(key);
    const numeric = values.some(isNumber);
    const text = texts[key] ?? (numeric ? (x) => (typeof x === 'string' ? x : digits(x, 4)) : (x) => String(x ?? '\u2013'));
    return { key, label: label(key), help: key, numeric, most: key === 'reason' ? 32 : 26, value: (row) => values[row], text: (row) => text(values[row]) };
  };
  const keysOf = (all) => [...study.columns.keys()].filter((key) => all
    || (!provenance.has(key) && !(key.endsWith('_mcse') && key !== 'min_ess_mcse') && !(key === 'reason' && !study.varies(key) && study.columns.get(key).every((v) => !v))));
  const holder = h('div');
  let view = null;
  const build = (all) => {
    view = table({ caption: 'Cells of the study', columns: keysOf(all).map(column), count: data.rows, height: 560 });
    view.show(study.rows());
    holder.replaceChildren(view.element);
  };
  build(false);
  study.onChange(() => view.show(study.rows()));
  const save = h('button', { type: 'button', class: 'quiet', onclick: () => saveCsv(data, study, view.rows()) }, 'Save rows as CSV');
  return section('table', 'Cells', 'Table', h('p', { class: 'controls' }, checkbox('all columns', false, build), save), holder);
}

function saveCsv(data, study, rows) {
  const quoted = (value) => {
    const text = value === null || value === undefined ? '' : String(value);
    return /[",\n\r]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
  };
  const keys = [...study.columns.keys()];
  const lines = [keys, ...rows.map((row) => keys.map((key) => study.value(key, row)))].map((line) => line.map(quoted).join(','));
  const link = h('a', { href: URL.createObjectURL(new Blob([`${lines.join('\n')}\n`], { type: 'text/csv' })), download: `${data.name}.csv` });
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 1000);
}

export function studyReport(data) {
  const study = makeStudy(data);
  const filter = filterBar(study);
  const sections = [
    overview(data, study),
    study.metrics.length ? explorerSection(data, study) : null,
    efficiencySection(study),
    curveSection(data, study),
    paperSection(data, study),
    failedSection(study, filter),
    tuneSection(data),
    cellTable(data, study),
  ].filter(Boolean);
  return { heading: heading(data, study), tools: filter.element, sections };
}
