#include "sim/report/assets.h"

namespace berth::sim {

// What was done again is warm, what was spent on saving and starting again is cool, what idled
// grey.
const std::string_view kChartCss = R"css(
.w-eviction { --swatch: var(--c4); } .w-node-failure { --swatch: #8a2f0a; }
.w-card-failure { --swatch: var(--c3); } .w-spot-interruption { --swatch: var(--c5); }
.w-crash { --swatch: #6d5a4a; }
.w-checkpoint-asked { --swatch: var(--c0); }
.w-suspend { --swatch: var(--c2); } .w-restart { --swatch: var(--r4); }
.w-draining { --swatch: #b4bdc9; } .w-stalled { --swatch: #7b8798; }
.g-pause { --swatch: #a8d8c8; } .g-suspend { --swatch: var(--c2); } .g-shrink { --swatch: var(--c1); }
.g-move { --swatch: var(--c0); } .g-checkpoint-evict { --swatch: var(--c3); }
.g-kill { --swatch: var(--c4); }
.t-guarantee { --swatch: var(--c0); } .t-share { --swatch: var(--c2); }
.t-rank { --swatch: var(--c4); } .t-service { --swatch: var(--c5); }
:root[data-theme="dark"] .w-node-failure { --swatch: #c0613a; }
:root[data-theme="dark"] .w-crash { --swatch: #a8917e; }
.scroll + .scroll { margin-top: 22px; }
.picture { margin-top: 8px; }
.picture svg { display: block; width: 100%; height: auto; }
.bar-part { fill: var(--swatch); }
.bar-part:hover { filter: brightness(1.15); }
.stem { stroke: var(--swatch); stroke-width: 1; opacity: .45; }
.stem-dot { fill: var(--swatch); fill-opacity: .8; stroke: var(--panel); stroke-width: 1; }
.stem-dot:hover { fill-opacity: 1; stroke: var(--ink); }
.figure-causes { display: flex; flex-wrap: wrap; gap: 2px 16px; margin: 8px 0 0; font-size: 12.5px;
  color: var(--soft); }
.victims { color: var(--soft); font-size: 12.5px; }
.victims span { white-space: nowrap; }
.when { white-space: nowrap; }
.card-map svg { display: block; max-width: 100%; height: auto; }
.map-cell { fill: var(--cell); } .map-owned { fill: var(--swatch); }
.map-moved { fill: none; stroke: var(--ink); stroke-width: 1.8; }
)css";

}  // namespace berth::sim
