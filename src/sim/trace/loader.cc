#include "sim/trace/loader.h"

#include <algorithm>
#include <cmath>

#include "base/check.h"
#include "sim/trace/openb.h"
#include "sim/trace/philly.h"
#include "sim/trace/plain.h"

namespace berth::sim {
namespace {

Result<Rows<SimJob>> openb_jobs(std::string_view text, const std::string& source,
                                const TraceSpec& trace, BadRows bad_rows) {
  const auto pods = openb::parse_pods(text, source, bad_rows);
  if (!pods) return tl::unexpected(pods.error());
  auto jobs = openb::jobs_of(pods->items, trace);
  if (!jobs) return invalid(source + ": " + jobs.error().message);
  return Rows<SimJob>{std::move(*jobs), pods->skipped};
}

Result<Rows<SimJob>> philly_jobs(std::string_view text, const std::string& source,
                                 const TraceSpec& trace, BadRows bad_rows) {
  const auto jobs = philly::parse_jobs(text, source, bad_rows);
  if (!jobs) return tl::unexpected(jobs.error());
  return Rows<SimJob>{philly::jobs_of(jobs->items, trace), jobs->skipped};
}

Result<Rows<SimJob>> jobs_by_format(std::string_view text, const std::string& source,
                                    const TraceSpec& trace, BadRows bad_rows) {
  switch (trace.format) {
    case TraceFormat::kPlain:
      return plain::parse_jobs(text, source, trace, bad_rows);
    case TraceFormat::kOpenb:
      return openb_jobs(text, source, trace, bad_rows);
    case TraceFormat::kPhilly:
      return philly_jobs(text, source, trace, bad_rows);
  }
  BERTH_CHECK(false);
}

QueueSpec queue_named(const std::string& name) {
  QueueSpec queue;
  queue.name = name;
  return queue;
}

}  // namespace

Status validate(const FleetTrace& fleet) {
  if (fleet.format == TraceFormat::kPlain) {
    return invalid("is plain, which has no list of nodes; openb and philly are accepted", "format");
  }
  if (fleet.format == TraceFormat::kPhilly && fleet.model.empty()) {
    return invalid("is needed for philly, which does not say what its GPUs are", "model");
  }
  return {};
}

Result<Rows<SimJob>> trace_jobs(std::string_view text, const std::string& source,
                                const TraceSpec& trace, BadRows bad_rows) {
  auto rows = jobs_by_format(text, source, trace, bad_rows);
  if (!rows) return rows;
  std::stable_sort(rows->items.begin(), rows->items.end(),
                   [](const SimJob& a, const SimJob& b) { return a.at < b.at; });
  if (trace.most > 0 && rows->items.size() > trace.most) rows->items.resize(trace.most);
  for (SimJob& job : rows->items) {
    job.at = static_cast<TimeMs>(std::llround(static_cast<double>(job.at) / trace.speedup));
  }
  return rows;
}

Result<TraceFleet> trace_fleet(std::string_view text, const std::string& source,
                               const FleetTrace& fleet, BadRows bad_rows) {
  TraceFleet result;
  if (fleet.format == TraceFormat::kOpenb) {
    const auto nodes = openb::parse_nodes(text, source, bad_rows);
    if (!nodes) return tl::unexpected(nodes.error());
    result.nodes = openb::nodes_of(nodes->items);
    result.models = openb::gpu_models();
    result.queues.push_back(queue_named("openb"));
    result.skipped = nodes->skipped;
    return result;
  }
  const auto clusters = philly::parse_clusters(text, source, bad_rows);
  if (!clusters) return tl::unexpected(clusters.error());
  result.nodes = philly::nodes_of(clusters->items, fleet.model, fleet.divide);
  for (const auto& cluster : clusters->items) result.queues.push_back(queue_named(cluster.cluster));
  result.skipped = clusters->skipped;
  return result;
}

}  // namespace berth::sim
