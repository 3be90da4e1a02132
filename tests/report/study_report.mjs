// The report of a study: filter, sorting, figures and keyboard, in light and dark.
// SPDX-License-Identifier: Apache-2.0
import assert from 'node:assert/strict';
import { checkContrast, checkFits, checkReachable, filterTo, inBrowser, inFolder, lookAtAll, picture, report, traces } from './support/browser.mjs';
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
  await filter('step_size=0.05 model!=heart', (r) => r.step_size === 0.05 && r.model !== 'heart');
  await filter('kernel.qn.step_size=0.05', (r) => r.variant === 'qnhmc' && r.step_size === 0.05);
  await filter('no such word', () => false);
  assert.equal(await page.locator('#table tbody tr').count(), 0);
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

/** What finds no room is in the details of a row, and in the table where it is asked for. */
async function checkColumns(page) {
  const keys = () => page.locator('#table thead th').evaluateAll((all) => all.map((th) => th.dataset.key));
  const shown = await keys();
  assert.deepEqual(shown.slice(0, 6), ['cell', 'model', 'variant', 'step_size', 'seed', 'status']);
  const wanted = table.columns.filter((key) => key !== 'curve');
  const hidden = wanted.filter((key) => !shown.includes(key));
  assert.ok(shown.length >= 10 && hidden.length >= 2, shown.join());
  assert.match(await page.locator('#table summary').textContent(), new RegExp(`^${shown.length} of ${wanted.length} columns`));

  const nth = 3;
  const opener = page.locator('#table .open').nth(nth);
  await opener.focus();
  await page.keyboard.press('Enter');
  assert.equal(await page.locator('#table .open').nth(nth).getAttribute('aria-expanded'), 'true');
  const details = await page.locator('#table .details dd').allTextContents();
  assert.deepEqual([...details].sort(), wanted.map((key) => String(rounded(table.rows[nth][key]) ?? '\u2013')).sort());
  await page.keyboard.press('Enter');
  assert.equal(await page.locator('#table .details').count(), 0);

  await page.locator('#table summary').click();
  await page.locator('#table .choices').getByLabel('class', { exact: true }).check();
  assert.ok((await keys()).includes('class'));
  await checkFits(page);
  await page.locator('#table .choices').getByLabel('seed', { exact: true }).uncheck();
  assert.ok(!(await keys()).includes('seed'));
  await page.locator('#table .choices').getByLabel('seed', { exact: true }).check();
  await page.locator('#table .choices').getByLabel('class', { exact: true }).uncheck();
  await page.locator('#table summary').click();
}

/** As the page has numbers: to six digits. */
const rounded = (value) => (typeof value === 'number' ? Number(value.toPrecision(6)) : value);

/** Rows below an open one are where they belong, and come into being as one scrolls. */
async function checkOpenRow(page) {
  const frame = page.locator('#table .table');
  const scrollTo = async (top, place) => {
    await frame.evaluate((e, to) => { e.scrollTop = to; }, top);
    await page.waitForFunction((n) => document.querySelector(`#table tr[aria-rowindex="${n + 1}"]`), place);
  };
  await scrollTo(0, 1);
  const plain = await frame.evaluate((e) => e.scrollHeight);
  await page.locator('#table .open').first().click();
  const details = await page.locator('#table .details').evaluate((e) => e.offsetHeight);
  assert.equal(await frame.evaluate((e) => e.scrollHeight), plain + details);
  await scrollTo(1e6, cells);
  assert.equal(await page.locator('#table .details').count(), 0);
  assert.equal(await frame.evaluate((e) => e.scrollHeight), plain + details);
  await scrollTo(0, 1);
  assert.equal(await page.locator('#table .details').count(), 1);
  await page.locator('#table .open').first().click();
  assert.equal(await frame.evaluate((e) => e.scrollHeight), plain);
}

async function checkFigures(page) {
  const explore = () => page.locator('#explore .scatterlayer .trace').count();
  // One panel a model: nothing is pooled over them.
  assert.deepEqual(await page.locator('#explore h3:visible').allTextContents(), models);
  assert.equal(await explore(), models.length * 2 * (variants.length - 1));
  assert.match(await page.locator('#explore .annotation').first().textContent(), /^nuts \(axis does not apply\)/);
  await page.locator('#explore select').nth(2).selectOption('');
  await lookAtAll(page);
  assert.equal(await explore(), 2 * models.length);
  await page.locator('#explore select').nth(1).selectOption('seconds');
  await page.locator('#explore select').nth(0).selectOption('acceptance');
  assert.match(await page.locator('#explore .plot:visible').first().getAttribute('aria-label'), /acceptance against seconds: german/);
  await page.locator('#explore select').nth(2).selectOption('model');
  await page.locator('#explore select').nth(1).selectOption('variant');
  // A panel for all where the model is what colours tell.
  await lookAtAll(page);
  assert.deepEqual(await page.locator('#explore .facet:not([hidden]) .legendtext').allTextContents(), models);
  await lookAtAll(page);
  assert.deepEqual((await traces(page, 'ESS per gradient')).filter((n) => n > 0), [1, 1, 1]);
  assert.ok(await page.locator('#efficiency .errorbar').count() >= 24);
  assert.ok(await page.locator('#errors .scatterlayer .trace').count() > variants.length);
  assert.equal(await page.locator('#paper .point').count(), 2);
  assert.equal(await page.locator('#paper tbody tr').count(), 2);
}

/** The geometric mean over its seeds of that step size whose mean is largest. */
function bestOf(variant, model) {
  const own = table.rows.filter((row) => row.variant === variant && row.model === model && row.min_ess_per_gradient);
  const mean = (rows) => Math.exp(rows.reduce((sum, row) => sum + Math.log(row.min_ess_per_gradient), 0) / rows.length);
  const points = [...new Set(own.map((row) => row.step_size))].map((size) => own.filter((row) => row.step_size === size));
  const best = points.reduce((a, b) => (mean(b) > mean(a) ? b : a));
  return { mean: mean(best), seeds: best.length, size: best[0].step_size, points: points.length, pooled: mean(own) };
}

async function checkBest(page) {
  const rows = await page.locator('#efficiency tbody tr').evaluateAll((all) => all.map((tr) => [...tr.children].map((td) => td.textContent)));
  for (const variant of variants) for (const model of models) {
    const best = bestOf(variant, model);
    const row = rows.find((cells) => cells[0] === model && cells[1] === variant && cells[2] === 'ESS per gradient');
    assert.ok(Math.abs(Number(row[4]) - best.mean) < 6e-3 * best.mean, `${row} against ${best.mean}`);
    assert.deepEqual(row.slice(6), [String(best.seeds), String(best.points)]);
    assert.equal(row[3], best.size === null ? '\u2013' : `step size = ${best.size}`);
    // What the average over step sizes would say is another figure.
    if (best.size !== null) assert.ok(best.pooled < 0.9 * best.mean);
  }
}

async function checkFailed(page) {
  assert.match(await page.locator('#failed').textContent(), /killed after 60 s/);
  assert.ok((await page.locator('#failed tbody th').allTextContents()).includes(hostile));
  assert.equal(await page.locator('main b').count(), 0);
  await page.getByRole('button', { name: 'Show only these cells' }).click();
  assert.equal(await page.evaluate(() => document.activeElement.id), 'filter');
  assert.equal(await page.locator('#filter').inputValue(), 'status=failed');
  await filterTo(page, 'status=failed', failed, cells);
  await filterTo(page, '', cells, cells);
}

/** A choice without a score is told above all figures, and where the choice stands. */
async function checkFindings(page) {
  const told = await page.locator('#top [role=alert]').allTextContents();
  assert.deepEqual(told, table.findings.map((finding) => `Warning: ${finding}.`));
  const rows = await page.locator('#tuning tbody tr').evaluateAll((all) => all.map((tr) => [...tr.children].map((td) => td.textContent)));
  assert.equal(rows.length, 2);
  assert.deepEqual(rows.map((cells) => cells[1].includes('chosen without a score: 0 of 1 trials have a score')), [false, true]);
  assert.deepEqual(rows.map((cells) => cells[6]), ['equal', '13 % more']);
}

await inFolder((folder) => inBrowser(async (open) => {
  const file = report(folder, table);
  for (const colorScheme of ['light', 'dark']) {
    const page = await open(file, { colorScheme, viewport: { width: 1300, height: 900 } });
    assert.equal(await page.title(), 'made up - Mixwell');
    await lookAtAll(page);
    await picture(page, `study-${colorScheme}`);
    await checkFits(page);
    await checkContrast(page);
    await checkReachable(page);
    await checkColumns(page);
    await checkFilter(page);
    await checkVirtual(page);
    await checkOpenRow(page);
    await checkSorting(page);
    await checkFigures(page);
    await checkBest(page);
    await checkFailed(page);
    await checkFindings(page);
    await page.setViewportSize({ width: 800, height: 900 });
    await lookAtAll(page);
    await checkFits(page);
    await picture(page, `study-${colorScheme}-800`);
  }
  // Browsers that have no idle time to give draw figures all the same.
  const other = await open(file, { before: (page) => page.addInitScript(() => { delete window.requestIdleCallback; }) });
  assert.equal(await other.evaluate(() => typeof window.requestIdleCallback), 'undefined');
  await filterTo(other, 'variant=nuts', table.rows.filter((row) => row.variant === 'nuts').length, cells);
  await lookAtAll(other);
}));
