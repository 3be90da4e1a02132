// The report of a study: one filter for the table and all figures.
// SPDX-License-Identifier: Apache-2.0
import { checkbox, h, section, select } from './dom.js';
import { cellTable } from './cell_table.js';
import { bestPoint, distinct, groupBy, isNumber, rangeText } from './cells.js';
import { facets } from './facets.js';
import { rowFilter } from './filter.js';
import { digits, grouped, label, seconds, whole } from './format.js';
import { studyCells } from './study_cells.js';
import { compared, efficiency, errorCurves, explorer, mostCurves, mostPoints, paperFigure } from './study_figures.js';

const statuses = ['done', 'failed', 'running', 'pending'];
/** An axis is logarithmic at first if the ratio of its largest to its smallest value exceeds this number. */
const wideRange = 5;

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
    ...data.findings.map((finding) => h('p', { class: 'mark', role: 'alert' }, h('strong', {}, 'Warning: '), `${finding}.`)),
  ];
}

function filterBar(study) {
  const said = h('span', { role: 'status', class: 'note' });
  const box = h('input', { type: 'search', id: 'filter', placeholder: 'variant=hmc min_ess>400 -failed', 'aria-describedby': 'filter-help', oninput: () => narrow() });
  const rowsOf = rowFilter(new Map([...study.columns].map(([key, values]) => [key, (row) => values[row]])), study.all.length);
  const narrow = () => {
    study.choose(rowsOf(box.value));
    said.textContent = `${grouped(study.rows().length)} of ${grouped(study.all.length)} cells`;
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
  study.onChangeLater(fill);
  fill();
  return section('overview', 'Overview', 'Overview', keys,
    h('p', { class: 'note', id: 'filter-help' },
      'The filter above applies to the table and to every figure. A word matches anywhere in a row. To compare a column, use = != < > <= >=. To exclude a word, put - before it. For example: ',
      h('code', {}, 'variant=hmc min_ess>400 -failed'), '. Put words with spaces in double quotes.'));
}

const options = (keys) => keys.map((key) => [key, label(key)]);
const colourOptions = (study) => [['', 'nothing'], ...options(study.groupings.filter((key) => key !== 'seed'))];

function preferred(list, ...wishes) {
  return wishes.find((wish) => list.includes(wish)) ?? list[0];
}

function explorerSection(study) {
  const numeric = study.axes.find((key) => study.varies(key) && study.columns.get(key).every((v) => v === null || isNumber(v)));
  const axis = numeric ?? study.axes.find(study.varies) ?? (study.varies('variant') ? 'variant' : 'model');
  const colour = ['variant', ...study.axes].find((key) => key !== axis && study.varies(key)) ?? '';
  const wide = (key) => {
    const values = distinct(study.columns.get(key));
    return values[0] > 0 && values[values.length - 1] / values[0] >= wideRange;
  };
  const choice = { metric: preferred(study.metrics, 'min_ess_per_gradient', 'min_ess'), axis, colour, logX: Boolean(numeric) && wide(axis), logY: true };
  const said = h('p', { class: 'note', role: 'status' });
  const tell = () => {
    const cells = study.rows().filter((row) => isNumber(study.value(choice.metric, row))).length;
    const others = study.rows().filter((row) => study.value('status', row) === 'done').length - cells;
    said.textContent = `${others > 0 ? `${grouped(others)} finished cells are not shown, because their metric is missing or infinite. ` : ''}The figure has ${grouped(cells)} cells. Each panel shows at most ${grouped(mostPoints)} cells as points. The medians use all cells, and their bars go `
      + 'from the lower to the upper quartile. Dashed lines are medians of groups to which the axis does not apply.';
  };
  tell();
  const view = facets(study, () => choice.axis !== 'model' && choice.colour !== 'model', (rows) => explorer(study, rows, choice));
  const update = () => { tell(); view.update(`${label(choice.metric)} against ${label(choice.axis)}${choice.colour ? `, coloured by ${label(choice.colour)}` : ''}`); };
  const set = (key) => (value) => { choice[key] = value; update(); };
  study.onChangeLater(update);
  return section('explore', 'Any metric against any axis', 'Explore',
    h('p', { class: 'controls' },
      select('Metric', options(study.metrics), choice.metric, set('metric')),
      select('against', options([...study.groupings, ...study.metrics]), choice.axis, set('axis')),
      select('Colour', colourOptions(study), choice.colour, set('colour')),
      checkbox('log metric', choice.logY, set('logY')), checkbox('log axis', choice.logX, set('logX'))),
    view.element, said);
}

const costs = ['min_ess_per_gradient', 'min_ess_per_second'];
const pointText = (study, row) => study.point(row).map(([key, value]) => `${label(key)} = ${value}`).join(', ') || '\u2013';

/** Table of the best points, with a row for each variant of each model. */
function bestTable(study, metrics) {
  const rows = study.rows().filter((row) => metrics.some((metric) => isNumber(study.value(metric, row))));
  const lines = [];
  for (const [model, members] of groupBy(rows, (row) => study.value('model', row) ?? '\u2013'))
    for (const [variant, own] of groupBy(members, (row) => study.value('variant', row)))
      for (const metric of metrics) {
        const best = bestPoint(study, own, metric);
        if (best) lines.push(h('tr', {}, h('th', { scope: 'row' }, String(model)), h('td', {}, String(variant)), h('td', {}, label(metric)),
          h('td', {}, pointText(study, best.rows[0])), number(digits(best.found.mean, 3)),
          number(rangeText(best.found, digits)), number(String(best.found.n)), number(String(best.points))));
      }
  return plainTable('Best points', heads('model', 'variant', 'metric', 'best point', '#geometric mean', '#95 % interval', '#seeds', '#points tried'), lines);
}

function efficiencySection(study) {
  const metrics = costs.filter((key) => study.metrics.includes(key));
  if (metrics.length === 0) return null;
  const choice = { log: true };
  const view = facets(study, () => true, (rows) => {
    const views = metrics.map((metric) => efficiency(study, rows, metric, choice));
    return { element: h('div', { class: 'two' }, views.map((one) => one.element)), update: () => views.forEach((one) => one.update()) };
  });
  const holder = h('div', {}, bestTable(study, metrics));
  study.onChangeLater(() => { view.update(); holder.replaceChildren(bestTable(study, metrics)); });
  return section('efficiency', 'Effective sample size per cost', 'Efficiency',
    h('p', { class: 'controls' }, checkbox('log scale', choice.log, (value) => { choice.log = value; view.update(); })),
    view.element, holder,
    h('p', { class: 'note' }, 'Each variant is shown at its best point. At this point of the axes, the geometric mean of the metric over the seeds is largest. The point is chosen separately for gradients and '
      + 'for seconds. Bars are 95 % intervals on the log scale. The intervals use the spread of two or more seeds, or the Monte Carlo error of a single seed. The same seeds determine '
      + 'the best point and its result, so the result is too optimistic. This effect is larger for a variant with many points or a wide interval. Gradients and seconds include sampling only, not warmup.'));
}

/** Models whose reference means cannot be distinguished from 0, so that a relative error has no meaning. */
function withoutMean(data, study) {
  const without = data.curves.filter((curve) => !curve.error_mean.some(isNumber));
  const models = distinct(without.map(({ row }) => study.value('model', row) ?? 'the model'));
  if (models.length === 0) return '';
  return `The figure leaves out the relative error of the mean for ${models.join(', ')}, because the means of the reference cannot be distinguished from 0. `
    + 'Use mean_error_sd in the table instead. Its unit is standard deviations.';
}

function curveSection(data, study) {
  if (data.curves.length === 0) return null;
  const errors = ['error_mean', 'error_covariance'].filter((key) => data.curves.some((curve) => curve[key].some(isNumber)));
  if (errors.length === 0) return null;
  const choice = { error: errors[0], cost: 'gradients', colour: study.varies('variant') ? 'variant' : '' };
  const view = facets(study, () => choice.colour !== 'model', (rows) => errorCurves(study, rows, data.curves, choice));
  const update = () => view.update(`${label(choice.error)} against ${choice.cost}`);
  const set = (key) => (value) => { choice[key] = value; update(); };
  study.onChangeLater(update);
  return section('errors', 'Error against cost', 'Errors',
    h('p', { class: 'controls' },
      select('Error', options(errors), choice.error, set('error')),
      select('against', options(['gradients', 'seconds']), choice.cost, set('cost')),
      select('Colour', colourOptions(study), choice.colour, set('colour'))),
    view.element, h('p', { class: 'note' }, `Thick lines are medians over the cells of each group. Thin lines are single cells, at most ${mostCurves} in each panel. The cost includes warmup. ${withoutMean(data, study)}`));
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
  const fill = () => holder.replaceChildren(plainTable('Published and measured values',
    heads('name', 'metric', '#published', '#measured', '#ratio', '#cells', 'source'), compared(study, data.paper).map(row)));
  const view = paperFigure(study, data.paper);
  study.onChangeLater(() => { fill(); view.update(); });
  fill();
  return section('paper', 'Published and measured', 'Paper', view.element, holder,
    h('p', { class: 'note' }, 'The published values are from the study file. The 95 % intervals use the spread of two or more seeds, or the Monte Carlo error of a single seed.'));
}

function failedSection(study, filter) {
  const mostNamed = 5;
  const failed = study.all.filter((row) => study.value('status', row) === 'failed');
  if (failed.length === 0) return section('failed', 'Failed cells', 'Failed', h('p', { class: 'calm' }, 'No cell failed.'));
  const reasons = [...groupBy(failed, (row) => study.value('reason', row) ?? 'no reason recorded')].sort((a, b) => b[1].length - a[1].length);
  const named = (rows) => rows.slice(0, mostNamed).map((row) => study.name(row)).join('; ') + (rows.length > mostNamed ? `; ${rows.length - mostNamed} more` : '');
  return section('failed', 'Failed cells', 'Failed',
    plainTable('Reasons of failed cells', heads('reason', '#cells', 'names'),
      reasons.map(([reason, rows]) => h('tr', {}, h('th', { scope: 'row' }, reason), number(grouped(rows.length)), h('td', {}, named(rows))))),
    h('button', { type: 'button', class: 'quiet', onclick: () => filter.set('status=failed') }, 'Show only these cells'));
}

const valueText = (value) => (isNumber(value) ? digits(value, 4) : typeof value === 'object' ? JSON.stringify(value) : String(value));
const valuesText = (values) => Object.entries(values ?? {}).map(([key, value]) => `${key} = ${valueText(value)}`).join(', ');

/** For example "3 % more" than the budget; "" if either number is missing. */
function budgetText({ gradients, budget }) {
  if (!isNumber(gradients) || !(budget > 0)) return '';
  const percent = Math.round(1000 * (gradients / budget - 1)) / 10;
  return percent === 0 ? 'equal' : `${digits(Math.abs(percent), 2)} % ${percent > 0 ? 'more' : 'less'}`;
}

const tuningKey = (one) => JSON.stringify([one.model, one.variant, one.axes]);
const groundsText = ({ tuned, scored, trials }) => (tuned === false ? `chosen without a score: ${scored} of ${trials} trials have a score` : '');

function tuneSection(data) {
  const trials = Array.isArray(data.tune) ? data.tune : [];
  if (trials.length === 0) return null;
  const tunings = new Map(data.tunings.map((one) => [tuningKey(one), one]));
  const groups = groupBy([...trials.keys()], (k) => tuningKey(trials[k]));
  const rows = [...groups.values()].map((members) => {
    const own = members.map((k) => trials[k]);
    const winner = own.find((t) => t.winner);
    const tuning = tunings.get(tuningKey(own[0])) ?? {};
    const sum = (key) => own.reduce((total, t) => total + (t[key] ?? 0), 0);
    return h('tr', {}, h('th', { scope: 'row' }, [own[0].model, own[0].variant, valuesText(own[0].axes)].filter(Boolean).join(', ')),
      h('td', {}, winner ? valuesText(winner.values) : 'none chosen', tuning.tuned === false ? h('strong', {}, ` (${groundsText(tuning)})`) : null),
      number(digits(winner?.score, 3)), h('td', {}, label(own[0].objective ?? '')),
      number(String(own.length)), number(whole(sum('gradients'))), number(budgetText(tuning)), number(seconds(sum('seconds'))));
  });
  return section('tuning', 'Results and cost of tuning', 'Tuning',
    plainTable('Tuning', heads('model, variant, axes', 'chosen values', '#score', 'objective', '#trials', '#gradients', '#gradients compared with budget', '#time'), rows));
}

export function studyReport(data) {
  const study = studyCells(data);
  const filter = filterBar(study);
  const sections = [
    overview(data, study),
    study.metrics.length ? explorerSection(study) : null,
    efficiencySection(study),
    curveSection(data, study),
    paperSection(data, study),
    failedSection(study, filter),
    tuneSection(data),
    cellTable(data.name, study),
  ].filter(Boolean);
  return { heading: heading(data, study), tools: filter.element, sections };
}
