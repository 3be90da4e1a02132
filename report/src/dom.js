// Makes HTML and SVG elements from names, attributes and children. Never parses text as markup.
// SPDX-License-Identifier: Apache-2.0

const svgSpace = 'http://www.w3.org/2000/svg';

function fill(element, attributes, children) {
  for (const [name, value] of Object.entries(attributes)) {
    if (value === undefined || value === null || value === false) continue;
    if (name.startsWith('on')) element.addEventListener(name.slice(2), value);
    else element.setAttribute(name, value === true ? '' : String(value));
  }
  element.append(...children.flat(Infinity).filter((child) => child !== null && child !== undefined));
  return element;
}

export const h = (tag, attributes = {}, ...children) =>
  fill(document.createElement(tag), attributes, children);

export const svg = (tag, attributes = {}, ...children) =>
  fill(document.createElementNS(svgSpace, tag), attributes, children);

/** A key that may break to the next line after each dot or underscore. */
export const breakable = (text) => text.split(/(?<=[._])/).flatMap((part, k) => (k === 0 ? [part] : [h('wbr'), part]));

let last = 0;
/** An id that no other element of the page has. */
export const freshId = (prefix) => `${prefix}-${++last}`;

export function select(label, options, chosen, onchange) {
  const id = freshId('select');
  const box = h('select', { id, onchange: () => onchange(box.value) },
    options.map(([value, text]) => h('option', { value, selected: value === chosen }, text)));
  return h('span', { class: 'control' }, h('label', { for: id }, label), box);
}

export function checkbox(label, checked, onchange) {
  const id = freshId('check');
  const box = h('input', { type: 'checkbox', id, checked, onchange: () => onchange(box.checked) });
  return h('span', { class: 'control check' }, box, h('label', { for: id }, label));
}

/** A section with a heading, listed in the contents under `short`. */
export function section(id, title, short, ...children) {
  return h('section', { id, 'data-short': short, 'aria-labelledby': `${id}-title` },
    h('h2', { id: `${id}-title` }, title), ...children);
}
