// The values of a study's cells, stored by column, and statistics of groups of cells.
// SPDX-License-Identifier: Apache-2.0

const known = (x) => x !== null && x !== undefined;
export const isNumber = (x) => typeof x === 'number' && Number.isFinite(x);

/** JSON stores infinite numbers as texts. */
export const decoded = (x) => (x === 'inf' ? Infinity : x === '-inf' ? -Infinity : x);

/** For metrics with a good and a bad direction: 1 if large values are bad, -1 if small values are bad. */
const badEnd = { rhat: 1, max_rhat: 1, mcse_mean: 1, mcse_sd: 1, nan_draws: 1, infinite_draws: 1, not_judged: 1, divergences: 1,
  error_mean: 1, error_covariance: 1, mean_error_mcse: 1, mean_error_sd: 1, test_error: 1, error_rate: 1,
  ess_bulk: -1, ess_tail: -1, min_ess: -1, mean_ess: -1, min_ess_per_gradient: -1, min_ess_per_second: -1, mean_ess_per_second: -1,
  ebfmi: -1, within_4_mcse: -1 };

/** The sort key of a column. An unknown value counts as the worst value, but it stays unknown in rows that do not need this value. */
export function orderOf(key, value, needsNone) {
  if (!(key in badEnd)) return value;
  return (row) => (known(value(row)) || needsNone(row) ? value(row) : badEnd[key] * Infinity);
}

/** Columns of words, in which "inf" is not a number. */
const ofWords = new Set(['cell', 'variant', 'model', 'status', 'reason', 'class', 'outcome', 'draws_sha256', 'started_at', 'ended_at', 'host']);

/** Unpacks the page's data to the values of each column by row. */
export function unpack(data) {
  const columns = new Map();
  for (const key of data.columns) {
    const packed = data.table[key];
    const values = Array.isArray(packed) ? packed : packed.at.map((k) => (k === null ? null : packed.words[k]));
    const words = ofWords.has(key) || data.axes.includes(key) || data.aliases.some(({ name }) => name === key);
    columns.set(key, words ? values : values.map(decoded));
  }
  return columns;
}

/** Distinct values: numbers in ascending order, words in the order of the study. */
export function distinct(values) {
  const found = [...new Set(values.filter(known))];
  return found.every((x) => typeof x === 'number') ? found.sort((a, b) => a - b) : found;
}

/** A Map from key(row) to the rows with this key. The keys are in the order of `distinct`. */
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

/** Half the width of a 95 % interval for the mean of the values; null if it cannot be computed. */
function halfWidth(values, mean, errorOfOne) {
  const n = values.length;
  if (n === 1) return isNumber(errorOfOne) ? normal * errorOfOne : null;
  const variance = values.reduce((sum, v) => sum + (v - mean) ** 2, 0) / (n - 1);
  return (studentT[n - 2] ?? normal) * Math.sqrt(variance / n);
}

const average = (values) => values.reduce((sum, v) => sum + v, 0) / values.length;

/**
 * Mean of the values with a 95 % interval. The interval uses the spread of two or more values, or the Monte Carlo error of
 * a single value. Returns { mean, half, low, high, n }; half, low and high are null if they cannot
 * be computed. Returns null if there is no number.
 */
export function interval(values, errors) {
  const pairs = values.map((v, k) => [v, errors?.[k]]).filter(([v]) => isNumber(v));
  if (pairs.length === 0) return null;
  const numbers = pairs.map(([v]) => v);
  const mean = average(numbers);
  const half = halfWidth(numbers, mean, pairs[0][1]);
  return { mean, half, low: half === null ? null : mean - half, high: half === null ? null : mean + half, n: numbers.length };
}

/**
 * Like `interval`, but on the log scale. For positive figures that are compared by ratios, such as effective sample size
 * per cost. `mean` is the geometric mean, and both ends are positive. Values that are not positive are ignored.
 */
export function ratioInterval(values, errors) {
  const isPositive = values.map((v) => isNumber(v) && v > 0);
  const found = interval(values.map((v, k) => (isPositive[k] ? Math.log(v) : null)),
    errors?.map((error, k) => (isPositive[k] && isNumber(error) ? error / values[k] : null)));
  if (found === null) return null;
  const back = (x) => (x === null ? null : Math.exp(x));
  return { mean: Math.exp(found.mean), low: back(found.low), high: back(found.high), n: found.n };
}

/** The text of an interval, such as "0.012 to 0.015", or a dash. */
export const rangeText = (found, digits) => (found.low === null ? '\u2013' : `${digits(found.low, 2)} to ${digits(found.high, 2)}`);

/**
 * The best point of a group of rows. Rows with the same values of `axes` are one point, and the best point has the
 * largest geometric mean of `metric`. Returns { rows, found, points }: the rows of this point, their `ratioInterval`,
 * and the number of points. Returns null if no row has the metric.
 */
export function bestPoint(study, rows, metric) {
  const points = groupBy(rows, study.pointOf);
  let best = null;
  for (const own of points.values()) {
    const found = ratioInterval(own.map((row) => study.value(metric, row)), own.map((row) => study.value(`${metric}_mcse`, row)));
    if (found && (best === null || found.mean > best.found.mean)) best = { rows: own, found };
  }
  return best && { ...best, points: points.size };
}

/** At most `most` evenly spaced elements of a list. */
export function thin(list, most) {
  if (list.length <= most) return list;
  return Array.from({ length: most }, (_, k) => list[Math.floor((k * list.length) / most)]);
}
