// The figures of a study. Each figure shows the rows that match the filter.
// SPDX-License-Identifier: Apache-2.0
import { bestPoint, distinct, groupBy, interval, isNumber, quartiles, rangeText, thin } from './cells.js';
import { axisLabel, digits, label } from './format.js';
import { faint, figure, logAxis, plainText, style } from './plot.js';

export const mostPoints = 800;
const mostSteps = 60;
const mostTicks = 12;
export const mostCurves = 40;
const everything = 'all cells';

const grouping = (study, key) => (key === '' ? () => everything : (row) => String(study.value(key, row) ?? 'none'));

/** The style of each group. It is the same in all panels, and does not depend on the filter. */
function looks(study, key, colours) {
  const all = distinct(study.all.map(grouping(study, key)));
  return (name) => style(colours, all.indexOf(name));
}

/** Moves x by a part of the gap between neighbours, so that groups are side by side. */
function mover(values, log) {
  const scale = log ? Math.log : (x) => x;
  const gaps = values.slice(1).map((v, k) => scale(v) - scale(values[k])).filter((gap) => gap > 0);
  const gap = gaps.length ? Math.min(...gaps) : 0;
  return (x, part) => (log ? x * Math.exp(part * gap) : x + part * gap);
}

/** The position of a value on the axis: numbers at their value, words one after another. */
function placement(study, key, rows, log) {
  const values = distinct(rows.map((row) => study.value(key, row))).filter((v) => typeof v !== 'number' || isNumber(v));
  const few = values.length <= mostTicks;
  if (values.every(isNumber)) {
    return { place: (row) => study.value(key, row), steps: values.length, move: mover(values, log && values[0] > 0), spread: 0.25,
      layout: { ...(log ? logAxis(values) : {}), ...(few ? { tickvals: values, ticktext: values.map((v) => digits(v, 4)) } : {}) } };
  }
  const places = new Map(values.map((v, k) => [v, k]));
  return { place: (row) => places.get(study.value(key, row)) ?? null, steps: values.length, move: (x, part) => x + part, spread: 0.55, words: true,
    layout: { tickvals: values.map((_, k) => k), ticktext: values.map(String), range: [-0.6, values.length - 0.4] } };
}

/** A number from -1/2 to 1/2 that is always the same for the same row. */
const jitter = (row) => ((row * 0.6180339887498949) % 1) - 0.5;

function explorerData(study, chosen, choice, colours) {
  const rows = chosen.filter((row) => isNumber(study.value(choice.metric, row)));
  const axis = placement(study, choice.axis, rows, choice.logX);
  const groups = [...groupBy(rows, grouping(study, choice.colour))].map(([name, all]) => ({ name, all, members: all.filter((row) => isNumber(axis.place(row))) }));
  const placed = groups.filter(({ members }) => members.length > 0);
  const many = axis.steps > mostSteps;
  const lookOf = looks(study, choice.colour, colours);
  const data = placed.flatMap(({ name, members }, k) => {
    const look = { name, ...lookOf(name), part: many ? 0 : ((k + 0.5) / placed.length - 0.5) * axis.spread, legend: groups.length > 1 };
    const share = Math.max(20, Math.round((mostPoints * members.length) / rows.length));
    const points = cloud(study, choice, axis, thin(members, share), { ...look, many, width: many ? 0 : (0.6 * axis.spread) / placed.length });
    return many ? [points] : [points, medians(study, choice, axis, members, look)];
  });
  const levels = groups.filter(({ members }) => members.length === 0)
    .map(({ name, all }) => ({ name, ...lookOf(name), y: quartiles(all.map((row) => study.value(choice.metric, row)))[1] }));
  return { data, levels, axis };
}

/** Draws a horizontal line at the median of each group to which the axis does not apply. */
function levelMarks(levels, logY) {
  return {
    shapes: levels.map((l) => ({ type: 'line', xref: 'paper', x0: 0, x1: 1, y0: l.y, y1: l.y, line: { color: l.color, width: 1.6, dash: 'dash' } })),
    annotations: levels.map((l) => ({ xref: 'paper', x: 0.005, xanchor: 'left', y: logY ? Math.log10(l.y) : l.y, yanchor: 'bottom', showarrow: false,
      text: plainText(`${l.name} (axis does not apply)`), font: { size: 12, color: l.color } })),
  };
}

function cloud(study, choice, axis, rows, look) {
  return { type: 'scatter', mode: 'markers', name: look.name, legendgroup: look.name, showlegend: look.many && look.legend,
    x: rows.map((row) => axis.move(axis.place(row), look.part + look.width * jitter(row))), y: rows.map((row) => study.value(choice.metric, row)),
    hovertext: rows.map((row) => study.name(row)), hovertemplate: '%{hovertext}<br>%{y}<extra></extra>',
    marker: { size: look.many ? 5 : 4, symbol: look.symbol, color: faint(look.color, look.many ? 0.7 : 0.35) } };
}

function medians(study, choice, axis, members, look) {
  const steps = [...groupBy(members, axis.place)].map(([x, rows]) => [axis.move(x, look.part), quartiles(rows.map((row) => study.value(choice.metric, row)))])
    .filter(([, q]) => q !== null).sort((a, b) => a[0] - b[0]);
  return { type: 'scatter', mode: axis.words ? 'markers' : 'lines+markers', name: look.name, legendgroup: look.name, showlegend: look.legend,
    x: steps.map(([x]) => x), y: steps.map(([, q]) => q[1]),
    error_y: { type: 'data', symmetric: false, array: steps.map(([, q]) => q[2] - q[1]), arrayminus: steps.map(([, q]) => q[1] - q[0]), thickness: 1.4, width: 3, color: look.color },
    line: { color: look.color, width: 1.8, dash: look.dash }, marker: { size: 8, symbol: look.symbol, color: look.color },
    text: steps.map(([, q]) => `median of ${q[3]} cells`), hovertemplate: '%{y}<br>%{text}<extra>%{fullData.name}</extra>' };
}

/** A metric against an axis; `choice` = { metric, axis, colour, logX, logY } is read at each drawing. */
export function explorer(study, rows, choice) {
  const make = (colours) => {
    const { data, levels, axis } = explorerData(study, rows(), choice, colours);
    const heights = data.flatMap((d) => d.y).concat(levels.map((l) => l.y));
    return { data, layout: { showlegend: data.some((d) => d.showlegend), hovermode: 'closest', margin: { l: 60, r: 10, t: 40, b: 46 },
      ...levelMarks(levels, choice.logY), xaxis: { title: axisLabel(choice.axis), ...axis.layout },
      yaxis: { title: axisLabel(choice.metric), ...(choice.logY ? logAxis(heights) : {}) } } };
  };
  return figure({ label: 'A metric against an axis', height: 380, make });
}

/** Best point of a metric for each variant; the first variant is at the top. */
function dots(study, metric, rows, colours) {
  const found = [...groupBy(rows, (row) => study.value('variant', row))]
    .map(([variant, own]) => [variant, bestPoint(study, own, metric)]).filter(([, best]) => best !== null);
  const names = found.map(([variant]) => String(variant));
  const said = ([variant, { rows: own, found: i }]) => `${variant}: ${digits(i.mean, 3)}${i.low === null ? '' : `, ${rangeText(i, digits)}`} `
    + `(${i.n} ${i.n === 1 ? 'seed' : 'seeds'}) ${study.point(own[0]).map(([key, value]) => `${label(key)} = ${value}`).join(', ')}`;
  return { names, data: [{ type: 'scatter', mode: 'markers', x: found.map(([, best]) => best.found.mean), y: names.map((_, k) => names.length - 1 - k),
    error_x: { type: 'data', symmetric: false, array: found.map(([, { found: i }]) => (i.high ?? i.mean) - i.mean),
      arrayminus: found.map(([, { found: i }]) => i.mean - (i.low ?? i.mean)), thickness: 1.6, width: 4, color: colours.accent },
    marker: { size: 8, color: colours.accent }, text: found.map(said), hovertemplate: '%{text}<extra></extra>' }] };
}

/** A forest plot: a metric at each variant's best point, with intervals over its seeds. */
export function efficiency(study, rows, metric, choice) {
  const count = distinct(rows().map((row) => study.value('variant', row))).length;
  const make = (theme) => {
    const { names, data } = dots(study, metric, rows(), theme);
    return { data, layout: { hovermode: 'closest', margin: { l: 20, r: 16, t: 10, b: 44 },
      xaxis: { title: label(metric), ...(choice.log ? logAxis(data.flatMap((d) => d.x.flatMap((x, k) => [x - d.error_x.arrayminus[k], x, x + d.error_x.array[k]]))) : { rangemode: 'tozero' }) },
      yaxis: { tickvals: names.map((_, k) => names.length - 1 - k), ticktext: names, range: [-0.6, names.length - 0.4], nticks: undefined } } };
  };
  return figure({ title: label(metric), label: `${label(metric)} of each variant at its best point, with 95 % intervals`,
    height: Math.min(80 + 30 * count, 900), make });
}

/** Median at each index of the curves, over the curves that have a value at this index. */
function medianCurve(curves, key) {
  const length = Math.max(...curves.map((c) => c[key].length));
  return Array.from({ length }, (_, k) => quartiles(curves.map((c) => c[key][k]))?.[1] ?? null);
}

/** Errors against cost; `choice` = { error, cost, colour }. */
export function errorCurves(study, rows, curves, choice) {
  const make = (colours) => {
    const chosen = new Set(rows());
    const shown = curves.filter((c) => chosen.has(c.row));
    const group = grouping(study, choice.colour);
    const groups = groupBy(shown.map((_, k) => k), (k) => group(shown[k].row));
    const single = new Set(thin([...shown.keys()], mostCurves));
    const lookOf = looks(study, choice.colour, colours);
    const data = [];
    for (const [name, members] of groups) {
      const { color, dash, symbol } = lookOf(name);
      for (const m of members.filter((one) => single.has(one) && members.length > 1))
        data.push({ type: 'scatter', mode: 'lines', x: shown[m][choice.cost], y: shown[m][choice.error], showlegend: false, hoverinfo: 'skip', line: { width: 0.8, color: faint(color, 0.3) } });
      const own = members.map((m) => shown[m]);
      data.push({ type: 'scatter', mode: 'lines+markers', name, showlegend: true, x: medianCurve(own, choice.cost), y: medianCurve(own, choice.error),
        line: { width: 2.2, color, dash }, marker: { size: 6, symbol, color }, hovertemplate: '%{y:.3g} at %{x:.3g}<extra>%{fullData.name}</extra>' });
    }
    return { data, layout: { showlegend: true, margin: { l: 60, r: 10, t: 40, b: 46 }, xaxis: { title: axisLabel(choice.cost), ...logAxis(data.flatMap((d) => d.x)) },
      yaxis: { title: label(choice.error), ...logAxis(data.flatMap((d) => d.y)) } } };
  };
  return figure({ label: 'Error against cost', height: 380, make });
}

/** Published figures with the measured ones: [{ name, metric, value, source, found }]. */
export function compared(study, paper) {
  const fits = (row, where) => Object.entries(where ?? {}).every(([key, wanted]) =>
    [wanted].flat().some((w) => String(study.value(key, row)) === String(w)));
  return paper.map((p) => {
    const rows = study.rows().filter((row) => fits(row, p.where));
    const found = interval(rows.map((row) => study.value(p.metric, row)), rows.map((row) => study.value(`${p.metric}_mcse`, row)));
    const name = Object.values(p.where ?? {}).flat().join(', ') || everything;
    return { ...p, name, found };
  });
}

/** The range of a logarithmic axis, with a margin at both ends. */
function padded(values) {
  const logs = values.filter((v) => v > 0).map(Math.log10);
  const [low, high] = [Math.min(...logs), Math.max(...logs)];
  const room = 0.08 * (high - low) + 0.01;
  return [low - room, high + room];
}

/** Measured / published, with one line for each figure. */
export function paperFigure(study, paper) {
  const make = (colours) => {
    const rows = compared(study, paper).filter((p) => p.found && p.value !== 0);
    const count = rows.length;
    const ratio = (x, p) => x / p.value;
    // The axis shows ratios, so the interval of the mean is a factor: mean exp(+- half / mean).
    const factor = ({ found: { mean, half } }) => (half === null || !(mean > 0) ? 1 : Math.exp(half / mean));
    const high = (p) => ratio(p.found.mean * factor(p), p);
    const low = (p) => ratio(p.found.mean / factor(p), p);
    const ends = rows.flatMap((p) => [low(p), high(p)]);
    return { data: [{ type: 'scatter', mode: 'markers', x: rows.map((p) => ratio(p.found.mean, p)), y: rows.map((_, k) => count - 1 - k),
      error_x: { type: 'data', symmetric: false, array: rows.map((p) => high(p) - ratio(p.found.mean, p)),
        arrayminus: rows.map((p) => ratio(p.found.mean, p) - low(p)), thickness: 1.6, width: 4, color: colours.accent },
      marker: { size: 9, color: colours.accent }, text: rows.map((p) => `${p.name}: measured ${digits(p.found.mean, 3)}, published ${digits(p.value, 3)}`), hovertemplate: '%{text}<extra></extra>' }],
    layout: { hovermode: 'closest', margin: { l: 20, r: 16, t: 10, b: 44 }, xaxis: { title: 'measured / published', ...logAxis([...ends, 1]), range: padded([...ends, 1]) },
      yaxis: { tickvals: rows.map((_, k) => count - 1 - k), ticktext: rows.map((p) => `${p.name} (${label(p.metric)})`), range: [-0.6, count - 0.4] },
      shapes: [{ type: 'line', x0: 1, x1: 1, yref: 'paper', y0: 0, y1: 1, line: { color: colours.muted, width: 1.2, dash: 'dash' } }] } };
  };
  return figure({ label: 'Measured values divided by published values; 1 means agreement', height: Math.min(90 + 30 * paper.length, 900), make });
}
