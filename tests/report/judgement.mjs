// What could not be judged is not good: beside warnings, never below "No warnings.", sorted with the worst; and intervals of ratios.
// SPDX-License-Identifier: Apache-2.0
import assert from 'node:assert/strict';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { checkFits, inBrowser, inFolder, lookAtAll, mixwell, picture, report, traces } from './support/browser.mjs';

const model = 'mixwell = 1\n[run]\ndraws = 1000\n[model.g]\nuse = "gaussian"\ndimension = 3\n';
const walk = '[kernel.k]\nuse = "random-walk-metropolis"\nstep_size = 1e-30\n';

const order = (page, id, key) => page.evaluate(([where, k]) => {
  const place = [...document.querySelectorAll(`#${where} thead th`)].findIndex((th) => th.dataset.key === k);
  return [...document.querySelectorAll(`#${where} tbody tr:not(.spacer)`)].map((tr) => tr.children[place].textContent);
}, [id, key]);

/** Chains that stand still: R-hat is infinite, first and in figures. */
async function checkStuck(open, folder) {
  const file = join(folder, 'stuck.toml');
  writeFileSync(file, model + walk);
  const out = join(folder, 'stuck');
  const said = mixwell('run', file, '--set', 'run.warmup=0', '--out', out);
  assert.match(said, /R-hat of x\[0\] and 2 more is infinite/);
  assert.match(said, /4 chains never moved/);
  mixwell('report', out);
  const page = await open(join(out, 'report.html'));
  assert.equal(await page.locator('.calm').count(), 0);
  const warnings = await page.locator('.warnings li').allTextContents();
  assert.ok(warnings.some((text) => /R-hat of x\[0\] and 2 more is infinite/.test(text)), warnings.join('\n'));
  assert.match(await page.locator('.keys').textContent(), /largest R\u0302\u221e/);
  assert.ok((await order(page, 'summary', 'rhat')).every((text) => text === '\u221e'));
  await lookAtAll(page);
  await checkFits(page);
  await picture(page, 'judgement-stuck');
}

/** Of a run that is well, with one variable that is said to have NaN draws. */
function spoilt(out) {
  const summary = JSON.parse(readFileSync(join(out, 'summary.json'), 'utf8'));
  const figures = ['mean', 'sd', 'mcse_mean', 'mcse_sd', 'q5', 'q50', 'q95', 'rhat', 'ess_bulk', 'ess_tail'];
  for (const key of figures) summary.variables['x[1]'][key] = null;
  summary.variables['x[1]'].nan_draws = 666;
  Object.assign(summary.variables['x[2]'], { rhat: null, ess_bulk: null, ess_tail: null, constant: true });
  summary.not_judged = [{ variable: 'x[1]', more: 0, figures, because: '666 of 4000 draws are NaN', draws: 0 }];
  writeFileSync(join(out, 'summary.json'), JSON.stringify(summary));
}

async function checkUnjudged(open, folder) {
  const file = join(folder, 'm.toml');
  writeFileSync(file, model);
  const out = join(folder, 'unjudged');
  mixwell('run', file, '--out', out, '--quiet');
  mixwell('report', out);
  const calm = await open(join(out, 'report.html'));
  assert.equal(await calm.locator('.calm').textContent(), 'No warnings.');
  assert.equal(await calm.locator('.unjudged').count(), 0);

  spoilt(out);
  mixwell('report', out);
  const page = await open(join(out, 'report.html'));
  assert.equal(await page.locator('.calm').count(), 0);
  assert.deepEqual(await page.locator('.unjudged li').allTextContents(), ['all figures of x[1]: 666 of 4000 draws are NaN']);
  assert.match(await page.locator('.keys').textContent(), /1 not judged/);
  // With the worst whichever way, and the constant last.
  const rhat = page.locator('#summary th[data-key=rhat] button');
  await rhat.click();
  assert.deepEqual(await order(page, 'summary', 'variable'), ['x[0]', 'x[1]', 'x[2]']);
  await rhat.click();
  assert.deepEqual(await order(page, 'summary', 'variable'), ['x[1]', 'x[0]', 'x[2]']);
  await lookAtAll(page);
  await picture(page, 'judgement-unjudged');
}

const columns = ['cell', 'variant', 'model', 'seed', 'status', 'min_ess', 'max_rhat', 'min_ess_per_gradient', 'min_ess_per_second'];
const row = (k, variant, rhat, rate, status = 'done') => ({ cell: `${k}`.padStart(16, '0'), variant, model: 'm', seed: k, status,
  min_ess: rate === null ? null : 1e5 * rate, max_rhat: rhat, min_ess_per_gradient: rate, min_ess_per_second: rate });

/** Rates of two seeds that differ much: mean -+ t s / sqrt(2) would end below 0. */
const studyRows = [row(0, 'good', 1.001, 0.01), row(1, 'good', 1.002, 0.02), row(2, 'stuck', 'inf', 0.0001), row(3, 'unknown', null, 0.001),
  row(4, 'waits', null, null, 'pending'), row(5, 'wide', 1.02, 0.004), row(6, 'wide', 1.03, 0.3)];

async function checkStudy(open, folder) {
  const file = report(folder, { study: 's', file: 's.toml', axes: [], aliases: [], columns, rows: studyRows, paper: [], tune: [] });
  const page = await open(file);
  await lookAtAll(page);
  const rhat = page.locator('#table th[data-key=max_rhat] button');
  await rhat.click();
  assert.deepEqual(await order(page, 'table', 'variant'), ['good', 'good', 'wide', 'wide', 'stuck', 'unknown', 'waits']);
  assert.deepEqual((await order(page, 'table', 'max_rhat')).slice(4), ['\u221e', '\u2013', '\u2013']);
  await rhat.click();
  assert.deepEqual((await order(page, 'table', 'variant')).slice(0, 3), ['stuck', 'unknown', 'wide']);
  assert.equal((await order(page, 'table', 'variant')).at(-1), 'waits');
  const best = await page.locator('#efficiency tbody tr').evaluateAll((all) => all.map((tr) => [...tr.children].map((td) => td.textContent)));
  const wide = best.find((cells) => cells[1] === 'wide');
  assert.ok(Math.abs(Number(wide[4]) - Math.sqrt(0.004 * 0.3)) < 1e-3, wide.join());
  assert.match(wide[5], /^\d.* to \d/); // both ends above 0
  // Every bar is a path with both of its ends.
  assert.deepEqual((await traces(page, 'ESS per gradient')).filter((n) => n > 0), [1]);
  assert.ok(await page.locator('#efficiency .errorbar path').evaluateAll((all) => all.every((path) => !/NaN|Infinity/.test(path.getAttribute('d')))));
  await picture(page, 'judgement-study');
}

await inFolder((folder) => inBrowser(async (open) => {
  await checkStuck(open, folder);
  await checkUnjudged(open, folder);
  await checkStudy(open, folder);
}));
