// Delays work until the browser is idle, so that key presses and scrolling have priority.
// SPDX-License-Identifier: Apache-2.0

/** After this many milliseconds, one piece of work is done even if the browser is not idle. After this piece, input has priority again. */
const patience = 300;
/** Milliseconds between pieces of work in browsers without idle callbacks. Input can arrive in this time. */
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

/** Calls `task` once in idle time. A task that is already waiting moves to the end of the queue. */
export function later(task) {
  waiting.delete(task);
  waiting.add(task);
  document.getElementById('main').setAttribute('aria-busy', 'true');
  ask();
}
