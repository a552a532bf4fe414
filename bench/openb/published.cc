#include "bench/openb/published.h"

#include <algorithm>
#include <array>

namespace berth::bench::openb {
namespace {

constexpr std::array<std::string_view, 6> kPolicies = {"random",  "dotprod", "clustering",
                                                       "packing", "bestfit", "fgd"};

struct Figures {
  std::string_view trace;
  std::array<AtPoints, kPolicies.size()> policies;
  AtPoints lp;
  AtPoints greedy;
};

constexpr std::array<Figures, 17> kFigures = {{
    {"default",
     {{{86.30, 87.47},
       {90.62, 90.85},
       {91.65, 91.88},
       {91.78, 92.00},
       {92.86, 93.08},
       {95.23, 95.39}}},
     {96.90, 99.89},
     {96.33, 96.44}},
    {"cpu050",
     {{{89.02, 91.24},
       {93.03, 93.27},
       {93.52, 93.79},
       {93.46, 93.72},
       {93.56, 93.79},
       {95.00, 95.21}}},
     {96.90, 99.89},
     {96.33, 96.44}},
    {"cpu100",
     {{{87.44, 89.11},
       {91.73, 91.95},
       {92.42, 92.64},
       {92.50, 92.72},
       {93.26, 93.44},
       {95.21, 95.35}}},
     {96.90, 99.89},
     {96.33, 96.44}},
    {"cpu200",
     {{{83.03, 83.77},
       {87.45, 87.70},
       {89.67, 89.92},
       {89.98, 90.22},
       {92.15, 92.40},
       {94.82, 95.05}}},
     {96.90, 99.89},
     {96.33, 96.44}},
    {"cpu250",
     {{{80.00, 80.42},
       {83.57, 83.81},
       {87.75, 87.99},
       {88.05, 88.28},
       {91.21, 91.45},
       {93.20, 93.41}}},
     {96.90, 99.89},
     {96.33, 96.44}},
    {"gpushare40",
     {{{84.86, 86.00},
       {89.30, 89.56},
       {89.76, 90.02},
       {89.77, 90.03},
       {91.44, 91.69},
       {93.96, 94.15}}},
     {95.65, 99.23},
     {94.94, 95.12}},
    {"gpushare60",
     {{{82.81, 83.65},
       {86.82, 87.11},
       {86.90, 87.20},
       {87.15, 87.45},
       {89.06, 89.36},
       {91.25, 91.40}}},
     {93.35, 97.05},
     {92.55, 93.08}},
    {"gpushare80",
     {{{80.62, 81.22},
       {84.14, 84.49},
       {84.50, 84.85},
       {84.65, 85.00},
       {86.66, 87.01},
       {89.08, 89.30}}},
     {91.40, 94.52},
     {90.82, 92.11}},
    {"gpushare100",
     {{{78.90, 79.44},
       {81.98, 82.42},
       {82.22, 82.65},
       {82.13, 82.57},
       {84.62, 85.01},
       {86.64, 86.90}}},
     {89.16, 91.61},
     {89.16, 91.61}},
    {"gpuspec10",
     {{{86.26, 87.43},
       {90.17, 90.39},
       {91.96, 92.18},
       {92.24, 92.46},
       {93.10, 93.30},
       {94.66, 94.95}}},
     {96.90, 99.89},
     {96.43, 96.53}},
    {"gpuspec20",
     {{{85.90, 87.24},
       {88.29, 89.97},
       {89.11, 92.25},
       {89.28, 92.94},
       {88.46, 93.30},
       {94.66, 94.84}}},
     {96.90, 99.89},
     {96.52, 96.66}},
    {"gpuspec25",
     {{{85.42, 86.94},
       {85.44, 89.63},
       {86.41, 92.08},
       {86.77, 92.98},
       {85.67, 93.23},
       {93.91, 94.74}}},
     {96.90, 99.89},
     {96.54, 96.78}},
    {"gpuspec33",
     {{{83.87, 86.46},
       {79.82, 89.14},
       {81.09, 92.12},
       {82.22, 93.22},
       {80.39, 93.09},
       {87.84, 94.55}}},
     {96.53, 99.79},
     {95.93, 96.83}},
    {"multigpu20",
     {{{86.92, 88.69},
       {91.85, 92.06},
       {93.34, 93.56},
       {93.50, 93.71},
       {93.73, 93.93},
       {95.53, 95.65}}},
     {97.34, 100.00},
     {96.83, 96.92}},
    {"multigpu30",
     {{{86.63, 89.27},
       {93.11, 93.28},
       {94.55, 94.72},
       {94.70, 94.87},
       {94.57, 94.72},
       {96.36, 96.46}}},
     {97.67, 100.00},
     {97.21, 97.29}},
    {"multigpu40",
     {{{85.38, 90.09},
       {94.04, 94.19},
       {95.35, 95.50},
       {95.59, 95.74},
       {95.10, 95.23},
       {96.91, 96.99}}},
     {98.00, 100.00},
     {97.60, 97.67}},
    {"multigpu50",
     {{{81.28, 90.27},
       {94.73, 94.85},
       {95.69, 95.81},
       {96.06, 96.18},
       {95.62, 95.74},
       {97.09, 97.18}}},
     {98.34, 100.00},
     {98.00, 98.05}},
}};

const Figures* figures_of(std::string_view trace) {
  const auto* found = std::find_if(kFigures.begin(), kFigures.end(),
                                   [&](const Figures& f) { return f.trace == trace; });
  return found == kFigures.end() ? nullptr : found;
}

}  // namespace

std::optional<AtPoints> published(std::string_view trace, std::string_view policy) {
  const Figures* figures = figures_of(trace);
  const auto* found = std::find(kPolicies.begin(), kPolicies.end(), policy);
  if (figures == nullptr || found == kPolicies.end()) return std::nullopt;
  return figures->policies[static_cast<std::size_t>(found - kPolicies.begin())];
}

std::optional<AtPoints> known_lp_bound(std::string_view trace) {
  const Figures* figures = figures_of(trace);
  return figures == nullptr ? std::nullopt : std::optional(figures->lp);
}

std::optional<AtPoints> known_greedy_bound(std::string_view trace) {
  const Figures* figures = figures_of(trace);
  return figures == nullptr ? std::nullopt : std::optional(figures->greedy);
}

}  // namespace berth::bench::openb
