// MemoryJournal: the journal of the simulator and of tests. Keeps the records as bytes, so that
// what is replayed went through the serialisation. Not durable.
#pragma once

#include <map>
#include <string>
#include <string_view>

#include "control/ports.h"

namespace berth::journal {

class MemoryJournal final : public control::Journal, public control::Snapshots {
 public:
  MemoryJournal() = default;
  // Continues after the whole records of `bytes`; a torn tail is cut, damage in the middle refused.
  static Result<MemoryJournal> open(std::string bytes);

  Status append(std::uint64_t first_revision, std::span<const EventBatch> batches) override;
  Status replay(std::uint64_t after,
                const std::function<Status(const EventBatch&)>& visit) const override;

  Status save(const control::Snapshot& snapshot) override;
  Result<std::optional<control::Snapshot>> newest() const override;
  Status compact() override;

  const std::string& bytes() const { return bytes_; }
  std::uint64_t revision() const { return revision_; }  // after the last record
  std::size_t torn_bytes() const { return torn_bytes_; }

 private:
  std::string bytes_;
  std::uint64_t first_ = 0;  // revision of the first record
  std::uint64_t revision_ = 0;
  std::map<std::uint64_t, std::string> snapshots_;  // by revision
  std::size_t torn_bytes_ = 0;
};

// Keeps nothing: for measuring what the journal costs.
class NullJournal final : public control::Journal {
 public:
  Status append(std::uint64_t /*first_revision*/,
                std::span<const EventBatch> /*batches*/) override {
    return {};
  }
  Status replay(std::uint64_t /*after*/,
                const std::function<Status(const EventBatch&)>& /*visit*/) const override {
    return {};
  }
};

}  // namespace berth::journal
