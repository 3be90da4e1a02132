// The report of a run that samples badly: the mark at its top, and the warnings of the text summary.
// SPDX-License-Identifier: Apache-2.0
import assert from 'node:assert/strict';
import { join } from 'node:path';
import { checkFits, inBrowser, inFolder, lookAtAll, mixwell, picture, source, traces } from './support/browser.mjs';

await inFolder((folder) => inBrowser(async (open) => {
  const out = join(folder, '<i>odd & name');
  mixwell('run', join(source, 'examples/certificates/qnhmc-published.toml'), '--set', 'run.allow=["biased"]', '--out', out, '--quiet');
  mixwell('report', out);
  const page = await open(join(out, 'report.html'), { viewport: { width: 1300, height: 900 } });
  assert.equal(await page.locator('h1').textContent(), '<i>odd & name');
  assert.equal(await page.title(), '<i>odd & name - Mixwell');
  assert.match(await page.locator('.mark').textContent(), /Certificate biased: these are not draws of the target/);
  const said = mixwell('summary', out).split('\n').filter((line) => line.startsWith('Warning: ')).map((line) => line.slice('Warning: '.length));
  const shown = await page.locator('.warnings li').allTextContents();
  assert.ok(said.length > 2);
  for (const text of said) assert.ok(shown.includes(text), text);
  assert.match(await page.locator('#certificate').textContent(), /biased/);
  await lookAtAll(page);
  await checkFits(page);
  for (const count of await traces(page, 'Trace')) assert.ok(count > 0);
  await picture(page, 'run-biased');
}));
