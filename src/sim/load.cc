#include "sim/load.h"

#include <algorithm>
#include <filesystem>
#include <map>
#include <utility>

#include "base/nearest.h"
#include "codec/file.h"
#include "codec/fleet_codec.h"
#include "codec/gpu_model_codec.h"
#include "codec/policy_codec.h"
#include "sim/simulation_file.h"
#include "sim/trace/loader.h"
#include "sim/workload/generator.h"
#include "sim/workload/workload_codec.h"

namespace berth::sim {
namespace {

namespace fs = std::filesystem;

bool is_file(const fs::path& path) {
  std::error_code ignored;
  return fs::is_regular_file(path, ignored);
}

// A reference is a path when it has a folder or an ending, else a name of the data's folder.
Result<std::string> find_object(const std::string& reference, const std::string& folder,
                                const fs::path& beside) {
  const bool is_path =
      reference.find('/') != std::string::npos || fs::path(reference).has_extension();
  if (is_path) {
    const fs::path path =
        fs::path(reference).is_absolute() ? fs::path(reference) : beside / reference;
    if (is_file(path)) return path.string();
    return fail(ErrorCode::kNotFound, "'" + path.string() + "' is not a file");
  }
  const std::string path = folder + "/" + reference + ".yaml";
  if (is_file(path)) return path;
  std::vector<std::string> names;
  if (const auto files = codec::list_files(folder, ".yaml")) {
    for (const std::string& file : *files) names.push_back(fs::path(file).stem().string());
  }
  return fail(ErrorCode::kNotFound, "'" + reference + "' is not in " + folder +
                                        suggestion(reference, std::span<const std::string>(names)));
}

// "a, b, c"; at most 24 of them.
std::string listed(const std::vector<std::string>& names) {
  constexpr std::size_t kNamed = 24;
  std::string text;
  for (std::size_t i = 0; i < std::min(names.size(), kNamed); ++i) {
    text += (i == 0 ? "" : ", ") + names[i];
  }
  if (names.empty()) return "none";
  return names.size() > kNamed ? text + ", …" : text;
}

template <typename T>
Result<T> load_object(const std::string& path) {
  auto object = codec::load<T>(path);
  if (object) return std::move(*object);
  const ErrorCode code = object.error().items.front().code;
  return fail(code, object.error().to_text());
}

// "a fleet (nodes:)" of a file that is meant to be named by a simulation; empty: it is none.
std::string part_of_a_simulation(const std::string& path) {
  const auto document = codec::load_document(path);
  if (!document || !document->is(codec::Document::Kind::kMap)) return {};
  for (const char* own : {"fleet", "fleet_trace", "workload", "policy", "duration", "planner"}) {
    if (document->find(own) != nullptr) return {};
  }
  if (document->find("nodes") != nullptr) return "a fleet (nodes:)";
  if (document->find("streams") != nullptr) return "a workload (streams:)";
  return document->find("traces") != nullptr ? "a workload (traces:)" : "";
}

// Gathers the parts of one simulation.
class Loader {
 public:
  Loader(std::string path, const Places& places, const Overrides& overrides)
      : path_(std::move(path)), places_(places), overrides_(overrides) {}

  Result<LoadedSimulation> load() {
    auto file = load_object<SimulationFile>(path_);
    if (!file) return fail(file.error().code, mistaken_for_a_simulation(file.error().message));
    file_ = std::move(*file);
    if (overrides_.seed) file_.seed = *overrides_.seed;
    if (overrides_.duration_ms) file_.duration_ms = *overrides_.duration_ms;
    out_.input.name = file_.name;
    out_.input.settings = file_;
    for (Status (Loader::*part)() :
         {&Loader::add_models, &Loader::add_fleet, &Loader::add_fleet_trace, &Loader::add_policy,
          &Loader::add_mix, &Loader::add_jobs}) {
      if (auto s = (this->*part)(); !s) return tl::unexpected(s.error());
    }
    return std::move(out_);
  }

 private:
  // What is said of a file that cannot be a simulation.
  std::string mistaken_for_a_simulation(const std::string& mistake) const {
    const std::string part = part_of_a_simulation(path_);
    if (part.empty()) return mistake;
    return path_ + ": looks like " + part +
           "; a simulation is needed, which names a fleet and its jobs, such as " + places_.data +
           "/workloads/demo-day.yaml";
  }

  fs::path folder() const { return fs::path(path_).parent_path(); }

  Status add_models() {
    auto models = codec::load_gpu_catalog(places_.data + "/gpus");
    if (!models) return fail(ErrorCode::kInvalid, models.error().to_text());
    out_.input.models = std::move(*models);
    return {};
  }

  Status add_fleet() {
    if (file_.fleet.empty()) return {};
    const auto path = find_object(file_.fleet, places_.data + "/fleets", folder());
    if (!path) return in_file("fleet", path.error());
    auto fleet = load_object<codec::FleetFile>(*path);
    if (!fleet) return tl::unexpected(fleet.error());
    auto nodes = codec::expand(*fleet);
    if (!nodes) return tl::unexpected(nodes.error());
    out_.input.topology = std::move(fleet->topology);
    out_.input.partitions = std::move(fleet->partitions);
    out_.input.queues = std::move(fleet->queues);
    out_.input.nodes = std::move(*nodes);
    return {};
  }

  Status add_fleet_trace() {
    if (!file_.fleet_trace) return {};
    const auto path = find_trace(file_.fleet_trace->nodes, folder());
    if (!path) return in_file("fleet_trace.nodes", path.error());
    const auto text = read_trace_file(*path);
    if (!text) return tl::unexpected(text.error());
    auto fleet = trace_fleet(*text, *path, *file_.fleet_trace, overrides_.bad_rows);
    if (!fleet) return tl::unexpected(fleet.error());
    out_.skipped.add(fleet->skipped);
    append(out_.input.nodes, std::move(fleet->nodes));
    append(out_.input.queues, std::move(fleet->queues));
    for (GpuModel& model : fleet->models) add_trace_model(std::move(model));
    return {};
  }

  // A name of the trace that the catalogue knows, as a name or an alias, means the catalogue's.
  void add_trace_model(GpuModel model) {
    const auto known = [&](const GpuModel& other) {
      return other.name == model.name || std::find(other.aliases.begin(), other.aliases.end(),
                                                   model.name) != other.aliases.end();
    };
    const auto& models = out_.input.models;
    if (std::none_of(models.begin(), models.end(), known)) {
      out_.input.models.push_back(std::move(model));
    }
  }

  Status add_policy() {
    // a policy given from outside is found from there, not from beside the file
    const std::string& reference = overrides_.policy ? *overrides_.policy : file_.policy;
    const fs::path beside = overrides_.policy ? fs::path() : folder();
    const auto path = find_object(reference, places_.data + "/policies", beside);
    if (!path) return in_file("policy", path.error());
    auto policy = load_object<PolicySpec>(*path);
    if (!policy) return tl::unexpected(policy.error());
    out_.input.policy = std::move(*policy);
    return {};
  }

  Status add_mix() {
    const std::string& reference = overrides_.mix ? *overrides_.mix : file_.mix;
    const PolicySpec& policy = out_.input.policy;
    if (reference.empty()) {
      if (policy.learn_mix || !policy.scores.empty()) return {};
      return invalid(path_ + ": mix: is needed: policy '" + policy.name +
                     "' decides by a given mix (learn_mix: false)");
    }
    const fs::path beside = overrides_.mix ? fs::path() : folder();
    const auto path = find_object(reference, places_.data + "/mixes", beside);
    if (!path) return in_file("mix", path.error());
    auto file = load_object<codec::MixFile>(*path);
    if (!file) return tl::unexpected(file.error());
    out_.input.mix = std::move(file->mix);
    return {};
  }

  Status add_jobs() {
    std::vector<std::unique_ptr<JobSource>> sources;
    if (auto s = check_streams(path_, file_.streams); !s) return s;
    if (auto s = add_sources(file_.streams, file_.traces, folder(), sources); !s) return s;
    if (!file_.workload.empty()) {
      const auto path = find_object(file_.workload, places_.data + "/workloads", folder());
      if (!path) return in_file("workload", path.error());
      const auto workload = load_object<Workload>(*path);
      if (!workload) return tl::unexpected(workload.error());
      const fs::path beside = fs::path(*path).parent_path();
      if (auto s = check_streams(*path, workload->streams); !s) return s;
      if (auto s = add_sources(workload->streams, workload->traces, beside, sources); !s) return s;
      if (auto s = check_end(*workload); !s) return s;
    }
    out_.input.jobs = std::make_unique<MergedJobs>(std::move(sources));
    return {};
  }

  Status check_end(const Workload& workload) const {
    if (file_.duration_ms > 0) return {};
    for (const StreamSpec& stream : workload.streams) {
      if (stream.jobs > 0) continue;
      return invalid(path_ + ": duration is needed: stream '" + stream.name + "' has no end");
    }
    return {};
  }

  Status add_sources(const std::vector<StreamSpec>& streams, const std::vector<TraceSpec>& traces,
                     const fs::path& beside, std::vector<std::unique_ptr<JobSource>>& sources) {
    for (const StreamSpec& stream : streams) {
      sources.push_back(std::make_unique<Generator>(stream, file_.seed));
    }
    for (const TraceSpec& trace : traces) {
      const auto path = find_trace(trace.jobs, beside);
      if (!path) return in_file("traces", path.error());
      const auto text = read_trace_file(*path);
      if (!text) return tl::unexpected(text.error());
      auto rows = trace_jobs(*text, *path, trace, overrides_.bad_rows);
      if (!rows) return tl::unexpected(rows.error());
      if (auto s = check_rows(*path, rows->items, rows->skipped); !s) return s;
      out_.skipped.add(rows->skipped);
      sources.push_back(std::make_unique<ListedJobs>(std::move(rows->items)));
    }
    return {};
  }

  // Of a queue that the fleet does not have; empty when it has it.
  std::string queue_complaint(const std::string& file, const std::string& where,
                              const std::string& queue) const {
    std::vector<std::string> names;
    for (const QueueSpec& known : out_.input.queues) names.push_back(known.name);
    if (std::find(names.begin(), names.end(), queue) != names.end()) return {};
    const std::string nearest = nearest_word(queue, std::span<const std::string>(names));
    return file + ": " + where + ": '" + queue + "' is not a queue of the fleet" +
           (nearest.empty() ? "" : "; did you mean '" + nearest + "'?") +
           "; its queues: " + listed(names);
  }

  // Of a partition that the fleet does not have; empty when it has it, or none is named.
  std::string partition_complaint(const std::string& file, const std::string& where,
                                  const std::string& partition) const {
    std::vector<std::string> names;
    for (const PartitionSpec& known : out_.input.partitions) names.push_back(known.name);
    const bool is_known = std::find(names.begin(), names.end(), partition) != names.end();
    if (partition.empty() || is_known) return {};
    return file + ": " + where + ": '" + partition +
           "' is not a partition of the fleet; its partitions: " + listed(names);
  }

  // No job may turn out in the middle of a run to be nobody's.
  Status check_streams(const std::string& file, const std::vector<StreamSpec>& streams) const {
    for (std::size_t i = 0; i < streams.size(); ++i) {
      std::string nowhere = partition_complaint(
          file, "streams[" + std::to_string(i) + "].partition", streams[i].partition);
      if (!nowhere.empty()) return fail(ErrorCode::kNotFound, std::move(nowhere));
      for (std::size_t t = 0; t < streams[i].teams.size(); ++t) {
        const std::string where =
            "streams[" + std::to_string(i) + "].teams[" + std::to_string(t) + "].queue";
        std::string complaint = queue_complaint(file, where, streams[i].teams[t].queue);
        if (!complaint.empty()) return fail(ErrorCode::kNotFound, std::move(complaint));
      }
    }
    return {};
  }

  // A fleet that is read from a trace has no queue for tenants without nodes; their jobs are
  // counted as rows that are left out.
  Status check_rows(const std::string& file, std::vector<SimJob>& jobs,
                    SkippedRows& skipped) const {
    std::map<std::string, bool> known;
    const auto complaint_of = [&](const SimJob& job) {
      return queue_complaint(file, "queue of job '" + job.name + "'", job.spec->queue);
    };
    for (const SimJob& job : jobs) {
      const auto [at, is_new] = known.try_emplace(job.spec->queue, true);
      if (is_new) at->second = complaint_of(job).empty();
      if (at->second) continue;
      if (overrides_.bad_rows == BadRows::kRefuse && !file_.fleet_trace) {
        return fail(ErrorCode::kNotFound, complaint_of(job));
      }
      skipped.add(complaint_of(job));
    }
    std::erase_if(jobs, [&](const SimJob& job) { return !known.at(job.spec->queue); });
    return {};
  }

  Result<std::string> find_trace(const std::string& reference, const fs::path& beside) const {
    const fs::path near = beside / reference;
    if (is_file(near)) return near.string();
    if (near == reference) {
      return fail(ErrorCode::kNotFound, "'" + reference + "' is not a file");
    }
    const fs::path stored = fs::path(places_.traces) / reference;
    if (is_file(stored)) return stored.string();
    return fail(ErrorCode::kNotFound,
                "'" + reference + "' is neither " + near.string() + " nor " + stored.string());
  }

  tl::unexpected<Error> in_file(const std::string& field, const Error& error) const {
    return fail(error.code, path_ + ": " + field + ": " + error.message);
  }

  template <typename T>
  static void append(std::vector<T>& to, std::vector<T> from) {
    to.insert(to.end(), std::make_move_iterator(from.begin()), std::make_move_iterator(from.end()));
  }

  std::string path_;
  const Places& places_;
  const Overrides& overrides_;
  SimulationFile file_;
  LoadedSimulation out_;
};

}  // namespace

Result<LoadedSimulation> load_simulation(const std::string& path, const Places& places,
                                         const Overrides& overrides) {
  return Loader(path, places, overrides).load();
}

Result<PolicySpec> load_policy(const std::string& reference, const Places& places) {
  const auto path = find_object(reference, places.data + "/policies", fs::path());
  if (!path) return tl::unexpected(path.error());
  return load_object<PolicySpec>(*path);
}

}  // namespace berth::sim
