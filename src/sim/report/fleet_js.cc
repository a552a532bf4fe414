#include "sim/report/assets.h"

namespace berth::sim {

const std::string_view kFleetJs = R"js(
// ---- how long jobs wait
function waitChart(place) {
  addLegend(place);
  const curves = runs.map((run, index) => {
    const [waits, jobs] = run.waits, all = jobs.length ? jobs[jobs.length - 1] : 0;
    return { run, index, waits, shares: jobs.map(v => all ? v / all : 0) };
  });
  const longestWait = Math.max(60000, ...curves.map(c => c.waits.length ? c.waits[c.waits.length - 1] : 0));
  const within = (curve, ms) => {
    let share = 0;
    for (let i = 0; i < curve.waits.length && curve.waits[i] <= ms; ++i) share = curve.shares[i];
    return share;
  };
  mount(place, { title: 'Share of jobs that waited at most a time', height: 300,
    xScale: (start, end) => logarithmic(1000, longestWait, start, end),
    xTicks: () => durationTicks.filter(v => v <= longestWait), xText: shortDuration,
    xLabel: 'wait (logarithmic)', yTicks: [0, 0.25, 0.5, 0.75, 0.9, 1],
    yText: v => percent(v, 0),
    summary: curves.map(c => `${c.run.policy}: ${percent(within(c, 1000))} within 1 s, ` +
      `${percent(within(c, 60000))} within 1 min, ${percent(within(c, 3600000))} within 1 h`).join('; ') + '.',
    paint(group, sx, sy, inner) {
      for (const curve of curves) {
        let d = `M${sx(1000).toFixed(1)} ${sy(within(curve, 1000)).toFixed(1)}`;
        curve.waits.forEach((wait, i) => {
          if (wait > 1000) d += `H${sx(wait).toFixed(1)}V${sy(curve.shares[i]).toFixed(1)}`;
        });
        svg('path', { class: 'line ' + runClass(curve.index), d: d + 'H' + inner.right,
          'stroke-dasharray': dashes(curve.index) }, group);
      }
    },
    at(ms) {
      return { x: ms, title: 'Waited at most ' + duration(ms),
        rows: curves.map(c => ({ mark: runClass(c.index), label: c.run.policy,
          value: percent(within(c, ms), 2) })),
        dots: curves.map(c => ({ mark: runClass(c.index), y: within(c, ms) })) };
    } });
}

// ---- fleet map: a column per node, a cell per card
const kName = 0, kModel = 1, kCondition = 2, kCpu = 3, kMemory = 4, kModes = 5, kHealths = 6,
  kShares = 7, kTasks = 8;

function cellSize(cards) {
  if (cards <= 2500) return 10;
  return cards <= 12000 ? 6 : 3;
}

function fleetMaps(host) {
  runs.forEach((run, index) => {
    const panel = node('figure', { class: 'panel map' }, host), caption = node('figcaption', {}, panel);
    node('span', { class: 'chip ' + runClass(index), text: run.policy }, caption);
    const legend = node('div', { class: 'legend' }, caption);
    data.modes.forEach((mode, m) => {
      const item = node('span', {}, legend);
      node('span', { class: 'swatch m' + m }, item);
      item.append(mode);
    });
    if (run.nodes.some(row => row[kHealths])) node('span', { text: '\u00d7 not healthy' }, legend);
    if (run.nodes.some(row => row[kCondition])) node('span', { text: '\u25a1 node not ready' }, legend);
    const place = node('div', {}, panel), groups = node('div', { class: 'groups' }, place);
    const maps = run.models.map(([name, cards], m) =>
      mapOf(groups, run, name, cards, run.nodes.filter(row => row[kModel] === m)));
    drawIn(place, width => maps.forEach(draw => draw(width)));
  });
}

// Gives the function that draws the nodes of one model into the width that is there.
function mapOf(groups, run, name, cards, nodes) {
  if (!nodes.length) return () => {};
  const block = node('div', {}, groups), title = node('h4', { text: name + ' ' }, block);
  const busy = nodes.reduce((total, row) => total + row[kShares].reduce((a, b) => a + b, 0), 0) / 100;
  node('span', { text: `${plain(busy, 0)} of ${plain(cards, 0)} cards` }, title);
  const size = cellSize(run.cards), gap = size > 4 ? 1 : 0.5, between = size > 4 ? 3 : 1;
  const tall = Math.max(...nodes.map(row => row[kShares].length)) * (size + gap);
  const pitch = size + between, band = tall + (size > 4 ? 8 : 3);
  let previous = 0;
  return available => {
    const columns = Math.max(1, Math.min(nodes.length, Math.floor(available / pitch)));
    if (columns === previous) return;
    previous = columns;
    const place = i => [i % columns * pitch + 1, Math.floor(i / columns) * band + 1];
    const width = columns * pitch, height = Math.ceil(nodes.length / columns) * band - (band - tall) + 2;
    const root = svg('svg', { width, height, viewBox: `0 0 ${width} ${height}`, role: 'img',
      'aria-label': `${name}: ${plain(busy, 0)} of ${plain(cards, 0)} cards allocated at the end` });
    paintCells(root, nodes, place, size, gap);
    readCells(root, nodes, { columns, pitch, band, size, gap, place, tall });
    block.replaceChildren(title, root);
  };
}

// One path per mode: a fleet of many thousand cards stays a handful of elements.
function paintCells(root, nodes, place, size, gap) {
  const used = data.modes.map(() => ''), box = (x, y, w, h) => `M${x} ${y}h${w}v${h}h${-w}z`;
  let empty = '', failed = '', away = '';
  nodes.forEach((row, i) => {
    const [x, top] = place(i);
    row[kShares].forEach((share, c) => {
      const y = top + c * (size + gap), mode = +row[kModes][c];
      empty += box(x, y, size, size);
      const height = +(size * Math.min(1, share / 100)).toFixed(2);
      if (mode && height) used[mode] += box(x, +(y + size - height).toFixed(2), size, height);
      if (row[kHealths] && row[kHealths][c] !== '0') {
        const a = size * 0.2, b = size * 0.6;
        failed += `M${x + a} ${y + a}l${b} ${b}m0 ${-b}l${-b} ${b}`;
      }
    });
    if (row[kCondition]) away += box(x - 1, top - 1, size + 2, row[kShares].length * (size + gap) - gap + 2);
  });
  svg('path', { class: 'empty', d: empty }, root);
  used.forEach((d, m) => { if (d) svg('path', { class: 'used m' + m, d }, root); });
  if (failed) svg('path', { class: 'failed', d: failed }, root);
  if (away) svg('path', { class: 'away', d: away }, root);
}

function readCells(root, nodes, grid) {
  let focus = null;
  const leave = () => { if (focus) focus.remove(); focus = null; hideReadout(); };
  root.addEventListener('pointerleave', leave);
  root.addEventListener('pointermove', event => {
    leave();
    const box = root.getBoundingClientRect(), ratio = root.viewBox.baseVal.width / box.width;
    const x = (event.clientX - box.left) * ratio, y = (event.clientY - box.top) * ratio;
    const column = Math.floor(x / grid.pitch), i = Math.floor(y / grid.band) * grid.columns + column;
    const row = column < grid.columns ? nodes[i] : undefined;
    if (!row) return;
    const [left, top] = grid.place(i), card = Math.floor((y - top) / (grid.size + grid.gap));
    if (card < 0 || card >= row[kShares].length) return;
    focus = svg('rect', { class: 'focus', x: left - 1, y: top + card * (grid.size + grid.gap) - 1,
      width: grid.size + 2, height: grid.size + 2, 'pointer-events': 'none' }, root);
    showReadout(event.clientX, event.clientY, row[kName] + ', card ' + card,
      data.conditions[row[kCondition]], [
        { label: 'allocated', value: row[kShares][card] + ' %' },
        { label: 'mode', mark: 'm' + row[kModes][card], value: data.modes[row[kModes][card]] },
        { label: 'tasks', value: plain(row[kTasks][card], 0) },
        { label: 'health', value: data.healths[row[kHealths] ? row[kHealths][card] : 0] },
        { label: 'node CPU', value: row[kCpu] + ' %' },
        { label: 'node memory', value: row[kMemory] + ' %' }]);
  });
}

// ---- light and dark: the system's choice until the reader chooses
const themeButton = document.getElementById('theme'), prefersDark = matchMedia('(prefers-color-scheme: dark)');
let chosen = '';
function applyTheme() {
  const theme = chosen || (prefersDark.matches ? 'dark' : 'light');
  document.documentElement.dataset.theme = theme;
  themeButton.textContent = theme === 'dark' ? 'Light' : 'Dark';
}
themeButton.hidden = false;
themeButton.addEventListener('click', () => {
  chosen = document.documentElement.dataset.theme === 'dark' ? 'light' : 'dark';
  applyTheme();
});
prefersDark.addEventListener('change', applyTheme);
applyTheme();
addEventListener('beforeprint', () => { document.documentElement.dataset.theme = 'light'; });
addEventListener('afterprint', applyTheme);
addEventListener('scroll', hideReadout, { passive: true });

const painters = { allocated: allocatedChart, models: modelCharts, causes: causeCharts,
  waits: waitChart, fleet: fleetMaps,
  waiting: place => columnChart(place, 'waiting', 'Cards waited for over time', 'cards'),
  queues: queueCharts,
  kept: place => columnChart(place, 'kept', 'Free cards kept for a job, over time', 'cards'),
  deferring: place => columnChart(place, 'deferring', 'Gangs waiting for a better place, over time',
    'jobs'),
  pending: place => columnChart(place, 'pending', 'Jobs waiting over time', 'jobs') };
for (const place of document.querySelectorAll('[data-plot]')) painters[place.dataset.plot](place);
)js";

}  // namespace berth::sim
