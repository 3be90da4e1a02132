// Formats numbers and names for readers.
// SPDX-License-Identifier: Apache-2.0

const isNumber = (x) => typeof x === 'number' && Number.isFinite(x);
/** The text for a value that is not a finite number. */
const other = (x) => (x === Infinity ? '\u221e' : x === -Infinity ? '\u2212\u221e' : '\u2013');

/** Digits in groups of three, separated by narrow spaces. */
export const grouped = (x) => {
  if (!isNumber(x)) return other(x);
  const [whole, rest] = Math.abs(x).toString().split('.');
  if (whole.includes('e')) return x.toString();
  const text = whole.length > 4 ? whole.replace(/\B(?=(\d{3})+$)/g, '\u202f') : whole;
  return (x < 0 ? '\u2212' : '') + text + (rest ? `.${rest}` : '');
};

/** The 95 % interval of an ESS on the log scale; "very uncertain" if it is wider than a factor of 3. */
export const essInterval = (x, mcse) => {
  if (!isNumber(x) || !isNumber(mcse)) return '';
  const factor = Math.exp(1.96 * mcse / x);
  return factor <= 3 ? `${whole(x / factor)} to ${whole(x * factor)}` : 'very uncertain';
};

export const whole = (x) => (isNumber(x) ? grouped(Math.round(x)) : other(x));

/** A number with n significant digits; uses powers of ten instead of many zeros. */
export const digits = (x, n = 4) => {
  if (!isNumber(x)) return other(x);
  if (x === 0) return '0';
  const size = Math.abs(x);
  if (size >= 1e7 || size < 1e-4) {
    const [mantissa, exponent] = x.toExponential(n - 1).split('e');
    return `${Number(mantissa)}e${Number(exponent)}`.replaceAll('-', '\u2212');
  }
  if (size >= 10 ** (n - 1)) return whole(Number(x.toPrecision(n)));
  return grouped(Number(x.toPrecision(n)));
};

/** A number with n decimals. */
export const fixed = (x, n) =>
  (isNumber(x) ? x.toFixed(n).replace(/^-(?=[0.]*$)/, '').replace('-', '\u2212') : other(x));

export const seconds = (x) => {
  if (!isNumber(x)) return other(x);
  if (x < 1) return `${digits(x * 1000, 3)} ms`;
  if (x < 120) return `${digits(x, 3)} s`;
  if (x < 7200) return `${digits(x / 60, 3)} min`;
  return `${digits(x / 3600, 3)} h`;
};

const labels = {
  min_ess: 'smallest ESS',
  min_ess_per_gradient: 'ESS per gradient',
  min_ess_per_second: 'ESS per second',
  max_rhat: 'largest R\u0302',
  ebfmi: 'E-BFMI',
  mean_ess: 'mean ESS',
  ess_bulk: 'bulk ESS',
  ess_tail: 'tail ESS',
  rhat: 'R\u0302',
  mcse_mean: 'MCSE of mean',
  mcse_sd: 'MCSE of sd',
  acceptance_rate: 'acceptance',
  n_steps: 'integrator steps',
  energy_error: 'energy error (nats)',
  q5: '5 %',
  q50: 'median',
  q95: '95 %',
  error_mean: 'relative error of the mean',
  error_covariance: 'relative error of the covariance',
  not_judged: 'variables not judged',
  nan_draws: 'NaN draws',
  infinite_draws: 'infinite draws',
};
const units = { seconds: 's', warmup_seconds: 's', cell_seconds: 's' };

/** Dotted keys are manifest keys and are not changed. */
export const label = (key) => {
  if (key.endsWith('_mcse')) return `error of ${label(key.slice(0, -'_mcse'.length))}`;
  return labels[key] ?? (key.includes('.') ? key : key.replaceAll('_', ' '));
};
/** The label with the unit in brackets, for axes. */
export const axisLabel = (key) => (units[key] ? `${label(key)} (${units[key]})` : label(key));
