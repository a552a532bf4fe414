#include <gtest/gtest.h>

#include <string>

#include "sim/trace/loader.h"
#include "sim/trace/openb.h"
#include "sim/trace/philly.h"

namespace berth::sim {
namespace {

TraceSpec trace_of(TraceFormat format) {
  TraceSpec trace;
  trace.format = format;
  trace.queue = "team";
  return trace;
}

std::string complaint(TraceFormat format, const std::string& text) {
  const auto jobs = trace_jobs(text, "t.csv", trace_of(format), BadRows::kRefuse);
  return jobs ? "" : jobs.error().to_text();
}

TEST(PlainTrace, IsReadInAnyOrderOfColumns) {
  const auto jobs = trace_jobs(
      "run_s,submit_s,gpus,share_milli,class,tasks\r\n"
      "10.5,20,1,250,inference,\r\n"
      "1,5,8,,,4\r\n",
      "t.csv", trace_of(TraceFormat::kPlain), BadRows::kRefuse);
  ASSERT_TRUE(jobs) << jobs.error().to_text();
  ASSERT_EQ(jobs->items.size(), 2U);
  const SimJob& gang = jobs->items[0];  // sorted by time
  EXPECT_EQ(gang.at, 5000);
  EXPECT_EQ(gang.name, "job-2");
  EXPECT_EQ(gang.spec->roles[0].count, 4U);
  EXPECT_EQ(gang.spec->roles[0].containers[0].devices.count, 8U);
  const SimJob& share = jobs->items[1];
  EXPECT_EQ(share.run_ms, 10'500);
  EXPECT_EQ(share.spec->queue, "team");
  EXPECT_EQ(share.spec->job_class, JobClass::kInference);
  EXPECT_EQ(share.spec->roles[0].containers[0].devices.compute, kCard / 4);
}

TEST(PlainTrace, BadRowsNameLineValueAndWhatIsAccepted) {
  const std::string head = "submit_s,run_s,gpus,class,share_milli,mig_profile\n0,1,1,,,\n";
  const auto third = [&](const std::string& row) {
    return complaint(TraceFormat::kPlain, head + row + "\n");
  };
  EXPECT_EQ(third("0,1,-1,,,"),
            "t.csv line 3: gpus is '-1', expected an integer from 0 to 1000000");
  EXPECT_NE(third("nan,1,1,,,").find("line 3: submit_s is 'nan'"), std::string::npos);
  EXPECT_NE(third("1e99,1,1,,,").find("line 3: submit_s is '1e99'"), std::string::npos);
  EXPECT_NE(third("0,1,1,batch,,").find("class is 'batch', expected inference"), std::string::npos);
  EXPECT_NE(third("0,1,1,,500,1g.10gb").find("at most one of them"), std::string::npos);
  EXPECT_NE(third("0,1,1").find("3 columns, expected 6"), std::string::npos);
  EXPECT_NE(complaint(TraceFormat::kPlain, "submit_s,rnu_s\n0,1\n").find("did you mean 'run_s'"),
            std::string::npos);
  EXPECT_NE(complaint(TraceFormat::kPlain, "submit_s\n0\n").find("'run_s' is missing"),
            std::string::npos);
  EXPECT_NE(complaint(TraceFormat::kPlain, "submit_s,run_s\n").find("no rows"), std::string::npos);
}

TEST(PlainTrace, BadRowsCanBeSkippedAndAreCounted) {
  const auto jobs = trace_jobs("name,submit_s,run_s\na,0,1\na,0,1\nb,x,1\nc,3,1\n", "t.csv",
                               trace_of(TraceFormat::kPlain), BadRows::kSkip);
  ASSERT_TRUE(jobs);
  EXPECT_EQ(jobs->items.size(), 2U);
  EXPECT_EQ(jobs->skipped.count, 2U);
  ASSERT_EQ(jobs->skipped.complaints.size(), 2U);
  EXPECT_NE(jobs->skipped.complaints[0].find("line 3: the name 'a' stands twice"),
            std::string::npos);
}

TEST(PlainTrace, SpeedupAndLimitApply) {
  TraceSpec trace = trace_of(TraceFormat::kPlain);
  trace.speedup = 10;
  trace.most = 1;
  const auto jobs = trace_jobs("submit_s,run_s\n100,7\n50,8\n", "t.csv", trace, BadRows::kRefuse);
  ASSERT_TRUE(jobs);
  ASSERT_EQ(jobs->items.size(), 1U);
  EXPECT_EQ(jobs->items[0].at, 5000);
  EXPECT_EQ(jobs->items[0].run_ms, 8000);
}

TEST(OpenbTrace, PodsBecomeJobs) {
  const auto jobs = trace_jobs(
      "name,cpu_milli,memory_mib,num_gpu,gpu_milli,gpu_spec,qos,pod_phase,creation_time,"
      "deletion_time,scheduled_time\n"
      "p-1,6000,12288,1,460,T4|P100,LS,Running,5,90,10\n"
      "p-2,88000,327680,8,1000,,BE,Pending,7,20,\n",
      "pods.csv", trace_of(TraceFormat::kOpenb), BadRows::kRefuse);
  ASSERT_TRUE(jobs) << jobs.error().to_text();
  const DeviceRequest& share = jobs->items[0].spec->roles[0].containers[0].devices;
  EXPECT_EQ(share.kind, ShareKind::kShare);
  EXPECT_EQ(share.compute, 460 * kCardMilli);
  EXPECT_EQ(share.models, (std::vector<std::string>{"P100", "T4"}));
  EXPECT_EQ(jobs->items[0].run_ms, 80'000);
  EXPECT_EQ(jobs->items[1].run_ms, 13'000);
  EXPECT_EQ(jobs->items[1].spec->job_class, JobClass::kTraining);
}

TEST(OpenbTrace, ListsWithoutTimesCannotBeReplayed) {
  EXPECT_NE(
      complaint(TraceFormat::kOpenb, "name,cpu_milli,memory_mib,num_gpu,gpu_milli\np,1,1,1,1000\n")
          .find("has no times"),
      std::string::npos);
}

TEST(OpenbTrace, NodesBecomeAFleet) {
  const auto fleet =
      trace_fleet("sn,cpu_milli,memory_mib,gpu,model\nn-1,64000,262144,2,G2\n", "nodes.csv",
                  {TraceFormat::kOpenb, "nodes.csv", "", 1}, BadRows::kRefuse);
  ASSERT_TRUE(fleet) << fleet.error().to_text();
  EXPECT_EQ(fleet->nodes.at(0).cards.size(), 2U);
  for (const GpuModel& model : fleet->models) {
    const auto valid = validate(model);
    EXPECT_TRUE(valid) << model.name << ": " << valid.error().to_text();
  }
  EXPECT_TRUE(validate(fleet->nodes[0]));
}

TEST(PhillyTrace, JobsAreWholeNodesAndARest) {
  const auto jobs = philly::parse_jobs(
      "timestamp,duration,num_gpus,gpu_time,cluster\n"
      "2017-10-09 07:01:55,66.5,12,66.0,11cb48\n"
      "2017-10-08 07:01:55,1.0,1,66.0,11cb48\n\n",
      "p.csv", BadRows::kRefuse);
  ASSERT_TRUE(jobs) << jobs.error().to_text();
  const auto list = philly::jobs_of(jobs->items, {});
  EXPECT_EQ(list[0].at, 24 * kHourMs);
  EXPECT_EQ(list[0].run_ms, 66'500);
  EXPECT_EQ(list[0].spec->queue, "11cb48");
  ASSERT_EQ(list[0].spec->roles.size(), 2U);
  EXPECT_EQ(list[0].spec->roles[0].containers[0].devices.count, 8U);
  EXPECT_EQ(list[0].spec->roles[1].containers[0].devices.count, 4U);
  for (const SimJob& job : list) EXPECT_TRUE(validate(*job.spec));
}

TEST(PhillyTrace, BadRowsAreNamed) {
  const std::string head = "timestamp,duration,num_gpus,gpu_time,cluster\n";
  EXPECT_NE(complaint(TraceFormat::kPhilly, head + "2017-13-09 07:01:55,1,1,1,a\n")
                .find("line 2: timestamp is '2017-13-09 07:01:55'"),
            std::string::npos);
  EXPECT_NE(complaint(TraceFormat::kPhilly, head + "2017-10-09 07:01:55,1,0,1,a\n")
                .find("num_gpus is 0, expected at least 1"),
            std::string::npos);
  EXPECT_NE(complaint(TraceFormat::kPhilly, head + "2017-10-09 07:01:55,inf,1,1,a\n")
                .find("duration is 'inf'"),
            std::string::npos);
}

TEST(PhillyTrace, ClustersBecomeNodes) {
  const auto fleet = trace_fleet("vc,node num\na,64\nb,3\n", "vc.csv",
                                 {TraceFormat::kPhilly, "vc.csv", "P100", 8}, BadRows::kRefuse);
  ASSERT_TRUE(fleet);
  EXPECT_EQ(fleet->nodes.size(), 9U);
  EXPECT_EQ(fleet->nodes.back().name, "b-1");
  EXPECT_EQ(fleet->queues.size(), 2U);
}

}  // namespace
}  // namespace berth::sim
