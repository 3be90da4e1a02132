// The report of a study: filter, sorting, figures and keyboard, in light and dark.
// SPDX-License-Identifier: Apache-2.0
import assert from 'node:assert/strict';
import { checkContrast, checkReachable, filterTo, inBrowser, inFolder, lookAtAll, picture, report, traces } from './support/browser.mjs';
import { hostile, models, studyTable, variants } from './support/study_table.mjs';

const cells = 600;
const table = studyTable(cells);
const failed = table.rows.filter((row) => row.status === 'failed').length;

async function column(page, key) {
  return page.evaluate((k) => {
    const place = [...document.querySelectorAll('#table thead th')].findIndex((th) => th.dataset.key === k);
    return [...document.querySelectorAll('#table tbody tr:not(.spacer)')].map((tr) => tr.children[place].textContent);
  }, key);
}

async function checkFilter(page) {
  const filter = (text, test) => filterTo(page, text, table.rows.filter(test).length, cells);
  await filter('variant=nuts', (r) => r.variant === 'nuts');
  assert.deepEqual(new Set(await column(page, 'variant')), new Set(['nuts']));
  await filter('status=done min_ess>=100 -qnhmc', (r) => r.min_ess >= 100 && r.variant !== 'qnhmc');
  await filter('"killed after"', (r) => r.reason?.includes('killed after'));
  await filter('kernel.hmc.step_size=0.05 model!=heart', (r) => r['kernel.hmc.step_size'] === 0.05 && r.model !== 'heart');
  await filter('no such word', () => false);
  assert.equal((await column(page, 'cell')).length, 0);
  await filter('', () => true);
}

async function checkSorting(page) {
  await page.locator('#table th[data-key=min_ess] button').focus();
  await page.keyboard.press('Enter');
  await page.keyboard.press('Enter');
  assert.equal(await page.locator('#table th[data-key=min_ess]').getAttribute('aria-sort'), 'descending');
  const best = Math.max(...table.rows.map((row) => row.min_ess ?? 0));
  assert.equal(Number((await column(page, 'min_ess'))[0]), Math.round(best));
}

/** Rows far down come into being as one scrolls, and the ones above them go. */
async function checkVirtual(page) {
  const frame = page.locator('#table .table');
  assert.ok(await page.locator('#table tbody tr').count() < 80);
  await frame.evaluate((e) => { e.scrollTop = e.scrollHeight; });
  await page.waitForFunction((n) => document.querySelector(`#table tr[aria-rowindex="${n + 1}"]`), cells);
  assert.ok(await page.locator('#table tbody tr').count() < 80);
}

async function checkFigures(page) {
  const explore = () => page.locator('#explore .scatterlayer .trace').count();
  assert.equal(await explore(), 2 * (variants.length - 1));
  assert.match(await page.locator('#explore .annotation').textContent(), /^nuts, which has none/);
  await page.locator('#explore select').nth(2).selectOption('');
  assert.equal(await explore(), 2);
  await page.locator('#explore select').nth(1).selectOption('seconds');
  await page.locator('#explore select').nth(0).selectOption('acceptance');
  assert.match(await page.locator('#explore .plot').getAttribute('aria-label'), /acceptance against seconds/);
  await page.locator('#explore select').nth(2).selectOption('model');
  await page.locator('#explore select').nth(1).selectOption('variant');
  assert.equal(await explore(), 2 * models.length);
  assert.deepEqual(await page.locator('#explore .legendtext').allTextContents(), models);
  assert.deepEqual(await traces(page, 'ESS per gradient'), [3]);
  assert.ok(await page.locator('#efficiency .errorbar').count() >= 12);
  assert.ok(await page.locator('#errors .scatterlayer .trace').count() > variants.length);
  assert.equal(await page.locator('#paper .point').count(), 2);
  assert.equal(await page.locator('#paper tbody tr').count(), 2);
}

async function checkFailed(page) {
  assert.match(await page.locator('#failed').textContent(), /killed after 60 s/);
  assert.ok((await page.locator('#failed tbody th').allTextContents()).includes(hostile));
  assert.equal(await page.locator('main b').count(), 0);
  await page.getByRole('button', { name: 'Show only these' }).click();
  assert.equal(await page.evaluate(() => document.activeElement.id), 'filter');
  assert.equal(await page.locator('#filter').inputValue(), 'status=failed');
  await filterTo(page, 'status=failed', failed, cells);
  await filterTo(page, '', cells, cells);
}

await inFolder((folder) => inBrowser(async (open) => {
  const file = report(folder, table);
  for (const colorScheme of ['light', 'dark']) {
    const page = await open(file, { colorScheme });
    assert.equal(await page.title(), 'made up - Mixwell');
    await lookAtAll(page);
    await picture(page, `study-${colorScheme}`);
    await checkContrast(page);
    await checkReachable(page);
    await checkFilter(page);
    await checkVirtual(page);
    await checkSorting(page);
    await checkFigures(page);
    await checkFailed(page);
  }
}));
