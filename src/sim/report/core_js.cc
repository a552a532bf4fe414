#include "sim/report/assets.h"

namespace berth::sim {

// Text of the data only ever enters the page as a text node or an attribute, never as markup.
const std::string_view kCoreJs = R"js(
const data = JSON.parse(document.getElementById('berth-data').textContent);
const runs = data.runs;

// ---- numbers as in the tables
const plain = (v, digits) => v.toLocaleString('en-US',
  { minimumFractionDigits: digits, maximumFractionDigits: digits }).replace('-', '\u2212');
const percent = (share, digits = 1) => plain(share * 100, digits) + ' %';
const two = v => String(v).padStart(2, '0');
function duration(ms) {
  if (ms < 0.5) return '0 s';
  if (ms < 999.5) return Math.round(ms) + ' ms';
  if (ms < 59950) return plain(ms / 1000, 1) + ' s';
  const s = Math.round(ms / 1000), m = Math.round(ms / 60000), h = Math.round(ms / 3600000);
  if (s < 3600) return Math.floor(s / 60) + ' min ' + two(s % 60) + ' s';
  if (m < 2880) return Math.floor(m / 60) + ' h ' + two(m % 60) + ' min';
  return plain(Math.floor(h / 24), 0) + ' d ' + two(h % 24) + ' h';
}
// 90 s -> "90 s", 2 h -> "2 h": for axes, where values are round.
function shortDuration(ms) {
  const units = [[86400000, 'd'], [3600000, 'h'], [60000, 'min'], [1000, 's']];
  for (const [size, name] of units) if (ms >= size && ms % size === 0) return ms / size + ' ' + name;
  return ms + ' ms';
}
// A point of virtual time.
function clock(ms) {
  const minutes = Math.floor(ms / 60000), days = Math.floor(minutes / 1440);
  const text = Math.floor(minutes / 60) % 24 + ' h ' + two(minutes % 60) + ' min';
  return days > 0 ? 'day ' + (days + 1) + ', ' + text : text;
}

// ---- elements
function node(tag, attributes = {}, parent = null) {
  const element = document.createElement(tag);
  for (const [key, value] of Object.entries(attributes)) {
    if (key === 'text') element.textContent = value; else element.setAttribute(key, value);
  }
  if (parent) parent.append(element);
  return element;
}
function svg(tag, attributes = {}, parent = null) {
  const element = document.createElementNS('http://www.w3.org/2000/svg', tag);
  for (const [key, value] of Object.entries(attributes)) {
    if (key === 'text') element.textContent = value; else element.setAttribute(key, value);
  }
  if (parent) parent.append(element);
  return element;
}
const runClass = i => 'r' + i % 6;
const dashes = i => runs.length > 1 ? ['5 3', 'none', '9 3', '2 2', '12 3 2 3', '7 2 2 2'][i % 6] : 'none';

// ---- scales
function linear(from, to, start, end) {
  const factor = to === from ? 0 : (end - start) / (to - from);
  const scale = v => start + (v - from) * factor;
  scale.invert = p => factor === 0 ? from : from + (p - start) / factor;
  return scale;
}
function logarithmic(from, to, start, end) {
  const inner = linear(Math.log(from), Math.log(to), start, end);
  const scale = v => inner(Math.log(Math.max(from, v)));
  scale.invert = p => Math.exp(inner.invert(p));
  return scale;
}
// Round steps so that at most `most` of them reach `to`; the last tick is not below `to`.
function niceTicks(to, most) {
  if (!(to > 0)) return [0, 1];
  const rough = to / most, power = 10 ** Math.floor(Math.log10(rough));
  const step = [1, 2, 2.5, 5, 10].map(f => f * power).find(s => s >= rough * 0.999) || 10 * power;
  const ticks = [];
  for (let i = 0; i === 0 || ticks[i - 1] < to * 0.9999; ++i) ticks.push(+(i * step).toPrecision(12));
  return ticks;
}
// Digits that keep ticks of shares apart: 2.5 % and 5 %, but 25 % and 50 %.
const tickDigits = ticks => ticks.every(t => Number.isInteger(+(t * 100).toFixed(6))) ? 0 : 1;
function timeTicks(to, most) {
  const hour = 3600000;
  const steps = [1 / 60, 5 / 60, 0.25, 0.5, 1, 2, 3, 4, 6, 12, 24, 48, 96, 168, 336, 720, 2160, 8760];
  const step = (steps.find(s => to / (s * hour) <= most) || Math.ceil(to / hour / most)) * hour;
  const ticks = [];
  for (let v = 0; v <= to * 1.0001; v += step) ticks.push(v);
  return ticks;
}
const durationTicks = [1, 10, 60, 600, 3600, 21600, 86400, 604800, 2592000].map(s => s * 1000);

// ---- the read-out beside the pointer
const readout = document.getElementById('readout');
function showReadout(x, y, title, note, rows) {
  readout.replaceChildren(node('strong', { text: title }));
  if (note) node('small', { text: note }, readout);
  const list = node('dl', {}, readout);
  for (const row of rows) {
    const term = node('dt', {}, list);
    if (row.mark) node('span', { class: 'swatch ' + row.mark }, term);
    term.append(row.label);
    node('dd', { text: row.value }, list);
  }
  readout.hidden = false;
  const box = readout.getBoundingClientRect();
  const left = x + 18 + box.width > innerWidth ? x - 18 - box.width : x + 18;
  readout.style.left = Math.max(6, left) + 'px';
  readout.style.top = Math.max(6, Math.min(innerHeight - box.height - 6, y - box.height / 2)) + 'px';
}
const hideReadout = () => { readout.hidden = true; };

// ---- drawing at once, and again at another width
const drawings = new Map();
function redraw(place, width) {
  const drawing = drawings.get(place);
  if (width < 40 || width === drawing.width) return;
  drawing.width = width;
  drawing.draw(width);
}
const watcher = new ResizeObserver(entries => requestAnimationFrame(() => {
  for (const entry of entries) redraw(entry.target, Math.floor(entry.contentRect.width));
}));
function drawIn(place, draw) {
  drawings.set(place, { draw, width: 0 });
  redraw(place, Math.floor(place.clientWidth));
  watcher.observe(place);
}
)js";

}  // namespace berth::sim
