#include "bench/openb/trace.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace berth::bench::openb {
namespace {

const std::string kShortHeader = "name,cpu_milli,memory_mib,num_gpu,gpu_milli\n";
const std::string kLongHeader =
    "name,cpu_milli,memory_mib,num_gpu,gpu_milli,gpu_spec,qos,pod_phase,creation_time,"
    "deletion_time,scheduled_time\n";

TEST(TraceNodes, AreRead) {
  const auto nodes = parse_nodes(
      "sn,cpu_milli,memory_mib,gpu,model\n"
      "n-1,64000,262144,2,P100\r\n"
      "n-2,8000,1024,0,\n",
      "nodes.csv");
  ASSERT_TRUE(nodes) << nodes.error();
  ASSERT_EQ(nodes->size(), 2U);
  EXPECT_EQ(nodes->at(0).model, "P100");
  EXPECT_EQ(nodes->at(0).cpu_milli, 64000);
  EXPECT_EQ(gpu_capacity_milli(*nodes), 2000);
}

TEST(TracePods, OfAllElevenColumnsAreRead) {
  const auto pods = parse_pods(
      kLongHeader + "p-1,6000,12288,1,460,V100M32|V100M16|V100M32,LS,Pending,5,9,\n", "pods.csv");
  ASSERT_TRUE(pods) << pods.error();
  const Pod& pod = pods->front();
  EXPECT_EQ(pod.shape.gpu_models, (std::vector<std::string>{"V100M16", "V100M32"}));
  EXPECT_TRUE(pod.shape.accepts("V100M16"));
  EXPECT_FALSE(pod.shape.accepts("T4"));
  ASSERT_TRUE(pod.life);
  EXPECT_EQ(pod.life->deletion_s, 9);
  EXPECT_FALSE(pod.life->scheduled_s);
}

TEST(TracePods, OfTheFirstFiveColumnsAreRead) {
  const auto pods = parse_pods(kShortHeader + "p-1,6000,0,2,1000", "pods.csv");
  ASSERT_TRUE(pods) << pods.error();
  EXPECT_EQ(pods->front().shape.total_gpu_milli(), 2000);
  EXPECT_TRUE(pods->front().shape.accepts("T4"));
  EXPECT_FALSE(pods->front().life);
}

struct BadRow {
  std::string row;
  std::string complaint;
};

class TraceBadRow : public testing::TestWithParam<BadRow> {};

TEST_P(TraceBadRow, IsRefusedWithItsLine) {
  const auto pods = parse_pods(kShortHeader + "p-0,1,1,0,0\n" + GetParam().row + "\n", "pods.csv");
  ASSERT_FALSE(pods);
  EXPECT_EQ(pods.error().rfind("pods.csv line 3: ", 0), 0U) << pods.error();
  EXPECT_NE(pods.error().find(GetParam().complaint), std::string::npos) << pods.error();
  EXPECT_NE(pods.error().find("expected"), std::string::npos) << pods.error();
}

INSTANTIATE_TEST_SUITE_P(
    Fields, TraceBadRow,
    testing::Values(BadRow{"p-1,nan,1,1,1000", "cpu_milli is 'nan'"},
                    BadRow{"p-1,-1,1,1,1000", "cpu_milli is '-1'"},
                    BadRow{"p-1,1.5,1,1,1000", "cpu_milli is '1.5'"},
                    BadRow{"p-1,,1,1,1000", "cpu_milli is ''"},
                    BadRow{"p-1, 1,1,1,1000", "cpu_milli is ' 1'"},
                    BadRow{"p-1,1,99999999999999999999,1,1000", "memory_mib is '9999"},
                    BadRow{"p-1,1,1,1025,1000", "num_gpu is '1025'"},
                    BadRow{"p-1,1,1,1,1001", "gpu_milli is '1001'"},
                    BadRow{"p-1,1,1,1,0", "both 0 or neither"},
                    BadRow{"p-1,1,1,0,500", "both 0 or neither"},
                    BadRow{",1,1,1,1000", "name is empty"}, BadRow{"p-1,1,1,1", "4 columns"},
                    BadRow{"", "1 columns"}, BadRow{"p-0,1,1,1,1000", "'p-0' stands twice"}));

TEST(TracePods, BadListsAndTimesAreRefused) {
  const auto models = parse_pods(kLongHeader + "p,1,1,1,10,T4||G2,LS,Running,1,2,1\n", "p.csv");
  ASSERT_FALSE(models);
  EXPECT_NE(models.error().find("gpu_spec is 'T4||G2'"), std::string::npos);
  const auto times = parse_pods(kLongHeader + "p,1,1,1,10,,LS,Running,3,2,1\n", "p.csv");
  ASSERT_FALSE(times);
  EXPECT_NE(times.error().find("deletion_time 2 is before"), std::string::npos);
}

TEST(TracePods, HeaderAndEmptyFilesAreRefused) {
  EXPECT_FALSE(parse_pods("", "p.csv"));
  EXPECT_FALSE(parse_pods("name,cpu\np,1\n", "p.csv"));
  const auto bare = parse_pods(kShortHeader, "p.csv");
  ASSERT_FALSE(bare);
  EXPECT_NE(bare.error().find("no rows"), std::string::npos);
}

TEST(TraceFiles, MissingFilesAndFoldersAreErrors) {
  EXPECT_FALSE(read_pods("/nonexistent/pods.csv"));
  EXPECT_FALSE(read_nodes("."));
}

TEST(BuiltInTraces, AreSeventeen) {
  EXPECT_EQ(built_in_traces().size(), 17U);
  EXPECT_EQ(built_in_traces().front().name, "default");
}

}  // namespace
}  // namespace berth::bench::openb
