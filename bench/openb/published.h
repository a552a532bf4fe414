// What has been published or computed elsewhere about the seventeen openb traces, to check against.
// Owns: the figures. Must never enter a decision or a bound.
//
// Allocation: results of the FGD artifact, hkust-adsl/kubernetes-scheduler-simulator commit 8f3d641
// (means of ten seeds). Bounds: the same linear programs solved by GLPK, the greedy one good to
// about 0.1 points.
#pragma once

#include <optional>
#include <string_view>

namespace berth::bench::openb {

// GPU allocation in % when so much had arrived.
struct AtPoints {
  double at_100 = 0;
  double at_130 = 0;
};

// Of a baseline by its name among the contestants, on a built-in trace.
std::optional<AtPoints> published(std::string_view trace, std::string_view policy);

std::optional<AtPoints> known_lp_bound(std::string_view trace);
std::optional<AtPoints> known_greedy_bound(std::string_view trace);

}  // namespace berth::bench::openb
