// Draws visible figures in idle time, and again after changes. Draws all figures before printing.
// SPDX-License-Identifier: Apache-2.0
import { h } from './dom.js';
import { digits } from './format.js';
import { later } from './later.js';
import { onTheme, theme } from './theme.js';

/* global Plotly */
const figures = new Map(); // box -> figure
const config = { displayModeBar: false, responsive: true };

const font = 'system-ui, -apple-system, "Segoe UI", "Liberation Sans", "DejaVu Sans", sans-serif';

/** Escapes a text, because Plotly interprets some markup in its texts. */
export const plainText = (text) => String(text).replaceAll('&', '&amp;').replaceAll('<', '&lt;');

/** Escapes the texts of a trace that come from the data. */
function plainTrace(trace) {
  const plain = { ...trace };
  if (trace.name !== undefined) plain.name = plainText(trace.name);
  for (const key of ['text', 'hovertext']) if (trace[key]) plain[key] = trace[key].map(plainText);
  return plain;
}

function axis(colours, own = {}) {
  return {
    gridcolor: colours.line,
    linecolor: colours.line,
    zeroline: false,
    automargin: true,
    nticks: 6,
    ticks: 'outside',
    ticklen: 3,
    tickcolor: colours.line,
    tickfont: { size: 11, color: colours.muted },
    exponentformat: 'power',
    ...own,
    ...(own.ticktext ? { ticktext: own.ticktext.map(plainText) } : {}),
    title: { text: plainText(own.title ?? ''), font: { size: 12, color: colours.muted }, standoff: 8 },
  };
}

function layoutOf(own, colours) {
  const { xaxis = {}, yaxis = {}, axes = {}, ...rest } = own;
  const more = Object.fromEntries(Object.entries(axes).map(([k, a]) => [k, axis(colours, a)]));
  return {
    autosize: true,
    margin: { l: 44, r: 10, t: 8, b: 36 },
    paper_bgcolor: 'rgba(0,0,0,0)',
    plot_bgcolor: 'rgba(0,0,0,0)',
    font: { family: font, size: 12, color: colours.ink },
    colorway: colours.series,
    showlegend: false,
    hoverlabel: { bgcolor: colours.background, bordercolor: colours.line,
      font: { color: colours.ink, family: font, size: 12 } },
    legend: { orientation: 'h', y: 1.02, yanchor: 'bottom', x: 0, font: { size: 12 } },
    dragmode: 'zoom',
    xaxis: axis(colours, xaxis),
    yaxis: axis(colours, yaxis),
    ...more,
    ...rest,
  };
}

function draw(entry) {
  const colours = theme();
  const { data, layout } = entry.make(colours);
  delete entry.box.dataset.outdated;
  Plotly.react(entry.box, data.map(plainTrace), layoutOf(layout, colours), config);
}

const watcher = new IntersectionObserver((seen) => {
  for (const { target, isIntersecting } of seen) {
    if (!isIntersecting) continue;
    watcher.unobserve(target);
    later(figures.get(target).drawIfOutdated);
  }
}, { rootMargin: '200px 0px' });

/** A figure outside the view is drawn when it comes into view, so a change redraws only the visible figures. */
function outdate(entry) {
  entry.box.dataset.outdated = '';
  watcher.unobserve(entry.box);
  watcher.observe(entry.box);
}

onTheme(() => figures.forEach(outdate));
window.addEventListener('beforeprint', () => {
  for (const entry of figures.values()) if (entry.box.offsetParent) entry.drawIfOutdated();
});

/**
 * A figure. `make(colours)` returns Plotly's data and layout. `label` describes the figure for screen
 * readers, and `title` is the heading above it. `update()` draws it again.
 */
export function figure({ title, label, caption, height = 200, make, kind = '' }) {
  const box = h('div', { class: 'plot', style: `height:${height}px`, role: 'img',
    'aria-label': label ?? title, 'data-outdated': true });
  const element = h('figure', { class: kind, 'data-figure': title ?? label },
    title ? h('figcaption', {}, title) : null,
    box,
    caption ? h('p', { class: 'note' }, caption) : null);
  const entry = { box, make, drawIfOutdated: () => 'outdated' in box.dataset && draw(entry) };
  figures.set(box, entry);
  watcher.observe(box);
  return {
    element,
    update(words) {
      if (words) box.setAttribute('aria-label', words);
      outdate(entry);
    },
  };
}

const manySteps = [1, 1.5, 2, 3, 4, 5, 7];

/** A logarithmic axis for positive values. The number of labels in each decade depends on the range. */
export function logAxis(values) {
  const positive = values.filter((v) => v > 0);
  const low = Math.log10(positive.reduce((a, b) => Math.min(a, b), Infinity));
  const high = Math.log10(positive.reduce((a, b) => Math.max(a, b), 0));
  // Within half a decade Plotly's own labels are evenly spaced.
  if (!(high - low >= 0.5)) return { type: 'log' };
  const decades = Array.from({ length: Math.ceil(high) - Math.floor(low) + 3 }, (_, k) => Math.floor(low) - 1 + k);
  const steps = high - low < 1 ? manySteps : high - low < 3 ? [1, 2, 5] : [1];
  const tickvals = decades.flatMap((k) => steps.map((m) => Number(`${m}e${k}`)));
  return { type: 'log', tickvals, ticktext: tickvals.map((v) => digits(v, 2)) };
}

/** The colour with the opacity `alpha`, 0 to 1. */
export const faint = (hex, alpha) =>
  hex + Math.round(alpha * 255).toString(16).padStart(2, '0');

const dashes = ['solid', 'dash', 'dot', 'dashdot'];
const symbols = ['circle', 'square', 'diamond', 'triangle-up', 'cross', 'x', 'triangle-down'];
/** Colour, dash and symbol of the k-th series. Series with the same colour differ in dash and symbol. */
export function style(colours, k) {
  const n = colours.series.length;
  const round = Math.floor(k / n);
  return { color: colours.series[k % n], dash: dashes[round % dashes.length],
    symbol: symbols[(k + round) % symbols.length] };
}
