#include "engine/cycle/card_shortage.h"

#include <algorithm>
#include <array>
#include <optional>

#include "engine/placement/filters.h"

namespace berth::engine {
namespace {

class Shortage {
 public:
  Shortage(const ClusterState& state, const Shape& shape) : state_(state), shape_(shape) {}

  CardShortage run(const NodeRecord& node, std::size_t r) const {
    const DeviceRequest& request = shape_.request.devices[r];
    std::int64_t fitting = 0;
    std::array<std::int64_t, kCardsPerNodeLimit> in_island = {};
    for (const CardState& card : node.cards) {
      const CardKind& kind = state_.card_kind(card.kind);
      const CardAsk ask = state_.ask(shape_, r, card.kind);
      if (sharing_mode(ask.mode).refuses(kind, card, ask)) continue;
      ++fitting;
      ++in_island[kind.island % kCardsPerNodeLimit];
    }
    const std::vector<Number> asked_free = {{"asked", request.count}, {"free", fitting}};
    if (asks_island(request) && fitting >= request.count) {
      const std::int64_t most = *std::max_element(in_island.begin(), in_island.end());
      return {{Rule::kDomain, node.spec->name, {{"asked", request.count}, {"free", most}}}, most};
    }
    if (request.kind == ShareKind::kMig) return {{Rule::kMigPlacement, {}, asked_free}, fitting};
    if (request.kind == ShareKind::kWhole) return {{Rule::kCards, {}, asked_free}, fitting};
    if (request.count > 1) return {{Rule::kDistinctCards, {}, asked_free}, fitting};
    return share_shortage(node, r);
  }

 private:
  // The cards of a node by what they say to one share that none of them can take.
  struct ShareTally {
    CardAsk asked;             // the cards of a node are of one model
    std::optional<Rule> rule;  // of the first card with room enough that is refused all the same
    std::int64_t refused = 0;  // by that rule
    std::int64_t in_use = 0;   // nothing free, or in another mode and less than asked
    std::int64_t small = 0;    // less free than asked
    std::int64_t most_memory = 0;
    std::int64_t most_compute = 0;
    Rejection lacks;
  };

  ShareTally tally_share(const NodeRecord& node, std::size_t r) const {
    ShareTally tally;
    tally.lacks = {Rule::kCardShort, node.spec->name, {}};
    for (std::size_t c = 0; c < node.cards.size(); ++c) {
      const CardState& card = node.cards[c];
      const CardAsk ask = state_.ask(shape_, r, card.kind);
      const auto rule = sharing_mode(ask.mode).refuses(state_.card_kind(card.kind), card, ask);
      const bool enough = ask.compute <= card.compute_free && ask.memory <= card.memory_free;
      tally.asked = ask;
      if (rule && (enough || !card.usable())) {
        if (!tally.rule) tally.rule = rule;
        if (*tally.rule == *rule) ++tally.refused;
        continue;
      }
      add_lack(tally.lacks, static_cast<std::int64_t>(c), card, ask);
      const bool full =
          (ask.compute > 0 && card.compute_free == 0) || (ask.memory > 0 && card.memory_free == 0);
      if (full || (!card.is_empty() && card.mode != ask.mode)) {
        ++tally.in_use;
        continue;
      }
      ++tally.small;
      tally.most_memory = std::max<std::int64_t>(tally.most_memory, card.memory_free);
      tally.most_compute = std::max<std::int64_t>(tally.most_compute, card.compute_free);
    }
    return tally;
  }

  // One share that no single card can take.
  CardShortage share_shortage(const NodeRecord& node, std::size_t r) const {
    const DeviceRequest& request = shape_.request.devices[r];
    const ShareTally tally = tally_share(node, r);
    if (tally.rule && tally.small == 0) {
      Rejection why{*tally.rule, node.spec->name, {{"cards", tally.refused}}};
      if (tally.in_use > 0) why.numbers.push_back({"in_use", tally.in_use});
      return {std::move(why), 1};  // nearer than a node on which all is in use
    }
    const std::int64_t usable =
        std::max<std::int64_t>(1, state_.card_kind(node.cards[0].kind).usable);
    const std::int64_t nearness = tally.most_compute + tally.most_memory * kCard / usable;
    if (request.compute > 0 && request.memory_mib.value_or(0) > 0) return {tally.lacks, nearness};
    if (request.compute == 0) {
      return {{Rule::kCardShort,
               node.spec->name,
               {{"asked_mib", tally.asked.memory / kEighthsPerMib},
                {"free_mib", tally.most_memory / kEighthsPerMib}}},
              nearness};
    }
    return {{Rule::kCardShort,
             node.spec->name,
             {{"asked_compute_ppm", tally.asked.compute * kPpmOne / kCard},
              {"free_compute_ppm", tally.most_compute * kPpmOne / kCard}}},
            nearness};
  }

  static void add_lack(Rejection& lacks, std::int64_t index, const CardState& card,
                       const CardAsk& ask) {
    const std::int64_t memory = ask.memory - card.memory_free;
    const std::int64_t compute = ask.compute - card.compute_free;
    if (memory <= 0 && compute <= 0) return;
    lacks.numbers.push_back({"card", index});
    if (memory > 0) {
      lacks.numbers.push_back({"lacks_mib", (memory + kEighthsPerMib - 1) / kEighthsPerMib});
    }
    if (compute > 0) {
      lacks.numbers.push_back({"lacks_compute_ppm", compute * kPpmOne / kCard});
    }
  }

  const ClusterState& state_;
  const Shape& shape_;
};

}  // namespace

CardShortage card_shortage(const ClusterState& state, const Shape& shape, const NodeRecord& node,
                           std::size_t request) {
  return Shortage(state, shape).run(node, request);
}

}  // namespace berth::engine
