#include "bench/topology/trace.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "sim/trace/csv.h"
#include "sim/trace/philly.h"

namespace berth::bench::topology {
namespace {

constexpr std::string_view kHeader = "ip,DSW,PSW,ASW";
constexpr std::size_t kHosts = 847;
constexpr std::size_t kJobs = 82'247;

HostRow host_of(sim::Row& row) {
  return {row.text(0, "ip"), row.text(2, "PSW"), row.text(3, "ASW")};
}

Status check_rows(const std::string& path, std::size_t rows, std::size_t published) {
  if (rows == published) return {};
  return invalid(path + ": " + std::to_string(rows) + " rows, expected " +
                 std::to_string(published) + " as published");
}

}  // namespace

Result<std::vector<HostRow>> parse_fabric(std::string_view text, std::string_view source) {
  const auto table = sim::table_of(text, source);
  if (!table) return tl::unexpected(table.error());
  if (table->header != kHeader) {
    return tl::unexpected(sim::bad_header(source, table->header, kHeader));
  }
  auto rows = sim::parse_rows<HostRow>(*table, source, 4, sim::BadRows::kRefuse, host_of);
  if (!rows) return tl::unexpected(rows.error());
  return std::move(rows->items);
}

Result<Fabric> read_fabric(const std::string& folder) {
  const std::string path = folder + "/" + kFabricFile;
  const auto text = sim::read_trace_file(path);
  if (!text) return tl::unexpected(text.error());
  auto rows = parse_fabric(*text, path);
  if (!rows) return tl::unexpected(rows.error());
  if (auto s = check_rows(path, rows->size(), kHosts); !s) return tl::unexpected(s.error());
  return Fabric(std::move(*rows));
}

Result<std::vector<PoolJob>> read_pool(const std::string& folder) {
  const std::string path = folder + "/" + kJobsFile;
  const auto text = sim::read_trace_file(path);
  if (!text) return tl::unexpected(text.error());
  const auto rows = sim::philly::parse_jobs(*text, path, sim::BadRows::kRefuse);
  if (!rows) return tl::unexpected(rows.error());
  if (auto s = check_rows(path, rows->items.size(), kJobs); !s) return tl::unexpected(s.error());
  std::vector<PoolJob> pool;
  for (const sim::philly::Job& job : rows->items) {
    const auto run_ms = static_cast<DurationMs>(std::llround(job.duration_s * kSecondMs));
    pool.push_back({static_cast<int>(job.gpus), std::clamp<DurationMs>(run_ms, 1, kLongestRun)});
  }
  return pool;
}

}  // namespace berth::bench::topology
