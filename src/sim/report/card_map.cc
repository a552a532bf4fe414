#include "sim/report/card_map.h"

#include <algorithm>
#include <map>
#include <set>

#include "sim/report/svg.h"

namespace berth::sim {
namespace {

constexpr double kCell = 16;
constexpr double kGap = 3;
constexpr double kPitch = kCell + kGap;
constexpr double kTop = 24;      // of the cells, below the heading
constexpr double kBetween = 44;  // the two maps
constexpr double kBeside = 560;  // wider maps lie one above the other
constexpr std::size_t kColours = 6;

using Place = std::pair<std::string, std::uint16_t>;
using Owners = std::map<Place, std::string>;

Owners owners_of(std::span<const OwnedCard> cards) {
  Owners owners;
  for (const OwnedCard& card : cards) owners[{card.node, card.card}] = card.owner;
  return owners;
}

std::set<Place> places_of(const Owners& owners, const std::string& owner) {
  std::set<Place> places;
  for (const auto& [place, name] : owners) {
    if (name == owner) places.insert(place);
  }
  return places;
}

// Who is in both and lies elsewhere in the second.
std::set<std::string> moved_owners(const Owners& before, const Owners& after) {
  std::set<std::string> moved;
  for (const auto& [place, owner] : before) {
    const std::set<Place> then = places_of(before, owner);
    const std::set<Place> now = places_of(after, owner);
    if (!now.empty() && then != now) moved.insert(owner);
  }
  return moved;
}

std::map<std::string, std::size_t> colours_of(const Owners& before, const Owners& after,
                                              const std::set<std::string>& moved) {
  std::map<std::string, std::size_t> colours;
  for (const std::string& owner : moved) colours.emplace(owner, colours.size() % kColours);
  for (const Owners* owners : {&before, &after}) {
    for (const auto& [place, owner] : *owners) colours.emplace(owner, colours.size() % kColours);
  }
  return colours;
}

class CardMap {
 public:
  CardMap(std::span<const MapNode> nodes, std::span<const OwnedCard> before,
          std::span<const OwnedCard> after)
      : nodes_(nodes),
        before_(owners_of(before)),
        after_(owners_of(after)),
        moved_(moved_owners(before_, after_)),
        colours_(colours_of(before_, after_, moved_)) {
    for (const MapNode& node : nodes) most_cards_ = std::max(most_cards_, node.cards);
  }

  std::string draw() const {
    const double wide = std::max(60.0, kPitch * static_cast<double>(nodes_.size()));
    const double high = kTop + kPitch * most_cards_;
    const bool beside = wide <= kBeside;
    Svg svg(beside ? 2 * wide + kBetween : wide, beside ? high : 2 * high + kBetween,
            "Cards before and after");
    draw_one(svg, "before", before_, after_, 0, 0);
    draw_one(svg, "after", after_, before_, beside ? wide + kBetween : 0,
             beside ? 0 : high + kBetween);
    return svg.finish();
  }

 private:
  void draw_one(Svg& svg, std::string_view heading, const Owners& owners, const Owners& other,
                double left, double top) const {
    svg.text(left, top + 12, heading);
    for (std::size_t n = 0; n < nodes_.size(); ++n) {
      for (std::uint16_t c = 0; c < nodes_[n].cards; ++c) {
        draw_cell(svg, {nodes_[n].name, c}, owners, other, left + kPitch * static_cast<double>(n),
                  top + kTop + kPitch * c);
      }
    }
  }

  void draw_cell(Svg& svg, const Place& place, const Owners& owners, const Owners& other, double x,
                 double y) const {
    const std::string name = place.first + ":" + std::to_string(place.second);
    const auto owned = owners.find(place);
    if (owned == owners.end()) {
      svg.rect(x, y, kCell, kCell, "map-cell", name + " free");
      return;
    }
    const std::string colour = "c" + std::to_string(colours_.at(owned->second));
    svg.rect(x, y, kCell, kCell, "map-owned " + colour, name + " " + owned->second);
    const auto counterpart = other.find(place);
    const bool stays = counterpart != other.end() && counterpart->second == owned->second;
    if (!stays && moved_.contains(owned->second)) {
      svg.rect(x, y, kCell, kCell, "map-moved", name + " " + owned->second + " moves");
    }
  }

  std::span<const MapNode> nodes_;
  Owners before_;
  Owners after_;
  std::set<std::string> moved_;
  std::map<std::string, std::size_t> colours_;
  std::uint16_t most_cards_ = 0;
};

}  // namespace

std::string card_map_svg(std::span<const MapNode> nodes, std::span<const OwnedCard> before,
                         std::span<const OwnedCard> after) {
  return CardMap(nodes, before, after).draw();
}

}  // namespace berth::sim
