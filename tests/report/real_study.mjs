// The report of a study that was run: failed cells, error curves and a published figure among it.
// SPDX-License-Identifier: Apache-2.0
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { checkFits, inBrowser, inFolder, lookAtAll, mixwell, picture, program } from './support/browser.mjs';

const reference = `x[0],x[1]\n${Array.from({ length: 40 }, (_, k) => `${Math.sin(k)},${Math.cos(3 * k)}`).join('\n')}\n`;
const study = `mixwell = 1
[run]
warmup = 100
draws = 200
[model.m]
use = "gaussian"
dimension = 2
[kernel.k]
use = "hamiltonian"
step_size = 0.3
steps = 5
[study]
seeds = [1, 2]
reference = "reference.csv"
[study.variant.hmc.axes]
kernel.k.steps = [2, 8]
[study.variant.unadjusted]
kernel.k.metropolis = false
[study.variant.refused]
kernel.k.coupling = "symmetric"
estimator.e = { use = "bfgs", sort = false }
compositor.c = { use = "ensemble-chain", slots = 1, memory = "own-history" }
[[study.paper]]
where = { variant = "hmc" }
metric = "acceptance"
value = 0.9
source = "table 1"
`;

await inFolder((folder) => inBrowser(async (open) => {
  writeFileSync(join(folder, 'reference.csv'), reference);
  writeFileSync(join(folder, 's.toml'), study);
  const out = join(folder, 'out');
  const ran = spawnSync(program, ['study', join(folder, 's.toml'), '--jobs', '2', '--quiet', '--out', out], { encoding: 'utf8' });
  assert.match(ran.stderr, /2 of 8 cells failed/);
  mixwell('report', out);
  const page = await open(join(out, 'report.html'), { viewport: { width: 1300, height: 900 } });
  await lookAtAll(page);
  await checkFits(page);
  assert.equal(await page.locator('header .facts').textContent(), '8 cells: 6 done \u00b7 2 failed');
  assert.equal(await page.locator('#failed tbody tr').count(), 1);
  assert.match(await page.locator('#failed tbody th').textContent(), /biased/);
  // Two variants, each with a median curve; six single ones.
  assert.equal(await page.locator('#errors .scatterlayer .trace').count(), 2 + 6);
  assert.equal(await page.locator('#errors .legendtext').count(), 2);
  assert.equal(await page.locator('#paper .point').count(), 1);
  assert.match(await page.locator('#paper tbody').textContent(), /hmc.*acceptance.*table 1/);
  assert.ok(await page.locator('#efficiency .errorbar').count() >= 4);
  assert.equal(await page.locator('#table tbody tr').count(), 8);
  await picture(page, 'study-run');
}));
