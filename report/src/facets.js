// One panel for each model: what models give is compared within each, not pooled over them.
// SPDX-License-Identifier: Apache-2.0
import { h } from './dom.js';
import { distinct } from './cells.js';

/**
 * `make(rows, name)` -> { element, update(words) }, with rows() the chosen rows that belong to the panel and
 * name that of its model, null for all. `isSplit()` tells at each update whether models stand apart; where
 * there is one model only they never do. Panels without a row are hidden.
 */
export function facets(study, isSplit, make) {
  const models = study.varies('model') ? distinct(study.columns.get('model')) : [];
  const panels = [null, ...models].map((name) => {
    const rows = () => (name === null ? study.rows() : study.rowsByModel().get(name) ?? []);
    const view = make(rows, name);
    return { name, rows, view, element: h('div', { class: 'facet' }, name === null ? null : h('h3', {}, String(name)), view.element) };
  });
  const arrange = () => {
    const split = models.length > 0 && isSplit();
    for (const panel of panels) panel.element.hidden = split === (panel.name === null) || (split && panel.rows().length === 0);
  };
  arrange();
  return {
    element: h('div', { class: 'facets' }, panels.map((panel) => panel.element)),
    update(words) {
      arrange();
      for (const { element, view, name } of panels) if (!element.hidden) view.update(words && name !== null ? `${words}: ${name}` : words);
    },
  };
}
