#include "bench/preempt/trace.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <tuple>
#include <utility>

#include "sim/trace/csv.h"
#include "sim/trace/philly.h"

namespace berth::bench::preempt {
namespace {

constexpr std::string_view kHeader = "gpu_model,gpu_capacity_num,cpu_num,node_name";
constexpr std::size_t kNodes = 4'278;
constexpr std::size_t kJobs = 82'247;
constexpr std::int64_t kMostCards = 64;
constexpr std::int64_t kMostCpus = 4'096;

struct NodeRow {
  std::string model;
  int cards = 0;
  int cpus = 0;
};

NodeRow node_of(sim::Row& row) {
  NodeRow node;
  node.model = row.text(0, "gpu_model");
  node.cards = static_cast<int>(row.integer(1, "gpu_capacity_num", kMostCards));
  node.cpus = static_cast<int>(row.integer(2, "cpu_num", kMostCpus));
  if (row.error().empty() && node.cards == 0) row.complain("gpu_capacity_num is 0", "1 or more");
  return node;
}

Status check_rows(const std::string& path, std::size_t rows, std::size_t published) {
  if (rows == published) return {};
  return invalid(path + ": " + std::to_string(rows) + " rows, expected " +
                 std::to_string(published) + " as published");
}

std::vector<Pool> pools_of(const std::vector<NodeRow>& rows) {
  std::map<std::string, std::map<std::pair<int, int>, std::size_t>> counts;
  for (const NodeRow& row : rows) ++counts[row.model][{-row.cards, row.cpus}];
  std::vector<Pool> pools;
  for (const auto& [model, shapes] : counts) {
    Pool pool{model, {}};
    for (const auto& [shape, nodes] : shapes)
      pool.shapes.push_back({-shape.first, shape.second, nodes});
    pools.push_back(std::move(pool));
  }
  std::stable_sort(pools.begin(), pools.end(),
                   [](const Pool& a, const Pool& b) { return a.cards() > b.cards(); });
  return pools;
}

std::size_t nodes_in(const std::vector<Pool>& pools) {
  std::size_t nodes = 0;
  for (const Pool& pool : pools) {
    for (const NodeShape& shape : pool.shapes) nodes += shape.nodes;
  }
  return nodes;
}

}  // namespace

Result<std::vector<Pool>> parse_pools(std::string_view text, std::string_view source) {
  const auto table = sim::table_of(text, source);
  if (!table) return tl::unexpected(table.error());
  if (table->header != kHeader) {
    return tl::unexpected(sim::bad_header(source, table->header, kHeader));
  }
  const auto rows = sim::parse_rows<NodeRow>(*table, source, 4, sim::BadRows::kRefuse, node_of);
  if (!rows) return tl::unexpected(rows.error());
  return pools_of(rows->items);
}

Result<std::vector<Pool>> read_pools(const std::string& folder) {
  const std::string path = folder + "/" + kNodesFile;
  const auto text = sim::read_trace_file(path);
  if (!text) return tl::unexpected(text.error());
  auto pools = parse_pools(*text, path);
  if (!pools) return pools;
  if (auto s = check_rows(path, nodes_in(*pools), kNodes); !s) return tl::unexpected(s.error());
  return pools;
}

Result<std::vector<PoolJob>> read_jobs(const std::string& folder) {
  const std::string path = folder + "/" + kJobsFile;
  const auto text = sim::read_trace_file(path);
  if (!text) return tl::unexpected(text.error());
  const auto rows = sim::philly::parse_jobs(*text, path, sim::BadRows::kRefuse);
  if (!rows) return tl::unexpected(rows.error());
  if (auto s = check_rows(path, rows->items.size(), kJobs); !s) return tl::unexpected(s.error());
  std::vector<PoolJob> jobs;
  for (const sim::philly::Job& job : rows->items) {
    const auto run_ms = static_cast<DurationMs>(std::llround(job.duration_s * kSecondMs));
    jobs.push_back({static_cast<int>(job.gpus), std::max<DurationMs>(1, run_ms)});
  }
  return jobs;
}

}  // namespace berth::bench::preempt
