// One panel for each model, because cells are compared within a model and not pooled over models.
// SPDX-License-Identifier: Apache-2.0
import { h } from './dom.js';
import { distinct } from './cells.js';

/**
 * `make(rows, name)` returns { element, update(words) }. rows() are the chosen rows of the panel, and name is its
 * model, or null for all models. At each update `isSplit()` says whether models have separate panels. A
 * single model never has a separate panel. Panels without rows are hidden.
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
