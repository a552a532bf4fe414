// What tests of journals share: batches that can be told apart, and a folder that goes away.
// Tests only.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "control/ports.h"
#include "model/event.h"

namespace berth::journal::testing {

// A batch of `size` events at times of which no two batches share one.
inline EventBatch batch_of(std::uint64_t number, std::size_t size) {
  EventBatch batch;
  for (std::size_t i = 0; i < size; ++i) {
    batch.push_back({static_cast<TimeMs>(number * 1'000 + i), TimePassed{}});
  }
  return batch;
}

// The times of all events, batch by batch.
using Times = std::vector<std::vector<TimeMs>>;

inline std::vector<TimeMs> times_of(const EventBatch& batch) {
  std::vector<TimeMs> times;
  for (const Event& event : batch) times.push_back(event.at);
  return times;
}

inline Result<Times> replayed(const control::Journal& journal, std::uint64_t after = 0) {
  Times times;
  const Status status = journal.replay(after, [&](const EventBatch& batch) -> Status {
    times.push_back(times_of(batch));
    return {};
  });
  if (!status) return tl::unexpected(status.error());
  return times;
}

class TemporaryFolder {
 public:
  TemporaryFolder() {
    std::string name = (std::filesystem::temp_directory_path() / "berth-XXXXXX").string();
    if (::mkdtemp(name.data()) == nullptr) throw std::runtime_error("no folder can be made");
    path_ = name;
  }
  ~TemporaryFolder() { std::filesystem::remove_all(path_); }
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;

  std::string file(const std::string& name) const { return (path_ / name).string(); }

 private:
  std::filesystem::path path_;
};

}  // namespace berth::journal::testing
