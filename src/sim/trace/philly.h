// The Philly trace in the form of two published subsets: jobs (siasosp23/artifacts,
// sia-simulator/traces/philly.csv, commit aaf7a0d) and nodes per virtual cluster
// (S-Lab-System-Group/HeliosArtifact, philly_vc.csv, commit bdaae10).
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "model/fleet.h"
#include "sim/job_source.h"
#include "sim/trace/csv.h"
#include "sim/workload/workload.h"

namespace berth::sim::philly {

inline constexpr std::uint32_t kGpusPerNode = 8;

struct Job {
  std::int64_t submitted_s = 0;  // since 1970-01-01, as if the stamp were UTC
  double duration_s = 0;
  std::int64_t gpus = 0;
  std::string cluster;  // virtual cluster
};

struct ClusterSize {
  std::string cluster;
  std::int64_t nodes = 0;
};

Result<Rows<Job>> parse_jobs(std::string_view text, std::string_view source, BadRows bad_rows);
Result<Rows<ClusterSize>> parse_clusters(std::string_view text, std::string_view source,
                                         BadRows bad_rows);

// One node of each `divide` (rounded up), called CLUSTER-1, CLUSTER-2, ...
std::vector<NodeSpec> nodes_of(const std::vector<ClusterSize>& clusters, const std::string& model,
                               std::uint32_t divide);
// Whole GPUs; more than eight are tasks of eight (and one of the rest). The queue is the virtual
// cluster, or the trace's queue where one is set. Time 0 is the first submission.
std::vector<SimJob> jobs_of(const std::vector<Job>& jobs, const TraceSpec& trace);

}  // namespace berth::sim::philly
