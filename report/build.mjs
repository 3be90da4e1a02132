// Joins the sources of the page, what npm fetched and their licences into one HTML file.
// usage: node build.mjs FOLDER_OF_NODE_MODULES OUTPUT.html
// SPDX-License-Identifier: Apache-2.0
import { createHash } from 'node:crypto';
import { createRequire } from 'node:module';
import { readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const here = dirname(fileURLToPath(import.meta.url));
const [modules, output] = process.argv.slice(2);
const esbuild = createRequire(join(modules, 'here.js'))('esbuild');

const read = (...path) => readFileSync(join(...path), 'utf8');
const version = (name) => JSON.parse(read(modules, name, 'package.json')).version;
const htmlText = (text) =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');

function licences() {
  const notices = read(here, 'NOTICES.txt');
  const plotly = version('plotly.js-basic-dist-min');
  if (!notices.startsWith(`What plotly.js ${plotly} (basic bundle) holds of others`))
    throw new Error(`NOTICES.txt is not of plotly.js ${plotly}: see what its bundle holds now`);
  const own = ['plotly.js-basic-dist-min', '@dagrejs/dagre', '@dagrejs/graphlib'];
  return own
    .map((name) => `${name} ${version(name)}\n\n${read(modules, name, 'LICENSE').trim()}`)
    .concat(notices.trim())
    .join('\n\n' + '-'.repeat(72) + '\n\n');
}

async function bundle(entry) {
  const built = await esbuild.build({
    entryPoints: [join(here, 'src', entry)],
    nodePaths: [modules],
    bundle: true,
    minify: true,
    write: false,
    format: 'iife',
    charset: 'ascii',
    target: 'es2020',
    legalComments: 'inline',
  });
  return built.outputFiles[0].text;
}

/// Text of a script element: nothing in it may end the element.
function script(text) {
  if (/<\/script|<!--/i.test(text)) throw new Error('a script holds </script or <!--');
  return text;
}

const parts = {
  '@STYLE@': await bundle('style.css'),
  '@PLOTLY@': script(read(modules, 'plotly.js-basic-dist-min', 'plotly-basic.min.js')),
  '@PROGRAM@': script(await bundle('main.js')),
  '@LICENCES@': htmlText(licences()),
};
/// What the page's Content-Security-Policy allows to run: these two texts, and nothing else in it.
const hashOf = (text) => `'sha256-${createHash('sha256').update(text).digest('base64')}'`;
parts['@HASHES@'] = [parts['@PLOTLY@'], parts['@PROGRAM@']].map(hashOf).join(' ');
let page = read(here, 'src', 'page.html');
for (const [place, text] of Object.entries(parts)) page = page.replace(place, () => text);
writeFileSync(output, page);
