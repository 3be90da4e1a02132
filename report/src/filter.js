// The row filter: words, and comparisons such as min_ess<400 or status=failed.
// SPDX-License-Identifier: Apache-2.0
import { later } from './later.js';

const operators = {
  '<=': (a, b) => a <= b,
  '>=': (a, b) => a >= b,
  '!=': (a, b) => a !== b,
  '=': (a, b) => a === b,
  '<': (a, b) => a < b,
  '>': (a, b) => a > b,
};

/** Words in double quotes keep their spaces. */
const tokens = (text) => text.match(/(?:[^\s"]|"[^"]*"?)+/g) ?? [];
const unquoted = (text) => text.replaceAll('"', '');
const known = (value) => value !== null && value !== undefined;

function comparison(token, columns) {
  const parts = /^([^<>=!]+)(<=|>=|!=|=|<|>)(.*)$/.exec(token);
  if (!parts || !columns.has(unquoted(parts[1]))) return null;
  const [get, holds, wanted] = [columns.get(unquoted(parts[1])), operators[parts[2]], unquoted(parts[3])];
  const number = wanted.trim() === '' ? NaN : Number(wanted);
  const word = wanted.toLowerCase();
  return (row) => {
    const value = get(row);
    if (typeof value === 'number' && !Number.isNaN(number)) return holds(value, number);
    if (!known(value)) return parts[2] === '!=';
    return holds(String(value).toLowerCase(), word);
  };
}

/** All values of a row in lower case. Each value is on its own line, so a search word cannot match across two values. */
const rowText = (row, getters) => getters.map((get) => get(row)).filter(known).join('\n').toLowerCase();

/**
 * Returns a function from the filter text to the matching rows. All words of the text must match, and words that
 * begin with - must not match. `columns` maps names to functions from a row to its value; rows are numbered from 0 to
 * count - 1. The texts of the rows are made once, in idle time, so each key press only searches them.
 */
export function rowFilter(columns, count) {
  const all = [...Array(count).keys()];
  const getters = [...columns.values()];
  let texts = null;
  const makeTexts = () => { texts ??= all.map((row) => rowText(row, getters)); };
  later(makeTexts);

  function anywhere(token) {
    makeTexts();
    const word = unquoted(token).toLowerCase();
    return (row) => texts[row].includes(word);
  }

  return (typed) => {
    const tests = tokens(typed).map((token) => {
      const negated = token.length > 1 && token.startsWith('-');
      const bare = negated ? token.slice(1) : token;
      const test = comparison(bare, columns) ?? anywhere(bare);
      return negated ? (row) => !test(row) : test;
    });
    return tests.length === 0 ? all : all.filter((row) => tests.every((test) => test(row)));
  };
}
