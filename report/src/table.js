// A table that sorts by any column and draws only the rows in sight, so that 10^5 of them are few.
// SPDX-License-Identifier: Apache-2.0
import { h } from './dom.js';

const rowHeight = 28;
const margin = 12; // rows drawn beyond each edge
const mostPrinted = 500;

function compare(a, b) {
  const none = (x) => x === null || x === undefined;
  if (none(a) || none(b)) return 0;
  if (typeof a === 'number' && typeof b === 'number') return a - b;
  return String(a).localeCompare(String(b), 'en', { numeric: true });
}

/** Rows sorted by a column; those without a value last, whichever way. */
function sorted(rows, value, direction) {
  const known = [];
  const unknown = [];
  for (const row of rows) {
    const v = value(row);
    (v === null || v === undefined ? unknown : known).push(row);
  }
  known.sort((a, b) => direction * compare(value(a), value(b)) || a - b);
  return known.concat(unknown);
}

/** Widths in characters, from headings and a sample of the rows. */
function widths(columns, count) {
  const step = Math.max(1, Math.floor(count / 200));
  return columns.map((column) => {
    let width = column.label.length + 3;
    for (let row = 0; row < count; row += step)
      width = Math.max(width, column.text(row).length);
    const letters = column.numeric ? 1 : 1.08; // letters are wider than digits, which `ch` measures
    return Math.ceil(letters * Math.min(Math.max(width, 5), column.most ?? 28)) + 4; // 4: the padding
  });
}

/**
 * `columns`: [{ key, label, help, numeric, value(row), text(row), most }]; the first one names the
 * row. `count` rows, numbered from 0. Returns { element, show(rows), rows() }.
 */
export function table({ caption, columns, count, height = 460, sort = null }) {
  let chosen = [...Array(count).keys()];
  let order = sort ?? { key: null, direction: 1 };
  let view = chosen;

  const buttons = new Map();
  const headings = columns.map((column, k) => {
    const button = h('button', { type: 'button', title: column.help,
      onclick: () => sortBy(column.key) }, column.label, h('span', { class: 'arrow', 'aria-hidden': 'true' }));
    const cell = h('th', { scope: 'col', class: column.numeric ? 'number' : '', 'data-key': column.key,
      'aria-colindex': k + 1 }, button);
    buttons.set(column.key, cell);
    return cell;
  });
  const body = h('tbody');
  const size = widths(columns, count);
  const total = size.reduce((a, b) => a + b, 0);
  const element = h('table', { 'aria-rowcount': count + 1, 'aria-colcount': columns.length,
    style: `width:max(100%, ${total}ch)` },
    h('caption', {}, caption),
    h('colgroup', {}, size.map((w) => h('col', { style: `width:${w}ch` }))),
    h('thead', {}, h('tr', { 'aria-rowindex': 1 }, headings)),
    body);
  const frame = h('div', { class: 'table', style: `max-height:${height}px`, tabindex: '0', role: 'region',
    'aria-label': `${caption}; scrolls`, onscroll: () => render() }, element);

  const spacer = (rows) => (rows > 0
    ? h('tr', { class: 'spacer', 'aria-hidden': 'true' },
      h('td', { colspan: columns.length, style: `height:${rows * rowHeight}px` }))
    : null);

  function rowElement(row, place) {
    return h('tr', { 'aria-rowindex': place + 2, class: place % 2 ? 'odd' : '' }, columns.map((column, k) => {
      const text = column.text(row);
      return h(k === 0 ? 'th' : 'td', { scope: k === 0 ? 'row' : undefined,
        class: column.numeric ? 'number' : '', title: text.length > 20 ? text : undefined }, text);
    }));
  }

  let shown = [-1, -1];
  function render(force = false, all = false) {
    const inSight = Math.ceil(Math.max(frame.clientHeight, height) / rowHeight);
    const top = Math.floor(frame.scrollTop / rowHeight);
    const first = all ? 0 : Math.max(0, Math.min(top, view.length - inSight) - margin);
    const last = all ? Math.min(view.length, mostPrinted) : Math.min(view.length, first + inSight + 2 * margin);
    if (!force && first === shown[0] && last === shown[1]) return;
    shown = [first, last];
    const rows = view.slice(first, last).map((row, k) => rowElement(row, first + k));
    body.replaceChildren(...[spacer(first), ...rows, all ? null : spacer(view.length - last)].filter(Boolean));
  }

  function arrange() {
    const column = columns.find((c) => c.key === order.key);
    view = column ? sorted(chosen, column.value, order.direction) : chosen;
    for (const [key, cell] of buttons) {
      if (key !== order.key) cell.removeAttribute('aria-sort');
      else cell.setAttribute('aria-sort', order.direction > 0 ? 'ascending' : 'descending');
    }
    element.setAttribute('aria-rowcount', view.length + 1);
    frame.scrollTop = 0;
    render(true);
  }

  function sortBy(key) {
    order = { key, direction: order.key === key ? -order.direction : 1 };
    arrange();
  }

  window.addEventListener('beforeprint', () => render(true, true));
  window.addEventListener('afterprint', () => render(true));
  arrange();
  return {
    element: frame,
    show(rows) {
      chosen = rows;
      arrange();
    },
    rows: () => view,
  };
}
