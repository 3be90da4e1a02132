// What the tests of reports share: the program, a browser, and what a page must never do.
// SPDX-License-Identifier: Apache-2.0
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { accessSync, constants, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { pathToFileURL } from 'node:url';

export const { MIXWELL_PROGRAM: program, MIXWELL_SOURCE_DIR: source, MIXWELL_BUILD_DIR: build } = process.env;
const shots = join(build, 'tests', 'report');
const skipped = 77;
/** Milliseconds; a busy machine may need them. */
const patience = 200000;

function chromium() {
  const folders = (process.env.PATH ?? '').split(delimiter);
  for (const name of ['chromium', 'chromium-browser', 'google-chrome'])
    for (const folder of folders) {
      try {
        accessSync(join(folder, name), constants.X_OK);
        return join(folder, name);
      } catch {
        // the next one
      }
    }
  console.log('skipped: no chromium on PATH (apt-get install chromium)');
  process.exit(skipped);
}

/** Prints what the program printed; throws where it failed. */
export function mixwell(...args) {
  return execFileSync(program, args, { encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'] });
}

/** Calls body(folder) with a folder that is gone afterwards. */
export async function inFolder(body) {
  const folder = mkdtempSync(join(tmpdir(), 'mixwell-report-'));
  try {
    await body(folder);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

export function report(folder, table) {
  const file = join(folder, 'table.json');
  writeFileSync(file, JSON.stringify(table));
  mixwell('report', file);
  return join(folder, 'table.html');
}

/**
 * Calls body(open) with open(file, settings) -> page: the page of a report, ready. Whatever it asks
 * the network for, says on the console or throws makes the test fail, but what its Content-Security-Policy
 * refuses, where `refused` is a list to which that is added. `settings` are those of a browser's context, and
 * `before(page)`, called before it is opened.
 */
export async function inBrowser(body) {
  const executablePath = chromium();
  const modules = join(build, 'report', 'node_modules', 'here.js');
  const { chromium: driver } = createRequire(modules)('playwright-core');
  // Containers, where tests run as root, allow no sandbox; the pages are our own.
  const browser = await driver.launch({ executablePath, args: ['--no-sandbox', '--disable-gpu'] });
  const complaints = [];
  const open = async (file, { before = () => {}, refused = null, ...settings } = {}) => {
    const context = await browser.newContext({ viewport: { width: 1280, height: 900 }, ...settings });
    const page = await context.newPage();
    page.setDefaultTimeout(patience);
    await before(page);
    const url = pathToFileURL(file).href;
    page.on('console', (message) => (refused && /Content Security Policy/.test(message.text()) ? refused : complaints).push(`console: ${message.text()}`));
    page.on('pageerror', (error) => complaints.push(`error: ${error.stack}`));
    page.on('request', (request) => request.url().split('#')[0] === url || request.url().startsWith('data:')
      || complaints.push(`request: ${request.url()}`));
    await page.goto(url);
    await page.waitForSelector('html[data-ready]');
    return page;
  };
  try {
    await body(open);
  } finally {
    await browser.close();
  }
  assert.deepEqual(complaints, []);
}

/** Waits until nothing is left to be done for what was typed or chosen: figures in sight are drawn anew. */
export const settled = (page) => page.evaluate(async () => {
  const frame = () => new Promise((done) => { requestAnimationFrame(() => setTimeout(done)); });
  for (let calm = 0; calm < 3; ++calm) {
    if (document.getElementById('main').hasAttribute('aria-busy')) calm = -1;
    await frame();
  }
});

/** Brings every figure into view, so that all of them are drawn. */
export async function lookAtAll(page) {
  await settled(page);
  await page.evaluate(() => { document.documentElement.style.scrollBehavior = 'auto'; });
  for (const plot of await page.locator('.plot:visible').all()) {
    await plot.scrollIntoViewIfNeeded();
    await plot.locator('.main-svg').first().waitFor({ state: 'attached' });
    while (await plot.getAttribute('data-outdated') !== null) await page.waitForTimeout(20);
  }
  for (const graph of await page.locator('.graph').all()) {
    await graph.scrollIntoViewIfNeeded();
    await graph.locator('svg').waitFor();
  }
  await page.evaluate(() => window.scrollTo(0, 0));
}

/** A picture of the whole page, kept in the build folder. */
export async function picture(page, name) {
  mkdirSync(shots, { recursive: true });
  await page.screenshot({ path: join(shots, `${name}.png`), fullPage: true });
}

/** Traces drawn in each figure of that title. */
export const traces = (page, title) => page.evaluate((wanted) =>
  [...document.querySelectorAll('figure')].filter((f) => f.dataset.figure === wanted)
    .map((f) => f.querySelectorAll('.scatterlayer .trace').length), title);

/** Waits until the filter has left so many of a study's cells. */
export async function filterTo(page, text, left, cells) {
  await page.locator('#filter').fill(text);
  await page.waitForFunction((wanted) => document.querySelector('nav [role=status]').textContent.replaceAll('\u202f', '') === wanted,
    `${left} of ${cells} cells`);
}

/** Everything that must hold of the text and controls of any report. */
export async function checkReachable(page) {
  const faults = await page.evaluate(() => {
    const found = [];
    const nameless = (e) => !(e.getAttribute('aria-label') || e.labels?.length || e.textContent.trim());
    for (const e of document.querySelectorAll('button, select, input, a, [role=img], [role=region]'))
      if (nameless(e)) found.push(`no name: ${e.outerHTML.slice(0, 120)}`);
    const ids = [...document.querySelectorAll('[id]')].map((e) => e.id);
    for (const id of ids) if (ids.indexOf(id) !== ids.lastIndexOf(id)) found.push(`id twice: ${id}`);
    for (const e of document.querySelectorAll('.table, pre, .graph'))
      if (e.tabIndex < 0) found.push(`scrolls, and no key reaches it: ${e.className || e.tagName}`);
    return found;
  });
  assert.deepEqual(faults, []);
}

/** Nothing is wider than what it stands in: no column is cut off, nothing scrolls sideways, no heading or number is clipped. */
export async function checkFits(page) {
  const faults = await page.evaluate(() => {
    const found = [];
    const isShown = (e) => e.offsetParent !== null && e.clientWidth > 0;
    const name = (e) => `${e.tagName} ${e.className} of #${e.closest('section')?.id}`;
    if (document.documentElement.scrollWidth > window.innerWidth) found.push(`the page is ${document.documentElement.scrollWidth} px wide`);
    for (const e of document.querySelectorAll('.table, .graph, pre'))
      if (isShown(e) && e.scrollWidth > e.clientWidth + 1) found.push(`${name(e)} is ${e.scrollWidth} px wide, its frame ${e.clientWidth}`);
    for (const e of document.querySelectorAll('thead th, td.number, .plain td, .plain th'))
      if (isShown(e) && e.scrollWidth > e.clientWidth + 1) found.push(`${name(e)}: cut off "${e.textContent}"`);
    for (const frame of document.querySelectorAll('.table')) {
      const right = frame.getBoundingClientRect().right + 1;
      for (const e of frame.querySelectorAll('th, td'))
        if (isShown(e) && e.getBoundingClientRect().right > right) found.push(`${name(e)}: beyond its frame "${e.textContent}"`);
    }
    return found.slice(0, 20);
  });
  assert.deepEqual(faults, []);
}

/** Smallest contrast of text against the page (WCAG 2.2: 4.5 at least). */
export async function checkContrast(page) {
  const ratio = await page.evaluate(() => {
    const canvas = document.createElement('canvas').getContext('2d', { willReadFrequently: true });
    const luminance = (colour) => {
      canvas.fillStyle = colour;
      canvas.fillRect(0, 0, 1, 1);
      const [r, g, b] = [...canvas.getImageData(0, 0, 1, 1).data].map((c) => {
        const s = c / 255;
        return s <= 0.04045 ? s / 12.92 : ((s + 0.055) / 1.055) ** 2.4;
      });
      return 0.2126 * r + 0.7152 * g + 0.0722 * b;
    };
    const css = getComputedStyle(document.documentElement);
    const of = (name) => luminance(css.getPropertyValue(name));
    const contrast = (a, b) => (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05);
    const grounds = ['--background', '--raised'].map(of);
    return Math.min(...['--ink', '--muted', '--accent', '--warning', '--good'].map(of)
      .flatMap((text) => grounds.map((ground) => contrast(text, ground))));
  });
  assert.ok(ratio >= 4.5, `contrast ${ratio}`);
}

