#include "sim/report/assets.h"

namespace berth::sim {

const std::string_view kChartsJs = R"js(
// ---- one chart: axes, marks, crosshair
// spec: { title, height, x: {scale kind, ticks...}, y: {top, ticks, label}, paint(group, sx, sy), at(v) }
// `at(v)` gives for a place on the x axis { x, title, note, rows, dots }, or null.
const linked = new Set();

function frame(place, width, spec) {
  const margin = { left: spec.left || 46, right: 14, top: 10, bottom: spec.xLabel === '' ? 22 : 38 };
  const inner = { right: width - margin.right, bottom: spec.height - margin.bottom };
  const root = svg('svg', { width, height: spec.height, viewBox: `0 0 ${width} ${spec.height}`,
    role: 'img', 'aria-label': spec.title });
  svg('title', { text: spec.title }, root);
  svg('desc', { text: spec.summary || '' }, root);
  const sx = spec.xScale(margin.left, inner.right);
  const sy = linear(spec.yTicks[0], spec.yTicks[spec.yTicks.length - 1], inner.bottom, margin.top);
  for (const tick of spec.yTicks) {
    const y = Math.round(sy(tick)) + 0.5;
    svg('line', { class: 'gridline', x1: margin.left, x2: inner.right, y1: y, y2: y }, root);
    svg('text', { x: margin.left - 8, y: y + 4, 'text-anchor': 'end', text: spec.yText(tick) }, root);
  }
  const baseline = Math.round(inner.bottom) + 0.5;
  svg('line', { class: 'axis', x1: margin.left, x2: inner.right, y1: baseline, y2: baseline }, root);
  for (const tick of spec.xTicks(width)) {
    const x = sx(tick), atEnd = x > inner.right - 16;
    svg('line', { class: 'axis', x1: x, x2: x, y1: inner.bottom, y2: inner.bottom + 4 }, root);
    svg('text', { x: atEnd ? inner.right + 8 : x, y: inner.bottom + 17,
      'text-anchor': atEnd ? 'end' : 'middle', text: spec.xText(tick) }, root);
  }
  if (spec.xLabel !== '') {
    svg('text', { x: (margin.left + inner.right) / 2, y: spec.height - 3, 'text-anchor': 'middle',
      text: spec.xLabel }, root);
  }
  spec.paint(svg('g', {}, root), sx, sy, inner);
  place.replaceChildren(root);
  return { root, sx, sy, top: margin.top, bottom: inner.bottom, left: margin.left, right: inner.right };
}

function crosshair(chart, found) {
  if (chart.mark) chart.mark.remove();
  chart.mark = null;
  if (!found) return;
  chart.mark = svg('g', { 'pointer-events': 'none' }, chart.root);
  const x = chart.sx(found.x);
  svg('line', { class: 'cross', x1: x, x2: x, y1: chart.top, y2: chart.bottom }, chart.mark);
  for (const dot of found.dots || []) {
    svg('circle', { class: 'dot ' + dot.mark, cx: x, cy: chart.sy(dot.y), r: 4 }, chart.mark);
  }
}

// Charts over time show the crosshair together; only the one under the pointer has the read-out.
function mount(place, spec) {
  const state = { chart: null, value: null };
  const show = value => crosshair(state.chart, value === null ? null : spec.at(value));
  const everywhere = value => {
    state.value = value;
    if (spec.overTime) linked.forEach(other => other(value)); else show(value);
  };
  const read = (value, x, y) => {
    const found = spec.at(value);
    everywhere(found ? value : null);
    if (found) showReadout(x, y, found.title, found.note, found.rows); else hideReadout();
  };
  const leave = () => { everywhere(null); hideReadout(); };
  place.addEventListener('pointermove', event => {
    const box = state.chart.root.getBoundingClientRect();
    const x = (event.clientX - box.left) * state.chart.root.viewBox.baseVal.width / box.width;
    read(state.chart.sx.invert(Math.max(state.chart.left, Math.min(state.chart.right, x))),
      event.clientX, event.clientY);
  });
  place.addEventListener('pointerleave', leave);
  place.addEventListener('blur', leave);
  place.addEventListener('keydown', event => {
    const step = { ArrowLeft: -1, ArrowRight: 1, PageUp: -10, PageDown: 10 }[event.key];
    if (event.key === 'Escape') return leave();
    if (!step) return;
    event.preventDefault();
    const chart = state.chart, box = chart.root.getBoundingClientRect();
    const from = state.value === null ? chart.left : chart.sx(state.value);
    const x = Math.max(chart.left, Math.min(chart.right, from + step * 4));
    read(chart.sx.invert(x), box.left + x, box.top + box.height / 2);
  });
  place.tabIndex = 0;
  place.setAttribute('aria-label', spec.title + '. ' + (spec.summary || '') + ' Arrow keys read values.');
  place.setAttribute('role', 'group');
  if (spec.overTime) linked.add(show);
  drawIn(place, width => { state.chart = frame(place, width, spec); });
}

// ---- series over time
const longest = Math.max(...runs.map(run => run.duration));
const sum = columns => columns.length === 0 ? []
  : columns[0].map((_, i) => columns.reduce((total, column) => total + column[i], 0));
const mean = values => values.length ? values.reduce((a, b) => a + b, 0) / values.length : 0;
const most = values => values.reduce((a, b) => Math.max(a, b), 0);

// Index of the point whose span holds `ms`; -1 before the first.
function pointAt(run, ms) {
  let low = 0, high = run.at.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (run.at[middle] <= ms) low = middle + 1; else high = middle;
  }
  return low - 1;
}
const spanNote = run => run && run.span ? 'mean of ' + shortDuration(run.span) : '';
// Values above `top` run along it.
function path(run, values, sx, sy, top = Infinity) {
  return values.map((v, i) => (i ? 'L' : 'M') + sx(run.at[i]).toFixed(1) + ' ' +
    sy(Math.min(v, top)).toFixed(1)).join('');
}

function timeAxis() {
  const inDays = longest > 4 * 86400000;
  return { overTime: true, xScale: (start, end) => linear(0, longest, start, end),
    xTicks: width => timeTicks(longest, Math.max(3, width / 75)),
    xText: ms => String(+(ms / (inDays ? 86400000 : 3600000)).toFixed(2)),
    xLabel: inDays ? 'days since the start' : 'hours since the start' };
}

// series: [{ run, index, values, text(value, i) }]
function lineChart(place, options, series) {
  const top = options.top || niceTicks(Math.max(...series.map(s => most(s.values)), 1), 5);
  mount(place, { ...timeAxis(), ...options, yTicks: top,
    summary: series.map(s => `${s.run.policy}: mean ${options.text(mean(s.values))}, highest ` +
      options.text(most(s.values))).join('; ') + '.',
    paint(group, sx, sy, inner) {
      if (options.level) {
        const y = sy(options.level);
        svg('line', { class: 'level', x1: sx(0), x2: inner.right, y1: y, y2: y }, group);
      }
      for (const s of series) {
        const line = path(s.run, s.values, sx, sy);
        if (!line) continue;
        if (runs.length === 1) {
          svg('path', { class: 'wash ' + runClass(s.index), d: line +
            `L${sx(s.run.at[s.run.at.length - 1])} ${inner.bottom}L${sx(s.run.at[0])} ${inner.bottom}Z` }, group);
        }
        svg('path', { class: 'line ' + runClass(s.index), d: line,
          'stroke-dasharray': dashes(s.index) }, group);
      }
    },
    at(ms) {
      const found = series.map(s => ({ s, i: pointAt(s.run, ms) })).filter(f => f.i >= 0);
      if (!found.length) return null;
      const x = found[0].s.run.at[found[0].i];
      return { x, title: clock(x), note: spanNote(found[0].s.run),
        rows: found.map(f => ({ mark: runClass(f.s.index), label: f.s.run.policy,
          value: (f.s.text || options.text)(f.s.values[f.i], f.i) })),
        dots: found.map(f => ({ mark: runClass(f.s.index), y: f.s.values[f.i] })) };
    } });
}

function addLegend(place) {
  if (runs.length < 2) return;
  const legend = node('div', { class: 'legend' }, place.closest('.panel').querySelector('figcaption'));
  runs.forEach((run, i) => node('span', { class: 'chip ' + runClass(i), text: run.policy }, legend));
}

function allocatedChart(place) {
  addLegend(place);
  const series = runs.map((run, index) => {
    const cards = sum(run.allocated);
    return { run, index, values: cards.map(v => run.cards ? v / run.cards : 0),
      text: (v, i) => percent(v) + '  (' + plain(cards[i], 1) + ' cards)' };
  });
  lineChart(place, { title: 'Cards allocated over time', height: 300, top: [0, 0.25, 0.5, 0.75, 1],
    yText: v => percent(v, 0), text: v => percent(v) }, series);
}

function modelCharts(grid) {
  runs[0].models.forEach(([name, cards], m) => {
    const panel = node('figure', { class: 'panel' }, grid), caption = node('figcaption', {}, panel);
    node('b', { text: name }, caption);
    node('span', { text: plain(cards, 0) + ' cards' }, caption);
    const place = node('div', { class: 'plot' }, panel), series = [];
    runs.forEach((run, index) => {
      const own = run.models.findIndex(model => model[0] === name);
      if (own < 0 || !run.models[own][1]) return;
      const columns = run.allocated[own];
      series.push({ run, index, values: columns.map(v => v / run.models[own][1]),
        text: (v, i) => percent(v) + '  (' + plain(columns[i], 1) + ' cards)' });
    });
    lineChart(place, { title: name + ' allocated over time', height: 132, xLabel: '',
      top: [0, 0.5, 1], yText: v => percent(v, 0), text: v => percent(v) }, series);
  });
}

// What each queue holds, a line per run; dotted: what it is guaranteed. All have one scale, or their
// heights could not be compared.
function queueCharts(grid) {
  const ceiling = Math.max(1, ...runs[0].queues.map(queue => queue[1]),
    ...runs.flatMap(run => run.held.map(most)));
  runs[0].queues.forEach(([name, guarantee], q) => {
    const panel = node('figure', { class: 'panel' }, grid), caption = node('figcaption', {}, panel);
    node('b', { text: name }, caption);
    node('span', { text: plain(guarantee, guarantee % 1 ? 1 : 0) + ' cards guaranteed' }, caption);
    const place = node('div', { class: 'plot' }, panel), series = [];
    runs.forEach((run, index) => {
      const own = run.queues.findIndex(queue => queue[0] === name);
      if (own < 0) return;
      series.push({ run, index, values: run.held[own],
        text: (v, i) => plain(v, 1) + ' of ' + plain(run.fair[own][i], 1) + ' fair' });
    });
    lineChart(place, { title: name + ': cards held over time', height: 132, xLabel: '',
      top: niceTicks(ceiling, 3), yText: v => plain(v, 0), text: v => plain(v, 1),
      level: guarantee }, series);
  });
}

function columnChart(place, key, title, unit) {
  if (place.closest('.panel')) addLegend(place);
  lineChart(place, { title, height: 250, yText: v => plain(v, v % 1 ? 1 : 0),
    text: v => plain(v, v % 1 ? 1 : 0) + ' ' + unit },
  runs.map((run, index) => ({ run, index, values: run[key] })));
}

// ---- free capacity by cause
function causeCharts(grid) {
  if (runs.length === 1) grid.classList.replace('two', 'one');
  if (runs.length % 3 === 0) grid.classList.replace('two', 'three');
  const share = run => v => run.cards ? v / run.cards : 0;
  const free = run => sum(run.allocated).map(v => Math.max(0, share(run)(run.cards - v)));
  const ceiling = Math.max(...runs.map(run => most(sum(run.unschedulable).map(share(run)))), 0.004);
  const ticks = niceTicks(ceiling * 1.25, 5);
  runs.forEach((run, index) => {
    const panel = node('figure', { class: 'panel' }, grid), caption = node('figcaption', {}, panel);
    node('span', { class: 'chip ' + runClass(index), text: run.policy }, caption);
    node('span', { text: '% of all cards' }, caption);
    stackChart(node('div', { class: 'plot' }, panel), run, ticks, free(run));
  });
}

function stackChart(place, run, ticks, free) {
  const layers = run.unschedulable.map(column => column.map(v => run.cards ? v / run.cards : 0));
  const total = sum(layers), top = ticks[ticks.length - 1];
  const text = v => percent(v, 2) + '  (' + plain(v * run.cards, 1) + ')';
  mount(place, { ...timeAxis(), title: 'Free but unschedulable by cause, ' + run.policy, height: 270,
    yTicks: ticks, yText: v => percent(v, tickDigits(ticks)),
    summary: data.causes.map((cause, i) => `${cause}: mean ${percent(mean(layers[i]), 2)}`).join('; ') + '.',
    paint(group, sx, sy) {
      const below = total.map(() => 0);
      layers.forEach((layer, c) => {
        if (!most(layer)) return;
        const above = layer.map((v, i) => below[i] + v);
        const back = below.map((v, i) => 'L' + sx(run.at[i]).toFixed(1) + ' ' + sy(v).toFixed(1));
        svg('path', { class: 'layer c' + c, d: path(run, above, sx, sy) + back.reverse().join('') + 'Z' }, group);
        above.forEach((v, i) => { below[i] = v; });
      });
      svg('path', { class: 'free', d: path(run, free, sx, sy, top) }, group);
    },
    at(ms) {
      const i = pointAt(run, ms);
      if (i < 0) return null;
      const rows = data.causes.map((cause, c) => ({ mark: 'c' + c, label: cause, value: text(layers[c][i]) }))
        .filter((row, c) => most(layers[c]));
      rows.reverse();
      rows.push({ label: 'all causes', value: text(total[i]) }, { label: 'everything free', value: text(free[i]) });
      return { x: run.at[i], title: clock(run.at[i]), note: spanNote(run), rows };
    } });
}
)js";

}  // namespace berth::sim
