// What a job asks for and the engine would not honour is refused by name; nothing else is.
#include "engine/decide_checks.h"

#include <gtest/gtest.h>

#include <functional>
#include <string>

#include "engine/engine_testing.h"
#include "model/testing.h"

namespace berth::engine {
namespace {

namespace t = berth::testing;

class DecideChecks : public ::testing::Test, public testing::StillEngine {
 protected:
  DecideChecks() {
    run(DeclareModel{t::plain_model("plain", 40'000)});
    TopologySpec topology;
    topology.levels = {"card", "island", "node", "leaf"};
    run(DeclareTopology{topology});
    run(DeclareQueue{t::queue("q")});
  }

  // What is said to the job; empty when it is accepted.
  std::string answer(const std::function<void(JobSpec&)>& change) const {
    JobSpec spec = t::job("q", t::share(kCard / 2), 2);
    change(spec);
    const Status status = check_spec(engine_.state(), spec);
    return status ? "" : status.error().to_text();
  }
  std::string answer_to_rule(const TopologyRule& rule) const {
    return answer([&](JobSpec& spec) { spec.roles[0].topology = {rule}; });
  }
};

DeviceRequest& devices(JobSpec& spec) { return spec.roles[0].containers[0].devices; }

TEST_F(DecideChecks, SelectorsThatCanNeverAnswerAreRefused) {
  const auto said = [&](const std::string& selector) {
    return answer([&](JobSpec& spec) { devices(spec).selector = selector; });
  };
  const std::string field = "roles[0].containers[0].devices.selector: ";
  EXPECT_EQ(said("device.driver == 'gpu.test.com'"), "");
  EXPECT_EQ(said("device.attributes['gpu.test.com'].unknown"), "");  // some device may have it
  EXPECT_EQ(said("devise.driver == 'a'"),
            field + "column 1: 'devise' is not known; did you mean 'device'?");
  EXPECT_EQ(said("device.driver.startWith('gpu')"),
            field +
                "column 15: the function 'startWith' is not supported; did you mean "
                "'startsWith'?");
  EXPECT_EQ(said("1 + 1"), field + "the result is of type int; bool is accepted");
  EXPECT_EQ(said(std::string(10'241, ' ')).substr(0, field.size()), field);
}

TEST_F(DecideChecks, SelectorsOfAMixAreCheckedAlike) {
  std::vector<MixEntry> mix(1);
  mix[0].shape.devices = {t::whole(1)};
  mix[0].shape.devices[0].selector = "device.driver == 'gpu.test.com'";
  EXPECT_TRUE(check_mix(engine_.state(), mix).has_value());
  mix[0].shape.devices[0].selector = "device.driver ==";
  const Status status = check_mix(engine_.state(), mix);
  ASSERT_FALSE(status.has_value());
  EXPECT_EQ(status.error().field, "mix[0].shape.devices[0].selector");
}

TEST_F(DecideChecks, UnknownDomainResourcesAreRefused) {
  EXPECT_EQ(answer([](JobSpec& spec) {
              spec.domain_resources = {{"channels", 4}};
            }),
            "domain_resources[0].resource: 'channels' is not a countable resource of a domain; "
            "none is known");
}

TEST_F(DecideChecks, DomainsLieAboveTheNode) {
  for (const char* level : {"card", "node", "rack"}) {
    TopologySpec topology;
    topology.levels = {"card", "island", "node", "leaf"};
    topology.domains = {{level, "d", "", {}}};
    const auto events = engine_.decide({DeclareTopology{topology}, {}, {}}, 0);
    ASSERT_FALSE(events.has_value());
    EXPECT_EQ(events.error().to_text(), "domains[0].level: '" + std::string(level) +
                                            "' is not one of the levels above 'node'");
  }
}

TEST_F(DecideChecks, DevicesShareAnIslandOrTheNode) {
  for (const char* level : {"", "island", "node"}) {
    EXPECT_EQ(answer([&](JobSpec& spec) { devices(spec).within = level; }), "") << level;
  }
  for (const char* level : {"card", "leaf", "bogus"}) {
    EXPECT_EQ(answer([&](JobSpec& spec) { devices(spec).within = level; }),
              "roles[0].containers[0].devices.within: '" + std::string(level) +
                  "' is not a level that the devices of a task can share; accepted: island, node");
  }
}

TEST_F(DecideChecks, RulesNameALevelThatTheirUnitCanShare) {
  EXPECT_EQ(answer_to_rule({RuleUnit::kRole, "leaf", RuleStrength::kRequired}), "");
  EXPECT_EQ(answer_to_rule({RuleUnit::kTask, "island", RuleStrength::kRequired}), "");
  EXPECT_EQ(answer_to_rule({RuleUnit::kTask, "node", RuleStrength::kRequired}), "");
  EXPECT_EQ(answer_to_rule({RuleUnit::kTask, "leaf", RuleStrength::kRequired}), "");
  EXPECT_EQ(answer_to_rule({RuleUnit::kJob, "leaf", RuleStrength::kPreferred}), "");
  EXPECT_EQ(answer_to_rule({RuleUnit::kJob, "node", RuleStrength::kRequired}),
            "roles[0].topology[0].within: is 'node'; tasks lie on nodes, so a level above them is "
            "accepted (for the devices of one task: devices.within)");
  EXPECT_EQ(answer_to_rule({RuleUnit::kSegment, "leaf", RuleStrength::kRequired}),
            "roles[0].topology[0].unit: is about segments; the role needs segment_tasks");
  EXPECT_EQ(answer_to_rule({RuleUnit::kJob, "leef", RuleStrength::kPreferred}),
            "roles[0].topology[0].within: 'leef' is not a topology level; did you mean 'leaf'?");
}

TEST_F(DecideChecks, OnlySharesCannotHaveTheHardwareTier) {
  EXPECT_NE(answer([](JobSpec& spec) { devices(spec).min_tier = Tier::kHardware; }), "");
  EXPECT_EQ(answer([](JobSpec& spec) { devices(spec).min_tier = Tier::kProcess; }), "");
  EXPECT_EQ(answer([](JobSpec& spec) {
              devices(spec) = t::whole(1);
              devices(spec).min_tier = Tier::kHardware;
            }),
            "");
}

// A whole card of the hardware tier says nothing about the share beside it.
TEST_F(DecideChecks, TheTierOfAWholeCardLeavesSharesBesideItAlone) {
  run(JoinNode{t::node("n1", "plain", 2)});
  JobSpec spec = t::job("q", t::whole(1));
  spec.roles[0].containers[0].devices.min_tier = Tier::kHardware;
  Container beside;
  beside.devices = t::share(kCard / 2);
  spec.roles[0].containers.push_back(beside);
  const JobId job = engine_.state().next_job();
  run(t::submit("j", spec).body);
  EXPECT_FALSE(engine_.place_at_once(job, 0).empty());
}

}  // namespace
}  // namespace berth::engine
