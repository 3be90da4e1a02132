// 10^4 cells: the page is small, opens fast, and filter and sorting answer at once.
// SPDX-License-Identifier: Apache-2.0
import assert from 'node:assert/strict';
import { statSync } from 'node:fs';
import { filterTo, inBrowser, inFolder, lookAtAll, picture, report } from './support/browser.mjs';
import { studyTable } from './support/study_table.mjs';

const cells = 10000;
const mostBytes = 15e6;
/** Of the page's own thread, so that other work on the machine does not count. */
const mostSeconds = 3;
const mostAnswer = 1;

async function cpuSeconds(session) {
  const { metrics } = await session.send('Performance.getMetrics');
  return metrics.find((m) => m.name === 'ThreadTime')?.value ?? metrics.find((m) => m.name === 'TaskDuration').value;
}

await inFolder((folder) => inBrowser(async (open) => {
  const table = studyTable(cells);
  const file = report(folder, table);
  const bytes = statSync(file).size;
  let session;
  const page = await open(file, { before: async (blank) => {
    session = await blank.context().newCDPSession(blank);
    await session.send('Performance.enable');
  } });
  await page.waitForSelector('#explore .main-svg');
  const opening = await cpuSeconds(session);
  const wall = await page.evaluate(() => performance.now() / 1000);

  const cost = async (act) => {
    const before = await cpuSeconds(session);
    await act();
    await page.evaluate(() => new Promise((done) => { requestAnimationFrame(() => setTimeout(done)); }));
    return (await cpuSeconds(session)) - before;
  };
  await lookAtAll(page);
  await page.evaluate(() => window.scrollTo(0, document.body.scrollHeight));
  const sorting = await cost(() => page.locator('#table th[data-key=min_ess] button').click());
  const left = table.rows.filter((row) => row.variant === 'nuts' && row.model === 'heart').length;
  const filtering = await cost(() => filterTo(page, 'variant=nuts model=heart', left, cells));
  await filterTo(page, '', cells, cells);
  await picture(page, 'study-10000');

  console.log(`10000 cells: ${(bytes / 1e6).toFixed(1)} MB; CPU seconds: ${opening.toFixed(2)} to open `
    + `(${wall.toFixed(2)} by the clock), ${sorting.toFixed(2)} to sort, ${filtering.toFixed(2)} to filter with all figures drawn`);
  assert.ok(bytes < mostBytes, `${bytes} bytes`);
  assert.ok(opening < mostSeconds, `${opening} s to open`);
  assert.ok(sorting < mostAnswer, `${sorting} s to sort`);
  assert.ok(filtering < 2 * mostAnswer, `${filtering} s to filter`);
}));
