#include "sim/report/assets.h"

namespace berth::sim {

// Colours of runs, causes and modes differ in lightness as well as in hue, so that they are told
// apart without colour vision; the reference run is grey and dashed besides.
const std::string_view kStyleCss = R"css(
:root {
  color-scheme: light;
  --page: #f4f6f8; --panel: #ffffff; --ink: #131a24; --soft: #3d4859; --muted: #647083;
  --edge: #e1e6ec; --grid: #e9edf2; --track: #edf0f4; --cell: #e4e8ee;
  --better: #0b6e69; --better-back: #e0f3f0; --worse: #a83d05; --worse-back: #fdebdf;
  --r0: #8491a3; --r1: #1a66d6; --r2: #d07a00; --r3: #0a8a6a; --r4: #9a52b8; --r5: #3a9fd0;
  --c0: #1b5fa8; --c1: #58b0e3; --c2: #0b8f6f; --c3: #e3b505; --c4: #d9600f; --c5: #b86a9c;
  --m1: #1f6fd0; --m2: #c472a8; --m3: #0c9a78; --m4: #e89b10; --fail: #131a24;
  --shadow: 0 1px 2px rgb(16 24 40 / 5%), 0 1px 6px rgb(16 24 40 / 4%);
}
:root[data-theme="dark"] {
  color-scheme: dark;
  --page: #0e1218; --panel: #171d26; --ink: #e9edf3; --soft: #c3ccd8; --muted: #93a0b2;
  --edge: #2a3340; --grid: #242c38; --track: #242d3a; --cell: #2b3543;
  --better: #62d3c4; --better-back: #12332f; --worse: #ffab70; --worse-back: #3d2413;
  --r0: #8d9aad; --r1: #5fa2ff; --r2: #f0a63c; --r3: #3ccfa4; --r4: #c793e0; --r5: #7cc8ee;
  --c0: #4a8fdc; --c1: #8fd0f5; --c2: #2db792; --c3: #f0cd45; --c4: #f0843a; --c5: #d798be;
  --m1: #4a90ea; --m2: #d994c2; --m3: #2db792; --m4: #f2b040; --fail: #e9edf3;
  --shadow: none;
}
.single { --r0: #1a66d6; }
:root[data-theme="dark"] .single { --r0: #5fa2ff; }

* { box-sizing: border-box; }
body {
  margin: 0; background: var(--page); color: var(--ink);
  font: 15px/1.5 Inter, -apple-system, BlinkMacSystemFont, "Segoe UI", Roboto, "Helvetica Neue",
    "Noto Sans", "Liberation Sans", Arial, sans-serif;
  font-variant-numeric: tabular-nums; -webkit-font-smoothing: antialiased;
}
header, main, footer { max-width: 1200px; margin: 0 auto; padding: 0 32px; }
header { padding-top: 28px; }
.brand { display: flex; align-items: center; gap: 10px; color: var(--muted); font-size: 13px;
  font-weight: 600; letter-spacing: .02em; }
.mark { width: 22px; height: 22px; fill: #1a66d6; }
:root[data-theme="dark"] .mark { fill: #5fa2ff; }
#theme { margin-left: auto; font: inherit; font-weight: 500; color: var(--soft); cursor: pointer;
  background: var(--panel); border: 1px solid var(--edge); border-radius: 999px; padding: 3px 14px; }
#theme:hover { border-color: var(--muted); }
h1 { font-size: 34px; line-height: 1.15; letter-spacing: -.022em; font-weight: 700;
  margin: 20px 0 10px; overflow-wrap: anywhere; }
h2 { font-size: 21px; line-height: 1.25; letter-spacing: -.012em; font-weight: 650;
  margin: 52px 0 2px; }
.facts { display: flex; flex-wrap: wrap; gap: 2px 22px; list-style: none; margin: 0; padding: 0;
  color: var(--muted); }
.facts b { color: var(--ink); font-weight: 600; }
.runs { display: flex; flex-wrap: wrap; align-items: center; gap: 8px 18px; margin: 14px 0 22px;
  font-weight: 600; }
.role { margin-left: -8px; padding: 1px 9px; border: 1px solid var(--edge); border-radius: 999px;
  color: var(--muted); font-size: 12px; font-weight: 500; }
.lead { color: var(--muted); margin: 0 0 16px; max-width: 76ch; }

.causes { display: flex; flex-wrap: wrap; gap: 3px 20px; margin: 0 0 14px; font-size: 13px;
  color: var(--soft); }
.free-key::before { content: ""; display: inline-block; width: 20px; margin-right: 8px;
  vertical-align: 4px; border-top: 2px dotted var(--muted); }

.r0 { --run: var(--r0); } .r1 { --run: var(--r1); } .r2 { --run: var(--r2); }
.r3 { --run: var(--r3); } .r4 { --run: var(--r4); } .r5 { --run: var(--r5); }
.chip { display: inline-flex; align-items: center; gap: 7px; overflow-wrap: anywhere; }
.chip::before { content: ""; flex: none; width: 11px; height: 11px; border-radius: 3px;
  background: var(--run); }
.swatch { display: inline-block; width: 11px; height: 11px; border-radius: 3px; margin-right: 8px;
  background: var(--swatch); }
.c0 { --swatch: var(--c0); } .c1 { --swatch: var(--c1); } .c2 { --swatch: var(--c2); }
.c3 { --swatch: var(--c3); } .c4 { --swatch: var(--c4); } .c5 { --swatch: var(--c5); }
.m0 { --swatch: var(--cell); } .m1 { --swatch: var(--m1); } .m2 { --swatch: var(--m2); }
.m3 { --swatch: var(--m3); } .m4 { --swatch: var(--m4); }

.tiles { display: grid; grid-template-columns: repeat(4, minmax(0, 1fr)); gap: 14px; }
.tile, .panel { background: var(--panel); border: 1px solid var(--edge); border-radius: 12px;
  box-shadow: var(--shadow); }
.tile { padding: 15px 17px 13px; display: flex; flex-direction: column; }
.tile h3 { margin: 0 0 6px; font-size: 13px; font-weight: 600; color: var(--soft); }
.figure { display: flex; flex-wrap: wrap; align-items: baseline; justify-content: space-between;
  gap: 0 10px; margin: 0; }
.figure .chip { font-size: 13px; color: var(--soft); }
.figure b { font-size: 20px; font-weight: 650; letter-spacing: -.015em; line-height: 1.45;
  white-space: nowrap; }
.figure .delta { margin: 0 0 3px auto; }
.single .figure b { font-size: 29px; }
.note { margin: auto 0 0; padding-top: 7px; font-size: 12px; line-height: 1.4; color: var(--muted); }
.delta { font-size: 12.5px; font-weight: 600; border-radius: 6px; padding: 1px 7px;
  background: var(--track); color: var(--muted); }
.delta i { font-style: normal; font-size: 9px; vertical-align: 1.5px; }
.delta.better { color: var(--better); background: var(--better-back); }
.delta.worse { color: var(--worse); background: var(--worse-back); }

.panel { padding: 16px 18px; margin: 0 0 14px; }
.panel:empty { display: none; }
figcaption { display: flex; flex-wrap: wrap; align-items: center; gap: 2px 10px; font-size: 14px; }
figcaption b { font-weight: 600; }
figcaption span { color: var(--muted); font-size: 13px; }
figcaption .legend { margin-left: auto; display: flex; flex-wrap: wrap; gap: 2px 14px; }
.grid { display: grid; gap: 14px; }
.grid .panel { margin: 0; min-width: 0; }
.grid + .panel, .panel + .grid, .grid + .grid { margin-top: 14px; }
.two { grid-template-columns: repeat(2, minmax(0, 1fr)); }
.three { grid-template-columns: repeat(3, minmax(0, 1fr)); }

.plot { position: relative; margin-top: 8px; }
.plot svg, .map svg { display: block; max-width: 100%; height: auto; overflow: visible; }
.plot:focus-visible { outline: 2px solid var(--r1); outline-offset: 4px; border-radius: 6px; }
svg text { font-size: 11.5px; fill: var(--muted); font-family: inherit; }
.gridline { stroke: var(--grid); stroke-width: 1; }
.axis { stroke: var(--edge); stroke-width: 1; }
.level { stroke: var(--muted); stroke-width: 1.2; stroke-dasharray: 2 3; }
.line { fill: none; stroke: var(--run); stroke-width: 2; stroke-linejoin: round; }
.wash { fill: var(--run); opacity: .1; stroke: none; }
.layer { stroke: var(--panel); stroke-width: .5; fill: var(--swatch); }
.free { fill: none; stroke: var(--muted); stroke-width: 1.2; stroke-dasharray: 2 3; }
.cross { stroke: var(--muted); stroke-width: 1; }
.dot { fill: var(--run); stroke: var(--panel); stroke-width: 1.5; }
#readout { position: fixed; z-index: 9; pointer-events: none; min-width: 150px; max-width: 340px;
  padding: 9px 12px; border-radius: 9px; font-size: 12.5px; line-height: 1.5; color: var(--ink);
  background: var(--panel); border: 1px solid var(--edge);
  box-shadow: 0 6px 24px rgb(10 16 28 / 22%); }
#readout strong { display: block; font-weight: 650; }
#readout small { color: var(--muted); font-size: 12px; }
#readout dl { display: grid; grid-template-columns: 1fr auto; gap: 0 16px; margin: 3px 0 0; }
#readout dt { display: flex; align-items: center; color: var(--soft); overflow-wrap: anywhere; }
#readout dd { margin: 0; text-align: right; font-weight: 600; white-space: nowrap; }
#readout .swatch { background: var(--run, var(--swatch)); flex: none; }
)css";

}  // namespace berth::sim
