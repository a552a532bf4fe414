#include "sim/report/assets.h"

namespace berth::sim {

const std::string_view kTableCss = R"css(
.scroll { overflow-x: auto; }
table { width: 100%; border-collapse: collapse; font-size: 13.5px; }
caption { text-align: left; font-size: 14px; font-weight: 600; padding: 0 0 8px; }
th, td { padding: 7px 14px 7px 0; text-align: left; vertical-align: middle; }
th:last-child, td:last-child { padding-right: 0; }
thead th { color: var(--muted); font-weight: 500; font-size: 12.5px; padding-top: 0;
  border-bottom: 1px solid var(--edge); vertical-align: bottom; }
tbody th { font-weight: 500; overflow-wrap: anywhere; min-width: 110px; }
tbody tr + tr > * { border-top: 1px solid var(--grid); }
tbody tr:hover > * { background: color-mix(in srgb, var(--track) 45%, transparent); }
.total > * { font-weight: 650; }
.counts { text-align: right; white-space: nowrap; }
.counts + .bars { padding-left: 12px; }
th.counts .chip { color: var(--ink); }
.count { line-height: 20px; }
.bars { width: 24%; min-width: 178px; }
.bars.wide { width: 46%; }
.bar { display: flex; align-items: center; gap: 10px; height: 20px; }
.track { flex: 1; height: 8px; border-radius: 4px; background: var(--track); overflow: hidden; }
.track span { display: block; height: 100%; border-radius: 4px; background: var(--run); }
.cause .track span { background: var(--swatch); }
.cause::before { content: ""; flex: none; width: 3px; height: 12px; border-radius: 2px;
  background: var(--run); }
.single .cause::before { display: none; }
.value { flex: 0 0 84px; text-align: right; white-space: nowrap; }
.wide .value { flex-basis: 60px; }
.sr { position: absolute; width: 1px; height: 1px; overflow: hidden; clip-path: inset(50%); }

.map { margin: 0 0 14px; }
.map .groups { display: flex; flex-wrap: wrap; gap: 18px 30px; margin-top: 14px; }
.map h4 { margin: 0 0 6px; font-size: 12.5px; font-weight: 600; color: var(--soft); }
.map h4 span { color: var(--muted); font-weight: 400; }
.empty { fill: var(--cell); }
.used { fill: var(--swatch); }
.failed { stroke: var(--fail); stroke-width: 1.4; fill: none; }
.away { fill: none; stroke: var(--worse); stroke-width: 1.4; }
.focus { fill: none; stroke: var(--ink); stroke-width: 1.6; }

footer { margin-top: 44px; padding-bottom: 48px; color: var(--muted); font-size: 13px; }
footer p { border-top: 1px solid var(--edge); padding-top: 18px; margin: 0 0 6px; }
footer ul { list-style: none; margin: 0; padding: 0; }
footer .chip { color: var(--ink); font-weight: 600; margin-right: 6px; }
code { font: 12.5px ui-monospace, "SF Mono", Menlo, Consolas, "Liberation Mono", monospace; }

@media (max-width: 1020px) {
  .tiles { grid-template-columns: repeat(2, minmax(0, 1fr)); }
  .three { grid-template-columns: repeat(2, minmax(0, 1fr)); }
}
@media (max-width: 680px) {
  header, main, footer { padding-left: 16px; padding-right: 16px; }
  h1 { font-size: 27px; }
  h2 { margin-top: 38px; }
  .two, .three { grid-template-columns: minmax(0, 1fr); }
  .tiles { gap: 10px; }
  .tile { padding: 12px 13px; }
  .figure b { font-size: 17px; }
  .single .figure b { font-size: 22px; }
  figcaption .legend { margin-left: 0; flex-basis: 100%; }
  .panel { padding: 14px; }
}
@media print {
  @page { size: A4; margin: 11mm; }
  :root { print-color-adjust: exact; -webkit-print-color-adjust: exact; }
  body { background: none; zoom: .68; }
  header, main, footer { max-width: none; padding-left: 0; padding-right: 0; }
  header { padding-top: 0; }
  #theme, #readout { display: none; }
  .tile, .panel, .lead, tr { break-inside: avoid; }
  .plot svg { width: 100%; }
  .tile, .panel { box-shadow: none; }
  h2, .lead, .causes { break-after: avoid; }
  h2 { margin-top: 34px; }
  .tiles { grid-template-columns: repeat(4, minmax(0, 1fr)); gap: 10px; }
  .two { grid-template-columns: repeat(2, minmax(0, 1fr)); }
  .three { grid-template-columns: repeat(3, minmax(0, 1fr)); }
  .figure b { font-size: 18px; }
  .bars { min-width: 0; }
}
)css";

}  // namespace berth::sim
