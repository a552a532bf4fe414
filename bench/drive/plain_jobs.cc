#include "bench/drive/plain_jobs.h"

#include <memory>
#include <utility>

namespace berth::bench {
namespace {

Role role_of(const std::string& name, int tasks, int cards) {
  Container container;
  container.name = "main";
  container.devices.count = static_cast<std::uint32_t>(cards);
  Role role;
  role.name = name;
  role.count = static_cast<std::uint32_t>(tasks);
  role.containers.push_back(std::move(container));
  return role;
}

}  // namespace

JobSpecPtr plain_job(const std::string& queue, int cards, int cards_per_node) {
  auto spec = std::make_shared<JobSpec>();
  spec->queue = queue;
  const int whole = cards / cards_per_node;
  const int rest = cards % cards_per_node;
  if (whole > 0) spec->roles.push_back(role_of("main", whole, cards_per_node));
  if (rest > 0) spec->roles.push_back(role_of(whole > 0 ? "rest" : "main", 1, rest));
  return spec;
}

NodeSpec plain_node(const std::string& name, int cards) {
  NodeSpec node;
  node.name = name;
  node.model = kPlainModel;
  node.cpu_milli = 128'000;
  node.memory_mib = 2 * 1024 * 1024;
  node.cards.resize(static_cast<std::size_t>(cards));
  return node;
}

}  // namespace berth::bench
