// The plain CSV that any trace of jobs can be turned into; docs/trace-csv.md describes it.
#pragma once

#include <string_view>
#include <vector>

#include "sim/job_source.h"
#include "sim/trace/csv.h"
#include "sim/workload/workload.h"

namespace berth::sim::plain {

// Columns are named by the header, in any order; an unknown one is refused. Jobs that name no queue
// or class get the trace's.
Result<Rows<SimJob>> parse_jobs(std::string_view text, std::string_view source,
                                const TraceSpec& trace, BadRows bad_rows);

}  // namespace berth::sim::plain
