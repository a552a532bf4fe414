#include "sim/scenario/wording.h"

#include <algorithm>
#include <map>
#include <tuple>

#include "model/rejection.h"

namespace berth::sim {
namespace {

// "[0-3,6]", or "5" for a single number.
std::string ranges_text(const std::vector<std::int64_t>& numbers) {
  std::string text;
  for (std::size_t i = 0; i < numbers.size();) {
    std::size_t end = i + 1;
    while (end < numbers.size() && numbers[end] == numbers[end - 1] + 1) ++end;
    if (!text.empty()) text += ",";
    text += std::to_string(numbers[i]);
    if (end - i > 1) text += "-" + std::to_string(numbers[end - 1]);
    i = end;
  }
  return numbers.size() == 1 ? text : "[" + text + "]";
}

// `value` / `scale`, not negative, with at most `places` digits after the point; half is rounded
// up.
std::string decimal_text(std::int64_t value, std::int64_t scale, int places) {
  std::int64_t unit = 1;
  for (int i = 0; i < places; ++i) unit *= 10;
  const __int128 rounded = (static_cast<__int128>(value) * unit * 2 + scale) / (scale * 2);
  std::string text = grouped(static_cast<std::int64_t>(rounded / unit));
  std::string digits = std::to_string(static_cast<std::int64_t>(rounded % unit) + unit).substr(1);
  digits.erase(digits.find_last_not_of('0') + 1);
  return digits.empty() ? text : text + "." + digits;
}

// What a node's tasks hold: counts per card, starts per card and profile, tasks without cards.
struct NodePlaces {
  std::map<std::int64_t, std::int64_t> cards;
  std::map<std::pair<std::int64_t, std::string>, std::vector<std::int64_t>> instances;
  std::int64_t bare = 0;
};

void add_grant(const engine::ClusterState& state, const engine::NodeRecord& node,
               const CardGrant& grant, std::map<std::string, NodePlaces>& places) {
  NodePlaces& at = places[node.spec->name];
  if (grant.mode != CardMode::kMig) {
    ++at.cards[grant.card];
    return;
  }
  const engine::CardKind& kind = state.card_kind(node.cards[grant.card].kind);
  const auto& placement = kind.mig->placement(engine::MigPlacementIndex(grant.placement));
  const std::string& profile = kind.gpu->mig_profiles[placement.profile.value()].name;
  at.instances[{grant.card, profile}].push_back(placement.start);
}

void append(std::string& text, const std::string& item) {
  if (!text.empty()) text += " ";
  text += item;
}

std::string node_text(const std::string& node, NodePlaces& places) {
  std::string text;
  if (places.bare > 0)
    append(text, places.bare == 1 ? node : node + "x" + std::to_string(places.bare));
  std::map<std::int64_t, std::vector<std::int64_t>> by_count;
  for (const auto& [card, count] : places.cards) by_count[count].push_back(card);
  for (const auto& [count, cards] : by_count) {
    append(text, cards_text(node, cards) + (count > 1 ? "x" + std::to_string(count) : ""));
  }
  for (auto& [where, starts] : places.instances) {
    std::sort(starts.begin(), starts.end());
    append(text, node + ":" + std::to_string(where.first) + "/" + where.second + "@" +
                     ranges_text(starts));
  }
  return text;
}

}  // namespace

std::string cards_text(const std::string& node, const std::vector<std::int64_t>& cards) {
  return node + ":" + ranges_text(cards);
}

std::string place_text(const engine::ClusterState& state, const std::vector<TaskPlacement>& tasks) {
  std::map<std::string, NodePlaces> places;
  for (const TaskPlacement& task : tasks) {
    const engine::NodeRecord& node = state.node(task.node);
    if (task.grants.empty()) ++places[node.spec->name].bare;
    for (const CardGrant& grant : task.grants) add_grant(state, node, grant, places);
  }
  std::string text;
  for (auto& [node, at] : places) append(text, node_text(node, at));
  return text;
}

std::string layout_text(const engine::ClusterState& state, NodeIndex node,
                        const std::vector<std::uint8_t>& placements) {
  std::vector<std::pair<std::string, std::vector<std::int64_t>>> profiles;
  for (const MigInstanceSpec& one : state.instances_of(node, placements)) {
    if (profiles.empty() || profiles.back().first != one.profile) {
      profiles.emplace_back(one.profile, std::vector<std::int64_t>());
    }
    profiles.back().second.push_back(one.start);
  }
  std::string text;
  for (const auto& [profile, starts] : profiles) append(text, profile + "@" + ranges_text(starts));
  return text.empty() ? "nothing" : text;
}

std::string percent_text(CardUnits units) { return decimal_text(units * 100, kCard, 2) + " %"; }

std::string cards_amount_text(CardUnits units) {
  return decimal_text(units, kCard, 4) + (units == kCard ? " card" : " cards");
}

std::string held_text(const HeldAmount& held) {
  if (held.cards > 0) return cards_amount_text(held.cards);
  const std::string memory = memory_text(held.memory_mib * kEighthsPerMib) + " of memory";
  if (held.cpu_milli == 0) return memory;
  const std::string cpus = cpu_text(held.cpu_milli) + (held.cpu_milli == 1000 ? " CPU" : " CPUs");
  return held.memory_mib > 0 ? cpus + ", " + memory : cpus;
}

std::string memory_text(MemoryEighths eighths) {
  return decimal_text(eighths, kEighthsPerMib, 3) + " MiB";
}

std::string amounts_text(const Charge& charge) {
  return cards_amount_text(charge.compute) + ", " + memory_text(charge.memory);
}

std::string duration_text(DurationMs duration) {
  if (duration < 0) return "-" + duration_text(-duration);
  constexpr std::pair<DurationMs, const char*> kUnits[] = {
      {24 * kHourMs, " d"}, {kHourMs, " h"}, {kMinuteMs, " min"}, {kSecondMs, " s"}, {1, " ms"}};
  std::string text;
  for (const auto& [unit, name] : kUnits) {
    if (unit == 24 * kHourMs && duration < 2 * unit) continue;  // "36 h", as in the reports
    const DurationMs count = duration / unit;
    duration %= unit;
    if (count == 0) continue;
    const bool padded = !text.empty() && count < 10 && unit > 1;
    append(text, (padded ? "0" : "") + grouped(count) + name);
  }
  return text.empty() ? "0 s" : text;
}

std::string rounded_text(DurationMs duration) {
  if (duration < 10 * kSecondMs) return duration_text(duration);
  return duration_text((duration + kSecondMs / 2) / kSecondMs * kSecondMs);
}

std::string cpu_text(CpuMilli milli) { return decimal_text(milli, 1000, 3); }

std::string money_text(MicroMoney micro) {
  std::string digits = std::to_string(micro % 1'000'000 + 1'000'000).substr(1);
  while (!digits.empty() && digits.back() == '0') digits.pop_back();
  const std::string whole = grouped(micro / 1'000'000);
  return digits.empty() ? whole : whole + "." + digits;
}

}  // namespace berth::sim
