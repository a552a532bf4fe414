#include "sim/trace/plain.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <string>

#include "base/lookup_map.h"
#include "base/nearest.h"
#include "model/job.h"
#include "model/serial.h"

namespace berth::sim::plain {
namespace {

enum class Column : std::size_t {
  kName,
  kSubmit,
  kRun,
  kQueue,
  kClass,
  kPriority,
  kTasks,
  kCpu,
  kMemory,
  kGpus,
  kShare,
  kMigProfile,
  kModels
};
constexpr std::array<std::string_view, 13> kColumns = {
    "name",      "submit_s",   "run_s", "queue",       "class",       "priority",  "tasks",
    "cpu_milli", "memory_mib", "gpus",  "share_milli", "mig_profile", "gpu_models"};
constexpr std::size_t kAbsent = ~std::size_t{0};
constexpr double kMaxSeconds = 1e9;
constexpr std::int64_t kMaxPriority = 1'000'000;
constexpr std::int64_t kMilli = 1000;

// Where each known column stands in the file.
using Places = std::array<std::size_t, kColumns.size()>;

Result<Places> places_of(std::string_view header, std::string_view source) {
  Places places;
  places.fill(kAbsent);
  const auto names = split(header, ',');
  const std::string where = std::string(source) + " line 1: ";
  for (std::size_t i = 0; i < names.size(); ++i) {
    const auto* known = std::find(kColumns.begin(), kColumns.end(), names[i]);
    if (known == kColumns.end()) {
      return invalid(where + quoted(names[i]) + " is not a column" +
                     suggestion(names[i], std::span<const std::string_view>(kColumns)));
    }
    std::size_t& place = places[static_cast<std::size_t>(known - kColumns.begin())];
    if (place != kAbsent) return invalid(where + "column " + quoted(names[i]) + " stands twice");
    place = i;
  }
  for (const Column needed : {Column::kSubmit, Column::kRun}) {
    const auto index = static_cast<std::size_t>(needed);
    if (places[index] == kAbsent) {
      return invalid(where + "column '" + std::string(kColumns[index]) + "' is missing");
    }
  }
  return places;
}

// Reads one row by the names of its columns; an absent or empty cell gives the default.
class Reader {
 public:
  Reader(const Places& places, const TraceSpec& trace) : places_(places), trace_(trace) {}

  SimJob job(Row& row) {
    SimJob job;
    job.at = std::llround(row.decimal(place(Column::kSubmit), "submit_s", kMaxSeconds) * 1000);
    job.run_ms = std::llround(row.decimal(place(Column::kRun), "run_s", kMaxSeconds) * 1000);
    job.name = has(row, Column::kName) ? std::string(row.cell(place(Column::kName)))
                                       : "job-" + std::to_string(++unnamed_);
    auto spec = std::make_shared<JobSpec>();
    spec->queue =
        has(row, Column::kQueue) ? std::string(row.cell(place(Column::kQueue))) : trace_.queue;
    spec->job_class = job_class(row);
    spec->priority = static_cast<std::int32_t>(number(row, Column::kPriority, kMaxPriority, 0));
    spec->roles.push_back(role(row));
    check(row, job.name, *spec);
    if (row.error().empty()) job.spec = shared(std::move(spec));
    return job;
  }

 private:
  std::size_t place(Column column) const { return places_[static_cast<std::size_t>(column)]; }
  bool has(const Row& row, Column column) const {
    return place(column) != kAbsent && !row.is_blank(place(column));
  }
  std::int64_t number(Row& row, Column column, std::int64_t most, std::int64_t fallback) const {
    if (!has(row, column)) return fallback;
    return row.integer(place(column), kColumns[static_cast<std::size_t>(column)], most);
  }

  JobClass job_class(Row& row) const {
    if (!has(row, Column::kClass)) return trace_.job_class;
    const std::string_view text = row.cell(place(Column::kClass));
    if (const auto found = from_word<JobClass>(text)) return *found;
    row.complain("class is " + quoted(text), "inference, interactive or training");
    return trace_.job_class;
  }

  Role role(Row& row) const {
    Role role;
    role.count = static_cast<std::uint32_t>(number(row, Column::kTasks, kTaskLimit, 1));
    Container container;
    container.name = "main";
    container.cpu_milli = number(row, Column::kCpu, kAmountLimit, 0);
    container.memory_mib = number(row, Column::kMemory, kAmountLimit, 0);
    container.devices = devices(row);
    role.containers.push_back(std::move(container));
    return role;
  }

  DeviceRequest devices(Row& row) const {
    DeviceRequest devices;
    devices.count = static_cast<std::uint32_t>(number(row, Column::kGpus, kTaskLimit, 0));
    const bool cuts_share = has(row, Column::kShare);
    if (cuts_share && has(row, Column::kMigProfile)) {
      row.complain("share_milli and mig_profile are both set", "at most one of them");
    }
    if (cuts_share) {
      devices.compute = number(row, Column::kShare, kMilli, kMilli) * kCardMilli;
      if (devices.compute < kCard) devices.kind = ShareKind::kShare;
    } else if (has(row, Column::kMigProfile)) {
      devices.kind = ShareKind::kMig;
      devices.mig_profile = std::string(row.cell(place(Column::kMigProfile)));
    }
    if (place(Column::kModels) != kAbsent) {
      devices.models = row.name_set(place(Column::kModels), "gpu_models");
    }
    return devices;
  }

  // The job's own rules, told of the row.
  void check(Row& row, const std::string& name, const JobSpec& spec) {
    if (auto s = validate_name(name, "name"); !s) {
      row.complain("name is " + quoted(name), "letters, digits, '.', '-', '_', '/'");
    }
    if (spec.queue.empty()) row.complain("queue is empty", "a queue, here or in the trace's entry");
    if (auto s = validate(spec); !s) {
      row.complain(s.error().field + " " + s.error().message, "a job that can be run");
    }
    if (row.error().empty()) names_.check(row, name);
  }

  // Equal specs become one object.
  JobSpecPtr shared(std::shared_ptr<JobSpec> spec) {
    std::string bytes = serial::to_bytes(*spec);
    if (const JobSpecPtr* known = specs_.find(bytes)) return *known;
    JobSpecPtr made = std::move(spec);
    specs_.insert(std::move(bytes), made);
    return made;
  }

  const Places& places_;
  const TraceSpec& trace_;
  std::size_t unnamed_ = 0;
  UniqueNames names_;
  NameMap<JobSpecPtr> specs_;
};

}  // namespace

Result<Rows<SimJob>> parse_jobs(std::string_view text, std::string_view source,
                                const TraceSpec& trace, BadRows bad_rows) {
  const auto table = table_of(text, source);
  if (!table) return tl::unexpected(table.error());
  const auto places = places_of(table->header, source);
  if (!places) return tl::unexpected(places.error());
  Reader reader(*places, trace);
  return parse_rows<SimJob>(*table, source, split(table->header, ',').size(), bad_rows,
                            [&](Row& row) { return reader.job(row); });
}

}  // namespace berth::sim::plain
