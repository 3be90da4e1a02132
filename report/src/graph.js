// Draws the kernel graph in the page, from the graph.dot that Mixwell writes.
// SPDX-License-Identifier: Apache-2.0
import * as dagre from '@dagrejs/dagre';
import { checkbox, freshId, h, svg } from './dom.js';

/** Graphs with more nodes are not drawn, because drawing takes long and the picture is not readable. */
const mostNodes = 300;
const lineHeight = 15;
const characterWidth = 6.4;

const unquote = (text) => text.replace(/\\(.)/g, (_, c) => (c === 'n' ? '\n' : c));
const quoted = '"((?:[^"\\\\]|\\\\.)*)"';

function kindOf(attributes) {
  if (attributes.includes('shape=box')) return 'operation';
  if (attributes.includes('shape=diamond')) return 'noise';
  if (attributes.includes('#eeeeee')) return 'constant';
  return attributes.includes('#cfe3f5') ? 'variable' : 'derived';
}

/** { nodes: [{ id, label, kind }], edges: [{ from, to, label, carried }] } */
export function parseDot(dot) {
  const nodes = [];
  const edges = [];
  const labelled = new RegExp(`label=${quoted}`);
  for (const line of dot.split('\n')) {
    const edge = /^\s*(\w+) -> (\w+)(?: \[(.*)\])?;$/.exec(line);
    const node = /^\s*([vo]\d+) \[(.*)\];$/.exec(line);
    const text = unquote(labelled.exec(line)?.[1] ?? '');
    if (edge) {
      edges.push({ from: edge[1], to: edge[2], label: text,
        carried: (edge[3] ?? '').includes('style=dashed') });
    } else if (node) {
      nodes.push({ id: node[1], label: text, kind: kindOf(node[2].replace(labelled, '')) });
    }
  }
  return { nodes, edges };
}

function sizeOf(node) {
  const lines = node.label.split('\n');
  const longest = Math.max(...lines.map((line) => line.length));
  const room = node.kind === 'noise' ? 44 : 22;
  return { width: longest * characterWidth + room,
    height: lines.length * lineHeight + (node.kind === 'noise' ? 22 : 12) };
}

function layOut({ nodes, edges }) {
  const graph = new dagre.graphlib.Graph({ multigraph: true });
  graph.setGraph({ nodesep: 18, ranksep: 34, edgesep: 10, marginx: 12, marginy: 12 });
  for (const node of nodes) graph.setNode(node.id, { ...node, ...sizeOf(node) });
  edges.forEach((edge, k) => {
    if (edge.carried) return; // these edges lead from the end of a sweep to the start of the next one
    graph.setEdge(edge.from, edge.to, { label: edge.label, labelpos: 'c',
      width: edge.label.length * 5.6, height: edge.label ? 12 : 0 }, String(k));
  });
  dagre.layout(graph);
  return graph;
}

function shape({ kind, x, y, width, height }) {
  const box = { x: x - width / 2, y: y - height / 2, width, height };
  if (kind === 'operation') return svg('rect', { ...box, rx: 6 });
  if (kind === 'noise') {
    const corners = [[x, y - height / 2], [x + width / 2, y], [x, y + height / 2], [x - width / 2, y]];
    return svg('polygon', { points: corners.map((c) => c.join(',')).join(' ') });
  }
  return svg('rect', { ...box, rx: height / 2 });
}

function nodeElement(node) {
  const lines = node.label.split('\n');
  const first = node.y - ((lines.length - 1) * lineHeight) / 2 + 4;
  return svg('g', { class: `node ${node.kind}` }, shape(node), lines.map((line, k) =>
    svg('text', { x: node.x, y: first + k * lineHeight,
      class: k === 0 && lines.length > 1 ? 'minor' : '' }, line)));
}

/** A path through the points, with rounded corners. */
function curve(points) {
  const at = (p) => `${p.x.toFixed(1)},${p.y.toFixed(1)}`;
  const middle = (a, b) => ({ x: (a.x + b.x) / 2, y: (a.y + b.y) / 2 });
  if (points.length < 3) return `M${points.map(at).join('L')}`;
  let path = `M${at(points[0])}`;
  for (let k = 1; k + 1 < points.length; ++k) {
    const end = k + 2 === points.length ? points[k + 1] : middle(points[k], points[k + 1]);
    path += `Q${at(points[k])} ${at(end)}`;
  }
  return path;
}

function edgeElement(edge, arrow) {
  return svg('g', { class: 'edge' },
    svg('path', { d: curve(edge.points), 'marker-end': `url(#${arrow})` }),
    edge.label ? svg('text', { x: edge.x, y: edge.y + 3 }, edge.label) : null);
}

/** A curve from one node back up to an earlier one, along the side. */
function carriedElement(from, to, arrow) {
  const side = Math.max(from.x + from.width / 2, to.x + to.width / 2) + 26;
  const d = `M${from.x + from.width / 2},${from.y}C${side},${from.y} ${side},${to.y} ${to.x + to.width / 2},${to.y}`;
  return svg('g', { class: 'edge carried' }, svg('path', { d, 'marker-end': `url(#${arrow})` }));
}

const swatch = (kind, text) => h('li', {}, h('span', { class: `swatch ${kind}` }), text);
const legend = () => h('ul', { class: 'legend' },
  swatch('operation', 'operation'), swatch('variable', 'version of a variable'), swatch('noise', 'fresh noise'),
  swatch('constant', 'constant'), swatch('derived', 'derived value'), swatch('carried', 'carried to the next sweep'));

function drawing(parsed) {
  const laid = layOut(parsed);
  const arrow = freshId('arrow');
  const { width, height } = laid.graph();
  const carried = parsed.edges.filter((edge) => edge.carried);
  const room = carried.length ? 30 : 0;
  return svg('svg', { viewBox: `0 0 ${width + room} ${height}`, width: width + room, role: 'img',
    'aria-label': `Kernel graph of one sweep: ${parsed.nodes.length} nodes, ${parsed.edges.length} edges; the text below lists all of them` },
    svg('defs', {}, svg('marker', { id: arrow, viewBox: '0 0 8 8', refX: 7, refY: 4, markerWidth: 7, markerHeight: 7, orient: 'auto' },
      svg('path', { d: 'M0,1L7,4L0,7', class: 'arrow' }))),
    laid.edges().map((e) => edgeElement(laid.edge(e), arrow)),
    carried.map((e) => carriedElement(laid.node(e.from), laid.node(e.to), arrow)),
    laid.nodes().map((id) => nodeElement(laid.node(id))));
}

/** Draws the graph when it is close to the screen, or for printing. */
function whenSeen(frame, draw) {
  let drawn = false;
  const once = () => {
    if (!drawn) frame.append(draw());
    drawn = true;
    watcher.disconnect();
  };
  const watcher = new IntersectionObserver((seen) => seen.some((s) => s.isIntersecting) && once(), { rootMargin: '600px 0px' });
  watcher.observe(frame);
  window.addEventListener('beforeprint', once);
  return frame;
}

/** A choice for pictures that are wider than their frame: fit the picture to the frame (the default), or scroll. */
function sizeChoice(frame) {
  const choice = checkbox('full size', false, (on) => frame.classList.toggle('full', on));
  new ResizeObserver(() => {
    const wide = Number(frame.querySelector('svg')?.getAttribute('width') ?? 0);
    choice.hidden = wide <= frame.clientWidth;
  }).observe(frame);
  return choice;
}

/** The picture, or the reason why there is no picture. The text of the graph is below. */
export function graphView(dot) {
  const parsed = parseDot(dot);
  const text = h('details', {}, h('summary', {}, 'The graph as Graphviz text'), h('pre', { tabindex: '0' }, dot));
  if (parsed.nodes.length === 0 || parsed.nodes.length > mostNodes) {
    return [h('p', {}, `The graph has ${parsed.nodes.length} nodes, and this page only draws graphs with up to ${mostNodes} nodes. `
      + 'Use `dot -Tsvg graph.dot` of Graphviz to draw the graph.'), text];
  }
  const frame = h('div', { class: 'graph', tabindex: '0', role: 'region', 'aria-label': 'Kernel graph; scrolls' });
  return [h('div', { class: 'controls' }, legend(), sizeChoice(frame)), whenSeen(frame, () => drawing(parsed)), text];
}
