#include "bench/tenants/trace.h"

#include <algorithm>
#include <cmath>
#include <map>

#include "sim/trace/csv.h"
#include "sim/trace/philly.h"

namespace berth::bench::tenants {
namespace {

Status check_rows(const std::string& path, std::size_t rows, std::size_t published) {
  if (rows == published) return {};
  return invalid(path + ": " + std::to_string(rows) + " rows, expected " +
                 std::to_string(published) + " as published");
}

Status read_clusters(const std::string& path, Trace& trace) {
  const auto text = sim::read_trace_file(path);
  if (!text) return tl::unexpected(text.error());
  const auto rows = sim::philly::parse_clusters(*text, path, sim::BadRows::kRefuse);
  if (!rows) return tl::unexpected(rows.error());
  for (const sim::philly::ClusterSize& row : rows->items) {
    trace.names.push_back(row.cluster);
    trace.nodes.push_back(static_cast<int>(row.nodes));
  }
  return check_rows(path, rows->items.size(), kTenants);
}

Status read_jobs(const std::string& path, Trace& trace) {
  const auto text = sim::read_trace_file(path);
  if (!text) return tl::unexpected(text.error());
  const auto rows = sim::philly::parse_jobs(*text, path, sim::BadRows::kRefuse);
  if (!rows) return tl::unexpected(rows.error());
  std::map<std::string, std::size_t> tenants;
  for (std::size_t t = 0; t < trace.names.size(); ++t) tenants[trace.names[t]] = t;
  for (const sim::philly::Job& row : rows->items) {
    const auto tenant = tenants.find(row.cluster);
    if (tenant == tenants.end()) continue;
    const auto run_ms = static_cast<DurationMs>(std::llround(row.duration_s)) * kSecondMs;
    trace.jobs.push_back({row.submitted_s * kSecondMs, std::max<DurationMs>(1, run_ms),
                          static_cast<int>(row.gpus), tenant->second});
  }
  return check_rows(path, trace.jobs.size(), kJobsOfTenants);
}

}  // namespace

Result<Trace> read_trace(const std::string& folder) {
  Trace trace;
  if (auto s = read_clusters(folder + "/" + kClustersFile, trace); !s) {
    return tl::unexpected(s.error());
  }
  if (auto s = read_jobs(folder + "/" + kJobsFile, trace); !s) return tl::unexpected(s.error());
  std::stable_sort(trace.jobs.begin(), trace.jobs.end(),
                   [](const TraceJob& a, const TraceJob& b) { return a.at < b.at; });
  const TimeMs first = trace.jobs.front().at;
  for (TraceJob& job : trace.jobs) job.at -= first;
  return trace;
}

}  // namespace berth::bench::tenants
