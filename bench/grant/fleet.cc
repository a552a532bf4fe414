#include "bench/grant/fleet.h"

namespace berth::bench::grant {
namespace {

constexpr std::size_t kNodesPerRack = 25;

}  // namespace

std::string fleet_text(const Size& size) {
  const auto cards = [](std::size_t nodes) { return std::to_string(nodes * kCardsPerNode); };
  return "queues:\n  - {name: batch, quotas: [{limit: " + cards(size.batch_nodes()) +
         "}]}\n  - {name: serving, quotas: [{guarantee: " + cards(size.nodes - size.batch_nodes()) +
         "}]}\ntopology:\n  levels: [node, rack]\nnodes:\n  - name: \"node-[1-" +
         std::to_string(size.nodes) +
         "]\"\n    model: H100-SXM5-80GB\n    cpu: 128\n    memory: 1TiB\n    cards: " +
         std::to_string(kCardsPerNode) + "\n    domains: {rack: \"rack-[1-" +
         std::to_string(size.nodes / kNodesPerRack) + "]\"}\n";
}

}  // namespace berth::bench::grant
