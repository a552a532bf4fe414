// Charts over the virtual time of a run, drawn without script: stacked bars, and dots on stems.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/units.h"

namespace berth::sim {

// A part of each bar, the same in all of them.
struct BarPart {
  std::string label;
  std::string classes;  // of its colour
};

struct BarChart {
  std::string label;  // what it shows, for those who don't see it
  std::string unit;   // "GPU-hours"
  int decimals = 0;   // of its values
  double width = 520;
  DurationMs duration_ms = 0;
  std::vector<BarPart> parts;
  std::vector<std::vector<double>> bars;  // of equal spans of time, each with one value per part
  double most = 0;                        // the scale ends at or above it
};

std::string bar_chart_svg(const BarChart& chart);

struct Stem {
  TimeMs at_ms = 0;
  double value = 0;
  double weight = 0;    // area of its dot, 0 to 1
  std::string classes;  // of its colour
  std::string title;
};

struct StemChart {
  std::string label;
  std::string unit;
  double width = 1100;
  DurationMs duration_ms = 0;
  std::vector<Stem> stems;
  double most = 0;
};

// On a scale of square roots, so that one card can be seen beside hundreds.
std::string stem_chart_svg(const StemChart& chart);

}  // namespace berth::sim
