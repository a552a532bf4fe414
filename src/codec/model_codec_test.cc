// Jobs, fleets and policies as files.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "codec/described.h"
#include "codec/file.h"
#include "codec/fleet_codec.h"
#include "codec/gpu_model_codec.h"
#include "codec/job_codec.h"
#include "codec/policy_codec.h"
#include "codec/writer.h"

namespace berth::codec {
namespace {

using ::testing::HasSubstr;

template <typename T>
Parsed<T> parse(std::string_view text) {
  return from_text<T>(text, TextFormat::kYaml, "f");
}
template <typename T>
std::string error_of(std::string_view text) {
  const auto value = parse<T>(text);
  return value ? "accepted" : value.error().to_text();
}

// Both styles and both formats give the object again.
template <typename T>
void expect_round_trip(const T& object) {
  for (const auto style : {WriteStyle::kFull, WriteStyle::kWithoutDefaults}) {
    for (const auto format : {TextFormat::kYaml, TextFormat::kJson}) {
      const std::string text = write_text(to_document(object, style), format);
      const auto again = from_text<T>(text, format, "written");
      ASSERT_TRUE(again.has_value()) << again.error().to_text() << "\n" << text;
      EXPECT_TRUE(*again == object) << text;
    }
  }
}

constexpr std::string_view kJob = R"(name: llm-7b
queue: research/nlp
class: training
roles:
  - name: worker
    count: 8
    min: 4
    segment_tasks: 2
    containers:
      - name: main
        cpu: 7.5
        memory: 64GiB
        resources: {disk_gib: 100}
        devices:
          count: 2
          kind: share
          compute: 1/3
          memory: 20GiB
          models: [H100-SXM5-80GB]
        command: [python, train.py, "--steps", "1000"]
        environment: {B: "1", A: ""}
      - {name: log, role: sidecar, cpu: 100m}
    topology:
      - {unit: segment, within: node}
      - {within: leaf, strength: preferred}
run_time: 1h30m
checkpoint: {method: signal, interval: 10m, grace: 90s, size: 2TiB}
slo: {quantile: 99.9%}
budget: 120.5
ageing: 1.5
)";

TEST(JobCodec, ReadsAJobAndWritesItBack) {
  const auto job = parse<JobFile>(kJob);
  ASSERT_TRUE(job.has_value()) << job.error().to_text();
  EXPECT_EQ(job->name, "llm-7b");
  EXPECT_EQ(job->run_time_ms, 90 * kMinuteMs);
  const Container& main = job->roles[0].containers[0];
  EXPECT_EQ(main.cpu_milli, 7500);
  EXPECT_EQ(main.memory_mib, 65'536);
  EXPECT_EQ(main.devices.compute, kCard / 3);
  EXPECT_EQ(main.devices.memory_mib, 20 * 1024);
  EXPECT_EQ(main.environment[0].first, "A");
  EXPECT_EQ(job->roles[0].containers[1].cpu_milli, 100);
  EXPECT_EQ(job->slo.quantile_ppm, 999'000);
  EXPECT_EQ(job->budget, 120'500'000);
  EXPECT_EQ(job->ageing_ppm, 1'500'000);
  expect_round_trip(*job);
  expect_round_trip<JobSpec>(*job);
}

TEST(JobCodec, NamesTheLineOfARulesField) {
  std::string text(kJob);
  text.replace(text.find("kind: share"), 11, "kind: whole");
  EXPECT_EQ(error_of<JobFile>(text),
            "f:17: roles[0].containers[0].devices.compute: a whole card has no partial compute "
            "share; use kind 'share'");
  EXPECT_EQ(error_of<JobFile>("name: a\nroles:\n- containers: [{}]\n"),
            "f:1: queue: is missing; text (a name of letters, digits, '.', '-', '_' and '/' that "
            "starts with a letter or digit) is needed");
  EXPECT_THAT(error_of<JobFile>("name: a\nqueue: q\nrun_time: -5s\nroles:\n- containers: [{}]\n"),
              HasSubstr("f:3: run_time: is '-5s'; a duration from 0s to 3650d is accepted"));
  EXPECT_THAT(error_of<JobFile>("name: a\nqueue: q\nroles:\n- {count: 0, containers: [{}]}\n"),
              HasSubstr("roles[0].count: is 0; a whole number from 1 to 1000000 is accepted"));
}

constexpr std::string_view kFleet = R"(topology:
  levels: [card, island, node, leaf, pod]
  domains:
    - {level: leaf, name: leaf-1, resources: {fabric_channels: 64}}
partitions:
  - {name: serving, kind: serving, cold_headroom: 4, lending: true, price_per_gpu_hour: 2.5}
  - {name: shared, classes: [inference, interactive]}
queues:
  - {name: org, quotas: [{model: A100, guarantee: 12.5, limit: 20}]}
  - name: team
    parent: org
    weight: 3
    class_limits: [{class: inference, limit: 2}]
    budget: {per_month: 1000, action: hold-new}
nodes:
  - name: h100-[001-100]
    model: H100-SXM5-80GB
    cpu: 128
    memory: 2TiB
    domains: {leaf: "leaf-[1-10]", pod: pod-a}
    labels: {zone: b}
    cards: 8
  - name: mixed
    model: A100
    cards:
      - {count: 2, mig: dynamic}
      - mig: static
        layout: [{profile: 3g.20gb, start: 0}, {profile: 4g.20gb, start: 4}]
      - {uuid: GPU-1, island: 1}
  - {name: mig, model: A30, cards: {count: 4, mig: dynamic}}
  - {name: cpu-only, cpu: 64}
)";

TEST(FleetCodec, ReadsAFleetAndWritesItBack) {
  const auto fleet = parse<FleetFile>(kFleet);
  ASSERT_TRUE(fleet.has_value()) << fleet.error().to_text();
  expect_round_trip(*fleet);
  const auto nodes = expand(*fleet);
  ASSERT_TRUE(nodes.has_value());
  ASSERT_EQ(nodes->size(), 103U);
  EXPECT_EQ((*nodes)[0].name, "h100-001");
  EXPECT_EQ((*nodes)[99].name, "h100-100");
  EXPECT_EQ((*nodes)[9].domains[0].second, "leaf-1");
  EXPECT_EQ((*nodes)[10].domains[0].second, "leaf-2");
  EXPECT_EQ((*nodes)[99].domains[0].second, "leaf-10");
  EXPECT_EQ((*nodes)[0].cards.size(), 8U);
  EXPECT_EQ((*nodes)[100].cards.size(), 4U);
  EXPECT_EQ((*nodes)[100].cards[2].layout[1].start, 4U);
  EXPECT_EQ((*nodes)[101].cards[3].mig, MigRegime::kDynamic);
  EXPECT_EQ(fleet->queues[0].quotas[0].guarantee, kCard / 2 * 25);
  for (const NodeSpec& node : *nodes) expect_round_trip(node);
  expect_round_trip(fleet->queues[1]);
}

TEST(FleetCodec, RefusesWhatIsNoFleet) {
  const auto node = [](const std::string& rest) {
    return error_of<FleetFile>("nodes:\n- " + rest);
  };
  EXPECT_EQ(node("{name: n, cards: 2}"),
            "f:2: nodes[0].model: is empty, but the node has cards; a GPU model is needed");
  EXPECT_THAT(node("{name: n, model: m, cards: 65}"), HasSubstr("cards: is 65; a whole number"));
  EXPECT_THAT(node("{name: n, model: m, cards: [{count: 64}, {}]}"), HasSubstr("has 65 cards"));
  EXPECT_EQ(node("name: n\n  model: m\n  cards:\n  - {}\n  - count: 3\n    mig: dynamic\n"
                 "    timeslice_replicas: 2\n"),
            "f:8: nodes[0].cards[1].timeslice_replicas: a MIG card has no time-slice replicas");
  EXPECT_THAT(node("name: n-[5-1]"),
              HasSubstr("f:2: nodes[0].name: is 'n-[5-1]'; a range such as"));
  EXPECT_THAT(node("name: n-[1-999999]"), HasSubstr("a range such as"));
  EXPECT_THAT(node("name: n-[1-3\n"), HasSubstr("a range such as"));
  EXPECT_THAT(node("{name: \"n-[1-10]\", domains: {leaf: \"l-[1-3]\"}}"),
              HasSubstr("nodes[0].domains.leaf: 10 nodes do not divide into 3 equal domains"));
  EXPECT_THAT(node("name: n-[1-3]\n- name: n-2\n"),
              HasSubstr("f:3: nodes[1].name: the node 'n-2'"));
  EXPECT_THAT(node("{name: \"n-[1-99999]\", model: m, cards: 64}"),
              HasSubstr("stands for more than 2000000 cards"));
  EXPECT_THAT(node("name: a-[1-60000]\n- name: b-[1-60000]\n"),
              HasSubstr("f:3: nodes[1].name: the fleet has more than 100000 nodes"));
  EXPECT_THAT(node("name: bad name\n"), HasSubstr("'bad name' is not a name"));
  EXPECT_THAT(error_of<FleetFile>("nodes: [{name: a}]\nqueues:\n- {name: q}\n- {name: q}\n"),
              HasSubstr("f:4: queues[1].name: 'q' is named twice"));
}

TEST(PolicyCodec, ReadsAPolicyAndWritesItBack) {
  const auto policy = parse<PolicySpec>(
      "name: berth\nscores: {pack: 3, spread: -1}\nlocality: 25%\nusage_half_life: 7d\n"
      "blast_radius: 16\norder: attained-service\n");
  ASSERT_TRUE(policy.has_value()) << policy.error().to_text();
  EXPECT_EQ(policy->locality_ppm, 250'000);
  EXPECT_EQ(policy->blast_radius, 16 * kCard);
  EXPECT_EQ(policy->scores[1].weight, -1);
  expect_round_trip(*policy);
  expect_round_trip(PolicySpec{});
  EXPECT_THAT(error_of<PolicySpec>("name: a\nscores: {\"no name\": 3}\n"),
              HasSubstr("f:2: scores.no name: is 'no name'; a name of"));
}

TEST(PolicyCodec, ReadsAMix) {
  const auto file = parse<MixFile>(
      "mix:\n- weight: 3\n  shape: {cpu: 4, memory: 16GiB, devices: [{count: 1}]}\n");
  ASSERT_TRUE(file.has_value()) << file.error().to_text();
  expect_round_trip(*file);
  EXPECT_THAT(error_of<MixFile>("mix: [{weight: 0, shape: {}}]"), HasSubstr("the weights add up"));
}

// A member that is serialised but not declared for users, or the other way round, shows here.
template <typename T>
void expect_members_declared() {
  T object;
  std::size_t members = 0;
  T::fields(object, [&](const auto&... field) { members = sizeof...(field); });
  EXPECT_EQ(Describe<T>::info().fields.size(), members) << Describe<T>::info().name;
}
template <typename... T>
void expect_all_members_declared() {
  (expect_members_declared<T>(), ...);
}

TEST(DescribedObjects, DeclareEveryMember) {
  expect_all_members_declared<DeviceRequest, Container, TopologyRule, Role, CheckpointSpec, SloSpec,
                              JobSpec, TaskRequest, MigInstanceSpec, NodeSpec, DomainSpec,
                              TopologySpec, FlavourQuota, BudgetSpec, ClassLimit, QueueSpec,
                              PartitionSpec, MixEntry, PolicySpec, MigProfile, NvLink, PeakRates,
                              MpsLimits, MigSwitching, TimeSlicing, GpuModel>();
}

TEST(DescribedObjects, HaveTextsAndReference) {
  for (const SchemaInfo* schema : described_objects()) {
    const Document json = json_schema(*schema);
    EXPECT_EQ(read_text(write_json(json), TextFormat::kJson).value(), json);
    EXPECT_THAT(markdown_reference(*schema), HasSubstr("## " + schema->name));
    for (const FieldInfo& field : schema->fields) {
      EXPECT_FALSE(field.text.empty()) << schema->name << "." << field.name;
    }
  }
}

}  // namespace
}  // namespace berth::codec
