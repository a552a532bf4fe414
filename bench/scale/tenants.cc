#include "bench/scale/tenants.h"

#include <algorithm>
#include <cstdio>
#include <utility>

#include "bench/common/arguments.h"
#include "codec/gpu_model_codec.h"

namespace berth::bench::scale {
namespace {

// Of 32 pods: half are of the first model, three are cut into MIG instances.
constexpr std::size_t kFirstAmperePod = 16;
constexpr std::size_t kFirstMigPod = 26;
constexpr std::size_t kFirstAdaPod = 29;

// Parts of the fleet in thousandths: all organisations are guaranteed 900 together.
constexpr std::int64_t kGuaranteedMilli = 900;
constexpr std::int64_t kLimitOfGuaranteeMilli = 1500;  // of every fourth project

std::string numbered(const char* pattern, std::size_t number) {
  char text[32];
  std::snprintf(text, sizeof(text), pattern, number);
  return text;
}

Result<std::vector<GpuModel>> models() {
  auto all = codec::load_gpu_catalog(data_folder() + "/gpus");
  if (!all) return fail(ErrorCode::kNotFound, all.error().to_text());
  std::erase_if(*all, [](const GpuModel& model) {
    return model.name != kHopper && model.name != kAmpere && model.name != kAda;
  });
  return std::move(*all);
}

const char* model_of_pod(std::size_t pod) {
  if (pod < kFirstAmperePod) return kHopper;
  return pod < kFirstAdaPod ? kAmpere : kAda;
}

// Two kinds of host: every other leaf has fewer cores for each card.
NodeSpec node_of(std::size_t number, std::size_t nodes) {
  const std::size_t pod = number / (nodes / kPods);
  const std::size_t leaf = number / kNodesPerLeaf;
  NodeSpec node;
  node.name = numbered("node-%05zu", number);
  node.model = model_of_pod(pod);
  node.cpu_milli = leaf % 2 == 0 ? 192'000 : 128'000;
  node.memory_mib = leaf % 2 == 0 ? 2'097'152 : 1'048'576;
  node.domains = {{"leaf", numbered("leaf-%04zu", leaf)}, {"pod", numbered("pod-%02zu", pod)}};
  node.cards.resize(kCardsPerNode);
  const bool cut = pod >= kFirstMigPod && pod < kFirstAdaPod;
  for (CardSpec& card : node.cards) card.mig = cut ? MigRegime::kDynamic : MigRegime::kOff;
  return node;
}

QueueSpec queue_of(std::string name, std::string parent) {
  QueueSpec queue;
  queue.name = std::move(name);
  queue.parent = std::move(parent);
  return queue;
}

// Guarantees are of all models together; most organisations have some of the first one as well.
void add_organisation(std::size_t number, CardUnits cards, Tenants& tenants) {
  const QueueSpec organisation = queue_of(numbered("org-%02zu", number), "");
  tenants.queues.push_back(organisation);
  const CardUnits guarantee = cards * kGuaranteedMilli / 1000 /
                              static_cast<CardUnits>(kOrganisations * kTeams * kProjects) * kCard;
  for (std::size_t t = 0; t < kTeams; ++t) {
    const QueueSpec team =
        queue_of(organisation.name + numbered("-team-%zu", t), organisation.name);
    tenants.queues.push_back(team);
    for (std::size_t p = 0; p < kProjects; ++p) {
      QueueSpec project = queue_of(team.name + numbered("-%02zu", p), team.name);
      FlavourQuota quota;
      quota.guarantee = guarantee;
      quota.weight = static_cast<std::uint32_t>(1 + p % 3);
      if (p % 4 == 3) quota.limit = guarantee * kLimitOfGuaranteeMilli / 1000;
      project.quotas.push_back(quota);
      tenants.projects.push_back(project.name);
      tenants.queues.push_back(std::move(project));
    }
  }
}

}  // namespace

Result<Tenants> tenants_of(const Size& size) {
  if (size.nodes == 0 || size.nodes % (kPods * kNodesPerLeaf) != 0) {
    return invalid("is " + std::to_string(size.nodes) + "; a multiple of " +
                       std::to_string(kPods * kNodesPerLeaf) + " is accepted",
                   "--nodes");
  }
  auto known = models();
  if (!known) return tl::unexpected(known.error());
  Tenants tenants;
  tenants.models = std::move(*known);
  tenants.topology.levels = {"card", "island", "node", "leaf", "pod"};
  for (std::size_t o = 0; o < kOrganisations; ++o) {
    add_organisation(o, static_cast<CardUnits>(size.cards()), tenants);
  }
  for (std::size_t n = 0; n < size.nodes; ++n) tenants.nodes.push_back(node_of(n, size.nodes));
  return tenants;
}

}  // namespace berth::bench::scale
