// The figures of a run.
// SPDX-License-Identifier: Apache-2.0
import { h } from './dom.js';
import { fixed, grouped, whole } from './format.js';
import { faint, figure, style } from './plot.js';

const range = (count, start = 0, step = 1) => Array.from({ length: count }, (_, k) => start + k * step);
const withUnit = (v) => (v.unit ? `${v.name} (${v.unit})` : v.name);

/** Draws that are not finite leave gaps. A single draw between two gaps needs a marker, because it is not a line. */
const hasGaps = (v) => v.trace.some((chain) => chain.includes(null));

function trace(v, data) {
  const { shown, every, draws } = data.chains;
  const mode = hasGaps(v) ? 'lines+markers' : 'lines';
  return figure({
    title: 'Trace',
    caption: hasGaps(v) ? 'Gaps are draws that are not finite. The other figures of this variable need finite draws.' : undefined,
    label: `Trace of ${v.name}: ${shown.length} chains, ${v.trace[0].length} of ${draws} draws each`,
    make: (colours) => ({
      data: shown.map((chain, k) => ({ type: 'scatter', mode, name: `chain ${chain}`,
        x: range(v.trace[k].length, 0, every), y: v.trace[k], opacity: 0.75, marker: { size: 2.5, color: style(colours, k).color },
        line: { width: 0.9, color: style(colours, k).color } })),
      layout: { xaxis: { title: 'draw' }, yaxis: { title: v.unit || '' } },
    }),
  }).element;
}

function ranks(v, data) {
  if (!v.ranks) return null;
  const bins = v.ranks.counts[0].length;
  // The step line must end where its last bin ends.
  const steps = (counts) => counts.concat(counts[counts.length - 1]);
  return figure({
    title: 'Ranks',
    label: `Rank histogram of ${v.name}: draws of each chain in ${bins} bins of the ranks of all chains; if the chains agree, all bins have equal counts`,
    make: (colours) => ({
      data: [{ type: 'scatter', mode: 'lines', name: 'expected', x: [0, 1], y: [v.ranks.expected, v.ranks.expected],
        line: { color: colours.muted, width: 1, dash: 'dash' }, hoverinfo: 'skip' },
      ...data.chains.shown.map((chain, k) => ({ type: 'scatter', mode: 'lines', name: `chain ${chain}`,
        x: range(bins + 1, 0, 1 / bins), y: steps(v.ranks.counts[k]), opacity: 0.85,
        line: { width: 1.3, shape: 'hv', color: style(colours, k).color } }))],
      layout: { xaxis: { title: 'rank among all draws', range: [0, 1.004], tickvals: [0, 0.5, 1], ticktext: ['0', '50 %', '100 %'] },
        yaxis: { title: 'draws in bin', rangemode: 'tozero' } },
    }),
  }).element;
}

function density(v, data) {
  if (!v.density) return null;
  const { start, step, values } = v.density;
  const x = range(values[0].length, start, step);
  return figure({
    title: 'Density',
    label: `Density of ${v.name}: all draws together, and each of ${data.chains.shown.length} chains`,
    make: (colours) => ({
      data: [{ type: 'scatter', mode: 'lines', name: 'all chains', x, y: values[0], fill: 'tozeroy',
        fillcolor: faint(colours.accent, 0.12), line: { width: 0, color: colours.accent }, hoverinfo: 'skip' },
      ...data.chains.shown.map((chain, k) => ({ type: 'scatter', mode: 'lines', name: `chain ${chain}`, x, y: values[k + 1],
        line: { width: 1.3, color: style(colours, k).color } }))],
      layout: { xaxis: { title: withUnit(v) }, yaxis: { title: '', showticklabels: false, ticks: '', rangemode: 'tozero' } },
    }),
  }).element;
}

function autocorrelation(v, data) {
  if (!v.autocorrelation) return null;
  const { every, values } = v.autocorrelation;
  const x = range(values[0].length, 0, every);
  const noise = 2 / Math.sqrt(data.chains.draws * data.chains.count);
  return figure({
    title: 'Autocorrelation',
    label: `Autocorrelation of ${v.name} at lags 0 to ${x[x.length - 1]}`,
    make: (colours) => ({
      data: [
        ...data.chains.shown.map((chain, k) => ({ type: 'scatter', mode: 'lines', name: `chain ${chain}`, x, y: values[k + 1],
          opacity: 0.6, line: { width: 0.9, color: style(colours, k).color } })),
        { type: 'scatter', mode: 'lines', name: 'all chains', x, y: values[0], line: { width: 2.2, color: colours.ink } },
      ],
      layout: {
        xaxis: { title: 'lag (draws)', rangemode: 'tozero' }, yaxis: { title: '', range: [Math.min(-0.1, ...values[0]) - 0.02, 1.03] },
        shapes: [{ type: 'rect', xref: 'paper', x0: 0, x1: 1, y0: -noise, y1: noise, line: { width: 0 }, fillcolor: faint(colours.muted, 0.18), layer: 'below' }],
      },
    }),
  }).element;
}

/** The figures of one variable, in a row. */
export function variable(v, data) {
  const row = data.table.variable.indexOf(v.name);
  const of = (key) => (row < 0 ? null : data.table[key]?.[row]);
  return h('article', { class: 'variable', tabindex: '-1', 'aria-label': v.name },
    h('h3', {}, v.name, h('span', { class: 'note' }, ` bulk ESS ${whole(of('ess_bulk'))} · tail ESS ${whole(of('ess_tail'))} · R\u0302 ${fixed(of('rhat'), 3)}`)),
    v.help ? h('p', { class: 'note' }, v.help) : null,
    h('div', { class: 'row' }, trace(v, data), ranks(v, data), density(v, data), autocorrelation(v, data)));
}

/** Mean and central 90 % of each row of the table; the first row is at the top. */
export function forest(rows, data) {
  const t = data.table;
  const at = (key) => rows.map((row) => t[key][row]);
  const mean = at('mean');
  return figure({
    label: `Mean and central 90 % of ${rows.length} variables`,
    height: Math.min(70 + 20 * rows.length, 900),
    make: (colours) => ({
      data: [{ type: 'scatter', mode: 'markers', x: mean, y: rows.map((_, k) => rows.length - 1 - k),
        error_x: { type: 'data', symmetric: false, array: at('q95').map((q, k) => q - mean[k]), arrayminus: at('q5').map((q, k) => mean[k] - q), thickness: 1.6, width: 3, color: colours.accent },
        marker: { size: 7, color: colours.accent }, text: at('variable'), hovertemplate: '%{text}: %{x:.4g}<extra></extra>' }],
      layout: { hovermode: 'closest', margin: { l: 20, r: 16, t: 6, b: 30 }, xaxis: { title: '' },
        yaxis: { tickvals: rows.map((_, k) => rows.length - 1 - k), ticktext: at('variable').map(String), range: [-0.6, rows.length - 0.4], nticks: undefined },
        shapes: [{ type: 'line', x0: 0, x1: 0, yref: 'paper', y0: 0, y1: 1, line: { color: colours.muted, width: 1, dash: 'dot' } }] },
    }),
  }).element;
}

/** Describes the figure of pairs for screen readers. */
export const pairWords = (data, chosen) =>
  `Draws of ${[...new Set(chosen)].map((k) => data.pairs.names[k]).join(', ')} against each other, ${data.pairs.points[0].length} points in each panel`;

/** One figure with a panel for each pair of chosen variables. `chosen` is read at each drawing. Duplicates are shown once. */
export function pairs(data, chosen) {
  const gap = 0.03;
  const axisName = (letter, k) => (k === 0 ? letter : `${letter}${k + 1}`);
  const longName = (letter, k) => (k === 0 ? `${letter}axis` : `${letter}axis${k + 1}`);
  const make = (colours) => {
    const [names, points, diverging] = [data.pairs.names, data.pairs.points, data.pairs.diverging].map((all) => [...new Set(chosen)].map((k) => all[k]));
    const n = names.length;
    const size = (1 - gap * (n - 2)) / (n - 1);
    const panels = names.flatMap((_, i) => names.slice(0, i).map((__, j) => [i, j]));
    const axes = {};
    panels.forEach(([i, j], k) => {
      const left = j * (size + gap);
      const bottom = (n - 1 - i) * (size + gap);
      axes[longName('x', k)] = { domain: [left, left + size], anchor: axisName('y', k), nticks: 4, title: i === n - 1 ? names[j] : '', showticklabels: i === n - 1 };
      axes[longName('y', k)] = { domain: [bottom, bottom + size], anchor: axisName('x', k), nticks: 4, title: j === 0 ? names[i] : '', showticklabels: j === 0 };
    });
    const cloud = (columns, name, marker) => panels.map(([i, j], k) => ({ type: 'scatter', mode: 'markers', name, x: columns[j], y: columns[i],
      xaxis: axisName('x', k), yaxis: axisName('y', k), marker, hoverinfo: 'skip', legendgroup: name, showlegend: k === 0 }));
    const marks = cloud(points, 'draws', { size: 3.5, color: faint(colours.accent, 0.45) });
    if (diverging[0].length > 0) marks.push(...cloud(diverging, 'after a divergence', { size: 6, symbol: 'x', color: colours.series[1] }));
    return { data: marks, layout: { axes, showlegend: diverging[0].length > 0, margin: { l: 56, r: 10, t: 24, b: 44 } } };
  };
  const diverged = data.pairs.diverging[0].length;
  return figure({
    label: pairWords(data, chosen),
    caption: `${grouped(data.pairs.points[0].length)} of ${grouped(data.chains.count * data.chains.draws)} draws`
      + (diverged ? `; crosses are ${grouped(diverged)} draws after a diverging transition.` : '.'),
    height: Math.min(150 + 170 * (chosen.length - 1), 680), make, kind: 'pairs',
  });
}

export function growth(data) {
  const { names, draws, bulk, tail } = data.growth;
  return figure({
    title: 'Effective sample size during the run',
    label: `Bulk and tail effective sample size of ${names.join(', ')} against draws of each chain`,
    caption: 'If a line stops rising or jumps, the chains are stuck or have found a new region.',
    height: 320,
    make: (colours) => ({
      data: names.flatMap((name, k) => {
        const { color, symbol } = style(colours, k);
        const line = (y, kind, dash) => ({ type: 'scatter', mode: 'lines+markers', name: `${name}, ${kind}`, x: draws, y,
          line: { color, width: 1.6, dash }, marker: { size: 5, symbol: kind === 'bulk' ? symbol : `${symbol}-open` } });
        return [line(bulk[k], 'bulk', 'solid'), line(tail[k], 'tail', 'dot')];
      }),
      layout: { showlegend: true, xaxis: { title: 'draws of each chain', rangemode: 'tozero' }, yaxis: { title: 'effective sample size', rangemode: 'tozero' },
        margin: { l: 50, r: 10, t: 60, b: 40 },
        shapes: [{ type: 'line', xref: 'paper', x0: 0, x1: 1, y0: 400, y1: 400, line: { color: colours.muted, width: 1, dash: 'dash' } }] },
    }),
  }).element;
}

export function energy(data) {
  if (!data.energy) return h('p', { class: 'note' }, 'The kernel recorded no energy.');
  const { low, high, marginal, transition } = data.energy;
  const width = (high - low) / marginal.length;
  const x = range(marginal.length, low + width / 2, width);
  const share = (counts) => {
    const sum = counts.reduce((a, b) => a + b, 0);
    return counts.map((c) => c / sum / width);
  };
  return figure({
    title: 'Energy',
    label: 'Histograms of the energy minus its mean, and of its change in one transition',
    caption: 'If the histogram of the change is much narrower than the histogram of the energy, the momentum draws explore the energies too slowly (E-BFMI below 0.3).',
    height: 320,
    make: (colours) => ({
      data: [['energy minus its mean', marginal, 0], ['change in a transition', transition, 1]].map(([name, counts, k]) => ({
        type: 'scatter', mode: 'lines', name, x, y: share(counts), fill: 'tozeroy', fillcolor: faint(colours.series[k], 0.15),
        line: { shape: 'hvh', width: 1.6, color: colours.series[k], dash: k ? 'dash' : 'solid' } })),
      layout: { showlegend: true, margin: { l: 50, r: 10, t: 40, b: 40 }, xaxis: { title: 'nats' }, yaxis: { title: 'density (1/nat)', rangemode: 'tozero' } },
    }),
  }).element;
}
