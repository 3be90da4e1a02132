// The cells of a study by columns, and what is computed from groups of them.
// SPDX-License-Identifier: Apache-2.0

const known = (x) => x !== null && x !== undefined;
export const isNumber = (x) => typeof x === 'number' && Number.isFinite(x);

/** Values of each column by row, as the page's data pack them. */
export function unpack(data) {
  const columns = new Map();
  for (const key of data.columns) {
    const packed = data.table[key];
    columns.set(key, Array.isArray(packed) ? packed : packed.at.map((k) => (k === null ? null : packed.words[k])));
  }
  return columns;
}

/** Numbers in ascending order, words in that of the study. */
export function distinct(values) {
  const found = [...new Set(values.filter(known))];
  return found.every(isNumber) ? found.sort((a, b) => a - b) : found;
}

/** rows -> Map from key(row) to its rows, in the order of `distinct`. */
export function groupBy(rows, key) {
  const groups = new Map(distinct(rows.map(key)).map((name) => [name, []]));
  for (const row of rows) groups.get(key(row))?.push(row);
  return groups;
}

export function quantile(sorted, p) {
  const at = (sorted.length - 1) * p;
  const low = Math.floor(at);
  const high = Math.min(low + 1, sorted.length - 1);
  return sorted[low] + (at - low) * (sorted[high] - sorted[low]);
}

export function quartiles(values) {
  const sorted = values.filter(isNumber).sort((a, b) => a - b);
  if (sorted.length === 0) return null;
  return [0.25, 0.5, 0.75].map((p) => quantile(sorted, p)).concat(sorted.length);
}

/** 97.5 % points of Student's t with 1, 2, ... degrees of freedom. */
const studentT = [12.706, 4.303, 3.182, 2.776, 2.571, 2.447, 2.365, 2.306, 2.262, 2.228, 2.201, 2.179, 2.16, 2.145,
  2.131, 2.12, 2.11, 2.101, 2.093, 2.086, 2.08, 2.074, 2.069, 2.064, 2.06, 2.056, 2.052, 2.048, 2.045, 2.042];
const normal = 1.96;

/**
 * Mean of the values with a 95 % interval: from their spread where there are two at least, else from
 * the Monte Carlo error of the one. { mean, half, n }, half = null where nothing tells it.
 */
export function interval(values, errors) {
  const pairs = values.map((v, k) => [v, errors?.[k]]).filter(([v]) => isNumber(v));
  const n = pairs.length;
  if (n === 0) return null;
  const mean = pairs.reduce((sum, [v]) => sum + v, 0) / n;
  if (n === 1) return { mean, half: isNumber(pairs[0][1]) ? normal * pairs[0][1] : null, n };
  const variance = pairs.reduce((sum, [v]) => sum + (v - mean) ** 2, 0) / (n - 1);
  return { mean, half: (studentT[n - 2] ?? normal) * Math.sqrt(variance / n), n };
}

/**
 * The best of a group of rows: those that have the values `axes` in common are one point, and the point with
 * the largest mean of `metric` is taken. { rows, found, points }: the rows of that point, `interval` of
 * them, and how many points there were; null where no row has the metric.
 */
export function bestPoint(study, rows, metric) {
  const points = groupBy(rows, study.pointOf);
  let best = null;
  for (const own of points.values()) {
    const found = interval(own.map((row) => study.value(metric, row)), own.map((row) => study.value(`${metric}_mcse`, row)));
    if (found && (best === null || found.mean > best.found.mean)) best = { rows: own, found };
  }
  return best && { ...best, points: points.size };
}

/** Evenly spaced ones of a list, at most so many. */
export function thin(list, most) {
  if (list.length <= most) return list;
  return Array.from({ length: most }, (_, k) => list[Math.floor((k * list.length) / most)]);
}
