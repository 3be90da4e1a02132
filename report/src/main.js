// Reads the data of the page and shows the report of a run or of a study.
// SPDX-License-Identifier: Apache-2.0
import { h } from './dom.js';
import { startTheme, themeSwitch } from './theme.js';
import { runReport } from './run.js';
import { studyReport } from './study.js';

const reports = { run: runReport, study: studyReport };

function contents(sections) {
  return h('ol', {}, sections.map((s) =>
    h('li', {}, h('a', { href: `#${s.id}` }, s.dataset.short))));
}

/** Marks the current section in the contents: the last one that begins in the upper third of the window. */
function follow(nav, sections) {
  const links = [...nav.querySelectorAll('a')];
  let waiting = false;
  const mark = () => {
    waiting = false;
    const begun = sections.filter((s) => s.getBoundingClientRect().top < window.innerHeight / 3).length;
    links.forEach((link, k) => {
      if (k === Math.max(begun, 1) - 1) link.setAttribute('aria-current', 'true');
      else link.removeAttribute('aria-current');
    });
  };
  window.addEventListener('scroll', () => {
    if (!waiting) requestAnimationFrame(mark);
    waiting = true;
  }, { passive: true });
  mark();
}

function footer(data) {
  const licences = document.getElementById('licences').content.textContent;
  return [
    h('p', {}, `Made by Mixwell ${data.mixwell}. This page is complete and loads no other files. `
      + 'Drag over a figure to zoom in; double-click to zoom out.'),
    h('details', {}, h('summary', {}, 'Licences of the software in this page'), h('pre', { tabindex: '0' }, licences)),
  ];
}

function start() {
  const data = JSON.parse(document.getElementById('data').textContent);
  const { heading, tools = [], sections } = reports[data.kind](data);
  const nav = document.getElementById('contents');
  document.getElementById('top').append(...heading);
  nav.append(contents(sections), themeSwitch(), ...[tools].flat());
  document.getElementById('main').replaceChildren(...sections);
  document.getElementById('end').append(...footer(data));
  follow(nav, sections);
  startTheme();
  document.documentElement.dataset.ready = 'true';
}

start();
