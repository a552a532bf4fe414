#include "bench/journal/measure.h"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdio>
#include <filesystem>
#include <memory>
#include <utility>

#include "control/learner.h"
#include "journal/etcd_journal.h"
#include "journal/memory_journal.h"
#include "journal/sqlite_journal.h"
#include "sim/load.h"
#include "sim/simulation.h"

namespace berth::bench::journal {
namespace {

namespace fs = std::filesystem;
using Clock = std::chrono::steady_clock;

double seconds_since(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

// A file with those that SQLite puts beside it.
class Files {
 public:
  explicit Files(const std::string& folder)
      : path_(folder + "/berth-bench-" + std::to_string(getpid())) {}
  ~Files() {
    std::error_code ignored;  // what is not there need not be removed
    for (const char* beside : {"", "-wal", "-shm"}) fs::remove(path_ + beside, ignored);
  }
  Files(const Files&) = delete;
  Files& operator=(const Files&) = delete;
  const std::string& path() const { return path_; }

 private:
  std::string path_;
};

// Keys of etcd that go away.
class Keys {
 public:
  explicit Keys(const std::string& endpoint)
      : settings_{{endpoint}, std::nullopt}, prefix_("/berth-bench-" + std::to_string(getpid())) {}
  ~Keys() {
    const auto client = berth::journal::EtcdClient::open(settings_);
    if (!client) return;  // none was named
    const Status erased = (*client)->erase(prefix_ + "/", prefix_ + "0");
    if (!erased)
      std::fprintf(stderr, "%s stays: %s\n", prefix_.c_str(), erased.error().message.c_str());
  }
  Keys(const Keys&) = delete;
  Keys& operator=(const Keys&) = delete;
  Result<std::unique_ptr<berth::journal::EtcdJournal>> journal() const {
    return berth::journal::EtcdJournal::open(settings_, prefix_, std::nullopt);
  }

 private:
  berth::journal::EtcdSettings settings_;
  std::string prefix_;
};

Result<std::unique_ptr<control::Journal>> journal_of(BackEnd back_end, const Files& files,
                                                     const Keys& keys) {
  if (back_end == BackEnd::kMemory) return std::make_unique<berth::journal::MemoryJournal>();
  if (back_end == BackEnd::kEtcd) return keys.journal();
  return berth::journal::SqliteJournal::open(files.path());
}

double quantile(std::vector<double> values, double share) {
  if (values.empty()) return 0;
  const auto at = static_cast<std::ptrdiff_t>(share * static_cast<double>(values.size() - 1));
  std::nth_element(values.begin(), values.begin() + at, values.end());
  return values[static_cast<std::size_t>(at)];
}

}  // namespace

std::vector<CaseSpec> cases() {
  return {{"memory", BackEnd::kMemory, 1},   {"sqlite", BackEnd::kSqlite, 32},
          {"sqlite-8", BackEnd::kSqlite, 8}, {"sqlite-1", BackEnd::kSqlite, 1},
          {"etcd", BackEnd::kEtcd, 32},      {"etcd-8", BackEnd::kEtcd, 8},
          {"etcd-1", BackEnd::kEtcd, 1}};
}

Result<History> record(const std::string& data, DurationMs duration) {
  sim::Overrides overrides;
  overrides.duration_ms = duration;
  auto loaded =
      sim::load_simulation(data + "/workloads/sim-events.yaml", sim::Places{data, {}}, overrides);
  if (!loaded) return tl::unexpected(loaded.error());
  berth::journal::MemoryJournal kept;
  control::FitLearner learner;
  sim::Simulation simulation(std::move(loaded->input), {kept, learner});
  if (auto s = simulation.begin(); !s) return tl::unexpected(s.error());
  if (auto s = simulation.run({}); !s) return tl::unexpected(s.error());
  History history;
  const Status read = kept.replay(0, [&](const EventBatch& batch) -> Status {
    history.batches.push_back(batch);
    history.events += batch.size();
    return {};
  });
  if (!read) return tl::unexpected(read.error());
  return history;
}

Result<Outcome> measure(const CaseSpec& spec, const History& history, const Places& places,
                        double seconds) {
  const Files files(places.folder);
  const Keys keys(places.etcd);
  auto journal = journal_of(spec.back_end, files, keys);
  if (!journal) return tl::unexpected(journal.error());
  std::vector<double> waits;
  std::uint64_t revision = 0;
  std::size_t next = 0;
  const Clock::time_point start = Clock::now();
  while (seconds_since(start) < seconds) {
    if (next == history.batches.size()) next = 0;
    const std::size_t count = std::min(spec.producers, history.batches.size() - next);
    const std::span<const EventBatch> batches = std::span(history.batches).subspan(next, count);
    const Clock::time_point asked = Clock::now();
    if (auto s = (*journal)->append(revision, batches); !s) return tl::unexpected(s.error());
    waits.push_back(seconds_since(asked) * 1e3);
    for (const EventBatch& batch : batches) revision += batch.size();
    next += count;
  }
  const double wall = seconds_since(start);
  std::uint64_t found = 0;
  const Status read = (*journal)->replay(0, [&](const EventBatch& batch) -> Status {
    found += batch.size();
    return {};
  });
  if (!read) return tl::unexpected(read.error());
  if (found != revision) {
    return fail(ErrorCode::kCorrupt, std::to_string(revision) + " events were appended, " +
                                         std::to_string(found) + " are found");
  }
  const auto calls = static_cast<double>(waits.size());
  return Outcome{static_cast<double>(revision) / wall, calls / wall,
                 quantile(std::move(waits), 0.99)};
}

Result<double> syncs_per_s(const std::string& folder, double seconds) {
  const Files files(folder);
  const int file = open(files.path().c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
  if (file < 0) return fail(ErrorCode::kUnavailable, files.path() + " cannot be written");
  const std::array<char, 4096> page{};
  std::uint64_t syncs = 0;
  const Clock::time_point start = Clock::now();
  bool works = true;
  while (works && seconds_since(start) < seconds) {
    works = write(file, page.data(), page.size()) == static_cast<ssize_t>(page.size()) &&
            fdatasync(file) == 0;
    ++syncs;
  }
  const double wall = seconds_since(start);
  close(file);
  if (!works) return fail(ErrorCode::kUnavailable, files.path() + " cannot be written");
  return static_cast<double>(syncs) / wall;
}

}  // namespace berth::bench::journal
