// What one may type to choose rows: words, and comparisons such as min_ess<400 or status=failed.
// SPDX-License-Identifier: Apache-2.0

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

function comparison(token, columns) {
  const parts = /^([^<>=!]+)(<=|>=|!=|=|<|>)(.*)$/.exec(token);
  if (!parts || !columns.has(unquoted(parts[1]))) return null;
  const [key, holds, wanted] = [unquoted(parts[1]), operators[parts[2]], unquoted(parts[3])];
  const number = wanted.trim() === '' ? NaN : Number(wanted);
  return (row) => {
    const value = columns.get(key)(row);
    if (typeof value === 'number' && !Number.isNaN(number)) return holds(value, number);
    if (value === null || value === undefined) return parts[2] === '!=';
    return holds(String(value).toLowerCase(), wanted.toLowerCase());
  };
}

function anywhere(token, columns) {
  const word = unquoted(token).toLowerCase();
  const getters = [...columns.values()];
  return (row) => getters.some((get) => {
    const value = get(row);
    return value !== null && value !== undefined && String(value).toLowerCase().includes(word);
  });
}

/**
 * `text` as a test of rows: all of its words must hold, one that begins with - must not. `columns`
 * maps names to functions from a row to its value.
 */
export function parseFilter(text, columns) {
  const tests = tokens(text).map((token) => {
    const negated = token.length > 1 && token.startsWith('-');
    const bare = negated ? token.slice(1) : token;
    const test = comparison(bare, columns) ?? anywhere(bare, columns);
    return negated ? (row) => !test(row) : test;
  });
  return (row) => tests.every((test) => test(row));
}
