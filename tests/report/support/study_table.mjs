// Made-up tables of studies, the same each time.
// SPDX-License-Identifier: Apache-2.0

/** Park and Miller's generator: numbers in (0, 1). */
function randomNumbers(seed) {
  let state = seed;
  return () => {
    state = (state * 48271) % 2147483647;
    return state / 2147483647;
  };
}

export const variants = ['hmc', 'nuts', 'hmc-bfgs', 'qnhmc'];
export const models = ['german', 'heart', '<script>ran=1</script> & b'];
const stepSizes = [0.02, 0.05, 0.1, 0.2];
/** Text that a careless page would run. */
export const hostile = 'plugin "x" said </script><script>ran=2</script><img src="data:," onerror="ran=3"> & 100% <!-- done';

function curve(ess, gradients, random) {
  return Array.from({ length: 20 }, (_, k) => {
    const share = (k + 1) / 20;
    const error = (0.5 + random()) / Math.sqrt(ess * share);
    return { draws: 50 * (k + 1), gradients: gradients * share, seconds: 1e-5 * gradients * share,
      error_mean: error, error_covariance: 2 * error };
  });
}

/** 16 digits that differ from the first on, as those of a hash. */
const idOf = (k) => [1, 2].map((part) => ((k + 1) * part * 2654435761 % 2 ** 32).toString(16).padStart(8, '0')).join('');

function cell(k, random) {
  const variant = variants[k % 4];
  const model = models[Math.floor(k / 4) % 3];
  const stepSize = variant === 'nuts' ? null : stepSizes[Math.floor(k / 12) % 4];
  const row = { cell: idOf(k), variant, model, seed: Math.floor(k / 48), status: 'done',
    reason: null, class: variant === 'qnhmc' ? 'biased' : 'exact', step_size: stepSize };
  row[variant === 'qnhmc' ? 'kernel.qn.step_size' : 'kernel.hmc.step_size'] = stepSize;
  if (k % 50 === 7) return { ...row, status: 'failed', reason: k % 100 === 7 ? hostile : 'killed after 60 s' };
  if (k % 50 === 9) return { ...row, status: 'pending' };
  const gradients = 10000 * (1 + models.indexOf(model));
  const rate = (0.002 + 0.004 * variants.indexOf(variant)) * Math.exp(-(Math.log((stepSize ?? 0.08) / 0.08) ** 2)) * (0.8 + 0.4 * random());
  const ess = rate * gradients;
  const points = curve(ess, gradients, random);
  return { ...row, min_ess: ess, min_ess_mcse: 0.1 * ess, gradients, seconds: 1e-5 * gradients, acceptance: Math.exp(-(stepSize ?? 0.1)),
    min_ess_per_gradient: rate, min_ess_per_gradient_mcse: 0.1 * rate, min_ess_per_second: 1e5 * rate, min_ess_per_second_mcse: 1e4 * rate,
    error_mean: points[19].error_mean, curve: points };
}

const columns = ['cell', 'variant', 'model', 'seed', 'status', 'reason', 'class', 'min_ess', 'min_ess_mcse', 'gradients', 'seconds',
  'kernel.hmc.step_size', 'kernel.qn.step_size', 'step_size', 'acceptance', 'error_mean', 'min_ess_per_gradient', 'min_ess_per_gradient_mcse', 'min_ess_per_second',
  'min_ess_per_second_mcse', 'curve'];

/** What `mixwell study STUDY.toml --table --json` prints, of so many cells. */
export function studyTable(cells) {
  const random = randomNumbers(20);
  const rows = Array.from({ length: cells }, (_, k) => cell(k, random));
  return {
    study: 'made up', file: 'made-up.toml', axes: ['kernel.hmc.step_size', 'kernel.qn.step_size'], columns,
    aliases: [{ name: 'step_size', axes: ['kernel.hmc.step_size', 'kernel.qn.step_size'] }],
    rows: rows.map((row) => Object.fromEntries(columns.map((key) => [key, row[key] ?? null]))),
    paper: [{ where: { variant: 'nuts', model: 'german' }, metric: 'min_ess', value: 50, source: 'table 1' },
      { where: { variant: 'nuts', model: ['heart'] }, metric: 'min_ess', value: 90, source: 'table 1' }],
    tune: [{ model: 'german', variant: 'hmc', axes: {}, rung: 0, candidate: 0, values: { 'kernel.hmc.step_size': 0.1 },
      objective: 'min_ess_per_gradient', score: 0.004, gradients: 2000, seconds: 0.1, reason: null, winner: true },
    { model: 'german', variant: 'nuts', axes: {}, rung: 0, candidate: 0, values: { 'kernel.nuts.target_acceptance': 0.8 },
      objective: 'min_ess_per_gradient', score: null, gradients: 2260, seconds: 0.1, reason: 'the budget ran out during warmup', winner: true }],
    tunings: [{ model: 'german', variant: 'hmc', axes: {}, trials: 1, scored: 1, gradients: 2000, budget: 2000, tuned: true, reason: null },
      { model: 'german', variant: 'nuts', axes: {}, trials: 1, scored: 0, gradients: 2260, budget: 2000, tuned: false, reason: 'the budget ran out during warmup' }],
    findings: [`german/nuts is not tuned: none of its 1 trials has a score (${hostile})`],
  };
}
