// Light and dark colours. The page follows the operating system until the reader uses the switch.
// SPDX-License-Identifier: Apache-2.0
import { h } from './dom.js';

const key = 'mixwell-theme';
const prefersDark = window.matchMedia('(prefers-color-scheme: dark)');
const listeners = [];
let printing = false;

function stored() {
  try {
    return localStorage.getItem(key);
  } catch {
    return null; // some browsers have no storage for pages from files
  }
}

function store(name) {
  try {
    localStorage.setItem(key, name);
  } catch {
    // without storage the choice lasts while the page is open
  }
}

let chosen = stored();

const name = () => (printing ? 'light' : chosen ?? (prefersDark.matches ? 'dark' : 'light'));

/** Okabe and Ito's colours, which people with any colour vision can distinguish. Dark pages have lighter colours. */
const themes = {
  light: {
    ink: '#1c2530', muted: '#5a6673', line: '#dfe3e8', background: '#ffffff', accent: '#0072B2',
    series: ['#0072B2', '#D55E00', '#009E73', '#CC79A7', '#B37A00', '#56B4E9', '#555F6B'],
  },
  dark: {
    ink: '#e4e8ed', muted: '#9aa6b3', line: '#303842', background: '#161a20', accent: '#56B4E9',
    series: ['#56B4E9', '#E8833A', '#35C79B', '#E6A3C8', '#F0D442', '#3E8FC7', '#A9B4C0'],
  },
};

export const theme = () => themes[name()];
export const onTheme = (listener) => listeners.push(listener);

function apply() {
  document.documentElement.dataset.theme = name();
  for (const listener of listeners) listener();
}

export function themeSwitch() {
  const button = h('button', { type: 'button', class: 'quiet', id: 'theme' });
  const show = () => {
    const other = name() === 'dark' ? 'light' : 'dark';
    button.textContent = other === 'dark' ? 'Dark' : 'Light';
    button.setAttribute('aria-label', `Switch to ${other} colours`);
  };
  button.addEventListener('click', () => {
    chosen = name() === 'dark' ? 'light' : 'dark';
    store(chosen);
    apply();
  });
  onTheme(show);
  show();
  return button;
}

export function startTheme() {
  prefersDark.addEventListener('change', apply);
  window.addEventListener('beforeprint', () => { printing = true; apply(); });
  window.addEventListener('afterprint', () => { printing = false; apply(); });
  apply();
}
