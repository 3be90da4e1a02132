// A table that sorts by any column. It is fast with 10^5 rows: it draws only visible rows.
// The details of each row show the columns that do not fit into the frame of the table.
// SPDX-License-Identifier: Apache-2.0
import { isNumber } from './cells.js';
import { breakable, checkbox, h } from './dom.js';

const rowHeight = 28;
const margin = 12; // rows that are drawn beyond each edge
const mostPrinted = 500;
/** Largest number of characters of a text and of a row's name in the table. The details are not cut. */
const mostText = 20;
const mostName = 32;

const known = (x) => x !== null && x !== undefined;
const collator = new Intl.Collator('en', { numeric: true });
const compare = (a, b) => (a === b ? 0 : typeof a === 'number' && typeof b === 'number' ? a - b : collator.compare(String(a), String(b)));

/** The rows sorted by a column; rows without a value are last in both directions. Compares each distinct value once. */
function sorted(rows, value, direction) {
  const distinct = [...new Set(rows.map(value))].filter(known).sort(compare);
  const place = new Map(distinct.map((v, k) => [v, k]));
  const places = new Map(rows.map((row) => [row, place.get(value(row)) ?? null]));
  const found = rows.filter((row) => places.get(row) !== null);
  found.sort((a, b) => direction * (places.get(a) - places.get(b)) || a - b);
  return found.concat(rows.filter((row) => places.get(row) === null));
}

/** Width of a heading of two lines, or three if a word is long. */
const headingWidth = (label) => Math.max(Math.ceil(label.length / 2), ...label.split(/[\s._]/).map((word) => word.length)) + 2;

/** Rows that determine a column's width: a sample, and in columns of numbers also the widest rows. */
function widestRows({ value, numeric }, count) {
  const step = Math.max(1, Math.floor(count / 200));
  const rows = Array.from({ length: Math.ceil(count / step) }, (_, k) => k * step);
  if (!numeric) return rows;
  const most = { size: -1, least: -1, small: -1 };
  const better = (one, row, key) => { if (most[one] < 0 || key(value(row)) > key(value(most[one]))) most[one] = row; };
  for (let row = 0; row < count; ++row) {
    if (!isNumber(value(row))) continue;
    better('size', row, (x) => x);
    better('least', row, (x) => -x);
    better('small', row, (x) => (x === 0 ? -Infinity : -Math.abs(x)));
  }
  return rows.concat(Object.values(most).filter((row) => row >= 0));
}

/** The width of a column in characters. Texts have at most `mostText` characters. */
function widthOf(column, count, mostText) {
  const longest = Math.max(4, ...widestRows(column, count).map((row) => column.text(row).length));
  const letters = column.numeric ? 1 : 1.08; // letters are wider than digits, which `ch` measures
  return Math.ceil(letters * Math.max(column.numeric ? longest : Math.min(longest, mostText), headingWidth(column.label))) + 3; // 3: the padding
}

/** The wished columns that fit into the frame together, in order of priority. The first column is always included. */
function fitting(wished, widths, room) {
  let left = room;
  return new Set(wished.filter((column, k) => {
    const fits = k === 0 || widths.get(column) <= left;
    if (fits) left -= widths.get(column);
    return fits;
  }));
}

/** All values of a row. Texts are not cut. */
const detailsOf = (columns, row) => h('dl', {}, columns.map((column) => {
  const value = column.value(row);
  return h('div', {}, h('dt', {}, breakable(column.label)), h('dd', {}, known(value) ? String(value) : '\u2013'));
}));

/**
 * `columns`: [{ key, label, help, numeric, value(row), order(row), text(row) }]. `order` is the sort key (default: the value). The first
 * column names the row and is always shown. The others are shown if there is room, with priority in the order of `wanted`. `count` is
 * the number of rows, which are numbered from 0. Returns { element, chooser, show(rows), rows() }; chooser is a control for the columns.
 */
export function table({ caption, columns, wanted = columns, count, height = 460 }) {
  const naming = columns[0];
  const widths = new Map(columns.map((column) => [column, widthOf(column, count, column === naming ? mostName : mostText)]));
  let wished = wanted;
  let fitted = [];
  let chosen = [...Array(count).keys()];
  let order = { column: null, direction: 1 };
  let ordered = chosen; // all rows, sorted as `order` says
  let view = chosen; // the chosen rows, in the order of `ordered`
  let open = null; // the row whose details are open
  let openHeight = 0;

  const groups = h('colgroup');
  const headings = h('tr', { 'aria-rowindex': 1 });
  const body = h('tbody');
  const element = h('table', { 'aria-rowcount': count + 1, 'aria-colcount': columns.length },
    h('caption', {}, caption), groups, h('thead', {}, headings), body);
  const probe = h('span', { class: 'probe', 'aria-hidden': 'true' });
  const frame = h('div', { class: 'table fitted', style: `max-height:${height}px`, tabindex: '0', role: 'region',
    'aria-label': `${caption}; scrolls`, onscroll: () => render() }, probe, element);
  const choices = h('div', { class: 'choices' });
  const summary = h('summary');
  const chooser = h('details', { class: 'chooser' }, summary, choices);

  const spacer = (pixels) => (pixels > 0
    ? h('tr', { class: 'spacer', 'aria-hidden': 'true' }, h('td', { colspan: fitted.length, style: `height:${pixels}px` }))
    : null);

  function heading(column) {
    return h('th', { scope: 'col', class: column.numeric ? 'number' : '', 'data-key': column.key, 'aria-colindex': columns.indexOf(column) + 1 },
    h('button', { type: 'button', title: column.help, onclick: () => sortBy(column) }, breakable(column.label),
      h('span', { class: 'arrow', 'aria-hidden': 'true' })));
  }

  function markOrder() {
    fitted.forEach((column, k) => {
      if (column !== order.column) headings.children[k].removeAttribute('aria-sort');
      else headings.children[k].setAttribute('aria-sort', order.direction > 0 ? 'ascending' : 'descending');
    });
  }

  function nameCell(row) {
    const shown = row === open;
    return h('th', { scope: 'row' }, h('button', { type: 'button', class: 'open', 'aria-expanded': String(shown), title: naming.text(row),
      onclick: () => toggle(row) }, h('span', { class: 'twist', 'aria-hidden': 'true' }), naming.text(row)));
  }

  function rowElements(row, place) {
    const cells = fitted.slice(1).map((column) => {
      const text = column.text(row);
      return h('td', { class: column.numeric ? 'number' : '', title: text.length > 20 ? text : undefined }, text);
    });
    const own = h('tr', { 'aria-rowindex': place + 2, class: place % 2 ? 'odd' : '' }, nameCell(row), cells);
    return row === open ? [own, h('tr', { class: 'details' }, h('td', { colspan: fitted.length }, detailsOf(columns, row)))] : [own];
  }

  /** The row at `pixels` from the top. */
  function placeAt(pixels) {
    const opened = open === null ? -1 : view.indexOf(open);
    const before = opened < 0 || pixels < (opened + 1) * rowHeight;
    return Math.floor(before ? pixels / rowHeight : Math.max(opened, (pixels - openHeight) / rowHeight));
  }

  let shown = [-1, -1];
  function render(force = false, all = false) {
    if (fitted.length === 0) return;
    const inSight = Math.ceil(Math.max(frame.clientHeight, height) / rowHeight);
    const top = placeAt(frame.scrollTop);
    const first = all ? 0 : Math.max(0, Math.min(top, view.length - inSight) - margin);
    const last = all ? Math.min(view.length, mostPrinted) : Math.min(view.length, first + inSight + 2 * margin);
    if (!force && first === shown[0] && last === shown[1]) return;
    shown = [first, last];
    const opened = open === null ? -1 : view.indexOf(open);
    const above = first * rowHeight + (opened >= 0 && opened < first ? openHeight : 0);
    const below = (view.length - last) * rowHeight + (opened >= last ? openHeight : 0);
    const rows = view.slice(first, last).flatMap((row, k) => rowElements(row, first + k));
    body.replaceChildren(...[spacer(above), ...rows, all ? null : spacer(below)].filter(Boolean));
    openHeight = body.querySelector('.details')?.offsetHeight ?? openHeight;
  }

  function toggle(row) {
    open = row === open ? null : row;
    render(true);
    body.querySelector(`[aria-rowindex="${view.indexOf(row) + 2}"] .open`)?.focus({ preventScroll: true });
  }

  /** Chooses columns for the width of the frame, in digits. */
  function fit() {
    const room = Math.floor(frame.clientWidth / (probe.getBoundingClientRect().width / 10));
    const fits = fitting([naming, ...wished.filter((column) => column !== naming)], widths, room);
    fitted = columns.filter((column) => fits.has(column));
    groups.replaceChildren(...fitted.map((column) => h('col', { style: `width:${widths.get(column)}ch` })));
    headings.replaceChildren(...fitted.map(heading));
    markOrder();
    summary.textContent = `${fitted.length} of ${columns.length} columns shown; the details of each row show the others`;
    chooser.hidden = fitted.length === columns.length && wished.length === columns.length;
    choices.replaceChildren(...columns.slice(1).map((column) => checkbox(column.label, fits.has(column), (on) => wish(column, on))));
    render(true);
  }

  /** A column that the reader asks for has priority over all others. */
  function wish(column, on) {
    const others = wished.filter((one) => one !== column);
    wished = on ? [column, ...others] : others;
    const place = columns.indexOf(column) - 1;
    fit();
    choices.querySelectorAll('input')[place].focus();
  }

  function narrow() {
    const mask = new Uint8Array(count);
    for (const row of chosen) mask[row] = 1;
    view = ordered.filter((row) => mask[row]);
    element.setAttribute('aria-rowcount', view.length + 1);
    frame.scrollTop = 0;
    render(true);
  }

  function sortBy(column) {
    order = { column, direction: order.column === column ? -order.direction : 1 };
    ordered = sorted([...Array(count).keys()], column.order ?? column.value, order.direction);
    markOrder();
    narrow();
  }

  let width = 0;
  new ResizeObserver(() => {
    if (frame.clientWidth === width) return; // only the height changed, because it depends on the rows
    width = frame.clientWidth;
    if (width > 0) fit();
  }).observe(frame);
  window.addEventListener('beforeprint', () => render(true, true));
  window.addEventListener('afterprint', () => render(true));
  return {
    element: frame,
    chooser,
    show(rows) {
      chosen = rows;
      narrow();
    },
    rows: () => view,
  };
}
