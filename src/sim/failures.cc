#include "sim/failures.h"

#include <algorithm>
#include <cmath>
#include <map>

#include "engine/state/topology_levels.h"

namespace berth::sim {
namespace {

constexpr std::uint32_t kAlone = ~std::uint32_t{0};

enum class Purpose : std::uint64_t { kHardware = 11, kSpots };

Rng stream(std::uint64_t seed, Purpose purpose) {
  return Rng(seed).fork(static_cast<std::uint64_t>(purpose));
}

// Exponential; at least a millisecond, so that time goes on.
DurationMs draw_gap(double per_hour, Rng& rng) {
  if (per_hour <= 0) return kNever;
  const double hours = -std::log(1.0 - rng.unit()) / per_hour;
  const double ms = std::ceil(hours * static_cast<double>(kHourMs));
  return ms < 1e15 ? std::max<DurationMs>(1, static_cast<DurationMs>(ms)) : kNever;
}

bool happens(Ppm part, Rng& rng) { return rng.below(kPpmOne) < static_cast<std::uint64_t>(part); }

std::string level_of(const FailureSpec& spec, const TopologySpec& topology) {
  if (!spec.domain.empty()) return spec.domain;
  const std::vector<std::string> above = engine::levels_above_node(topology);
  return above.empty() ? std::string() : above.front();
}

}  // namespace

Status check_failures(const FailureSpec& spec, const TopologySpec& topology) {
  if (spec.domain.empty()) return {};
  const std::vector<std::string> above = engine::levels_above_node(topology);
  if (std::find(above.begin(), above.end(), spec.domain) != above.end()) return {};
  std::string known;
  for (const std::string& level : above) known += (known.empty() ? "" : ", ") + level;
  return invalid("'" + spec.domain + "' is not a level above the node; " +
                     (known.empty() ? "the fleet has none" : known + " are accepted"),
                 "failures.domain");
}

Failures::Failures(const FailureSpec& spec, const TopologySpec& topology,
                   const std::vector<PartitionSpec>& partitions, const std::vector<NodeSpec>& nodes,
                   std::uint64_t seed)
    : spec_(spec),
      reset_(spec.reset),
      hold_(spec.hold),
      away_(spec.away),
      hardware_(stream(seed, Purpose::kHardware)),
      spots_(stream(seed, Purpose::kSpots)) {
  const std::string level = level_of(spec, topology);
  std::map<std::string, std::uint32_t> domains;
  std::uint64_t cards = 0;
  for (std::size_t n = 0; n < nodes.size(); ++n) {
    const NodeIndex node(static_cast<std::uint32_t>(n));
    cards += nodes[n].cards.size();
    cards_before_.push_back(cards);
    domain_.push_back(kAlone);
    for (const auto& [of, name] : nodes[n].domains) {
      if (of != level) continue;
      const auto next = static_cast<std::uint32_t>(of_domain_.size());
      domain_[n] = domains.try_emplace(name, next).first->second;
      if (domain_[n] == next) of_domain_.emplace_back();
      of_domain_[domain_[n]].push_back(node);
    }
    for (const PartitionSpec& partition : partitions) {
      const bool is_its = partition.name == nodes[n].partition;
      if (is_its && partition.kind == PartitionKind::kSpot) spot_.push_back(node);
    }
  }
}

DurationMs Failures::until_failure() {
  const std::uint64_t cards = cards_before_.empty() ? 0 : cards_before_.back();
  return draw_gap((spec_.card_per_hour + spec_.node_per_hour) * static_cast<double>(cards),
                  hardware_);
}

// The same draws whatever comes of them.
Strike Failures::strike() {
  const std::uint64_t card = hardware_.below(cards_before_.back());
  const double kind = hardware_.unit() * (spec_.card_per_hour + spec_.node_per_hour);
  const bool together = happens(spec_.correlated_ppm, hardware_);
  const bool soon = happens(spec_.reset_ppm, hardware_);
  const DurationMs reset = reset_.draw(hardware_);
  const DurationMs hold = hold_.draw(hardware_);
  const std::size_t node = node_of_card(card);
  Strike strike;
  strike.repair_ms = std::max<DurationMs>(1, soon ? reset : hold);
  strike.nodes = {NodeIndex(static_cast<std::uint32_t>(node))};
  if (together && domain_[node] != kAlone) {
    strike.nodes = of_domain_[domain_[node]];
  } else if (kind < spec_.card_per_hour) {
    strike.cause = Interruption::kCardFailure;
    strike.card = static_cast<std::uint16_t>(card - (node == 0 ? 0 : cards_before_[node - 1]));
  }
  return strike;
}

std::size_t Failures::node_of_card(std::uint64_t card) const {
  const auto at = std::upper_bound(cards_before_.begin(), cards_before_.end(), card);
  return static_cast<std::size_t>(at - cards_before_.begin());
}

DurationMs Failures::until_notice() {
  return draw_gap(spec_.spot_per_hour * static_cast<double>(spot_.size()), spots_);
}

NodeIndex Failures::noticed() { return spot_[spots_.below(spot_.size())]; }

}  // namespace berth::sim
