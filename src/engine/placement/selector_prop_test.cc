// Random fleets and jobs with selectors: a task lies only on cards that its selector, evaluated on
// its own with all labels of the node, selects; a job that waits has no such cards free; and
// neither the order in which nodes join nor when a job comes, before or after them, matters.
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "base/rng.h"
#include "engine/cycle/engine.h"
#include "engine/engine_testing.h"
#include "engine/state/invariants.h"
#include "engine/state/selected_device.h"
#include "model/testing.h"
#include "selector/selector.h"

namespace berth::engine {
namespace {

namespace t = berth::testing;

// What is declared and submitted, in an order that a test may change.
struct Script {
  std::vector<NodeSpec> nodes;
  std::vector<JobSpec> jobs;
};

Script random_script(Rng& rng) {
  Script script;
  static const std::vector<std::string> kModels = {"plain", "small", "grid"};
  for (std::size_t n = 0; n < 3 + rng.below(8); ++n) {
    const std::string& model = kModels[rng.below(kModels.size())];
    const std::string name = "n" + std::to_string(n);
    NodeSpec node = model == "grid" ? t::mig_node(name, model, 2) : t::node(name, model, 2);
    if (rng.below(4) == 0) node.card_memory_mib = 60'000;
    if (rng.below(2) == 0) node.labels.emplace_back("rack", rng.below(2) == 0 ? "a" : "b");
    if (rng.below(3) == 0) node.labels.emplace_back("example.com/zone", "z");
    node.labels.emplace_back("host", name);
    script.nodes.push_back(std::move(node));
  }
  for (std::size_t j = 0; j < 4 + rng.below(16); ++j) {
    DeviceRequest devices = t::whole(static_cast<std::uint32_t>(1 + rng.below(2)));
    if (rng.below(3) == 0) devices = t::share(kCard / 2);
    if (rng.below(4) == 0) devices = t::mig(rng.below(2) == 0 ? "2g.20gb" : "3g.40gb");
    if (rng.below(4) != 0) {
      devices.selector = testing::kSomeSelectors[rng.below(testing::kSomeSelectors.size())];
    }
    if (rng.below(12) == 0) devices.selector = "device.attributes['berth'].host == 'n2'";
    if (rng.below(6) == 0 && devices.kind != ShareKind::kMig) devices.models = {"plain", "grid"};
    script.jobs.push_back(t::job("q", devices));
  }
  return script;
}

class World : public testing::StillEngine {
 public:
  World() {
    run(DeclareModel{t::plain_model("plain", 40'000)});
    run(DeclareModel{t::plain_model("small", 16'000)});
    run(DeclareModel{t::grid_model("grid")});
    run(DeclareQueue{t::queue("q")});
  }

  void join(const std::vector<NodeSpec>& nodes) {
    for (const NodeSpec& node : nodes) run(JoinNode{node});
  }
  void submit(const std::vector<JobSpec>& jobs) {
    for (std::size_t j = 0; j < jobs.size(); ++j) {
      run(t::submit("j" + std::to_string(j), jobs[j]).body);
    }
  }
  void plan() {
    cycle();
    RC_ASSERT(broken_invariants(state()).empty());
  }

  // Job -> node, by names.
  std::map<std::string, std::string> places() const {
    std::map<std::string, std::string> found;
    for (const LeaseId id : state().leases().sorted_ids()) {
      const Lease& lease = state().leases().at(id);
      found[state().find_job(lease.job)->name] = state().node(lease.placement.node).spec->name;
    }
    return found;
  }
};

bool selects(const World& world, const DeviceRequest& request, const NodeSpec& node) {
  if (request.selector.empty()) return true;
  const ClusterState& state = world.state();
  const GpuModel& gpu = *state.model(state.find_model(node.model)).gpu;
  const auto device = device_for(request, gpu, node.card_memory_mib, node.labels);
  if (!device) return false;
  const auto matches = selector::Selector::compile(request.selector)->matches(*device);
  return matches && *matches;
}

bool accepts(const DeviceRequest& request, const NodeSpec& node) {
  const auto& models = request.models;
  return models.empty() || std::find(models.begin(), models.end(), node.model) != models.end();
}

RC_GTEST_PROP(SelectorProperty, TasksLieOnSelectedCardsOnly, (std::uint64_t seed)) {
  Rng rng(seed);
  const Script script = random_script(rng);
  World world;
  world.join(script.nodes);
  world.submit(script.jobs);
  world.plan();
  const auto places = world.places();
  for (std::size_t j = 0; j < script.jobs.size(); ++j) {
    const DeviceRequest& request = script.jobs[j].roles[0].containers[0].devices;
    const auto place = places.find("j" + std::to_string(j));
    for (const NodeSpec& node : script.nodes) {
      const bool may = accepts(request, node) && selects(world, request, node);
      if (place != places.end() && place->second == node.name) RC_ASSERT(may);
      if (place != places.end() || !may || request.kind != ShareKind::kWhole) continue;
      // it waits: the node has too few empty cards
      const NodeRecord& record = world.state().node(world.state().find_node(node.name));
      const auto empty = std::count_if(record.cards.begin(), record.cards.end(),
                                       [](const CardState& card) { return card.is_empty(); });
      const bool cut = node.model == "grid";  // cards for MIG instances alone
      RC_ASSERT(cut || empty < static_cast<std::int64_t>(request.count));
    }
  }
}

RC_GTEST_PROP(SelectorProperty, OrderOfDeclarationDoesNotMatter, (std::uint64_t seed)) {
  Rng rng(seed);
  const Script script = random_script(rng);
  World world;
  world.join(script.nodes);
  world.submit(script.jobs);
  world.plan();

  World reversed;
  reversed.join({script.nodes.rbegin(), script.nodes.rend()});
  reversed.submit(script.jobs);
  reversed.plan();
  RC_ASSERT(reversed.places() == world.places());

  World later;  // classes are told apart before there are nodes, and between them
  const auto middle = script.nodes.begin() + std::ssize(script.nodes) / 2;
  later.join({script.nodes.begin(), middle});
  later.submit(script.jobs);
  later.join({middle, script.nodes.end()});
  later.plan();
  RC_ASSERT(later.places() == world.places());
}

}  // namespace
}  // namespace berth::engine
