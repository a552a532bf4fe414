#include "sim/trace/philly.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <limits>
#include <map>
#include <optional>
#include <tuple>

#include "model/job.h"

namespace berth::sim::philly {
namespace {

constexpr std::string_view kJobHeader = "timestamp,duration,num_gpus,gpu_time,cluster";
constexpr std::string_view kClusterHeader = "vc,node num";
constexpr double kMaxSeconds = 1e9;
constexpr std::int64_t kMaxGpus = 100'000;
constexpr std::int64_t kMaxNodes = 100'000;

std::optional<int> digits(std::string_view text, int low, int high) {
  int value = 0;
  const auto [end, code] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (code != std::errc() || end != text.data() + text.size() || text.front() == '-') return {};
  return value >= low && value <= high ? std::optional<int>(value) : std::nullopt;
}

// Days since 1970-01-01 of a date of the Gregorian calendar (Howard Hinnant's days_from_civil).
std::int64_t days_of(int year, int month, int day) {
  const std::int64_t y = month <= 2 ? year - 1 : year;
  const std::int64_t era = y / 400;
  const std::int64_t year_of_era = y - era * 400;
  const std::int64_t day_of_year = (153 * (month + (month > 2 ? -3 : 9)) + 2) / 5 + day - 1;
  const std::int64_t day_of_era =
      year_of_era * 365 + year_of_era / 4 - year_of_era / 100 + day_of_year;
  return era * 146'097 + day_of_era - 719'468;
}

// "2017-10-09 07:01:55"
std::optional<std::int64_t> seconds_of(std::string_view stamp) {
  if (stamp.size() != 19 || stamp[4] != '-' || stamp[7] != '-' || stamp[10] != ' ' ||
      stamp[13] != ':' || stamp[16] != ':') {
    return std::nullopt;
  }
  const auto year = digits(stamp.substr(0, 4), 1970, 9999);
  const auto month = digits(stamp.substr(5, 2), 1, 12);
  const auto day = digits(stamp.substr(8, 2), 1, 31);
  const auto hour = digits(stamp.substr(11, 2), 0, 23);
  const auto minute = digits(stamp.substr(14, 2), 0, 59);
  const auto second = digits(stamp.substr(17, 2), 0, 59);
  if (!year || !month || !day || !hour || !minute || !second) return std::nullopt;
  return ((days_of(*year, *month, *day) * 24 + *hour) * 60 + *minute) * 60 + *second;
}

Job job_of(Row& row) {
  Job job;
  if (const auto at = seconds_of(row.cell(0))) {
    job.submitted_s = *at;
  } else {
    row.complain("timestamp is " + quoted(row.cell(0)), "a time such as 2017-10-09 07:01:55");
  }
  job.duration_s = row.decimal(1, "duration", kMaxSeconds);
  job.gpus = row.integer(2, "num_gpus", kMaxGpus);
  job.cluster = row.text(4, "cluster");
  if (auto s = validate_name(job.cluster, "cluster"); !s) {
    row.complain("cluster is " + quoted(job.cluster), "letters, digits, '.', '-', '_', '/'");
  }
  if (row.error().empty() && job.gpus == 0) row.complain("num_gpus is 0", "at least 1");
  return job;
}

ClusterSize cluster_of(Row& row) {
  ClusterSize cluster;
  cluster.cluster = row.text(0, "vc");
  cluster.nodes = row.integer(1, "node num", kMaxNodes);
  return cluster;
}

Role role_of(const std::string& name, std::uint32_t tasks, std::uint32_t gpus) {
  Role role;
  role.name = name;
  role.count = tasks;
  Container container;
  container.name = "main";
  container.devices.count = gpus;
  role.containers.push_back(std::move(container));
  return role;
}

JobSpecPtr spec_of(std::int64_t gpus, const std::string& queue, const TraceSpec& trace) {
  auto spec = std::make_shared<JobSpec>();
  spec->queue = queue;
  spec->job_class = trace.job_class;
  const auto full = static_cast<std::uint32_t>(gpus / kGpusPerNode);
  const auto rest = static_cast<std::uint32_t>(gpus % kGpusPerNode);
  if (full > 0) spec->roles.push_back(role_of("main", full, kGpusPerNode));
  if (rest > 0) spec->roles.push_back(role_of(full > 0 ? "rest" : "main", 1, rest));
  return spec;
}

}  // namespace

Result<Rows<Job>> parse_jobs(std::string_view text, std::string_view source, BadRows bad_rows) {
  auto table = table_of(text, source);
  if (!table) return tl::unexpected(table.error());
  // the published file ends with an empty line
  if (!table->lines.empty() && table->lines.back().empty()) table->lines.pop_back();
  if (table->header != kJobHeader) {
    return tl::unexpected(bad_header(source, table->header, kJobHeader));
  }
  return parse_rows<Job>(*table, source, 5, bad_rows, job_of);
}

Result<Rows<ClusterSize>> parse_clusters(std::string_view text, std::string_view source,
                                         BadRows bad_rows) {
  const auto table = table_of(text, source);
  if (!table) return tl::unexpected(table.error());
  if (table->header != kClusterHeader) {
    return tl::unexpected(bad_header(source, table->header, kClusterHeader));
  }
  UniqueNames names;
  return parse_rows<ClusterSize>(*table, source, 2, bad_rows, [&](Row& row) {
    ClusterSize cluster = cluster_of(row);
    if (row.error().empty()) names.check(row, cluster.cluster);
    return cluster;
  });
}

std::vector<NodeSpec> nodes_of(const std::vector<ClusterSize>& clusters, const std::string& model,
                               std::uint32_t divide) {
  std::vector<NodeSpec> nodes;
  for (const ClusterSize& cluster : clusters) {
    const std::int64_t count = (cluster.nodes + divide - 1) / divide;
    for (std::int64_t i = 1; i <= count; ++i) {
      NodeSpec node;
      node.name = cluster.cluster + "-" + std::to_string(i);
      node.model = model;
      node.cards.resize(kGpusPerNode);
      nodes.push_back(std::move(node));
    }
  }
  return nodes;
}

std::vector<SimJob> jobs_of(const std::vector<Job>& jobs, const TraceSpec& trace) {
  std::int64_t first_s = std::numeric_limits<std::int64_t>::max();
  for (const Job& job : jobs) first_s = std::min(first_s, job.submitted_s);
  std::map<std::pair<std::int64_t, std::string>, JobSpecPtr> specs;
  std::vector<SimJob> out;
  out.reserve(jobs.size());
  for (std::size_t i = 0; i < jobs.size(); ++i) {
    const std::string& queue = trace.queue.empty() ? jobs[i].cluster : trace.queue;
    JobSpecPtr& spec = specs[{jobs[i].gpus, queue}];
    if (spec == nullptr) spec = spec_of(jobs[i].gpus, queue, trace);
    SimJob job;
    job.at = (jobs[i].submitted_s - first_s) * kSecondMs;
    job.name = "philly-" + std::to_string(i + 1);
    job.spec = spec;
    job.run_ms = static_cast<DurationMs>(std::llround(jobs[i].duration_s * 1000));
    out.push_back(std::move(job));
  }
  return out;
}

}  // namespace berth::sim::philly
