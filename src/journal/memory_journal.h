// MemoryJournal: the journal of the simulator and of tests. Keeps the records as bytes, so that
// what is replayed went through the serialisation. Not durable.
#pragma once

#include <string>
#include <string_view>

#include "control/ports.h"

namespace berth::journal {

class MemoryJournal final : public control::Journal {
 public:
  MemoryJournal() = default;
  // Continues after the whole records of `bytes`; a torn tail is cut, damage in the middle refused.
  static Result<MemoryJournal> open(std::string bytes);

  Status append(std::uint64_t first_revision, const EventBatch& events) override;
  Status replay(const std::function<Status(const EventBatch&)>& visit) const override;

  const std::string& bytes() const { return bytes_; }
  std::uint64_t revision() const { return revision_; }  // after the last record
  std::size_t torn_bytes() const { return torn_bytes_; }

 private:
  std::string bytes_;
  std::uint64_t revision_ = 0;
  std::size_t torn_bytes_ = 0;
};

// Keeps nothing: for measuring what the journal costs.
class NullJournal final : public control::Journal {
 public:
  Status append(std::uint64_t /*first_revision*/, const EventBatch& /*events*/) override {
    return {};
  }
  Status replay(const std::function<Status(const EventBatch&)>& /*visit*/) const override {
    return {};
  }
};

}  // namespace berth::journal
