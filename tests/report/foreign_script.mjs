// Scripts that are not the page's own: in names they are text, and put into its file or tree they are refused.
// SPDX-License-Identifier: Apache-2.0
import assert from 'node:assert/strict';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { inBrowser, inFolder, lookAtAll, report } from './support/browser.mjs';
import { hostile, models, studyTable } from './support/study_table.mjs';

const foreign = '<script>window.ran = "a script"</script><img src="data:," onerror="window.ran = \'a handler\'">';

/** The page of the file with something put in before its end. */
function changed(file, folder, name, change) {
  const path = join(folder, `${name}.html`);
  writeFileSync(path, change(readFileSync(file, 'utf8')));
  return path;
}

const withForeign = (html) => html.replace('</body>', () => `${foreign}</body>`);
const withoutPolicy = (html) => html.replace(/<meta http-equiv="Content-Security-Policy"[^>]*>/, '');

async function checkNamesAreText(page) {
  await lookAtAll(page);
  assert.equal(await page.evaluate(() => window.ran), undefined);
  assert.equal(await page.locator('main script, main img, header script').count(), 0);
  const odd = models.find((name) => name.includes('<script>'));
  assert.ok((await page.locator('#table tbody td').allTextContents()).includes(odd));
  assert.ok((await page.locator('#explore h3').allTextContents()).includes(odd));
  assert.ok((await page.locator('#failed tbody th').allTextContents()).includes(hostile));
}

/** Each way to make text run that a page's own tree has. */
const attempts = {
  'an element': () => {
    const script = document.createElement('script');
    script.textContent = 'window.ran = "an element"';
    document.body.append(script);
  },
  'a file': () => new Promise((done) => {
    const script = document.createElement('script');
    script.src = 'data:text/javascript,window.ran="a file"';
    script.onload = done;
    script.onerror = done;
    document.body.append(script);
  }),
  'a handler': () => {
    const button = document.createElement('button');
    button.setAttribute('onclick', 'window.ran = "a handler"');
    document.body.append(button);
    button.click();
    button.remove();
  },
  // Later, since what a test evaluates itself is free of the policy.
  eval: () => new Promise((done) => {
    setTimeout(() => {
      try {
        new Function('window.ran = "eval"')();
      } catch {
        // refused
      }
      done();
    });
  }),
};

await inFolder((folder) => inBrowser(async (open) => {
  const file = report(folder, studyTable(120));
  await checkNamesAreText(await open(file));

  const refused = [];
  const page = await open(changed(file, folder, 'foreign', withForeign), { refused });
  await lookAtAll(page);
  assert.equal(await page.evaluate(() => window.ran), undefined);
  assert.ok(refused.length >= 2, refused.join('\n'));
  await page.evaluate(() => {
    window.violations = 0;
    document.addEventListener('securitypolicyviolation', () => { window.violations += 1; });
  });
  for (const [name, attempt] of Object.entries(attempts)) {
    const before = await page.evaluate(() => window.violations);
    await page.evaluate(attempt);
    await page.waitForFunction((count) => window.violations > count, before);
    assert.equal(await page.evaluate(() => window.ran), undefined, name);
  }

  // The same scripts run where no policy keeps them from it.
  const unguarded = await open(changed(file, folder, 'unguarded', (html) => withForeign(withoutPolicy(html))));
  assert.equal(await unguarded.evaluate(() => window.ran), 'a handler');
  for (const [name, attempt] of Object.entries(attempts)) {
    await unguarded.evaluate(attempt);
    assert.equal(await unguarded.evaluate(() => window.ran), name);
  }
}));
