// What a selector sees of a card, and that cards are told apart as far as selectors read and no
// further.
#include "engine/state/selector_table.h"

#include <gtest/gtest.h>

#include <set>
#include <string>
#include <utility>

#include "engine/engine_testing.h"
#include "model/testing.h"
#include "selector/selector.h"

namespace berth::engine {
namespace {

namespace t = berth::testing;

GpuModel hopper() {
  GpuModel model = t::grid_model("H100-SXM5-80GB");
  model.vendor = "nvidia";
  model.architecture = "hopper";
  model.product_name = "NVIDIA H100 80GB HBM3";
  model.compute_capability = "9.0";
  model.memory_mib = 81'079;
  model.memory_reserved_mib = 480;
  model.sms = 132;
  model.mig_profiles[0].memory_mib = 9'984;
  model.mig_profiles[0].sms = 16;
  return model;
}

// "true", "false", or the error.
std::string answer(const std::string& source, const DeviceRequest& request, Mib card_memory_mib = 0,
                   const Labels& labels = {}) {
  const auto device = device_for(request, hopper(), card_memory_mib, labels);
  const auto selector = selector::Selector::compile(source);
  EXPECT_TRUE(device && selector) << source;
  if (!device || !selector) return "";
  const auto matches = selector->matches(*device);
  if (!matches) return matches.error().message;
  return *matches ? "true" : "false";
}

TEST(SelectedDevice, ACardIsWhatTheDriverPublishes) {
  for (const char* source : {
           "device.driver == 'gpu.nvidia.com' && !device.allowMultipleAllocations",
           "device.attributes['gpu.nvidia.com'].type == 'gpu'",
           "device.attributes['gpu.nvidia.com'].productName.lowerAscii().matches('^.*h100.*$')",
           "device.attributes['gpu.nvidia.com'].architecture == 'Hopper'",
           "device.attributes['gpu.nvidia.com'].cudaComputeCapability.compareTo(semver('9.0.0')) "
           "== 0",
           "device.capacity['gpu.nvidia.com'].memory.compareTo(quantity('81559Mi')) == 0",
           "device.capacity['berth'].multiprocessors.asInteger() == 132",
           "device.attributes['berth'].model == 'H100-SXM5-80GB'",
           "device.attributes['berth'].vendor == 'nvidia'",
           "device.attributes['berth'].nvlink == 'none'",
           "!has(device.attributes['gpu.nvidia.com'].profile)",
           "!has(device.attributes['gpu.nvidia.com'].brand)",
       }) {
    EXPECT_EQ(answer(source, t::whole(1)), "true") << source;
  }
  EXPECT_EQ(answer("device.allowMultipleAllocations", t::share(kCard / 2)), "true");
  EXPECT_EQ(answer("device.capacity['gpu.nvidia.com'].memory.asInteger() == 40480 * 1048576",
                   t::whole(1), 40'000),
            "true");
  EXPECT_EQ(answer("device.attributes['gpu.nvidia.com'].productNam == ''", t::whole(1)),
            "column 37: the device has no attribute 'productNam' in domain 'gpu.nvidia.com'; did "
            "you mean 'productName'?");
}

TEST(SelectedDevice, AnInstanceIsOfItsProfile) {
  for (const char* source : {
           "device.attributes['gpu.nvidia.com'].type == 'mig'",
           "device.attributes['gpu.nvidia.com'].profile == '1g.10gb'",
           "device.attributes['gpu.nvidia.com'].architecture == 'Hopper'",
           "device.capacity['gpu.nvidia.com'].memory.compareTo(quantity('9984Mi')) == 0",
           "device.capacity['gpu.nvidia.com'].multiprocessors.asInteger() == 16",
           "!has(device.capacity['gpu.nvidia.com'].decoders)",
       }) {
    EXPECT_EQ(answer(source, t::mig("1g.10gb")), "true") << source;
  }
  EXPECT_FALSE(device_for(t::mig("1g.5gb"), hopper(), 0, {}).has_value());
}

TEST(SelectedDevice, LabelsAreAttributesOfTheirDomain) {
  const Labels labels = {{"rack", "a7"},
                         {"gpu.nvidia.com/driverVersion", "550.90.07"},
                         {"gpu.nvidia.com/cudaDriverVersion", "soon"},
                         {"gpu.nvidia.com/type", "vfio"},
                         {"nvidia.com/gpu.count", "8"},
                         {"model", "mine"}};
  for (const char* source : {
           "device.attributes['berth'].rack == 'a7'",
           "device.attributes['gpu.nvidia.com'].driverVersion.isGreaterThan(semver('550.0.0'))",
           "device.attributes['gpu.nvidia.com'].cudaDriverVersion == 'soon'",
           "device.attributes['gpu.nvidia.com'].type == 'gpu'",
           "int(device.attributes['nvidia.com']['gpu.count']) == 8",
           "device.attributes['berth'].model == 'H100-SXM5-80GB'",
       }) {
    EXPECT_EQ(answer(source, t::whole(1), 0, labels), "true") << source;
  }
}

class Classes : public ::testing::Test, public testing::StillEngine {
 protected:
  Classes() {
    run(DeclareModel{t::plain_model("plain", 40'000)});
    run(DeclareQueue{t::queue("q")});
    for (int n = 0; n < 4; ++n) {
      NodeSpec node = t::node("n" + std::to_string(n), "plain", 1);
      node.labels = {{"host", "h" + std::to_string(n)}, {"rack", n < 2 ? "a" : "b"}};
      run(JoinNode{node});
    }
  }

  void submit(const std::string& selector) {
    JobSpec spec = t::job("q", t::whole(1));
    spec.roles[0].containers[0].devices.selector = selector;
    run(t::submit("j" + std::to_string(jobs_++), spec).body);
  }
  std::size_t kinds_in_use() const {
    std::set<NodeKindIndex> kinds;
    for (const NodeRecord& node : state().nodes()) kinds.insert(node.kind);
    return kinds.size();
  }

  int jobs_ = 0;
};

TEST_F(Classes, AreAsFineAsSelectorsRead) {
  EXPECT_EQ(kinds_in_use(), 1U);
  submit("device.attributes['gpu.test.com'].type == 'gpu'");
  EXPECT_EQ(kinds_in_use(), 1U);
  submit("device.attributes['berth'].rack == 'a'");
  EXPECT_EQ(kinds_in_use(), 2U);
  submit("device.attributes['berth'].rack == 'b'");
  EXPECT_EQ(kinds_in_use(), 2U);
  submit("device.attributes['berth'].host == 'h3'");
  EXPECT_EQ(kinds_in_use(), 4U);
  cycle();
  ASSERT_EQ(state().leases().size(), 4U);
  const auto where = [&](const char* job) {
    const Lease& lease = state().leases().at(state().find_job(job)->leases.front());
    return state().node(lease.placement.node).spec->name;
  };
  EXPECT_LT(where("j1"), "n2");
  EXPECT_EQ(where("j2"), "n2");
  EXPECT_EQ(where("j3"), "n3");
}

// A class that nodes have left is not taken up again: what was worked out of it may be out of date.
TEST_F(Classes, ANodeWithoutTheLabelIsAClassOfItsOwn) {
  submit("!has(device.attributes['berth'].rack)");
  cycle();
  EXPECT_EQ(state().leases().size(), 0U);
  run(JoinNode{t::node("plain", "plain", 1)});
  EXPECT_EQ(kinds_in_use(), 3U);
  cycle();
  ASSERT_EQ(state().leases().size(), 1U);
  submit("!has(device.attributes['berth'].rack) && true");
  run(JoinNode{t::node("plainer", "plain", 1)});
  cycle();
  EXPECT_EQ(state().leases().size(), 2U);
}

TEST_F(Classes, ASavedStateKnowsTheSame) {
  submit("device.attributes['berth'].rack == 'b'");
  submit("device.attributes['berth'].rack == 'c'");
  auto loaded = ClusterState::load(state().save());
  ASSERT_TRUE(loaded.has_value()) << loaded.error().to_text();
  Engine fresh(std::move(*loaded));
  EXPECT_EQ(fresh.commit(fresh.plan(0), 0).events.size(),
            engine_.commit(engine_.plan(0), 0).events.size());
}

}  // namespace
}  // namespace berth::engine
