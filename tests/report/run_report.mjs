// The report of a run: its figures have their marks, its table sorts, in light and dark.
// SPDX-License-Identifier: Apache-2.0
import assert from 'node:assert/strict';
import { join } from 'node:path';
import { checkContrast, checkFits, checkReachable, inBrowser, inFolder, lookAtAll, mixwell, picture, source, traces } from './support/browser.mjs';

const chains = 4;

async function checkFigures(page) {
  const variables = 4; // of five, before "Show 1 more"
  assert.deepEqual(await traces(page, 'Trace'), Array(variables).fill(chains));
  assert.deepEqual(await traces(page, 'Ranks'), Array(variables).fill(chains + 1));
  assert.deepEqual(await traces(page, 'Density'), Array(variables).fill(chains + 1));
  assert.deepEqual(await traces(page, 'Autocorrelation'), Array(variables).fill(chains + 1));
  assert.deepEqual(await traces(page, 'Energy'), [2]);
  assert.deepEqual(await traces(page, 'Effective sample size during the run'), [8]);
  assert.equal(await page.locator('.pairs .scatterlayer .trace').count(), 6);
  assert.equal(await page.locator('#forest .scatterlayer .trace').count(), 1);
  assert.equal(await page.locator('#forest .errorbar').count(), 5);
  assert.ok(await page.locator('.pairs .scatterlayer .trace').first().locator('.point').count() > 500);
  assert.ok(await page.locator('.graph .node').count() > 10);
  assert.ok(await page.locator('.graph .edge').count() > 10);
  // The fifth in the place of the first, by choice.
  const panel = () => page.locator('.pairs .infolayer text').allTextContents();
  const last = (await page.locator('#pairs option').allTextContents())[4];
  assert.ok(!(await panel()).includes(last));
  await page.locator('#pairs select').nth(0).selectOption(last);
  await lookAtAll(page);
  assert.ok((await panel()).includes(last));
  await page.getByRole('button', { name: 'Show 1 more' }).click();
  assert.equal(await page.locator('article.variable').count(), 5);
}

async function firstOf(page, key) {
  return page.evaluate((k) => {
    const place = [...document.querySelectorAll('#summary thead th')].findIndex((th) => th.dataset.key === k);
    return [...document.querySelectorAll('#summary tbody tr:not(.spacer)')].map((tr) => tr.children[place].textContent);
  }, key);
}

async function checkSorting(page) {
  await page.locator('#summary th[data-key=mean] button').click();
  const number = (text) => Number(text.replace('\u2212', '-'));
  const ascending = (await firstOf(page, 'mean')).map(number);
  assert.deepEqual(ascending, [...ascending].sort((a, b) => a - b));
  assert.equal(await page.locator('#summary th[data-key=mean]').getAttribute('aria-sort'), 'ascending');
  await page.locator('#summary th[data-key=mean] button').click();
  assert.deepEqual((await firstOf(page, 'mean')).map(number), [...ascending].reverse());
}

async function checkKeyboard(page) {
  await page.keyboard.press('Tab');
  assert.equal(await page.evaluate(() => document.activeElement.className), 'skip');
  await page.keyboard.press('Enter');
  assert.equal(await page.evaluate(() => document.activeElement.id), 'main');
  await page.locator('#summary th[data-key=variable] button').focus();
  await page.keyboard.press('Enter');
  assert.equal((await firstOf(page, 'variable'))[0], 'intercept');
  const theme = await page.locator('html').getAttribute('data-theme');
  await page.locator('#theme').focus();
  await page.keyboard.press('Space');
  assert.notEqual(await page.locator('html').getAttribute('data-theme'), theme);
  await page.keyboard.press('Space');
}

async function checkPrinting(page) {
  await page.evaluate(() => window.dispatchEvent(new Event('beforeprint')));
  assert.equal(await page.locator('html').getAttribute('data-theme'), 'light');
  assert.ok(await page.evaluate(() => [...document.querySelectorAll('.plot')].every((p) => p.querySelector('.main-svg'))));
  await page.evaluate(() => window.dispatchEvent(new Event('afterprint')));
}

await inFolder((folder) => inBrowser(async (open) => {
  const out = join(folder, 'challenger');
  mixwell('run', join(source, 'examples/challenger/challenger.toml'), '--out', out, '--quiet');
  const { file, bytes } = JSON.parse(mixwell('report', out, '--json'));
  assert.equal(file, join(out, 'report.html'));
  assert.ok(bytes < 3e6, `${bytes} bytes`);
  for (const colorScheme of ['light', 'dark']) {
    const page = await open(file, { colorScheme, viewport: { width: 1300, height: 900 } });
    assert.equal(await page.locator('html').getAttribute('data-theme'), colorScheme);
    assert.equal(await page.title(), 'challenger - Mixwell');
    assert.equal(await page.locator('.mark').count(), 0);
    assert.match(await page.locator('.verdict').textContent(), /^The sampler leaves the target distribution invariant for all settings/);
    assert.equal(await page.locator('#overview .calm').textContent(), 'No warnings.');
    await checkKeyboard(page);
    await lookAtAll(page);
    await picture(page, `run-${colorScheme}`);
    await checkFits(page);
    await checkContrast(page);
    await checkFigures(page);
    await checkSorting(page);
    await checkReachable(page);
    await checkPrinting(page);
    assert.match(await page.locator('#manifest pre').textContent(), /use = "logistic-regression"/);
    assert.match(await page.locator('footer pre').textContent(), /Plotly[^]*dagre[^]*Michael Bostock[^]*gl-mat4/);
    await page.setViewportSize({ width: 800, height: 900 });
    await lookAtAll(page);
    await checkFits(page);
    await picture(page, `run-${colorScheme}-800`);
  }
  const narrow = await open(file, { viewport: { width: 380, height: 800 } });
  await lookAtAll(narrow);
  assert.ok(await narrow.evaluate(() => document.documentElement.scrollWidth <= window.innerWidth), 'wider than a telephone');
  await picture(narrow, 'run-narrow');
}));
