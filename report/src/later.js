// Work that waits until the browser is idle, so that keys and scrolling are answered first.
// SPDX-License-Identifier: Apache-2.0

/** Milliseconds after which work is done though the browser is not idle: one piece, then input is looked at again. */
const patience = 300;
/** Where a browser has no idle time to give: milliseconds between pieces, for input to come in. */
const breath = 16;

const waiting = new Set();
let asked = false;

function ask() {
  if (asked) return;
  asked = true;
  if (window.requestIdleCallback) requestIdleCallback(work, { timeout: patience });
  else setTimeout(work, breath);
}

function work(idle) {
  asked = false;
  do {
    const [task] = waiting;
    waiting.delete(task);
    task();
  } while (waiting.size > 0 && idle?.timeRemaining() > 0);
  if (waiting.size > 0) ask();
  else document.getElementById('main').removeAttribute('aria-busy');
}

/** Calls `task` once when there is time; one that waits already goes behind the others. */
export function later(task) {
  waiting.delete(task);
  waiting.add(task);
  document.getElementById('main').setAttribute('aria-busy', 'true');
  ask();
}
