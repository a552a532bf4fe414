// The explicit table of trace formats: text of a file in, jobs or nodes out.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "model/fleet.h"
#include "model/gpu_model.h"
#include "sim/job_source.h"
#include "sim/trace/csv.h"
#include "sim/workload/workload.h"

namespace berth::sim {

// A fleet from a trace's list of nodes.
struct FleetTrace {
  TraceFormat format = TraceFormat::kOpenb;
  std::string nodes;         // path of the csv
  std::string model;         // Philly: GPU model of all nodes
  std::uint32_t divide = 1;  // Philly: one node of so many, per virtual cluster
  friend bool operator==(const FleetTrace&, const FleetTrace&) = default;
};

Status validate(const FleetTrace& fleet);

// Speed-up and the limit on the number of jobs are applied.
Result<Rows<SimJob>> trace_jobs(std::string_view text, const std::string& source,
                                const TraceSpec& trace, BadRows bad_rows);

struct TraceFleet {
  std::vector<NodeSpec> nodes;
  std::vector<GpuModel> models;   // that belong to the trace and to no catalogue
  std::vector<QueueSpec> queues;  // one per team of the trace
  SkippedRows skipped;
};
Result<TraceFleet> trace_fleet(std::string_view text, const std::string& source,
                               const FleetTrace& fleet, BadRows bad_rows);

}  // namespace berth::sim
