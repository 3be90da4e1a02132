// The report of one run.
// SPDX-License-Identifier: Apache-2.0
import { h, section, select } from './dom.js';
import { digits, essInterval, fixed, grouped, label, seconds, whole } from './format.js';
import { decoded, isNumber, orderOf } from './cells.js';
import { rowFilter } from './filter.js';
import { graphView } from './graph.js';
import { table } from './table.js';
import { energy, forest, growth, pairs, pairWords, variable } from './run_figures.js';

const firstVariables = 4;
const isSampler = (name) => name !== 'biased' && name !== 'none';

function heading(data) {
  const { certificate, chains, run } = data;
  const facts = [
    `${grouped(chains.count)} ${chains.count === 1 ? 'chain' : 'chains'} of ${grouped(chains.draws)} draws`,
    run.created_at ? `started ${run.created_at.replace('T', ' ').replace('+00:00', ' UTC')}` : null,
    run.outcome === 'complete' ? null : `outcome: ${run.outcome}`,
    ['draws', undefined].includes(run.ended_by) || run.outcome !== 'complete' ? null : `ended by ${label(run.ended_by)}`,
  ].filter(Boolean);
  return [
    h('p', { class: 'kicker' }, 'Mixwell run'),
    h('h1', {}, data.name),
    h('p', { class: 'facts' }, badge(certificate), ' ', facts.join(' · ')),
    isSampler(certificate.class) ? h('p', { class: 'verdict' }, inWords(certificate))
      : h('p', { class: 'mark', role: 'alert' }, h('strong', {}, `Certificate ${certificate.class}: `),
        'these are not draws of the target, even if the figures below look good.', ' ', inWords(certificate)),
    run.error ? h('p', { class: 'mark', role: 'alert' }, h('strong', {}, 'The run ended with an error: '), run.error) : null,
  ].filter(Boolean);
}

const guarantees = {
  exact: () => 'The sampler leaves the target distribution invariant for all settings. Two errors remain: the Monte Carlo error, and the error of a chain that has not converged yet.',
  asymptotic: (c) => `The sampler is right in the limit of small steps. At the step size of this run the draws are biased${c.order ? `, and the bias is of order ${c.order} in the step size` : ''}.`,
  adaptive: () => 'The parameters of the sampler still adapt to the history of the chain, and the changes become smaller and smaller. The sampler is right in the limit of a long run.',
  approximate: (c) => `The sampler is right for a density other than the target: ${c.density}.`,
  biased: (c) => (c.evidence === 'unproven' ? 'No declaration shows that the sampler leaves the target invariant.' : 'The draws are biased. Small steps and long runs do not remove the bias.'),
  none: () => 'This kernel searches for an optimum and does not sample.',
};
const grounds = {
  declared: ' This guarantee depends on a declaration by an author outside Mixwell.',
  unproven: '',
  proved: '',
};

/** Describes in words what the certificate guarantees. */
const inWords = (c) => `${guarantees[c.class](c)}${grounds[c.evidence] ?? ''}`;

function badge(certificate) {
  const name = `${certificate.class}${certificate.after_warmup ? ' after warm-up' : ''}`;
  return h('span', { class: `badge ${certificate.class}` }, name);
}

function keyFigure(name, value, unit = '') {
  return h('div', {}, h('dt', {}, name), h('dd', {}, value, unit ? h('span', { class: 'unit' }, ` ${unit}`) : null));
}

/** Number of variables that could not be judged by a figure. */
const unjudged = (summary, figure) => summary.not_judged.filter((one) => one.variable !== null && one.figures.includes(figure))
  .reduce((sum, one) => sum + 1 + one.more, 0);
const unjudgedText = (summary, figure) => (unjudged(summary, figure) ? `${grouped(unjudged(summary, figure))} not judged` : '');

function keyFigures({ summary, run, table: t }) {
  const s = summary.sampler;
  const rhats = (t.rhat ?? []).filter((x) => x !== null);
  const worst = rhats.length ? Math.max(...rhats) : null;
  return h('dl', { class: 'keys' },
    keyFigure('smallest ESS', whole(s.min_ess), [s.min_ess_reliable === false ? 'too small to be reliable' : essInterval(s.min_ess, s.min_ess_mcse),
      unjudgedText(summary, 'ess_bulk')].filter(Boolean).join(', ')),
    keyFigure('largest R\u0302', fixed(worst, 3), unjudgedText(summary, 'rhat')),
    keyFigure('acceptance', fixed(s.acceptance, 3)),
    keyFigure('divergences', whole(s.divergences)),
    s.reached_max_depth === undefined ? null : keyFigure('transitions at maximum depth', `${digits(100 * s.reached_max_depth, 3)} %`),
    keyFigure('E-BFMI', fixed(s.ebfmi, 2)),
    keyFigure('ESS per gradient', digits(s.min_ess_per_gradient, 3)),
    keyFigure('ESS per second', digits(s.min_ess_per_second, 3)),
    keyFigure('gradients, sampling', whole(run.gradients?.sampling)),
    keyFigure('time, sampling', seconds(run.seconds?.sampling)),
    summary.prediction ? keyFigure(`test ${summary.prediction.measure}`, digits(summary.prediction.error, 3),
      `of ${whole(summary.prediction.cases)} cases`) : null);
}

/** For example "R̂ and tail ESS of b and 3 more: ...", as in the summary. */
function unjudgedWords({ variable, more, figures, because }, all) {
  const names = figures.map(label);
  const listed = figures.length === all ? 'all figures' : names.length < 2 ? names.join() : `${names.slice(0, -1).join(', ')} and ${names.at(-1)}`;
  return `${listed} of ${variable ?? 'the sampler'}${more ? ` and ${grouped(more)} more` : ''}: ${because}`;
}

/** Warnings, and what could not be judged. The page says "No warnings." only if both are empty. */
function judgement({ warnings, summary }) {
  const open = summary.not_judged;
  if (warnings.length === 0 && open.length === 0) return h('p', { class: 'calm' }, 'No warnings.');
  return h('div', {},
    warnings.length ? h('ul', { class: 'warnings' }, warnings.map((text) => h('li', {}, text))) : null,
    open.length ? h('h3', {}, 'Not judged') : null,
    open.length ? h('ul', { class: 'unjudged' }, open.map((one) => h('li', {}, unjudgedWords(one, leading.length - 1)))) : null);
}

function overview(data) {
  return section('overview', 'Overview', 'Overview', keyFigures(data), judgement(data),
    data.notes.map((text) => h('p', { class: 'note' }, text)));
}

/** These columns come first, in this order. */
const leading = ['variable', 'mean', 'sd', 'q5', 'q50', 'q95', 'rhat', 'ess_bulk', 'ess_tail', 'mcse_mean', 'mcse_sd'];
const inUnits = new Set(['mean', 'sd', 'q5', 'q50', 'q95']);
const mostDecimals = 8;

/** Rounds to the first digit of the Monte Carlo error, because further digits are noise. */
function inOwnUnit(x, error) {
  const decimals = error > 0 ? -Math.floor(Math.log10(error)) : NaN;
  return decimals <= mostDecimals && Math.abs(x) < 1e8 ? fixed(x, Math.max(0, decimals)) : digits(x, 4);
}

const formats = {
  rhat: (x) => fixed(x, 3),
  ess_bulk: whole,
  ess_tail: whole,
  mcse_mean: (x) => digits(x, 2),
  mcse_sd: (x) => digits(x, 2),
};

function summaryTable(data) {
  const t = data.table;
  const constants = new Set(data.constants);
  const count = t.variable.length;
  const keys = leading.filter((key) => key in t).concat(Object.keys(t).filter((key) => !leading.includes(key)));
  const shown = (key, row) => {
    if (key === 'variable') return t[key][row];
    if (inUnits.has(key)) return inOwnUnit(t[key][row], t.mcse_mean?.[row]);
    return (formats[key] ?? ((x) => digits(x, 4)))(t[key][row]);
  };
  const columns = keys.map((key) => ({
    key,
    label: label(key),
    help: data.summary.estimators?.[key]?.name,
    numeric: key !== 'variable',
    value: (row) => t[key][row],
    order: orderOf(key, (row) => t[key][row], (row) => constants.has(row)),
    text: (row) => shown(key, row),
  }));
  const view = table({ caption: 'Summary of every variable', columns, count });
  return section('summary', 'Summary of the variables', 'Table', filterOf(view, columns, count), view.chooser, view.element,
    data.summary.weighted ? h('p', { class: 'note' },
      'Mean, sd, quantiles and their errors use the recorded weights. ESS and R\u0302 do not use the weights.') : null);
}

/** A filter box for the table, if the table is long. */
function filterOf(view, columns, count) {
  if (count <= 12) return null;
  const rowsOf = rowFilter(new Map(columns.map((c) => [c.key, c.value])), count);
  const said = h('span', { role: 'status', class: 'note' });
  const box = h('input', { type: 'search', id: 'filter', placeholder: 'beta ess_bulk<400', oninput: () => {
    const rows = rowsOf(box.value);
    view.show(rows);
    said.textContent = `${grouped(rows.length)} of ${grouped(count)} variables`;
  } });
  return h('p', { class: 'controls' }, h('span', { class: 'control wide' }, h('label', { for: 'filter' }, 'Filter'), box), said);
}

function variableSections(data) {
  const all = data.variables ?? [];
  const holder = h('div', {}, all.slice(0, firstVariables).map((v) => variable(v, data)));
  const rest = all.slice(firstVariables);
  const more = rest.length === 0 ? null : h('button', { type: 'button', class: 'more', onclick: () => {
    const added = rest.map((v) => variable(v, data));
    holder.append(...added);
    more.remove();
    added[0].focus();
  } }, `Show ${rest.length} more`);
  window.addEventListener('beforeprint', () => more?.isConnected && more.click());
  return section('variables', 'Figures of the variables', 'Figures',
    h('p', { class: 'note' }, 'The worst variables come first, alternately by smallest effective sample size and by largest R\u0302.'),
    all.length ? holder : h('p', {}, 'The run recorded no draws.'), more);
}

function chainTable(data) {
  const names = Object.keys(data.statistics ?? {});
  if (names.length === 0) return null;
  const meaning = (name) => (name === 'diverging' ? 'divergences' : `mean ${label(name)}`);
  return section('chains', 'Statistics of the sampler', 'Sampler',
    h('div', { class: 'table', tabindex: '0', role: 'region', 'aria-label': 'Statistics of the sampler; scrolls' }, h('table', { class: 'plain' },
      h('caption', {}, 'Statistics of each chain'),
      h('thead', {}, h('tr', {}, h('th', { scope: 'col', class: 'number' }, 'chain'), names.map((n) => h('th', { scope: 'col', class: 'number' }, meaning(n))),
        data.energy ? h('th', { scope: 'col', class: 'number' }, 'E-BFMI') : null)),
      h('tbody', {}, data.chains.shown.map((chain, k) => h('tr', {},
        h('th', { scope: 'row', class: 'number' }, String(chain)),
        names.map((n) => h('td', { class: 'number' }, digits(data.statistics[n][k], 4))),
        data.energy ? h('td', { class: 'number' }, fixed(data.energy.ebfmi[k], 2)) : null))))),
    operations(data.run.operations ?? []));
}

/** Time for each operation, longest first. */
function operations(all) {
  const used = all.filter((o) => o.seconds > 0).sort((a, b) => b.seconds - a.seconds).slice(0, 12);
  if (used.length === 0) return null;
  const longest = used[0].seconds;
  return h('div', { class: 'bars' }, h('h3', {}, 'Time per operation'),
    h('p', { class: 'note' }, 'The times are totals over all threads. They are estimated from every 64th sweep.'),
    h('table', { class: 'plain' }, h('tbody', {}, used.map((o) => h('tr', {},
      h('th', { scope: 'row' }, o.name), h('td', {}, o.phase), h('td', { class: 'number' }, seconds(o.seconds)),
      h('td', { class: 'bar', 'aria-hidden': 'true' }, h('span', { style: `width:${(100 * o.seconds) / longest}%` })))))));
}

/** Largest number of variables in the forest plot. */
const mostForest = 40;

function forestSection(data) {
  const count = data.table.variable.length;
  if (count === 0 || !data.table.q5) return null;
  const rows = [...Array(Math.min(count, mostForest)).keys()];
  return section('forest', 'Means and intervals', 'Forest', forest(rows, data),
    h('p', { class: 'note' }, `Points are means, and bars go from the 5 % to the 95 % quantile of the draws.${count > mostForest ? ` The figure shows the first ${mostForest} of ${grouped(count)} variables.` : ''}`));
}

const firstPairs = 4;

/** Begins with the four worst variables. */
function pairSection(data) {
  const { names } = data.pairs;
  const chosen = [...names.keys()].slice(0, firstPairs);
  if (chosen.length < 2) return section('pairs', 'Variables against each other', 'Pairs', h('p', { class: 'note' }, 'There is only one variable.'));
  const view = pairs(data, chosen);
  const choices = names.length <= firstPairs ? null : h('p', { class: 'controls' }, chosen.map((_, place) =>
    select(`Variable ${place + 1}`, names.map((name, k) => [String(k), name]), String(chosen[place]), (value) => {
      chosen[place] = Number(value);
      view.update(pairWords(data, chosen));
    })));
  return section('pairs', 'Variables against each other', 'Pairs', choices, view.element);
}

const listed = (items) => (items?.length ? h('ul', {}, items.map((item) => h('li', {}, item))) : null);

function certificateView({ certificate: c }) {
  const row = (name, value) => (value === null || value === undefined || value === '' || value.length === 0 ? null
    : [h('dt', {}, name), h('dd', {}, value)]);
  return section('certificate', 'What the sampler is guaranteed to sample', 'Certificate',
    h('p', {}, badge(c), ' ', c.reason ?? ''),
    h('dl', { class: 'facts' },
      row('rule', c.rule), row('density', c.density), row('accuracy', c.order ? `${c.accuracy}, order ${c.order}` : c.accuracy),
      row('parameters', c.time), row('evidence', c.evidence), row('class when frozen', c.frozen_class === c.class ? '' : c.frozen_class),
      row('path', c.path?.length ? h('span', { class: 'path' }, c.path.join(' \u2192 ')) : ''),
      row('nodes', c.nodes?.join(', ')), row('reference', c.reference), row('relies on', listed(c.assumes)), row('notes', listed(c.notes))));
}

function manifestView(data) {
  const said = h('span', { role: 'status', class: 'note' });
  const copy = h('button', { type: 'button', class: 'quiet', onclick: () => navigator.clipboard?.writeText(data.manifest)
    .then(() => { said.textContent = 'copied'; }, () => { said.textContent = 'not copied: this browser does not allow copying'; }) }, 'Copy');
  const run = data.run;
  return section('manifest', 'Manifest', 'Manifest',
    h('p', { class: 'note' }, 'This is the manifest with all defaults filled in. Running this manifest gives the same draws. ', copy, ' ', said),
    h('pre', { tabindex: '0' }, data.manifest),
    h('dl', { class: 'facts' },
      h('dt', {}, 'SHA-256 of the draws'), h('dd', { class: 'path' }, run.draws_sha256 ?? 'none'),
      h('dt', {}, 'made with'), h('dd', {}, Object.entries(run.versions ?? {}).map(([k, v]) => `${k} ${v}`).join(', ')),
      h('dt', {}, 'plugins'), h('dd', {}, (run.plugins ?? []).map((p) => p.library).join(', '))));
}

/** Adds fields that older data lack, and converts infinite numbers from texts to numbers. */
function prepared(data) {
  const { variable, ...figures } = data.table;
  const table = { variable, ...Object.fromEntries(Object.entries(figures).map(([key, column]) => [key, column.map(decoded)])) };
  const sampler = Object.fromEntries(Object.entries(data.summary.sampler).map(([key, value]) => [key, decoded(value)]));
  return { ...data, table, constants: data.constants ?? [], summary: { not_judged: [], ...data.summary, sampler } };
}

export function runReport(made) {
  const data = prepared(made);
  const sections = [
    overview(data),
    summaryTable(data),
    variableSections(data),
    forestSection(data),
    data.pairs ? pairSection(data) : null,
    data.growth ? section('growth', 'Effective sample size and energy', 'ESS, energy',
      h('div', { class: 'two' }, growth(data), energy(data))) : null,
    chainTable(data),
    certificateView(data),
    section('graph', 'Kernel graph of a sweep', 'Graph', graphView(data.graph)),
    manifestView(data),
  ].filter(Boolean);
  return { heading: heading(data), sections };
}
