// The fixed parts of the page: style and script, each as text. They name no run and load nothing.
#pragma once

#include <string_view>

namespace berth::sim {

extern const std::string_view kStyleCss;
extern const std::string_view kChartCss;  // charts that are drawn without script
extern const std::string_view kTableCss;  // tables, map, print
extern const std::string_view kCoreJs;    // data, numbers, scales, read-outs; first of the scripts
extern const std::string_view kChartsJs;  // lines, stacked areas, waits
extern const std::string_view kFleetJs;   // the fleet map, and the start of everything

}  // namespace berth::sim
